//! The git section of the state file: what the working tree looked like when the state was saved.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Most porcelain lines that the state file keeps; the rest is only counted.
pub const STATUS_LINES_MAX: usize = 50;
/// Most changed files that the state file names.
pub const MODIFIED_FILES_MAX: usize = 20;
/// Most commits that the state file names.
pub const RECENT_COMMITS_MAX: usize = 5;

/// Branch, status, commits and changed files, or the reason why they are not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GitState {
    /// Branch name; `(detached at abc1234)` on a detached head.
    pub branch: Option<String>,
    /// Porcelain v1 lines (`XY path`), at most [`STATUS_LINES_MAX`].
    pub status: String,
    /// How many files the status names in all, also those that were cut.
    pub changed_files: u64,
    /// `abc1234 subject`, newest first.
    pub recent_commits: Vec<String>,
    /// Files changed in the working tree first, then those of the last commits.
    pub modified_files: Vec<String>,
    /// `2 files changed, 50 insertions(+)`; empty when nothing is staged.
    pub staged_changes: String,
    /// Full id of the commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Why git could not answer (not a repository, no git, deadline passed); parts that did answer are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Fields written by others.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
