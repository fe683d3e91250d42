//! A project's memory: every change of the working set goes through here, under the project's lock.
//!
//! Outbox first (flushed), then the state file (the commit point), then, outside the lock, the archive.
//!
//! ```
//! use throughline_domain::budget::{self, Limits};
//! use throughline_domain::{EvidenceType, GitState, Kind, Origin, Priority, Timestamp, Trigger};
//! use throughline_store::lock::Patience;
//! use throughline_store::memory::{Author, Memory};
//! use throughline_store::paths::{Home, Project};
//!
//! let folder = tempfile::tempdir()?;
//! let home = Home::at(folder.path().join("data"));
//! let project = Project::at(&folder.path().join("project"), None, &home);
//! std::fs::create_dir(&project.root)?;
//! let memory = Memory::of(project, home, Limits::default());
//! let now = Timestamp::now();
//! let author = Author { origin: Origin::User, session: None, now, patience: Patience::Person };
//!
//! let changed = memory.update(&author, |draft| {
//!     draft.add_decision("Use UUID primary keys", "better for distributed systems", false)?;
//!     draft.add_constraint("No breaking changes to the public API", "contract with partners", true)?;
//!     draft.add_open_question("Should we support old clients?", "requirement unclear", Priority::High)?;
//!     draft.add_evidence(EvidenceType::Error, "TypeError: cannot read 'id'", "npm test, line 42")
//! })?;
//! assert_eq!(changed.value.to_string(), "E1");
//!
//! memory.update(&author, |draft| draft.resolve_question("Q1", "yes, for one more year"))?;
//! memory.update(&author, |draft| {
//!     draft.save(Trigger::Checkpoint, GitState::default());
//!     Ok(())
//! })?;
//!
//! let (state, repairs) = memory.load(&author)?;
//! assert!(repairs.is_empty());
//! assert_eq!(state.entries(Kind::Decision)[0].text, "Use UUID primary keys");
//! assert!(state.open_questions().is_empty());
//! assert!(state.is_recent(now, 30));
//! assert!(budget::estimate_tokens(&state.to_json().to_string()) < 1_200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod difference;
mod draft;
mod fold;
mod known_ids;
pub mod outbox;
mod reconcile;
mod restock;
pub mod state_file;
mod versions;
mod waiting;

use std::collections::HashSet;
use std::path::PathBuf;

use throughline_domain::budget::{self, Limits};
use throughline_domain::{Entry, EntryId, Origin, State, Timestamp, time, transition};

pub use difference::Difference;
pub use draft::{Draft, EntryError, NewEntry};
pub use fold::{FoldOutcome, fold_outbox};
pub use reconcile::{KEY_DECISIONS, Repair, WORK_ITEM};
pub use restock::RestockError;
pub use waiting::Waiting;

use crate::content_hash;
use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::lock::{Lock, LockError, Patience};
use crate::outbox::{Batch, Event, Op, Outbox};
use crate::paths::{Home, Project};
use crate::statusline_rules::{Watched, stamp_of};
use reconcile::WhoseVersion;
use state_file::StateFileError;
use throughline_redact as redact;
use versions::Versions;

/// Who changes the memory, when, and how long they can wait.
#[derive(Debug, Clone)]
pub struct Author {
    /// Whose words they are.
    pub origin: Origin,
    /// The agent's session, when known.
    pub session: Option<String>,
    /// The moment of the change.
    pub now: Timestamp,
    /// How long to wait for the lock.
    pub patience: Patience,
}

/// A project's memory.
#[derive(Debug, Clone)]
pub struct Memory {
    /// The project.
    pub project: Project,
    /// The user's data folder.
    pub home: Home,
    /// What bounds the working set.
    pub limits: Limits,
}

/// What a change did, beside what was asked for.
#[derive(Debug)]
pub struct Changed<T> {
    /// What the caller's function returned.
    pub value: T,
    /// The state after the change.
    pub state: State,
    /// What had to be mended or taken note of on the way.
    pub repairs: Vec<Repair>,
    /// Ids of entries that left for want of room.
    pub evicted: Vec<String>,
    /// Those of them that leave only when nothing else is left: blocking constraints, urgent questions, critical anchors.
    pub evicted_precious: Vec<String>,
    /// Whether the state file was written.
    pub written: bool,
    /// Whether entries were recorded, changed or taken out; a save alone does none of it.
    pub concerns_entries: bool,
}

