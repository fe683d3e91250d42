//! What is kept about a session between two hook runs: its cache, what its last gate saw, its place in the project.

pub mod compaction_mark;
pub mod gate;
pub mod glance;
pub mod hand_over_file;
pub mod ledger_file;
pub mod notes_file;
pub mod outline_file;
mod progress;
pub mod spool;
pub mod statusline_rules;
pub mod task_summaries;
pub mod usage_file;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use throughline_domain::Timestamp;
use throughline_redact as redact;

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};
use crate::paths::{Home, Project};
use crate::spool::SpoolRecord;

pub use compaction_mark::CompactionMark;
pub use progress::SessionProgress;

/// Largest cache or mark that is read.
const CACHE_BYTES_MAX: u64 = throughline_domain::limits::SESSION_CACHE_BYTES_MAX;
/// How much of the project's session list is read: a hundred sessions and more.
const REGISTRY_BYTES: u64 = 64 << 10;
/// A longer list is cut back to its newest part.
const REGISTRY_BYTES_MAX: u64 = throughline_domain::limits::SESSION_LIST_BYTES_MAX;
/// How long the notes of a status line without hooks are kept.
const UNSEEN_KEPT_SECONDS: i64 = 7 * 86_400;
/// Most folders looked at in one sweep.
const UNSEEN_LOOKED_AT_MAX: usize = 500;

/// What the last gate saw: what is new since makes a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GateMarks {
    /// The commit that was checked out.
    pub head: Option<String>,
    /// The branch it was on.
    pub branch: Option<String>,
    /// The commit up to which the session's notes tell.
    pub noted: Option<String>,
    /// Finished tasks of the session.
    pub tasks_done: usize,
    /// Whether this client tells of a task's end by an event.
    pub task_events: bool,
}

impl GateMarks {
    /// What a session's last gate saw; `None` before the first.
    #[must_use]
    pub fn read(folder: &Spot) -> Option<Self> {
        let bytes = files::read_limited(&folder.join("gate-marks.json"), CACHE_BYTES_MAX).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Notes what this gate saw.
    pub fn write(&self, folder: &Spot) -> Result<(), FileError> {
        let path = folder.join("gate-marks.json");
        let branch = self.branch.as_deref().map(|branch| redact::text(branch).into_owned());
        let clean = Self { branch, ..self.clone() };
        let bytes = serde_json::to_vec(&clean).map_err(std::io::Error::other).at("encode", &path)?;
        files::create_folder(folder)?;
        files::replace(&path, &bytes, Durability::Quick)
    }
}

/// Settings and facts compiled at the session's start, so that a usual hook run reads one small file. What changes on the
/// way is its [`SessionProgress`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFacts {
    /// The session's id, as the agent spells it.
    pub session: String,
    /// The project's root: pinned for the session, wherever the agent's working folder moves.
    pub project_root: PathBuf,
    /// The working tree that it works in, where that is a linked worktree which shares the project's memory.
    pub work_root: Option<PathBuf>,
    /// The agent (`claude-code`).
    pub agent: String,
    /// The session's transcript.
    pub transcript: String,
    /// When the session was first seen (ms since 1970).
    pub started_at: i64,
    /// How it began.
    pub source: String,
    /// The client's process, for telling a crash from a long pause.
    pub client_pid: Option<u32>,
    /// When that process started, in the system's own count: ids are used again.
    pub client_pid_started: Option<u64>,
    /// The model last heard of.
    pub model: Option<String>,
    /// The context window.
    pub window_tokens: u64,
    /// Where the client will compact; `None` when it never will by itself.
    pub compacts_at_tokens: Option<u64>,
    /// Percentages of the compaction point at which something is said.
    pub thresholds: Vec<u64>,
    /// Turns between two gates.
    pub gate_turns: u64,
    /// Silence after which a prompt gets the resume context.
    pub idle_minutes: u64,
    /// Whether the user switched Throughline off for this project when the session began.
    pub paused: bool,
    /// Tokens in the context at which the transcript is first copied; 0: it is not.
    pub backup_from_tokens: u64,
    /// When and how the agent is asked for a hand-over.
    pub hand_over: Asked,
    /// Whether an earlier version wrote it, which kept [`SessionProgress`] in the same file.
    #[serde(rename = "thresholds_said", deserialize_with = "is_there", skip_serializing)]
    pub holds_progress: bool,
}

/// True for whatever value stands there.
fn is_there<'de, D: serde::Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(value).map(|_| true)
}

