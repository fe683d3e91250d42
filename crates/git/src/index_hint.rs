//! Index hint: guesses from the index file whether something is staged, so that git can be asked about it early.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::trees::index_file;

/// The part we look for stands near the end of the file.
const TAIL_BYTES_MAX: u64 = throughline_domain::limits::GIT_INDEX_TAIL_BYTES_MAX;

/// Whether the repository that holds `folder` probably has staged changes.
///
/// The index remembers the tree that it would make, in a part named `TREE`: first an empty path, then a number of
/// entries. A commit fills it in, `git add` of a change makes the number -1. A wrong guess costs time, never truth.
pub(crate) fn is_probably_staged(folder: &Path) -> bool {
    read_tail(folder).and_then(|tail| tree_is_outdated(&tail)).unwrap_or(false)
}

fn read_tail(folder: &Path) -> Option<Vec<u8>> {
    let path = index_file(folder)?;
    let kind = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(kind.len().saturating_sub(TAIL_BYTES_MAX))).ok()?;
    let mut tail = Vec::new();
    file.take(TAIL_BYTES_MAX).read_to_end(&mut tail).ok()?;
    Some(tail)
}

fn tree_is_outdated(tail: &[u8]) -> Option<bool> {
    let starts_here = |part: &[u8]| {
        let size = part.get(4..8).and_then(|size| size.try_into().ok()).map(u32::from_be_bytes);
        let fits = size.is_some_and(|size| part.len() as u64 > 8 + u64::from(size));
        fits && part.starts_with(b"TREE") && part.get(8) == Some(&0)
    };
    let start = (0..tail.len()).rev().find(|&start| tail[start] == b'T' && starts_here(&tail[start..]))?;
    Some(tail.get(start + 9) == Some(&b'-'))
}

#[cfg(test)]
mod tests {
    use super::tree_is_outdated;

    #[test]
    fn the_number_of_entries_tells() {
        assert_eq!(tree_is_outdated(b"DIRC....TREE\0\0\0\x06\0-1 0\n01234567890123456789"), Some(true));
        assert_eq!(tree_is_outdated(b"DIRC....TREE\0\0\0\x06\x007 0\nx01234567890123456789"), Some(false));
    }

    #[test]
    fn what_is_no_such_part_tells_nothing() {
        for tail in [
            &b""[..],
            b"TREE",
            b"TREE\0\0\0\x06",
            b"TREE\xff\xff\xff\xff\0-1 0",
            b"TREE\0\0\0\x01x-1 0\n0123",
        ] {
            assert_eq!(tree_is_outdated(tail), None);
        }
    }
}
