//! Recent: which of the changed files were written after a moment, by their modification times.

use std::collections::VecDeque;
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

use crate::queries::path_from_bytes;

/// Most files whose time is looked up.
pub(crate) const STATS_MAX: usize = 500;

/// The files among `paths` (from `top_level`) modified at or after `since`. Folders, which stand for all that is
/// untracked inside, are walked; links are not followed; no more than [`STATS_MAX`] times are looked up.
pub(crate) fn files_modified_since(top_level: &Path, paths: &[Vec<u8>], since: SystemTime) -> Vec<Vec<u8>> {
    let mut stats_left = STATS_MAX;
    let mut waiting: VecDeque<Vec<u8>> = paths.iter().cloned().collect();
    let mut recent = Vec::new();
    while let Some(path) = waiting.pop_front() {
        if stats_left == 0 {
            break;
        }
        stats_left -= 1;
        let full_path = top_level.join(path_from_bytes(&path));
        let Ok(metadata) = fs::symlink_metadata(&full_path) else { continue };
        if !metadata.is_dir() {
            if is_since(&metadata, since) {
                recent.push(path);
            }
        } else if path.ends_with(b"/") {
            // A submodule is a folder too, but git names it without the slash; its files are not ours to list.
            waiting.extend(entries(&full_path, &path, stats_left.saturating_sub(waiting.len())));
        }
    }
    recent
}

fn is_since(metadata: &Metadata, since: SystemTime) -> bool {
    metadata.modified().is_ok_and(|modified| modified >= since)
}

/// The first entries of a folder; names of folders end in a slash. A repository inside is left out.
fn entries(full_path: &Path, path: &[u8], entries_max: usize) -> Vec<Vec<u8>> {
    let Ok(listing) = fs::read_dir(full_path) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in listing.flatten().take(entries_max) {
        let name = entry.file_name();
        if name == ".git" {
            return Vec::new();
        }
        let mut child = path.to_vec();
        child.extend_from_slice(name.as_encoded_bytes());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            child.push(b'/');
        }
        found.push(child);
    }
    found
}
