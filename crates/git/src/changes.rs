//! Changes: what moved in the repository since a recorded commit, for someone who comes back to it.

use std::path::Path;
use std::time::Duration;

use crate::Git;
use crate::ending::{Ending, GitOutcome};
use crate::head_file::branch_from_head_file;
use crate::log::{self, Log};
use crate::names::subject_text;
use crate::output::{Count, Head, NulSeparated};
use crate::process::{Job, end_of, run_all};
use crate::queries::branch_job;

/// Most commits that are named; all are counted.
const COMMITS_MAX: usize = 10;
const ANSWER_BYTES_MAX: usize = 1 << 10;

/// What moved since a recorded head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The branch that is checked out now, `(detached at abc1234)` included; `None` when it could not be told.
    pub branch_now: Option<String>,
    /// `abc1234 subject (author)`, newest first, at most ten.
    pub commits: Vec<String>,
    /// When each of them was made, in seconds since 1970.
    pub commit_seconds: Vec<i64>,
    /// All commits that the recorded head does not contain.
    pub commit_count: u64,
    /// Files that differ between the recorded head and now; uncommitted changes are not counted.
    pub files_changed: u64,
    /// How the recorded head relates to the present one.
    pub history: History,
}

/// How the recorded head relates to the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// The recorded head is part of today's history.
    Continues,
    /// Today's history lacks commits that the recorded head had: rewritten, reset, or another branch.
    Diverged {
        /// How many commits of then are not in the history of now.
        commits_left_behind: u64,
    },
    /// The repository does not know the recorded head any more: rewritten and cleaned up, or cloned anew.
    HeadUnknown,
}

impl History {
    /// A sentence for the reader; `None` when there is nothing remarkable.
    #[must_use]
    pub fn in_words(self) -> Option<String> {
        match self {
            Self::Continues => None,
            Self::Diverged { commits_left_behind: 1 } => Some(
                "history was rewritten or another branch is checked out: 1 earlier commit is not in it"
                    .to_owned(),
            ),
            Self::Diverged { commits_left_behind } => Some(format!(
                "history was rewritten or another branch is checked out: {commits_left_behind} earlier commits are not in it"
            )),
            Self::HeadUnknown => Some(
                "history was rewritten: the repository does not know the earlier commit any more".to_owned(),
            ),
        }
    }
}

/// See [`Git::changes_since`].
pub(crate) fn changes_since(git: &Git, folder: &Path, head: &str, deadline: Duration) -> Option<Changes> {
    // It becomes an argument: nothing but a commit id may pass.
    if !(7..=64).contains(&head.len()) || !log::is_hex(head.as_bytes()) {
        return None;
    }
    let end = end_of(deadline);
    let mut counts = Head::new(ANSWER_BYTES_MAX);
    let mut log = NulSeparated::new(Log::new(COMMITS_MAX, 0));
    let mut files = NulSeparated::new(Count::default());
    let mut branch = Head::new(ANSWER_BYTES_MAX);
    let diff_args =
        &["diff", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
    let branch_read = branch_from_head_file(folder);
    let mut jobs = vec![
        Job::new("rev-list", &["rev-list", "--left-right", "--count"], &mut counts)
            .arg(format!("{head}...HEAD"))
            .arg("--"),
        Job::new("log", log::ARGS, &mut log)
            .arg(format!("-{COMMITS_MAX}"))
            .arg(format!("{head}..HEAD"))
            .arg("--"),
        Job::new("diff", diff_args, &mut files).arg(head).args(&["HEAD", "--"]),
    ];
    if branch_read.is_none() {
        jobs.push(branch_job(&mut branch));
    }
    let outcomes = run_all(git, folder, end, &mut jobs);
    drop(jobs);
    let branch_now = branch_read.or_else(|| line(&branch));
    let rev_list = outcomes.first()?;
    if says_unknown_commit(rev_list) {
        let history = History::HeadUnknown;
        let (commits, commit_seconds) = (Vec::new(), Vec::new());
        return Some(Changes {
            branch_now,
            commits,
            commit_seconds,
            commit_count: 0,
            files_changed: 0,
            history,
        });
    }
    if !rev_list.succeeded() {
        return None;
    }
    let (left_behind, commit_count) = two_counts(&line(&counts)?)?;
    let describe = |c: &log::Commit| format!("{} {} ({})", c.short, c.subject, c.author);
    Some(Changes {
        branch_now,
        commits: log.records.commits.iter().map(describe).collect(),
        commit_seconds: log.records.commits.iter().map(|commit| commit.seconds).collect(),
        commit_count,
        files_changed: files.records.0,
        history: match left_behind {
            0 => History::Continues,
            commits_left_behind => History::Diverged { commits_left_behind },
        },
    })
}

fn says_unknown_commit(outcome: &GitOutcome) -> bool {
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let complaints = [
        "bad object",
        "unknown revision",
        "bad revision",
        "Invalid symmetric difference",
        "Invalid revision range",
    ];
    matches!(outcome.ending, Ending::Exited(128))
        && complaints.iter().any(|complaint| stderr.contains(complaint))
}

fn line(answer: &Head) -> Option<String> {
    let text = answer.bytes.split(|&byte| byte == b'\n').next()?;
    (!text.is_empty()).then(|| subject_text(text))
}

/// `left<TAB>right`; the tab arrives escaped.
fn two_counts(text: &str) -> Option<(u64, u64)> {
    let (left, right) = text.split_once("\\t")?;
    Some((left.parse().ok()?, right.parse().ok()?))
}
