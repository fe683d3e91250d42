//! A task's summary: what is kept about a stretch of work that is over, for a compaction and for other tools.

use serde::{Deserialize, Serialize};

/// The summary of a task, with the keys that other tools read and write.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskSummary {
    /// The session.
    pub session_id: String,
    /// The task in it; `turn-…` where a request stands for a task.
    pub task_id: String,
    /// What it was about.
    pub subject: String,
    /// Its first turn.
    pub start_turn: u64,
    /// Its last turn.
    pub end_turn: u64,
    /// When it was summarised (ISO 8601).
    pub compressed_at: String,
    /// Files changed.
    pub files_modified: Vec<String>,
    /// Commands run.
    pub commands_run: Vec<String>,
    /// What was decided and what came out.
    pub key_outcomes: Vec<String>,
    /// Errors that were resolved.
    pub errors_resolved: Vec<String>,
}
