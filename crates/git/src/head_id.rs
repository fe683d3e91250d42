//! Head id: the commit that is checked out, by reading files, without starting git.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use crate::head_file::head_line;
use crate::reading;
use crate::trees::is_id;
use crate::whereabouts::repository_around;

/// Of a file with all packed references so much is looked at.
const PACKED_BYTES_MAX: u64 = throughline_domain::limits::GIT_PACKED_BYTES_MAX;
/// A reference is one short line.
const REFERENCE_BYTES_MAX: u64 = throughline_domain::limits::GIT_HEAD_BYTES_MAX;

/// The id of the commit that is checked out in the repository that holds `folder`.
///
/// Follows linked worktrees and packed references. `None` when there is no commit, and whenever the files do not say it
/// plainly (references in a table): then only git itself can tell.
#[must_use]
pub fn head_from_files(folder: &Path) -> Option<String> {
    let repository = repository_around(folder).ok()?;
    let line = head_line(&repository)?;
    let Some(reference) = line.strip_prefix("ref:").map(str::trim_start) else {
        return is_id(&line).then_some(line);
    };
    if !is_reference(reference) {
        return None;
    }
    let read = |folder: &Path| reading::line(&folder.join(reference), REFERENCE_BYTES_MAX).ok().flatten();
    match read(&repository.git_dir).or_else(|| read(&repository.common_dir)) {
        Some(id) => Some(id.trim_end().to_owned()).filter(|id| is_id(id)),
        None => packed(&repository.common_dir.join("packed-refs"), reference),
    }
}

/// Whether a name from a file is a reference, and leads nowhere else.
pub(crate) fn is_reference(name: &str) -> bool {
    name.starts_with("refs/")
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && !name.contains(|c: char| c.is_control() || " ~^:?*[\\".contains(c))
}

/// `<id> <name>` lines; comments begin with `#`, peeled tags with `^`.
fn packed(path: &Path, reference: &str) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let file = BufReader::new(File::open(path).ok()?.take(PACKED_BYTES_MAX));
    let lines = file.lines().map_while(Result::ok);
    lines
        .filter_map(|line| line.split_once(' ').map(|(id, name)| (id.to_owned(), name.to_owned())))
        .find_map(|(id, name)| (name == reference && is_id(&id)).then_some(id))
}
