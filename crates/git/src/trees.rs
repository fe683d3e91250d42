//! Trees: kept alive by references of ours, under `refs/throughline/checkpoints/`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Git;
use crate::ending::{GitOutcome, in_words};
use crate::output::Head;
use crate::own_dir::OwnDir;
use crate::process::{Job, end_of, run_all, run_in};
use crate::whereabouts::repository_around;

/// Where our references are.
const PREFIX: &str = "refs/throughline/checkpoints/";
/// How long one of these calls may take.
const DEADLINE: Duration = Duration::from_secs(5);
const NAMES_BYTES_MAX: usize = 1 << 20;

/// Flushes are gathered where git can.
pub(crate) const QUIET_ARGS: &[&str] = &["-c", "core.fsyncMethod=batch"];
/// The reference itself is meant: one that stands for a branch must not take the branch along.
const UPDATE_ARGS: &[&str] = &["update-ref", "--no-deref"];

/// Whether a text is the full id of an object.
#[must_use]
pub fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The tree without entries, where ids are long (SHA-256) or not.
pub(crate) fn empty_tree(has_long_ids: bool) -> &'static str {
    if has_long_ids {
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    } else {
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    }
}

/// The index of the repository that holds `folder`; the file may not exist yet.
#[must_use]
pub fn index_file(folder: &Path) -> Option<PathBuf> {
    Some(repository_around(folder).ok()?.git_dir.join("index"))
}

/// See [`Git::keep_tree`].
pub(crate) fn keep(
    git: &Git,
    folder: &Path,
    name: &str,
    tree: &str,
    deadline: Duration,
) -> Result<(), String> {
    if !is_plain(name) || !is_id(tree) {
        return Err(format!("`{name}` is no name for `{tree}`"));
    }
    let mut nothing = Head::new(0);
    let job = Job::new("update-ref", QUIET_ARGS, &mut nothing).args(UPDATE_ARGS);
    write_one(git, folder, job.arg(format!("{PREFIX}{name}")).arg(tree), deadline)
}

/// See [`Git::forget_trees`].
pub(crate) fn forget(git: &Git, folder: &Path, names: &[String]) -> Result<(), String> {
    let mut lines = String::new();
    for name in names.iter().filter(|name| is_plain(name)) {
        lines.push_str(&format!("delete {PREFIX}{name}\0\0"));
    }
    if lines.is_empty() {
        return Ok(());
    }
    let mut nothing = Head::new(0);
    let job = Job::new("update-ref", QUIET_ARGS, &mut nothing).args(UPDATE_ARGS).args(&["-z", "--stdin"]);
    write_one(git, folder, job.input(lines.into_bytes()), DEADLINE)
}

/// See [`Git::kept_trees`].
pub(crate) fn kept(git: &Git, folder: &Path) -> Option<Vec<String>> {
    let mut names = Head::new(NAMES_BYTES_MAX);
    let job = Job::new("for-each-ref", &["for-each-ref", "--format=%(refname)", PREFIX], &mut names);
    run_one(git, folder, job, DEADLINE).ok()?;
    let text = String::from_utf8_lossy(&names.bytes);
    Some(text.lines().filter_map(|line| line.strip_prefix(PREFIX)).map(str::to_owned).collect())
}

/// Runs one job that writes references; the reason in words when it failed.
fn write_one(git: &Git, folder: &Path, job: Job<'_>, deadline: Duration) -> Result<(), String> {
    let end = end_of(deadline);
    let own = OwnDir::around(git, folder, end).map_err(|why| format!("git was not asked: {why}"))?;
    own.refuse_linked_references().map_err(|why| format!("git was not asked: {why}"))?;
    words(&run_in(git, &own, folder, end, &mut [job]), deadline).map_or(Ok(()), Err)
}

/// Runs one job; the reason in words when it failed.
pub(crate) fn run_one(git: &Git, folder: &Path, job: Job<'_>, deadline: Duration) -> Result<(), String> {
    words(&run_all(git, folder, end_of(deadline), &mut [job]), deadline).map_or(Ok(()), Err)
}

/// Why something has no answer.
pub(crate) fn words(outcomes: &[GitOutcome], deadline: Duration) -> Option<String> {
    in_words(&outcomes.iter().collect::<Vec<_>>(), deadline)
}

/// Whether a name can stand in a reference without leaving our folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
