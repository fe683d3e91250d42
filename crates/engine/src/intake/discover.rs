//! Discover: which transcripts there are, and which of them changed since each store last read them. Opens none of them.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use throughline_agents::agent::{Agent, USUAL};
use throughline_store::door::outside;
use throughline_store::forget::Forgotten;
use throughline_store::known_files::{FileMark, KnownFile};
use throughline_store::transcript_file::Cursor;

use super::Both;
use crate::place::Place;

/// How deep below `projects` transcripts are looked for: a project, a session, its subagents, and room for more.
const DEPTH_MAX: usize = throughline_domain::limits::TRANSCRIPT_DEPTH_MAX;
/// Most names that are looked at.
const ENTRIES_MAX: usize = 1_000_000;

/// What there is.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Transcripts that are new or changed, the one that was written to longest ago first.
    pub changed: Vec<Changed>,
    /// All transcripts.
    pub files: u64,
    /// Folders and files that could not be looked at.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// A transcript to read.
#[derive(Debug)]
pub struct Changed {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in the stores.
    pub key: String,
    /// As what it was seen now.
    pub mark: FileMark,
    /// Whose it is.
    pub agent: &'static Agent,
    /// The name of its project's folder below `projects`.
    pub project_folder: String,
    /// Where each store stands in it; `None` for one that has it as it is.
    pub read_up_to: Both<Option<ReadUpTo>>,
}

/// Where a store stands in a transcript.
#[derive(Debug, Clone)]
pub struct ReadUpTo {
    /// The first byte that it does not have yet.
    pub cursor: Cursor,
    /// What it noted there, to go on.
    pub state: String,
}

impl ReadUpTo {
    fn of(known: Option<&KnownFile>) -> Self {
        known.map_or_else(
            || Self { cursor: Cursor::at_start(), state: String::new() },
            |known| Self { cursor: known.cursor.clone(), state: known.state.clone() },
        )
    }
}

impl Changed {
    /// One transcript for the index of recall alone, by what that knows of it.
    #[must_use]
    pub fn for_recall(
        path: PathBuf,
        key: String,
        mark: FileMark,
        known: &BTreeMap<String, KnownFile>,
    ) -> Self {
        let folder = path.parent().and_then(Path::file_name);
        let project_folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let read_up_to = Both { usage: None, recall: Some(ReadUpTo::of(known.get(&key))) };
        Self { path, key, mark, agent: USUAL, project_folder, read_up_to }
    }

    /// Bytes that one of the stores did not read yet.
    #[must_use]
    pub fn bytes_new(&self) -> u64 {
        let Both { usage, recall } = &self.read_up_to;
        usage.iter().chain(recall).map(|it| self.bytes_behind(it)).max().unwrap_or(0)
    }

    /// Bytes that the index of recall did not read yet.
    #[must_use]
    pub fn bytes_new_to_recall(&self) -> u64 {
        self.read_up_to.recall.as_ref().map_or(0, |it| self.bytes_behind(it))
    }

    /// A file that became shorter is read anew.
    fn bytes_behind(&self, read_up_to: &ReadUpTo) -> u64 {
        self.mark.size_bytes.checked_sub(read_up_to.cursor.offset).unwrap_or(self.mark.size_bytes)
    }
}

/// What the stores know of files; `None` for one that wants none of them.
pub type KnownFiles<'k> = Both<Option<&'k BTreeMap<String, KnownFile>>>;

/// The client's configuration folders: those that `CLAUDE_CONFIG_DIR` lists, else the usual ones.
#[must_use]
pub fn config_folders(place: &Place) -> Vec<PathBuf> {
    let named = place.around.text("CLAUDE_CONFIG_DIR").unwrap_or_default();
    let mut folders: Vec<PathBuf> = named
        .split(',')
        .map(str::trim)
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .collect();
    if folders.is_empty() {
        let xdg = place.config_folder.as_deref().and_then(Path::parent).map(|folder| folder.join("claude"));
        folders.extend(xdg);
        folders.extend(place.user_home.as_ref().map(|home| home.join(".claude")));
    }
    let mut real: Vec<PathBuf> = folders.iter().map(|folder| crate::place::real(folder)).collect();
    real.dedup();
    real.retain(|folder| folder.join("projects").is_dir());
    real
}

/// Looks through the folders.
#[must_use]
pub fn discover(config_folders: &[PathBuf], known: KnownFiles<'_>, forgotten: &Forgotten) -> Discovered {
    let mut found = Discovered::default();
    let mut entries = 0;
    for config_folder in config_folders {
        let projects = config_folder.join("projects");
        let mut folders = vec![(projects.clone(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let names = match outside::list(&folder) {
                Ok(names) => names,
                Err(error) => {
                    found.unreadable.push((folder, format!("could not be listed: {error}")));
                    continue;
                }
            };
            for entry in names.flatten() {
                entries += 1;
                if entries > ENTRIES_MAX {
                    let what = format!("more than {ENTRIES_MAX} files: the rest is passed over");
                    found.unreadable.push((folder, what));
                    return found.in_order();
                }
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && depth < DEPTH_MAX {
                    folders.push((entry.path(), depth + 1));
                } else if kind.is_file() && entry.file_name().as_encoded_bytes().ends_with(b".jsonl") {
                    found.take(entry.path(), entry.metadata().ok(), &projects, known, forgotten);
                }
            }
        }
    }
    found.in_order()
}

impl Discovered {
    fn take(
        &mut self,
        path: PathBuf,
        meta: Option<Metadata>,
        projects: &Path,
        known: KnownFiles<'_>,
        forgotten: &Forgotten,
    ) {
        let Some(meta) = meta else { return };
        self.files += 1;
        let mark = FileMark::of(&meta);
        let below = path.strip_prefix(projects).unwrap_or(&path);
        if forgotten.covers_file(below, mark.mtime_ns / 1_000_000) {
            return;
        }
        let key = path.to_string_lossy().into_owned();
        let of = |files: &BTreeMap<String, KnownFile>| {
            let known = files.get(&key);
            let is_done = known.is_some_and(|known| known.is_settled && known.mark == mark);
            (!is_done).then(|| ReadUpTo::of(known))
        };
        let read_up_to = Both { usage: known.usage.and_then(of), recall: known.recall.and_then(of) };
        if read_up_to.usage.is_none() && read_up_to.recall.is_none() {
            return;
        }
        let below = path.strip_prefix(projects).ok().and_then(|below| below.components().next());
        let project_folder =
            below.map(|it| it.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
        self.changed.push(Changed { path, key, mark, agent: USUAL, project_folder, read_up_to });
    }

    fn in_order(mut self) -> Self {
        self.changed
            .sort_by(|left, right| (left.mark.mtime_ns, &left.path).cmp(&(right.mark.mtime_ns, &right.path)));
        self
    }
}
