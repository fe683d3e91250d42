//! Head file: finds the branch by reading `.git/HEAD`, without starting git.

use std::path::Path;

use crate::reading;
use crate::whereabouts::{Repository, repository_around};

/// `HEAD` is one short line; what is longer is something else.
const HEAD_BYTES_MAX: u64 = throughline_domain::limits::GIT_HEAD_BYTES_MAX;

/// The branch of the repository that holds `folder`, or `(detached at abc1234)`.
///
/// Costs a few system calls. `None` when there is no repository, and whenever the files do not say it plainly: then
/// only git itself can tell.
#[must_use]
pub fn branch_from_head_file(folder: &Path) -> Option<String> {
    let line = head_line(&repository_around(folder).ok()?)?;
    if let Some(reference) = line.strip_prefix("ref:") {
        let name = reference.trim_start().strip_prefix("refs/heads/")?;
        // `.invalid` stands in the file when the references live in a table that only git reads.
        let plain = !name.is_empty()
            && !name.starts_with('.')
            && !name.contains(|c: char| c.is_control() || c == ' ');
        return plain.then(|| name.to_owned());
    }
    let is_commit_id = matches!(line.len(), 40 | 64) && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit_id.then(|| format!("(detached at {})", &line[..7]))
}

/// What `HEAD` says, without the line end.
pub(crate) fn head_line(repository: &Repository) -> Option<String> {
    reading::line(&repository.git_dir.join("HEAD"), HEAD_BYTES_MAX).ok().flatten()
}
