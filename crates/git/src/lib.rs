//! Git: asks the git program about the working tree, under a deadline. The only room that starts git.
//!
//! Every call starts git in a process group of its own, reads what it says as a stream, and kills the whole group when
//! the deadline passes. Git never gets a terminal, never takes an optional lock, never opens the network, and never
//! reads the repository's own configuration. What git says is untrusted: names are escaped so that a file name can not
//! pose as another line.

mod asking;
mod capture;
mod changes;
mod config_text;
mod distrust;
mod ending;
mod head_file;
mod head_id;
mod index_hint;
mod left_behind;
mod log;
mod made_here;
mod names;
mod output;
mod own_dir;
mod ownership;
mod process;
mod queries;
mod reading;
mod recent;
mod restoring;
mod settings;
mod snapshot;
mod status;
mod taking;
mod touched;
mod tree_diff;
mod trees;
mod whereabouts;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{Duration, SystemTime};

use throughline_domain::git_state::GitState;

pub use asking::Asking;
pub use changes::{Changes, History};
pub use head_file::branch_from_head_file;
pub use head_id::head_from_files;
pub use restoring::{Look, Restoring, Then};
pub use snapshot::Snapshot;
pub use taking::{Bounds, Taken};
pub use tree_diff::{Change, TreeDiff};
pub use trees::{index_file, is_id};
pub use whereabouts::{ExcludeFile, Repository, WhyNot, repository_around, repository_at};

/// How long the small questions ([`Git::is_tracked`], [`Git::version`], …) may take.
pub const QUERY_DEADLINE: Duration = Duration::from_secs(2);

/// Which git program to start, and with what environment.
///
/// The default is `git` as `PATH` finds it.
#[derive(Debug, Clone)]
pub struct Git {
    pub(crate) program: OsString,
    pub(crate) env: Vec<(OsString, OsString)>,
}

impl Default for Git {
    fn default() -> Self {
        Self::new("git")
    }
}

impl Git {
    /// A git program: a name to look up on `PATH`, or a path.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), env: Vec::new() }
    }

    /// Sets a variable in git's environment. The variables this room sets or removes itself win over it.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Branch, status, last commits, changed files and staged changes of the repository that holds `folder`.
    ///
    /// Never fails: what could not be asked is missing, and `error` says why. Takes no longer than `deadline`.
    #[must_use]
    pub fn capture(&self, folder: &Path, deadline: Duration) -> GitState {
        capture::capture(self, folder, deadline)
    }

    /// What [`Git::capture`] tells, the diff stats, and the files that changed in the hour before `now`.
    #[must_use]
    pub fn snapshot(&self, folder: &Path, now: SystemTime, deadline: Duration) -> Snapshot {
        self.asking(folder, deadline).snapshot(now)
    }

    /// What moved since `head` was checked out; `None` when `head` is no commit id or git can not tell.
    #[must_use]
    pub fn changes_since(&self, folder: &Path, head: &str, deadline: Duration) -> Option<Changes> {
        changes::changes_since(self, folder, head, deadline)
    }

    /// Whether git tracks `path` (absolute, or relative to `folder`); `None` when git can not tell.
    #[must_use]
    pub fn is_tracked(&self, folder: &Path, path: &Path) -> Option<bool> {
        queries::is_tracked(self, folder, path)
    }

    /// Git's version, such as `2.47.3`.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        queries::version(self)
    }
}

impl Git {
    /// Several questions about the repository that holds `folder`, which take no longer than `deadline` together.
    /// Nothing is asked yet.
    #[must_use]
    pub fn asking(&self, folder: &Path, deadline: Duration) -> Asking {
        Asking::new(self, folder, deadline)
    }

    /// Keeps a tree from being collected, under a name of ours.
    pub fn keep_tree(&self, folder: &Path, name: &str, tree: &str, deadline: Duration) -> Result<(), String> {
        trees::keep(self, folder, name, tree, deadline)
    }

    /// Lets trees go that were kept under these names.
    pub fn forget_trees(&self, folder: &Path, names: &[String]) -> Result<(), String> {
        trees::forget(self, folder, names)
    }

    /// The names under which trees are kept; `None` when git can not tell.
    #[must_use]
    pub fn kept_trees(&self, folder: &Path) -> Option<Vec<String>> {
        trees::kept(self, folder)
    }

    /// What differs between two trees or commits; `None` when git does not know one of them.
    #[must_use]
    pub fn diff_trees(&self, folder: &Path, from: &str, to: &str, deadline: Duration) -> Option<TreeDiff> {
        self.asking(folder, deadline).diff_trees(from, to)
    }

    /// What has to be written so that the files which were not committed `then`, or which a restore touched, are as they
    /// were. `now` is the working tree as it stands, taken a moment ago.
    pub fn plan_restore(
        &self,
        folder: &Path,
        then: &Then<'_>,
        now: &Taken,
        deadline: Duration,
    ) -> Result<Restoring, String> {
        restoring::plan(self, folder, then, now, deadline)
    }

    /// Writes the files that were planned into another folder, which is empty. `index` is a file that is not there yet:
    /// the repository's index and the working tree stay as they are.
    pub fn write_restored(
        &self,
        plan: &Restoring,
        index: &Path,
        folder: &Path,
        deadline: Duration,
    ) -> Result<(), String> {
        restoring::write_into(self, plan, index, folder, deadline)
    }
}

/// [`Git::capture`] with the git on `PATH`.
#[must_use]
pub fn capture(folder: &Path, deadline: Duration) -> GitState {
    Git::default().capture(folder, deadline)
}

/// [`Git::snapshot`] with the git on `PATH`.
#[must_use]
pub fn snapshot(folder: &Path, now: SystemTime, deadline: Duration) -> Snapshot {
    Git::default().snapshot(folder, now, deadline)
}

/// [`Git::changes_since`] with the git on `PATH`.
#[must_use]
pub fn changes_since(folder: &Path, head: &str, deadline: Duration) -> Option<Changes> {
    Git::default().changes_since(folder, head, deadline)
}

/// The `info/exclude` file of the repository that holds `folder`; the file itself may not exist yet. `None` too when the
/// repository is one that is not believed (see [`repository_around`]) or another user's.
#[must_use]
pub fn top_level_exclude_path(folder: &Path) -> Option<ExcludeFile> {
    let repository = repository_around(folder).ok()?;
    ownership::check(&Git::default(), &repository, process::end_of(QUERY_DEADLINE)).ok()?;
    Some(repository.exclude_file())
}

/// The settings of the repository's own configuration that name programs; none of them is started by us, nor is git to
/// find them out.
#[must_use]
pub fn named_programs(folder: &Path) -> Vec<String> {
    distrust::named_programs(folder)
}

/// [`Git::is_tracked`] with the git on `PATH`.
#[must_use]
pub fn is_tracked(folder: &Path, path: &Path) -> Option<bool> {
    Git::default().is_tracked(folder, path)
}

/// [`Git::version`] of the git on `PATH`.
#[must_use]
pub fn version() -> Option<String> {
    Git::default().version()
}
