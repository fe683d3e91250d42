//! Checkpoints on disk: one file each in the project's `.claude/checkpoints`, written whole or not at all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_domain::checkpoint::{Checkpoint, is_id};
use throughline_redact as redact;

use crate::content_hash;
use crate::door::{Spot, outside};
use crate::files::{self, AtPath, Durability, FileError};
use crate::forget::{self, Needle};
use crate::lock::{Lock, LockError, Patience};
use crate::paths::{Home, Project};

/// Largest checkpoint that is read.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::CHECKPOINT_BYTES_MAX;
/// Most names looked at.
const NAMES_MAX: usize = 10_000;
/// Largest index of git's that is copied.
const INDEX_BYTES_MAX: u64 = throughline_domain::limits::GIT_INDEX_BYTES_MAX;
const EXTENSION: &str = ".json";
const MADE: &str = "checkpoints-made.json";
/// Of our own that cannot be read, or were changed, so many are passed over.
const LATEST_TRIES_MAX: usize = 10;

/// Why checkpoints could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// No lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// An IO failure.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is none of that name.
    #[error("there is no checkpoint `{0}`")]
    Unknown(String),
    /// The name fits several.
    #[error("{count} checkpoints begin or end with `{name}`")]
    Several {
        /// What was asked for.
        name: String,
        /// How many fit.
        count: usize,
    },
    /// The file is there and says nothing.
    #[error("the checkpoint {} can not be read: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

/// The checkpoints of a project.
#[derive(Debug, Clone)]
pub struct Checkpoints {
    project: Project,
    data: Spot,
}

/// The lock on a project's checkpoints.
#[derive(Debug)]
pub struct Alone {
    _lock: Lock,
}

impl Checkpoints {
    /// Those of a project.
    #[must_use]
    pub fn of(project: &Project, home: &Home) -> Self {
        Self { project: project.clone(), data: home.project(&project.key) }
    }

    /// The folder with the files.
    #[must_use]
    pub fn folder(&self) -> Spot {
        self.project.files.join("checkpoints")
    }

    /// Keeps other writers away; what killed ones left behind is removed.
    pub fn alone(&self, patience: Patience) -> Result<Alone, CheckpointError> {
        files::create_folder(&self.data)?;
        let lock = Lock::acquire(&self.data.join("checkpoints.lock"), patience)?;
        files::sweep_temps(&self.folder(), None);
        files::sweep_temps(&self.data, Some(MADE));
        self.sweep_scratch();
        Ok(Alone { _lock: lock })
    }

