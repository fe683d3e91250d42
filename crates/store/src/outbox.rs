//! The outbox: what a change adds to or takes from the working set, flushed before the state file is replaced.
//!
//! One batch per change, one line each. The archive folds batches in; a batch stays until that has happened.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_domain::Origin;

use crate::files::{self, AtPath, FileError};

/// Largest outbox that is read. Each change folds it, so that it holds a handful of batches.
const OUTBOX_BYTES_MAX: u64 = 64 << 20;

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// It was recorded.
    Add,
    /// Its words or its state changed.
    Change,
    /// It left the working set; `why` says why. It stays in the archive.
    Leave,
    /// It is back in the working set.
    Return,
}

/// One entry's part in a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// What happened.
    pub op: Op,
    /// The kind's word (`decision`).
    pub kind: String,
    /// The entry's id (`D3`).
    pub id: String,
    /// Who said it.
    pub origin: Origin,
    /// The whole entry as the state file spells it.
    pub body: Value,
    /// Why it left or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// One change of the working set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Unique among all batches: folding one twice adds nothing.
    pub uid: String,
    /// When (ISO 8601).
    pub at: String,
    /// The agent's session, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Fingerprint of the state file before, whoever wrote it; `None` when there was none.
    pub hash_before: Option<String>,
    /// Fingerprint of the state file after.
    pub hash_after: String,
    /// What happened to which entries.
    pub events: Vec<Event>,
    /// The state after the change: what a rebuild starts from.
    pub state: Value,
}

/// The outbox file of one project. Only the holder of the project's lock may touch it.
#[derive(Debug, Clone)]
pub struct Outbox {
    path: PathBuf,
}

impl Outbox {
    /// The outbox in a project's data folder.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("outbox.jsonl") }
    }

    /// Its path, for `doctor`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a batch and flushes it to disk.
    pub fn append(&self, batch: &Batch) -> Result<(), FileError> {
        let line = serde_json::to_vec(batch).map_err(io::Error::other).at("encode", &self.path)?;
        let mut file = files::open_append(&self.path)?;
        let (_, ends_line) = files::read_tail(&mut file, 1).at("read", &self.path)?;
        files::append_line(&mut file, &line, ends_line).at("append to", &self.path)?;
        file.sync_data().at("flush", &self.path)
    }

    /// Every batch that waits, oldest first. Torn lines are skipped: their change was never acknowledged.
    pub fn read_all(&self) -> Result<Vec<Batch>, FileError> {
        let mut batches = self.read_folding()?;
        batches.extend(read_batches(&self.path)?);
        Ok(batches)
    }

    /// Whether anything waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |meta| meta.len());
        bytes(&self.path) == 0 && bytes(&self.folding_path()) == 0
    }

    /// Puts what waits aside for a fold, so that writers can go on. What an earlier fold left behind goes first.
    pub fn begin_fold(&self) -> Result<(), FileError> {
        if self.folding_path().exists() || !self.path.exists() {
            return Ok(());
        }
        std::fs::rename(&self.path, self.folding_path()).at("move", &self.path)
    }

    /// The batches put aside.
    pub fn read_folding(&self) -> Result<Vec<Batch>, FileError> {
        read_batches(&self.folding_path())
    }

    /// The first batch that came after those put aside.
    pub fn first_waiting(&self) -> Result<Option<Batch>, FileError> {
        Ok(read_batches(&self.path)?.into_iter().next())
    }

    /// Forgets the batches put aside, once the archive has them.
    pub fn end_fold(&self) -> Result<(), FileError> {
        let path = self.folding_path();
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at("remove", &path),
            _ => Ok(()),
        }
    }

    fn folding_path(&self) -> PathBuf {
        self.path.with_extension("folding.jsonl")
    }
}

fn read_batches(path: &Path) -> Result<Vec<Batch>, FileError> {
    let Some(bytes) = files::read_limited(path, OUTBOX_BYTES_MAX)? else { return Ok(Vec::new()) };
    Ok(bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}
