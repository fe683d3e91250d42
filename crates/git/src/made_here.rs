//! Made here: the commits that somebody made in this working tree of late. A clone's history was made elsewhere.

use std::path::Path;

use crate::log::is_hex;
use crate::reading;

/// A longer list of movements is not read.
const MOVEMENTS_BYTES_MAX: u64 = throughline_domain::limits::GIT_MOVEMENTS_BYTES_MAX;

/// The commits that `HEAD` was moved to by committing since then, newest first, at most `count_max`. Empty where git
/// keeps no list of its movements: then nobody knows.
pub(crate) fn commits_since(git_dir: &Path, since_secs: u64, count_max: usize) -> Vec<String> {
    let Ok(Some(bytes)) = reading::whole(&git_dir.join("logs/HEAD"), MOVEMENTS_BYTES_MAX) else {
        return Vec::new();
    };
    let lines = bytes.rsplit(|byte| *byte == b'\n');
    lines.filter_map(|line| commit_in(line, since_secs)).take(count_max).collect()
}

/// `<before> <after> Name <mail> <seconds> <zone>\tcommit (amend): subject`.
fn commit_in(line: &[u8], since_secs: u64) -> Option<String> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let (who, what) = (&line[..tab], &line[tab + 1..]);
    // A checkout, a pull, a clone or a reset brings what others made.
    let is_made = ["commit:", "commit (", "cherry-pick", "revert"];
    if !is_made.iter().any(|made| what.starts_with(made.as_bytes())) {
        return None;
    }
    let after = who.split(|byte| *byte == b' ').nth(1).filter(|id| is_hex(id))?;
    let seconds = who.rsplit(|byte| *byte == b' ').nth(1)?;
    let seconds: u64 = std::str::from_utf8(seconds).ok()?.parse().ok()?;
    (seconds >= since_secs).then(|| String::from_utf8_lossy(after).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_committed_here_of_late_counts() {
        let id = "a".repeat(40);
        let line = |seconds: u64, what: &str| {
            format!("{} {id} A B <a@b.c> {seconds} +0000\t{what}", "0".repeat(40)).into_bytes()
        };
        assert_eq!(commit_in(&line(100, "commit: x"), 50).as_deref(), Some(id.as_str()));
        assert_eq!(commit_in(&line(100, "commit (initial): x"), 50).as_deref(), Some(id.as_str()));
        for (seconds, what) in [(100, "clone: from /x"), (100, "pull: Fast-forward"), (10, "commit: x")] {
            assert_eq!(commit_in(&line(seconds, what), 50), None, "{what}");
        }
        assert_eq!(commit_in(b"garbage", 0), None);
    }
}