    /// The names, oldest first.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        let names = self.folder().list(NAMES_MAX).into_iter().filter_map(|it| it.name.into_string().ok());
        let mut ids: Vec<String> = names
            .filter_map(|name| name.strip_suffix(EXTENSION).filter(|id| is_id(id)).map(str::to_owned))
            .collect();
        ids.sort_unstable();
        ids
    }

    /// Reads one by its full name.
    pub fn read(&self, id: &str) -> Result<Checkpoint, CheckpointError> {
        if !is_id(id) {
            return Err(CheckpointError::Unknown(id.to_owned()));
        }
        let path = self.file(id);
        let bytes = files::read_limited(&path, FILE_BYTES_MAX)?
            .ok_or_else(|| CheckpointError::Unknown(id.to_owned()))?;
        let read = serde_json::from_slice::<Checkpoint>(&bytes);
        let mut checkpoint =
            read.map_err(|error| CheckpointError::Broken { path: path.shown(), why: error.to_string() })?;
        // The file's name counts: somebody may have copied it.
        id.clone_into(&mut checkpoint.id);
        checkpoint.is_foreign = !self.made().get(id).is_some_and(|made| content_hash::is_of(made, &bytes));
        Ok(checkpoint)
    }

    /// Every checkpoint that can be read, oldest first, and what is wrong with the others.
    #[must_use]
    pub fn all(&self) -> (Vec<Checkpoint>, Vec<CheckpointError>) {
        let mut problems = Vec::new();
        let all = self.ids().into_iter().filter_map(|id| match self.read(&id) {
            Ok(checkpoint) => Some(checkpoint),
            Err(error) => {
                problems.push(error);
                None
            }
        });
        (all.collect(), problems)
    }

    /// The newest that was made here and can be read.
    #[must_use]
    pub fn latest(&self) -> Option<Checkpoint> {
        let newest = self.own_ids().into_iter().rev().take(LATEST_TRIES_MAX);
        newest.filter_map(|id| self.read(&id).ok()).find(|it| !it.is_foreign)
    }

    /// The names of those that were made here, oldest first. The folder is not asked: it may be full of others'.
    #[must_use]
    pub fn own_ids(&self) -> Vec<String> {
        self.made().into_keys().filter(|id| is_id(id)).collect()
    }

    /// Those that were made here and can be read, oldest first.
    #[must_use]
    pub fn own(&self) -> Vec<Checkpoint> {
        let read = self.own_ids().into_iter().filter_map(|id| self.read(&id).ok());
        read.filter(|it| !it.is_foreign).collect()
    }

    /// The full name of the checkpoint that is meant: `latest`, or the beginning or the end of its name.
    pub fn find(&self, name: &str) -> Result<String, CheckpointError> {
        let ids = self.ids();
        if name == "latest" {
            return ids.into_iter().next_back().ok_or_else(|| CheckpointError::Unknown(name.to_owned()));
        }
        let fits = |id: &&String| !name.is_empty() && (id.starts_with(name) || id.ends_with(name));
        let found: Vec<&String> = ids.iter().filter(fits).collect();
        match found.as_slice() {
            [] => Err(CheckpointError::Unknown(name.to_owned())),
            [id] => Ok((*id).clone()),
            several => match several.iter().find(|id| id.as_str() == name) {
                Some(exact) => Ok((*exact).clone()),
                None => Err(CheckpointError::Several { name: name.to_owned(), count: several.len() }),
            },
        }
    }

    /// Writes a checkpoint. An `Ok` means that it is on disk, flushed.
    pub fn write(&self, alone: &Alone, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        self.place(alone, checkpoint, true)
    }

    /// Writes one that was made elsewhere, where there is none of its name. `is_ours`: it may speak here.
    pub fn adopt(
        &self,
        alone: &Alone,
        checkpoint: &Checkpoint,
        is_ours: bool,
    ) -> Result<bool, CheckpointError> {
        if !is_id(&checkpoint.id) || self.file(&checkpoint.id).exists() {
            return Ok(false);
        }
        self.place(alone, checkpoint, is_ours).map(|()| true)
    }

    fn place(&self, _alone: &Alone, checkpoint: &Checkpoint, is_ours: bool) -> Result<(), CheckpointError> {
        let folder = self.folder();
        files::create_folder(&folder)?;
        let path = self.file(&checkpoint.id);
        let encoded = serde_json::to_value(checkpoint).map_err(std::io::Error::other);
        let mut value = encoded.at("encode", &path)?;
        redact_but_ids(&mut value);
        let bytes = serde_json::to_vec_pretty(&value).map_err(std::io::Error::other).at("encode", &path)?;
        if is_ours {
            self.note_made(&checkpoint.id, content_hash::of(&bytes))?;
        }
        Ok(files::replace(&path, &bytes, Durability::Flushed)?)
    }

    /// Those whose files hold certain words.
    #[must_use]
    pub fn holding(&self, needle: &Needle) -> Vec<String> {
        let is_holding = |id: &String| forget::holds(&self.file(id), needle);
        self.ids().into_iter().filter(is_holding).collect()
    }

    /// Takes words out of checkpoints; one that was made here stays known as such. Says how many held them.
    pub fn mask(&self, _alone: &Alone, needle: &Needle) -> Result<usize, CheckpointError> {
        let mut masked = 0;
        for id in self.ids() {
            let path = self.file(&id);
            let Ok(Some(bytes)) = files::read_limited(&path, FILE_BYTES_MAX) else { continue };
            let clean = needle.masked(&bytes);
            if clean == bytes {
                continue;
            }
            if self.made().get(&id).is_some_and(|made| content_hash::is_of(made, &bytes)) {
                self.note_made(&id, content_hash::of(&clean))?;
            }
            files::replace(&path, &clean, Durability::Flushed)?;
            masked += 1;
        }
        Ok(masked)
    }

    /// Masks a checkpoint that was made here once more; says whether something was to be masked.
    pub fn mask_again(&self, _alone: &Alone, id: &str) -> Result<bool, CheckpointError> {
        let path = self.file(id);
        let Some(bytes) = files::read_limited(&path, FILE_BYTES_MAX)? else { return Ok(false) };
        let Ok(value) = serde_json::from_slice::<Value>(&bytes) else { return Ok(false) };
        let mut clean = value.clone();
        redact_but_ids(&mut clean);
        if clean == value {
            return Ok(false);
        }
        let clean = serde_json::to_vec_pretty(&clean).map_err(std::io::Error::other).at("encode", &path)?;
        // The second: whoever masked it before was killed between the two writes below.
        let made = self.made();
        let is_ours = |bytes: &[u8]| made.get(id).is_some_and(|made| content_hash::is_of(made, bytes));
        if !is_ours(&bytes) && !is_ours(&clean) {
            return Ok(false);
        }
        self.note_made(id, content_hash::of(&clean))?;
        files::replace(&path, &clean, Durability::Flushed)?;
        Ok(true)
    }

    /// Fingerprints of the files that were written here, by name. A file that came with a clone has none.
    fn made(&self) -> BTreeMap<String, String> {
        let bytes = files::read_limited(&self.data.join(MADE), FILE_BYTES_MAX).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Before the file itself: one that was written and is not known to be ours would be taken for somebody else's.
    fn note_made(&self, id: &str, hash: String) -> Result<(), FileError> {
        let mut made = self.made();
        made.retain(|known, _| is_id(known) && self.file(known).exists());
        made.insert(id.to_owned(), hash);
        let path = self.data.join(MADE);
        let bytes = serde_json::to_vec(&made).map_err(std::io::Error::other).at("encode", &path)?;
        files::replace(&path, &bytes, Durability::Flushed)
    }

    /// Removes checkpoints by their full names; those that are not there are no failure.
    pub fn remove(&self, _alone: &Alone, ids: &[String]) -> Result<(), CheckpointError> {
        for id in ids.iter().filter(|id| is_id(id)) {
            files::remove(&self.file(id))?;
        }
        Ok(())
    }

    /// A folder for git's work, with a copy of the index in it. It goes when this is dropped.
    pub fn scratch(&self, _alone: &Alone, index: Option<&Path>) -> Result<Scratch, CheckpointError> {
        let folder = self.data.join(SCRATCH);
        files::create_folder(&folder)?;
        let scratch = Scratch { index: folder.join("index"), folder };
        let Some(index) = index else { return Ok(scratch) };
        let source = match outside::open(index) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(scratch),
            opened => opened.at("open", index)?,
        };
        if source.metadata().is_ok_and(|meta| meta.len() <= INDEX_BYTES_MAX) {
            let mut copy = files::create_new(&scratch.index).at("create", &scratch.index)?;
            io::copy(&mut { source }, &mut copy).at("copy", index)?;
        }
        Ok(scratch)
    }

    fn sweep_scratch(&self) {
        let _ = self.data.join(SCRATCH).remove_tree();
    }

    fn file(&self, id: &str) -> Spot {
        self.folder().join(format!("{id}{EXTENSION}"))
    }
}

