//! Asking: questions about one working tree that belong together. They share a deadline, and the status once it is known.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::Git;
use crate::head_id::head_from_files;
use crate::process::end_of;
use crate::snapshot::{self, Snapshot};
use crate::status::Status;
use crate::taking::{self, Bounds, Taken};
use crate::tree_diff::{self, TreeDiff};
use crate::whereabouts::Repository;

/// What is asked of git about one working tree in one go. See [`Git::asking`].
///
/// Every answer opens the repository afresh: what was checked for the one before may have been exchanged since.
#[derive(Debug)]
pub struct Asking {
    pub(crate) git: Git,
    pub(crate) folder: PathBuf,
    pub(crate) deadline: Duration,
    /// What is left of it.
    left: Cell<Duration>,
    known: RefCell<Option<KnownStatus>>,
}

/// A status, and of which repository.
#[derive(Debug)]
struct KnownStatus {
    repository: Repository,
    status: Status,
    /// Why it is not whole.
    error: Option<String>,
}

impl Asking {
    pub(crate) fn new(git: &Git, folder: &Path, deadline: Duration) -> Self {
        Self {
            git: git.clone(),
            folder: folder.to_owned(),
            deadline,
            left: Cell::new(deadline),
            known: RefCell::default(),
        }
    }

    /// What [`Git::capture`] tells, the diff stats, and the files that changed in the hour before `now`.
    #[must_use]
    pub fn snapshot(&self, now: SystemTime) -> Snapshot {
        self.within(|end| snapshot::snapshot(self, now, end))
    }

    /// The working tree as a tree of git objects. `index` is a copy of the repository's [`crate::index_file`] (it may be
    /// missing): git changes the copy, never the index itself. After a [`Asking::snapshot`] it is the working tree as it
    /// was then that is told: what has changed since in files that were as committed is not in it.
    #[must_use]
    pub fn take(&self, index: &Path, bounds: &Bounds) -> Taken {
        self.within(|end| taking::take(self, index, bounds, end))
    }

    /// What differs between two trees or commits; `None` when git does not know one of them.
    #[must_use]
    pub fn diff_trees(&self, from: &str, to: &str) -> Option<TreeDiff> {
        let Self { git, folder, .. } = self;
        self.within(|end| tree_diff::between(git, folder, (from, to), end))
    }

    /// Lets `work` have the time that is left. What is done between two answers does not count.
    fn within<T>(&self, work: impl FnOnce(Instant) -> T) -> T {
        let start = Instant::now();
        let answer = work(end_of(self.left.get()));
        self.left.set(self.left.get().saturating_sub(start.elapsed()));
        answer
    }

    /// Keeps a status for whoever needs one next.
    pub(crate) fn keep(&self, repository: Repository, status: Status, error: Option<String>) {
        self.known.replace(Some(KnownStatus { repository, status, error }));
    }

    /// The status that was kept, once, with the reason why it is not whole; `None` when it is of another repository or
    /// another commit than the present ones, or names too few paths.
    pub(crate) fn kept(&self, repository: &Repository, paths_max: usize) -> Option<(Status, Option<String>)> {
        let KnownStatus { repository: before, status, error } = self.known.take()?;
        let is_same_commit = head_from_files(&self.folder).is_none_or(|head| status.head == Some(head));
        let is_enough = error.is_some() || status.names_as_many_as(paths_max);
        (before == *repository && is_same_commit && is_enough).then_some((status, error))
    }
}
