//! Snapshot: everything that the compaction snapshot says about the working tree, asked at once.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use throughline_domain::git_state::{GitState, MODIFIED_FILES_MAX, RECENT_COMMITS_MAX};

use crate::asking::Asking;
use crate::capture::{log_job, state_from};
use crate::index_hint::is_probably_staged;
use crate::log::{self, Log};
use crate::made_here;
use crate::names::{path_text, subject_text};
use crate::output::{Head, NulSeparated};
use crate::own_dir::OwnDir;
use crate::process::{Job, run_in};
use crate::recent::{STATS_MAX, files_modified_since};
use crate::status::{self, Status};
use crate::trees::words;
use crate::whereabouts::WhyNot;

/// Most lines of a diff stat, its summary included.
const STAT_LINES_MAX: usize = 60;
const STAT_BYTES_MAX: usize = 32 << 10;
/// Most changed files that are named to whoever needs the status next.
const STATUS_PATHS_MAX: usize = 5_000;
/// Most commits of the last hour whose files are named.
const HOUR_COMMITS_MAX: usize = 100;
/// Most files of the last hour that are named.
const HOUR_FILES_MAX: usize = 100;
const HOUR: Duration = Duration::from_hours(1);

/// The working tree at the moment of a compaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// What the state file says too.
    pub state: GitState,
    /// `git diff --stat`: changes that are not staged, at most sixty lines.
    pub diff_stat: String,
    /// `git diff --cached --stat`: changes that are staged, at most sixty lines.
    pub staged_stat: String,
    /// Files changed within the last hour, or committed then in this very working tree, at most a hundred.
    pub modified_last_hour: Vec<String>,
}

/// See [`Asking::snapshot`].
pub(crate) fn snapshot(asking: &Asking, now: SystemTime, end: Instant) -> Snapshot {
    let folder = asking.folder.as_path();
    let hour_ago = now.checked_sub(HOUR).unwrap_or(UNIX_EPOCH);
    let hour_ago_secs = hour_ago.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let own = match OwnDir::around(&asking.git, folder, end) {
        Ok(own) => own,
        Err(why) => return unasked(&why),
    };
    let made_here = made_here::commits_since(&own.repository.git_dir, hour_ago_secs, HOUR_COMMITS_MAX);
    let mut status = NulSeparated::new(Status::new(STATUS_PATHS_MAX));
    let recent = Log::new(RECENT_COMMITS_MAX, MODIFIED_FILES_MAX).telling_apart(made_here, HOUR_FILES_MAX);
    let (mut log, mut hour_log) = (NulSeparated::new(recent), NulSeparated::new(Log::new(0, HOUR_FILES_MAX)));
    let (mut diff, mut staged) = (Head::new(STAT_BYTES_MAX), Head::new(STAT_BYTES_MAX));
    let asks_early = is_probably_staged(folder);
    let mut jobs =
        vec![Job::new("status", status::ARGS, &mut status), log_job(&mut log), stat_job(&[], &mut diff)];
    if asks_early {
        jobs.push(stat_job(&["--cached"], &mut staged));
    }
    let mut outcomes = run_in(&asking.git, &own, folder, end, &mut jobs);
    drop(jobs);
    let (status, log) = (status.records, log.records);
    let mut jobs = Vec::new();
    if status.staged && !asks_early {
        jobs.push(stat_job(&["--cached"], &mut staged));
    }
    if !log.wanted.is_empty() {
        let hour = Job::new("log", log::ARGS, &mut hour_log).args(log::WITH_FILES_ARGS).args(&["--no-walk"]);
        jobs.push(log.wanted.iter().fold(hour, Job::arg));
    }
    outcomes.extend(run_in(&asking.git, &own, folder, end, &mut jobs));
    drop(jobs);
    let mut state = state_from(folder, &status, &log, &outcomes, asking.deadline);
    let (diff_stat, staged_stat) = (stat_text(&diff), stat_text(&staged));
    state.staged_changes =
        staged_stat.lines().last().map(|summary| summary.trim().to_owned()).unwrap_or_default();
    let first = &status.paths[..status.paths.len().min(STATS_MAX)];
    let touched = files_modified_since(&own.repository.top, first, hour_ago);
    let mut modified_last_hour: Vec<String> = Vec::new();
    for path in touched.iter().chain(&log.wanted_paths).chain(&hour_log.records.paths) {
        let name = path_text(path);
        if modified_last_hour.len() < HOUR_FILES_MAX && !modified_last_hour.contains(&name) {
            modified_last_hour.push(name);
        }
    }
    let error = words(&outcomes[..1], asking.deadline);
    asking.keep(own.repository.clone(), status, error);
    Snapshot { state, diff_stat, staged_stat, modified_last_hour }
}

fn unasked(why: &WhyNot) -> Snapshot {
    let error = Some(format!("git was not asked: {why}"));
    Snapshot { state: GitState { error, ..GitState::default() }, ..Snapshot::default() }
}

fn stat_job<'a>(which: &[&str], output: &'a mut Head) -> Job<'a> {
    // The summary and the dots that stand for what was left out take two lines.
    Job::new(
        "diff",
        &["diff", "--no-ext-diff", "--no-textconv", status::NO_SUBMODULES, "--no-color", "--stat=100"],
        output,
    )
    .arg(format!("--stat-count={}", STAT_LINES_MAX - 2))
    .args(which)
}

fn stat_text(stat: &Head) -> String {
    let text = String::from_utf8_lossy(&stat.bytes);
    // Git quotes names that would break a line, but not every character that a reader takes for a line end.
    let lines: Vec<String> =
        text.lines().take(STAT_LINES_MAX).map(|line| subject_text(line.trim_end().as_bytes())).collect();
    lines.join("\n")
}
