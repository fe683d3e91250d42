//! Head file: finds the branch by reading `.git/HEAD`, without starting git.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// `HEAD` and `.git` files are one short line; what is longer is something else.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::GIT_HEAD_BYTES_MAX;

/// The branch of the repository that holds `folder`, or `(detached at abc1234)`.
///
/// Costs a few system calls. `None` when there is no repository, and whenever the files do not say it plainly: then
/// only git itself can tell.
#[must_use]
pub fn branch_from_head_file(folder: &Path) -> Option<String> {
    let head = git_dir(&top_level(folder)?)?.join("HEAD");
    // A symbolic link is how very old repositories name the branch; the text behind it would be a commit id.
    if fs::symlink_metadata(&head).ok()?.is_symlink() {
        return None;
    }
    let text = read_short(&head)?;
    let line = text.trim_end_matches(['\n', '\r']);
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

/// The nearest folder, upward from `folder`, that holds a `.git`.
pub(crate) fn top_level(folder: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(folder).ok()?;
    // Links are resolved first: `..` of a linked folder is not the folder the link stands in.
    let real = fs::canonicalize(&absolute).ok()?;
    real.ancestors().find(|candidate| git_dir(candidate).is_some()).map(Path::to_owned)
}

/// The folder with `HEAD` in it: `.git` itself, or what a `.git` file of a linked worktree or a submodule names.
pub(crate) fn git_dir(top_level: &Path) -> Option<PathBuf> {
    let dot_git = top_level.join(".git");
    let kind = fs::metadata(&dot_git).ok()?;
    let folder = if kind.is_dir() {
        dot_git
    } else {
        let text = read_short(&dot_git)?;
        top_level.join(text.strip_prefix("gitdir:")?.trim_start().trim_end_matches(['\n', '\r']))
    };
    fs::metadata(folder.join("HEAD")).ok()?.is_file().then_some(folder)
}

pub(crate) fn read_short(path: &Path) -> Option<String> {
    // Opening a pipe would wait for a writer.
    let kind = fs::metadata(path).ok()?;
    if !kind.is_file() || kind.len() > FILE_BYTES_MAX {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(FILE_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}
