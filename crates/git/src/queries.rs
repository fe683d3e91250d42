//! Queries: the small questions that need one git process each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::ending::{Ending, GitOutcome};
use crate::output::{Head, Output};
use crate::process::{Job, end_of, run_all, run_nowhere};
use crate::{Git, QUERY_DEADLINE};

/// Longest answer to a small question.
const ANSWER_BYTES_MAX: usize = 1 << 10;

/// See [`Git::is_tracked`].
pub(crate) fn is_tracked(git: &Git, folder: &Path, path: &Path) -> Option<bool> {
    let mut names = Head::new(0);
    let args = &["--literal-pathspecs", "ls-files", "-z", "--error-unmatch", "--"];
    let job = Job::new("ls-files", args, &mut names).arg(path);
    match run_all(git, folder, end_of(QUERY_DEADLINE), &mut [job]).pop()?.ending {
        Ending::Exited(0) => Some(true),
        Ending::Exited(1) => Some(false),
        _ => None,
    }
}

/// See [`Git::version`].
pub(crate) fn version(git: &Git) -> Option<String> {
    let mut answer = Head::new(ANSWER_BYTES_MAX);
    let job = Job::new("version", &["version"], &mut answer);
    run_nowhere(git, end_of(QUERY_DEADLINE), &mut [job]).pop().filter(GitOutcome::succeeded)?;
    let text = String::from_utf8_lossy(&answer.bytes);
    let version = text.strip_prefix("git version ")?.split_whitespace().next()?;
    Some(version.chars().filter(|c| !c.is_control()).take(40).collect())
}

/// The branch that is checked out, by git's own word; `None` on a detached head.
pub(crate) fn branch_job(answer: &mut dyn Output) -> Job<'_> {
    Job::new("symbolic-ref", &["symbolic-ref", "-q", "--short", "HEAD"], answer)
}

#[cfg(unix)]
pub(crate) fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
pub(crate) fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from(String::from_utf8_lossy(bytes).into_owned()))
}
