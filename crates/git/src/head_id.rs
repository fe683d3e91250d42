//! Head id: the commit that is checked out, by reading files, without starting git.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::head_file::{git_dir, read_short, top_level};
use crate::trees::is_id;

/// Of a file with all packed references so much is looked at.
const PACKED_BYTES_MAX: u64 = throughline_domain::limits::GIT_PACKED_BYTES_MAX;

/// The id of the commit that is checked out in the repository that holds `folder`.
///
/// Follows linked worktrees and packed references. `None` when there is no commit, and whenever the files do not say it
/// plainly (references in a table): then only git itself can tell.
#[must_use]
pub fn head_from_files(folder: &Path) -> Option<String> {
    let git_dir = git_dir(&top_level(folder)?)?;
    let text = read_short(&git_dir.join("HEAD"))?;
    let line = text.trim_end_matches(['\n', '\r']);
    let Some(reference) = line.strip_prefix("ref:").map(str::trim_start) else {
        return is_id(line).then(|| line.to_owned());
    };
    // A name from a file: it must not lead out of the folder.
    if !reference.starts_with("refs/") || reference.split('/').any(|part| part.is_empty() || part == "..") {
        return None;
    }
    let common = common_dir(&git_dir);
    let loose = read_short(&git_dir.join(reference)).or_else(|| read_short(&common.join(reference)));
    match loose {
        Some(id) => Some(id.trim_end().to_owned()).filter(|id| is_id(id)),
        None => packed(&common.join("packed-refs"), reference),
    }
}

/// Where linked worktrees share their references.
pub(crate) fn common_dir(git_dir: &Path) -> PathBuf {
    match read_short(&git_dir.join("commondir")) {
        Some(text) => git_dir.join(text.trim_end_matches(['\n', '\r'])),
        None => git_dir.to_owned(),
    }
}

/// `<id> <name>` lines; comments begin with `#`, peeled tags with `^`.
fn packed(path: &Path, reference: &str) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = BufReader::new(File::open(path).ok()?.take(PACKED_BYTES_MAX));
    let lines = file.lines().map_while(Result::ok);
    lines
        .filter_map(|line| line.split_once(' ').map(|(id, name)| (id.to_owned(), name.to_owned())))
        .find_map(|(id, name)| (name == reference && is_id(&id)).then_some(id))
}
