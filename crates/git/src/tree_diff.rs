//! Tree diff: which files differ between two trees, as git's raw diff tells it.

use std::path::Path;
use std::time::Instant;

use crate::Git;
use crate::ending::GitOutcome;
use crate::names::path_text;
use crate::output::{NulSeparated, Records};
use crate::process::{Job, run_all};
use crate::trees::is_id;

/// Most files that are named.
pub(crate) const FILES_MAX: usize = 2_000;

pub(crate) const RAW_ARGS: &[&str] = &["-r", "--raw", "-z", "--no-renames", "--no-abbrev"];

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// `A` added, `M` modified, `D` deleted, `T` another type.
    pub letter: char,
    /// From the repository's top, as text.
    pub path: String,
    /// The id of its content afterwards; `None` when it was deleted.
    pub hash: Option<String>,
    /// The bytes of the path.
    pub(crate) raw: Vec<u8>,
}

/// What differs between two trees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeDiff {
    /// The first files that differ.
    pub changes: Vec<Change>,
    /// How many there are in all.
    pub count: u64,
    /// The head of a change whose path comes in the next record.
    pending: Option<(char, Option<String>)>,
}

impl Records for TreeDiff {
    fn record(&mut self, record: Option<&[u8]>) {
        let Some((letter, hash)) = self.pending.take() else {
            self.pending = record.and_then(head);
            return;
        };
        self.count += 1;
        if let Some(raw) = record.filter(|_| self.changes.len() < FILES_MAX) {
            self.changes.push(Change { letter, path: path_text(raw), hash, raw: raw.to_vec() });
        }
    }
}

/// `:100644 100644 <id> <id> M`
fn head(record: &[u8]) -> Option<(char, Option<String>)> {
    let text = std::str::from_utf8(record).ok()?.strip_prefix(':')?;
    let mut fields = text.split(' ').skip(3);
    let hash = fields.next()?.to_owned();
    let letter = fields.next()?.chars().next()?;
    Some((letter, Some(hash).filter(|hash| is_id(hash) && hash.bytes().any(|byte| byte != b'0'))))
}

/// See [`Asking::diff_trees`](crate::Asking::diff_trees).
pub(crate) fn between(git: &Git, folder: &Path, (from, to): (&str, &str), end: Instant) -> Option<TreeDiff> {
    if !is_id(from) || !is_id(to) {
        return None;
    }
    let mut diff = NulSeparated::new(TreeDiff::default());
    let job = Job::new("diff-tree", &["diff-tree"], &mut diff).args(RAW_ARGS).arg(from).arg(to);
    run_all(git, folder, end, &mut [job]).pop().filter(GitOutcome::succeeded)?;
    Some(diff.records)
}
