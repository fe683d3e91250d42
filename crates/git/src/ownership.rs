//! Ownership: a repository of another user is used only where the user's own settings say so.
//!
//! Git asks this when it looks for a repository itself. It protects from settings, which are not read here, and from
//! more: a `.git` that somebody else put into a folder above ours would be given what checkpoints keep.

use std::path::Path;
use std::time::Instant;

use crate::Git;
use crate::output::{NulSeparated, Records};
use crate::process::{Job, run_nowhere};
use crate::whereabouts::{Repository, WhyNot};

/// Most folders that the user's settings may name.
const FOLDERS_MAX: usize = 1_000;

/// Every value of the user's own settings, in their order. No repository is looked at.
const LIST_ARGS: &[&str] = &["config", "--get-all", "--type=path", "-z", "safe.directory"];

/// Refuses a repository of another user that `safe.directory` does not name.
pub(crate) fn check(git: &Git, repository: &Repository, end: Instant) -> Result<(), WhyNot> {
    if is_ours(&repository.git_dir) && is_ours(&repository.common_dir) {
        return Ok(());
    }
    let mut safe = NulSeparated::new(SafeFolders::default());
    run_nowhere(git, end, &mut [Job::new("config", LIST_ARGS, &mut safe)]);
    if safe.records.hold(&repository.top) {
        return Ok(());
    }
    let why = "it belongs to another user; git's setting `safe.directory` can allow it";
    Err(WhyNot::Refused(why.to_owned()))
}

#[derive(Debug, Default)]
struct SafeFolders(Vec<Vec<u8>>);

impl Records for SafeFolders {
    fn record(&mut self, record: Option<&[u8]>) {
        match record {
            // An empty value takes back what stands before it.
            Some(b"") => self.0.clear(),
            Some(folder) if self.0.len() < FOLDERS_MAX => self.0.push(folder.to_vec()),
            _ => {}
        }
    }
}

impl SafeFolders {
    fn hold(&self, top: &Path) -> bool {
        let top = top.as_os_str().as_encoded_bytes();
        self.0.iter().any(|folder| match folder.as_slice() {
            b"*" => true,
            [above @ .., b'/', b'*'] => top.strip_prefix(above).is_some_and(|rest| rest.starts_with(b"/")),
            folder => folder.strip_suffix(b"/").unwrap_or(folder) == top,
        })
    }
}

/// Whether a folder is the user's own who runs us.
#[cfg(unix)]
pub(crate) fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let us = rustix::process::geteuid().as_raw();
    folder.symlink_metadata().is_ok_and(|meta| meta.uid() == us)
}

#[cfg(not(unix))]
pub(crate) fn is_ours(_folder: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::SafeFolders;
    use crate::output::Records as _;

    #[test]
    fn only_what_is_named_is_safe() {
        let holds = |values: &[&str], top: &str| {
            let mut safe = SafeFolders::default();
            for value in values {
                safe.record(Some(value.as_bytes()));
            }
            safe.hold(Path::new(top))
        };
        assert!(holds(&["/a/b"], "/a/b") && holds(&["/a/b/"], "/a/b") && holds(&["*"], "/a"));
        assert!(holds(&["/a/*"], "/a/b") && holds(&["/a/*"], "/a/b/c") && !holds(&["/a/*"], "/ab"));
        assert!(!holds(&[], "/a") && !holds(&["/a"], "/a/b") && !holds(&["/a/b"], "/a"));
        assert!(!holds(&["*", ""], "/a") && holds(&["", "/a"], "/a"));
    }
}
