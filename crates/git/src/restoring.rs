//! Restoring: files of the working tree as a kept tree has them. Planned first, so that a person can say no.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use crate::Git;
use crate::head_file::top_level;
use crate::names::path_text;
use crate::output::Head;
use crate::process::Job;
use crate::queries::{is_tracked, path_from_bytes};
use crate::taking::Taken;
use crate::tree_diff::{self, Change, FILES_MAX};
use crate::trees::{QUIET_ARGS, empty_tree, run_one};

/// What a restore would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restoring {
    tree: String,
    paths: Vec<Vec<u8>>,
    /// Files that would be written (`M`, `A`) or removed (`D`).
    pub files: Vec<(char, String)>,
    /// Files with changes of their own that are neither committed nor in the tree.
    pub other_changes: Vec<String>,
    /// Files that were deleted then and that git does not track now: they stay.
    pub kept: Vec<String>,
}

/// See [`Git::plan_restore`].
pub(crate) fn plan(
    git: &Git,
    folder: &Path,
    base: Option<&str>,
    tree: &str,
    now: &Taken,
    deadline: Duration,
) -> Result<Restoring, String> {
    let gone = || "git does not know the checkpoint's files any more".to_owned();
    let now_tree = now.tree.as_deref().ok_or("the working tree as it is could not be kept")?;
    let base = base.unwrap_or_else(|| empty_tree(Some(tree)));
    let then = tree_diff::between(git, folder, base, tree, deadline).ok_or_else(gone)?;
    let since = tree_diff::between(git, folder, now_tree, tree, deadline).ok_or_else(gone)?;
    if then.count > FILES_MAX as u64 || since.count > FILES_MAX as u64 {
        return Err(format!("more than {FILES_MAX} files differ"));
    }
    let differs: HashSet<&[u8]> = since.changes.iter().map(|change| change.raw.as_slice()).collect();
    let was_dirty: HashSet<&[u8]> = then.changes.iter().map(|change| change.raw.as_slice()).collect();
    let mut plan = Restoring { tree: tree.to_owned(), ..Restoring::default() };
    let other = now.files.iter().filter(|change| differs.contains(change.raw.as_slice()));
    plan.other_changes = other.map(|change| change.path.clone()).collect();
    for change in since.changes.iter().filter(|change| was_dirty.contains(change.raw.as_slice())) {
        if change.letter == 'D' && !can_remove(git, folder, change) {
            plan.kept.push(change.path.clone());
        } else {
            plan.files.push((change.letter, change.path.clone()));
            plan.paths.push(change.raw.clone());
        }
    }
    Ok(plan)
}

/// Git removes only what it tracks; what it does not may be the only copy.
fn can_remove(git: &Git, folder: &Path, change: &Change) -> bool {
    let Some(top) = top_level(folder) else { return false };
    is_tracked(git, &top, &path_from_bytes(&change.raw)) == Some(true)
}

/// See [`Git::restore`].
pub(crate) fn carry_out(
    git: &Git,
    folder: &Path,
    plan: &Restoring,
    deadline: Duration,
) -> Result<(), String> {
    if plan.paths.is_empty() {
        return Ok(());
    }
    let top = top_level(folder).ok_or("this is no repository any more")?;
    let mut input = Vec::new();
    for raw in &plan.paths {
        // Checked here once more: git itself refuses such names, and nothing may be written outside.
        if raw.split(|byte| *byte == b'/').any(|part| part.is_empty() || part == b"..") {
            return Err(format!("`{}` leads out of the project", path_text(raw)));
        }
        input.extend_from_slice(raw);
        input.push(0);
    }
    let mut nothing = Head::new(0);
    let job = Job::new("restore", QUIET_ARGS, &mut nothing)
        .args(&["--literal-pathspecs", "restore", "--worktree", "--no-overlay"])
        .arg(format!("--source={}", plan.tree))
        .args(&["--pathspec-from-file=-", "--pathspec-file-nul"])
        .input(input);
    run_one(git, &top, job, deadline)
}