const SCRATCH: &str = "checkpoint-scratch";

/// A folder for git's work.
#[derive(Debug)]
pub struct Scratch {
    folder: Spot,
    /// The copy of the index.
    pub index: Spot,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays, the next writer removes.
        let _ = self.folder.remove_tree();
    }
}

/// A file whose name tells a secret: under a masked name it could not be put back, so it counts as left out.
fn leave_out_telling_names(git: &mut Value) {
    let tells = |file: &Value| {
        let path = file.get("path").and_then(Value::as_str).unwrap_or_default();
        matches!(redact::text(path), Cow::Owned(_)).then(|| path.to_owned())
    };
    let Some(files) = git.get_mut("files").and_then(Value::as_array_mut) else { return };
    let names: Vec<String> = files.iter().filter_map(tells).collect();
    if names.is_empty() {
        return;
    }
    files.retain(|file| tells(file).is_none());
    let count = git.get("leftOutCount").and_then(Value::as_u64).unwrap_or(0);
    git["leftOutCount"] = Value::from(count + names.len() as u64);
    let left_out = git.get("leftOut").and_then(Value::as_array).cloned().unwrap_or_default();
    git["leftOut"] = left_out.into_iter().chain(names.into_iter().map(Value::from)).collect();
}

/// Ids of objects are no secrets, and a masked one would be of no use.
fn redact_but_ids(value: &mut Value) {
    let git = value.get_mut("git").map(Value::take);
    redact::json(value);
    if let (Some(mut git), Some(map)) = (git, value.as_object_mut()) {
        leave_out_telling_names(&mut git);
        for key in ["branch", "leftOut", "error"] {
            if let Some(text) = git.get_mut(key) {
                redact::json(text);
            }
        }
        map.insert("git".to_owned(), git);
    }
}
