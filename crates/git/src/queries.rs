//! Queries: the small questions that need one git process each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::ending::Ending;
use crate::output::{Head, Output};
use crate::process::{Job, end_of, run_all};
use crate::{Git, QUERY_DEADLINE};

/// Longest answer to a small question: a path.
const ANSWER_BYTES_MAX: usize = 16 << 10;

/// See [`Git::top_level_exclude_path`].
pub(crate) fn top_level_exclude_path(git: &Git, folder: &Path) -> Option<PathBuf> {
    let mut answer = Head::new(ANSWER_BYTES_MAX);
    let job = Job::new("rev-parse", &["rev-parse", "--git-path", "info/exclude"], &mut answer);
    succeeds(git, folder, job)?;
    let path = answer.bytes.strip_suffix(b"\n").filter(|path| !path.is_empty())?;
    // Git answers from `folder`, where it was started.
    Some(std::path::absolute(folder).ok()?.join(path_from_bytes(path)))
}

/// See [`Git::is_tracked`].
pub(crate) fn is_tracked(git: &Git, folder: &Path, path: &Path) -> Option<bool> {
    let mut names = Head::new(0);
    let args = &["--literal-pathspecs", "ls-files", "-z", "--error-unmatch", "--"];
    match ending(git, folder, Job::new("ls-files", args, &mut names).arg(path))? {
        Ending::Exited(0) => Some(true),
        Ending::Exited(1) => Some(false),
        _ => None,
    }
}

/// See [`Git::version`].
pub(crate) fn version(git: &Git) -> Option<String> {
    let mut answer = Head::new(ANSWER_BYTES_MAX);
    succeeds(git, Path::new("."), Job::new("version", &["version"], &mut answer))?;
    let text = String::from_utf8_lossy(&answer.bytes);
    let version = text.strip_prefix("git version ")?.split_whitespace().next()?;
    Some(version.chars().filter(|c| !c.is_control()).take(40).collect())
}

/// The branch that is checked out, by git's own word; `None` on a detached head.
pub(crate) fn branch_job(answer: &mut dyn Output) -> Job<'_> {
    Job::new("symbolic-ref", &["symbolic-ref", "-q", "--short", "HEAD"], answer)
}

fn succeeds(git: &Git, folder: &Path, job: Job<'_>) -> Option<()> {
    matches!(ending(git, folder, job)?, Ending::Exited(0)).then_some(())
}

fn ending(git: &Git, folder: &Path, job: Job<'_>) -> Option<Ending> {
    let end = end_of(QUERY_DEADLINE);
    run_all(git, folder, end, &mut [job]).pop().map(|outcome| outcome.ending)
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
