//! Discover: which transcripts there are, and which of them changed since each store last read them. Opens none of them.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use throughline_agents::agent::{AGENTS, Agent, Kept, RowFormat};
use throughline_store::door::outside;
use throughline_store::forget::Forgotten;
use throughline_store::known_files::{FileMark, KnownFile};
use throughline_store::transcript_file::Cursor;
use throughline_store::transcript_rows;

use super::Both;
use crate::client_folders;
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
        agent: &'static Agent,
        path: PathBuf,
        key: String,
        mark: FileMark,
        known: &BTreeMap<String, KnownFile>,
    ) -> Self {
        let folder = path.parent().and_then(Path::file_name);
        let project_folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let read_up_to = Both { usage: None, recall: Some(ReadUpTo::of(known.get(&key))) };
        Self { path, key, mark, agent, project_folder, read_up_to }
    }

    /// The session that its name tells; its lines may tell another.
    #[must_use]
    pub fn session(&self) -> String {
        let stem = self.path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        (self.agent.transcripts.session_of)(&stem).to_owned()
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

/// Looks through the folders of every agent's client.
#[must_use]
pub fn discover(place: &Place, known: KnownFiles<'_>, forgotten: &Forgotten) -> Discovered {
    let mut search = Search { found: Discovered::default(), entries: 0, known, forgotten };
    for agent in AGENTS {
        for folder in client_folders::of(place, agent) {
            match agent.transcripts.kept {
                Kept::Files { below, is_one } => search.files(agent, &folder.join(below), is_one),
                Kept::Rows(format) => search.rows(agent, &folder.join(format.database), format),
            }
        }
    }
    search.found.in_order()
}

/// A look through folders.
struct Search<'s> {
    found: Discovered,
    entries: usize,
    known: KnownFiles<'s>,
    forgotten: &'s Forgotten,
}

impl Search<'_> {
    fn files(&mut self, agent: &'static Agent, top: &Path, is_one: fn(&str) -> bool) {
        // A client that never ran here has no folder.
        if !top.is_dir() {
            return;
        }
        let mut folders = vec![(top.to_owned(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let names = match outside::list(&folder) {
                Ok(names) => names,
                Err(error) => {
                    self.found.unreadable.push((folder, format!("could not be listed: {error}")));
                    continue;
                }
            };
            for entry in names.flatten() {
                self.entries += 1;
                if self.entries > ENTRIES_MAX {
                    let what = format!("more than {ENTRIES_MAX} files: the rest is passed over");
                    self.found.unreadable.push((folder, what));
                    return;
                }
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && depth < DEPTH_MAX {
                    folders.push((entry.path(), depth + 1));
                } else if kind.is_file() && entry.file_name().to_str().is_some_and(is_one) {
                    self.take_file(agent, entry.path(), entry.metadata().ok(), top);
                }
            }
        }
    }

    fn rows(&mut self, agent: &'static Agent, database: &Path, format: &RowFormat) {
        let listed = match transcript_rows::sessions(database, format.sessions) {
            Ok(listed) => listed,
            Err(error) => {
                self.found.unreadable.push((database.to_owned(), error.source.to_string()));
                return;
            }
        };
        for row in listed {
            let mark = FileMark {
                size_bytes: row.last_position,
                mtime_ns: row.changed_ms.saturating_mul(1_000_000),
                ..FileMark::default()
            };
            self.take(agent, database.join(&row.id), mark, Path::new(&row.id), String::new());
        }
    }

    fn take_file(&mut self, agent: &'static Agent, path: PathBuf, meta: Option<Metadata>, top: &Path) {
        let Some(meta) = meta else { return };
        let below = path.strip_prefix(top).unwrap_or(&path).to_owned();
        let project_folder = match agent.transcripts.project_folder.and(below.components().next()) {
            Some(first) => first.as_os_str().to_string_lossy().into_owned(),
            None => String::new(),
        };
        self.take(agent, path, FileMark::of(&meta), &below, project_folder);
    }

    fn take(
        &mut self,
        agent: &'static Agent,
        path: PathBuf,
        mark: FileMark,
        below: &Path,
        project_folder: String,
    ) {
        self.found.files += 1;
        if self.forgotten.covers_file(below, mark.mtime_ns / 1_000_000) {
            return;
        }
        let key = path.to_string_lossy().into_owned();
        let of = |files: &BTreeMap<String, KnownFile>| {
            let known = files.get(&key);
            let is_done = known.is_some_and(|known| known.is_settled && known.mark == mark);
            (!is_done).then(|| ReadUpTo::of(known))
        };
        let read_up_to =
            Both { usage: self.known.usage.and_then(of), recall: self.known.recall.and_then(of) };
        if read_up_to.usage.is_none() && read_up_to.recall.is_none() {
            return;
        }
        self.found.changed.push(Changed { path, key, mark, agent, project_folder, read_up_to });
    }
}

impl Discovered {
    fn in_order(mut self) -> Self {
        self.changed
            .sort_by(|left, right| (left.mark.mtime_ns, &left.path).cmp(&(right.mark.mtime_ns, &right.path)));
        self
    }
}
