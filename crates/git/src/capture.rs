//! Capture: fills the git section of the state file from a few questions to git, asked side by side.

use std::path::Path;
use std::time::Duration;

use throughline_domain::git_state::{GitState, MODIFIED_FILES_MAX, RECENT_COMMITS_MAX};

use crate::Git;
use crate::ending::{GitOutcome, in_words};
use crate::head_file::branch_from_head_file;
use crate::index_hint::is_probably_staged;
use crate::log::{self, Log};
use crate::names::path_text;
use crate::output::{Head, NulSeparated};
use crate::process::{Job, end_of, run_all};
use crate::status::{self, NO_SUBMODULES, Status, Untracked};

/// Room for `N files changed, N insertions(+), N deletions(-)`.
const SHORTSTAT_BYTES_MAX: usize = 256;

/// Asks for the last commits and their files.
pub(crate) fn log_job(output: &mut NulSeparated<Log>) -> Job<'_> {
    Job::new("log", log::ARGS, output).args(log::WITH_FILES_ARGS).arg(format!("-{RECENT_COMMITS_MAX}"))
}

fn staged_job(output: &mut Head) -> Job<'_> {
    Job::new(
        "diff",
        &["diff", "--cached", "--shortstat", "--no-ext-diff", "--no-textconv", NO_SUBMODULES, "--no-color"],
        output,
    )
}

/// See [`Git::capture`].
pub(crate) fn capture(git: &Git, folder: &Path, deadline: Duration) -> GitState {
    let end = end_of(deadline);
    let mut status = NulSeparated::new(Status::new(MODIFIED_FILES_MAX));
    let mut log = NulSeparated::new(Log::new(RECENT_COMMITS_MAX, MODIFIED_FILES_MAX));
    let mut staged = Head::new(SHORTSTAT_BYTES_MAX);
    let asks_early = is_probably_staged(folder);
    let mut untracked = NulSeparated::new(Untracked::new(MODIFIED_FILES_MAX));
    let mut jobs = vec![
        Job::new("status", status::TRACKED_ARGS, &mut status),
        log_job(&mut log),
        Job::new("ls-files", status::UNTRACKED_ARGS, &mut untracked),
    ];
    if asks_early {
        // Started at once it would only take time from the status, which needs the longest.
        jobs.push(staged_job(&mut staged).deferred());
    }
    let mut outcomes = run_all(git, folder, end, &mut jobs);
    drop(jobs);
    let status = status.records.with_untracked(untracked.records);
    if status.staged && !asks_early {
        outcomes.extend(run_all(git, folder, end, &mut [staged_job(&mut staged)]));
    }
    let staged_changes = String::from_utf8_lossy(&staged.bytes).trim().to_owned();
    let state = state_from(folder, &status, &log.records, &outcomes, deadline);
    GitState { staged_changes, ..state }
}

/// Puts together what the status and the log say; `outcomes` begins with theirs.
pub(crate) fn state_from(
    folder: &Path,
    status: &Status,
    log: &Log,
    outcomes: &[GitOutcome],
    deadline: Duration,
) -> GitState {
    let slow_status = outcomes.first().is_some_and(GitOutcome::timed_out);
    let status_failed = outcomes.first().is_some_and(|outcome| outcome.exited() && !outcome.succeeded());
    let faults: Vec<&GitOutcome> = outcomes
        .iter()
        .filter(|outcome| !(outcome.found_no_commit() || (outcome.name == "log" && status.unborn)))
        // Outside a repository `git diff` speaks of other things, and nobody needs to hear it twice.
        .filter(|outcome| !(matches!(outcome.name, "diff" | "ls-files") && status_failed && outcome.exited()))
        .collect();
    let branch = status.branch.clone();
    GitState {
        branch: if slow_status { branch.or_else(|| branch_from_head_file(folder)) } else { branch },
        status: status.lines.join("\n"),
        changed_files: status.entries,
        recent_commits: log.commits.iter().map(|c| format!("{} {}", c.short, c.subject)).collect(),
        modified_files: modified_files(status, log),
        head: status.head.clone().or_else(|| log.commits.first().map(|commit| commit.id.clone())),
        error: in_words(&faults, deadline),
        ..GitState::default()
    }
}

/// What is changed now, then what the last commits changed.
fn modified_files(status: &Status, log: &Log) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for path in status.paths.iter().chain(&log.paths) {
        let name = path_text(path);
        if files.len() < MODIFIED_FILES_MAX && !files.contains(&name) {
            files.push(name);
        }
    }
    files
}