/// When and how the agent is asked for a hand-over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// At this percentage of the compaction point; 0: never.
    pub percent: u64,
    /// The calls that nothing forbids, the better one first.
    pub ways: Vec<Way>,
}

/// A call by which the agent can hand over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Way {
    /// The tool, or the command line.
    pub call: String,
    /// Whether it is a command line.
    pub is_shell: bool,
    /// Whether the settings let it through without a question.
    pub allowed: bool,
}

impl SessionFacts {
    /// Reads the cache of a session; `None` when there is none or it is broken (then it is compiled anew).
    #[must_use]
    pub fn read(folder: &Spot) -> Option<Self> {
        let bytes = files::read_limited(&folder.join("session.json"), CACHE_BYTES_MAX).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes it.
    pub fn write(&self, folder: &Spot) -> Result<(), FileError> {
        let path = folder.join("session.json");
        let bytes = serde_json::to_vec(self).map_err(std::io::Error::other).at("encode", &path)?;
        files::create_folder(folder)?;
        files::replace(&path, &bytes, Durability::Quick)
    }
}

/// A line of the project's session list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionNote {
    /// When (ms since 1970).
    pub at: i64,
    /// Which session.
    pub session: String,
    /// `start` or `end`.
    pub what: String,
    /// How it began, or why it ended.
    pub how: String,
    /// The session that it goes on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The work item's phase at that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// The project's session list: who began and ended when. Informational files for people follow it.
#[derive(Debug)]
pub struct Registry {
    path: Spot,
}

impl Registry {
    /// The list of a project.
    #[must_use]
    pub fn of(home: &Home, project: &Project) -> Self {
        Self { path: home.project(&project.key).join("sessions.jsonl") }
    }

    /// Adds a line.
    pub fn note(&self, note: &SessionNote) -> Result<(), FileError> {
        let line = serde_json::to_vec(note).map_err(std::io::Error::other).at("encode", &self.path)?;
        let mut file = files::open_append(&self.path)?;
        let (tail, ends_line) = files::read_tail(&mut file, REGISTRY_BYTES).at("read", &self.path)?;
        files::append_line(&mut file, &line, ends_line).at("append to", &self.path)?;
        if file.metadata().is_ok_and(|meta| meta.len() > REGISTRY_BYTES_MAX) {
            let whole = tail.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let mut newest = tail[whole..].to_vec();
            newest.extend_from_slice(&line);
            newest.push(b'\n');
            files::replace(&self.path, &newest, Durability::Quick)?;
        }
        Ok(())
    }

    /// The newest lines, oldest first.
    #[must_use]
    pub fn recent(&self) -> Vec<SessionNote> {
        let Ok(mut file) = files::open_regular(&self.path) else { return Vec::new() };
        let Ok((tail, _)) = files::read_tail(&mut file, REGISTRY_BYTES) else { return Vec::new() };
        tail.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

/// The last thing that a session's hooks noted and somebody did; where they noted nothing of the kind of late, the last of
/// all. The claim of a run that is still going on does not count.
#[must_use]
pub fn last_record(folder: &Spot) -> Option<SpoolRecord> {
    let mut file = files::open_regular(&folder.join("spool.jsonl")).ok()?;
    let (tail, _) = files::read_tail(&mut file, 2_048).ok()?;
    let records = || {
        let lines = tail.rsplit(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice::<SpoolRecord>(line).ok())
    };
    records().find(SpoolRecord::is_activity).or_else(|| records().find(|record| record.out != "claim"))
}

/// Removes what status lines left of sessions that no hook ever saw and that are long over: nobody else would.
pub fn forget_unseen(home: &Home, now: Timestamp) {
    for folder in home.root().join("sessions").children(UNSEEN_LOOKED_AT_MAX) {
        let is_hooks = ["session.json", "spool.jsonl"].iter().any(|name| folder.join(name).exists());
        let used_at = folder.join("statusline.json").meta().ok();
        let used_at = used_at.and_then(|meta| Timestamp::try_from(meta.modified()).ok());
        let is_over = used_at.is_some_and(|at| now.as_second() - at.as_second() > UNSEEN_KEPT_SECONDS);
        if is_over && !is_hooks {
            let _ = folder.remove_tree();
        }
    }
}

/// The window that the session's status line was last told, in tokens.
#[must_use]
pub fn told_window(folder: &Spot) -> Option<u64> {
    usage_file::read(folder).window
}