/// Why the memory could not be changed. Nothing was lost: the state file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// No lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The state file cannot be used.
    #[error(transparent)]
    StateFile(#[from] StateFileError),
    /// An IO failure.
    #[error(transparent)]
    File(#[from] FileError),
    /// The words given are no entry, or name none.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// Written by a version that we do not know how to keep whole.
    #[error("{} has version {version}, which is newer than this program knows", path.display())]
    Newer {
        /// The state file.
        path: PathBuf,
        /// Its version.
        version: String,
    },
}

impl Memory {
    /// The memory of a project.
    #[must_use]
    pub fn of(project: Project, home: Home, limits: Limits) -> Self {
        Self { project, home, limits }
    }

    /// The project's folder in the data folder.
    #[must_use]
    pub fn folder(&self) -> Spot {
        self.home.project(&self.project.key)
    }

    /// The project's outbox.
    #[must_use]
    pub fn outbox(&self) -> Outbox {
        Outbox::in_folder(&self.folder())
    }

    /// The lock file.
    #[must_use]
    pub fn lock_path(&self) -> Spot {
        self.folder().join("lock")
    }

    /// A copy of the state file as we last wrote it: what is in force, whatever stands in the file.
    #[must_use]
    pub fn last_written_path(&self) -> Spot {
        self.folder().join("last-state.json")
    }

    /// Whether the user switched Throughline off for this project.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.folder().join("paused").exists()
    }

    /// Switches Throughline off or on for this project.
    pub fn set_paused(&self, paused: bool) -> Result<(), FileError> {
        let path = self.folder().join("paused");
        if paused {
            files::create_folder(&self.folder())?;
            return files::replace(&path, b"paused\n", Durability::Quick);
        }
        files::remove(&path)
    }

    /// The state in force, without the lock: the file's where we wrote that, else what we last wrote; `None` when there
    /// is none, or the file is gone.
    pub fn peek(&self) -> Result<Option<State>, MemoryError> {
        let path = state_file::standing(&self.project)?;
        let (standing, last) = reconcile::standing(self, &path)?;
        Ok(match standing {
            WhoseVersion::Ours { state, .. } => Some(*state),
            WhoseVersion::Missing => None,
            WhoseVersion::Earlier(_) | WhoseVersion::Foreign(_) | WhoseVersion::Corrupt(_) => {
                last.map(|last| last.state)
            }
        })
    }

    /// The state in force, settled: a broken or missing file rebuilt. Cheap when nothing happened, and where another
    /// version stands in the file, which then waits.
    pub fn load(&self, author: &Author) -> Result<(State, Vec<Repair>), MemoryError> {
        let path = state_file::standing(&self.project)?;
        if let Some(settled) = reconcile::if_settled(self, &path)? {
            return Ok(settled);
        }
        let changed = self.update(author, |_| Ok(()))?;
        Ok((changed.state, changed.repairs))
    }

    /// Ids of entries that came with a clone and that nobody has trusted yet.
    #[must_use]
    pub fn untrusted(&self) -> Vec<String> {
        reconcile::read_untrusted(&self.folder())
    }

    /// A fingerprint of the files that say what may be told: another one, and something in them may be another.
    #[must_use]
    pub fn stamp(&self) -> u64 {
        let files = [self.project.state_file(), reconcile::untrusted_path(&self.folder())];
        stamp_of(files.iter().map(Watched::Ours), &[])
    }

    /// Trusts entries that came with a clone: those named, or all. Returns how many.
    pub fn trust(&self, names: &[String]) -> Result<usize, FileError> {
        reconcile::trust(&self.folder(), names)
    }

    /// Takes back the word for entries of the working set: they are only quoted again. Returns how many.
    pub fn untrust(&self, names: &[String]) -> Result<usize, MemoryError> {
        let state = self.peek()?.unwrap_or_else(State::empty);
        let spelt =
            |name: &String| state.find(name).map_or_else(|| name.clone(), |entry| entry.id.to_string());
        let names: Vec<String> = names.iter().map(spelt).collect();
        files::create_folder(&self.folder())?;
        reconcile::distrust(&self.folder(), &names, &state)?;
        let untrusted = self.untrusted();
        Ok(names.iter().filter(|name| untrusted.contains(name)).count())
    }

    /// Changes the working set: reads it under the lock, lets `change` work on a draft, and writes the result.
    ///
    /// An `Ok` means that the change is on disk, flushed: no kill and no power cut takes it back.
    pub fn update<T>(
        &self,
        author: &Author,
        change: impl FnOnce(&mut Draft) -> Result<T, EntryError>,
    ) -> Result<Changed<T>, MemoryError> {
        self.update_taking(author, None, change)
    }

    /// The same; a version of the state file with the hash `taking` is taken over as it stands.
    fn update_taking<T>(
        &self,
        author: &Author,
        taking: Option<&str>,
        change: impl FnOnce(&mut Draft) -> Result<T, EntryError>,
    ) -> Result<Changed<T>, MemoryError> {
        files::create_folder_flushed(&self.folder())?;
        let lock = Lock::acquire(&self.lock_path(), author.patience)?;
        let path = state_file::standing(&self.project)?;
        let now = time::iso(author.now);
        let base = reconcile::load(self, &path, &now, taking)?;
        if base.state.major_version().is_some_and(|major| major > 2) {
            return Err(MemoryError::Newer { path: path.shown(), version: base.state.version });
        }
        let before = base.state.clone();
        let must_write = base.must_write;
        let mut draft = Draft::new(base.state, &now, author.origin, &self.limits);
        draft.events = base.events;
        draft.took_whole = base.took_whole;
        let reconciled = draft.events.len();
        let value = change(&mut draft)?;
        let Draft { mut state, mut events, foreign: adopted, .. } = draft;
        state.note_transition(&before.sd, &now, author.origin);
        // What was found in the file is no activity of ours: its time stays.
        let is_active = events.len() > reconciled || differs(&before, &state) || state.timestamp.is_empty();
        for (transition, left) in transition::trim_history(&mut state, &self.limits) {
            events.push(draft::history_event(transition, author.origin, left.word()));
        }
        let mut evicted = Vec::new();
        let mut evicted_precious = Vec::new();
        let mut foreign = adopted;
        let lines_are_foreign = reconcile::distrusts_lines(&self.folder(), &foreign);
        let known: HashSet<EntryId> = state.all_entries().map(|entry| entry.id).collect();
        // Lines without an id become decisions where there are too many: they are no better for it.
        let was_foreign_line = |entry: &Entry| lines_are_foreign && !known.contains(&entry.id);
        for (entry, left) in budget::truncate_for_budget(&mut state, &self.limits, &now) {
            evicted.push(entry.id.to_string());
            evicted_precious.extend(entry.is_precious().then(|| entry.id.to_string()));
            let origin = if was_foreign_line(&entry) { Origin::Import } else { author.origin };
            events.push(draft::event(Op::Leave, &entry, origin, Some(left.word().to_owned())));
        }
        let filed = state.all_entries().filter(|entry| was_foreign_line(entry));
        foreign.extend(filed.map(|entry| entry.id.to_string()));
        reconcile::distrust(&self.folder(), &foreign, &state)?;
        let concerns_entries = !events.is_empty();
        let written = must_write || concerns_entries || differs(&before, &state);
        let mut repairs = base.repairs;
        if written {
            // Before ours takes its place: nothing that somebody did by hand is lost.
            if let Some(foreign) = &base.waits {
                let aside = waiting::keep(self, &path, foreign, base.last.as_ref())?;
                repairs.retain(|repair| !matches!(repair, Repair::Waits { .. }));
                repairs.push(Repair::KeptAside { aside });
            }
            if is_active {
                state.timestamp.clone_from(&now);
            }
            throughline_domain::state::VERSION.clone_into(&mut state.version);
            self.write(&path, &state, events, author, base.hash_before)?;
            reconcile::forget_untrusted(&self.folder(), &state)?;
        }
        drop(lock);
        Ok(Changed { value, state, repairs, evicted, evicted_precious, written, concerns_entries })
    }

    fn write(
        &self,
        path: &Spot,
        state: &State,
        mut events: Vec<Event>,
        author: &Author,
        hash_before: Option<String>,
    ) -> Result<(), MemoryError> {
        let (value, bytes) = state_file::encode(state);
        for event in &mut events {
            redact::json(&mut event.body);
        }
        let batch = Batch {
            uid: batch_uid(author.now),
            at: time::iso(author.now),
            session: author.session.clone(),
            hash_before,
            hash_after: content_hash::of(&bytes),
            events,
            state: value,
        };
        self.outbox().append(&batch)?;
        state_file::replace(path, &bytes)?;
        // Only a copy: the outbox's last batch tells the same after a kill.
        let _ = self.note_last_written(&bytes);
        // Without it this version would be told as somebody else's when a branch brings it back.
        let _ = Versions::known(self).note(&batch.hash_after);
        Ok(())
    }

    /// Keeps a copy of the state file as we wrote it.
    fn note_last_written(&self, bytes: &[u8]) -> Result<(), FileError> {
        files::replace(&self.last_written_path(), bytes, Durability::Quick)
    }
}

/// Whether a save would write anything new; the measured size alone is no change.
fn differs(before: &State, after: &State) -> bool {
    let mut before = before.clone();
    before.token_metrics = after.token_metrics.clone();
    before != *after
}

fn batch_uid(now: Timestamp) -> String {
    use std::hash::{BuildHasher, RandomState};
    let random = RandomState::new().hash_one(std::process::id());
    format!("{:012x}{random:016x}", now.as_millisecond())
}
