//! Where things are: the layout of the user's data folder, and of a project's own files.

use std::path::{Path, PathBuf};

use throughline_domain::text::fingerprint;

use crate::door::{Spot, outside};

/// The user's data folder (`THROUGHLINE_HOME`, else the platform's).
#[derive(Debug, Clone)]
pub struct Home {
    root: Spot,
}

impl Home {
    /// The data folder at a path; nothing is created yet.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: Spot::root(root) }
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Spot {
        &self.root
    }

    /// The archive.
    #[must_use]
    pub fn archive(&self) -> Spot {
        self.root.join("throughline.db")
    }

    /// The index of recall.
    #[must_use]
    pub fn recall(&self) -> Spot {
        self.root.join("recall.db")
    }

    /// The machine's id, as a fleet knows it.
    #[must_use]
    pub fn machine(&self) -> Spot {
        self.root.join("machine")
    }

    /// The key of the fingerprints in masks.
    #[must_use]
    pub fn mask_key(&self) -> Spot {
        self.root.join("mask-key")
    }

    /// The log of failures.
    #[must_use]
    pub fn log(&self) -> Spot {
        self.root.join("throughline.log")
    }

    /// What is kept about a session: cache, spool, the client's summary.
    #[must_use]
    pub fn session(&self, session_id: &str) -> Spot {
        self.root.join("sessions").join(safe_name(session_id))
    }

    /// What is kept about a project: lock, outbox, last written hash, backups.
    #[must_use]
    pub fn project(&self, key: &str) -> Spot {
        self.root.join("projects").join(safe_name(key))
    }
}

/// A project: its root, and where its files go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The top folder.
    pub root: PathBuf,
    /// The same, as the door to what is in it.
    pub top: Spot,
    /// The folder for our files: `.claude` in the root, or in the data folder when the root is the user's home.
    pub files: Spot,
    /// A short name for folders and rows.
    pub key: String,
    /// The working tree that the work is in: the root, or a linked worktree that shares the root's memory.
    pub work: PathBuf,
}

impl Project {
    /// The project at `root`. Where that is the user's own home folder, its files go to the data folder.
    #[must_use]
    pub fn at(root: &Path, user_home: Option<&Path>, home: &Home) -> Self {
        let key = project_key(root);
        let top = Spot::root(root);
        let files = if user_home.is_some_and(|user_home| user_home == root) {
            home.project(&key).join("files")
        } else {
            top.join(".claude")
        };
        Self { root: root.to_owned(), top, files, key, work: root.to_owned() }
    }

    /// The same project, with the work in a linked worktree of it.
    #[must_use]
    pub fn working_in(self, work: PathBuf) -> Self {
        Self { work, ..self }
    }

    /// A file by its path: one of the project is reached from the project's own folder, through no link. Any other is
    /// the user's own, and where the user put it; so are those of the user's home folder.
    #[must_use]
    pub fn spot_of(&self, path: &Path) -> Spot {
        let is_home = !self.files.starts_with(&self.top);
        let top = [&self.work, &self.root].into_iter().find(|top| !is_home && path.starts_with(top));
        match top.and_then(|top| Some((top, path.strip_prefix(top).ok()?))) {
            Some((top, below)) => Spot::root(top).join(below),
            None => outside::resolved(path),
        }
    }

    /// The working set.
    #[must_use]
    pub fn state_file(&self) -> Spot {
        self.files.join("unified-session-state.json")
    }

    /// The picture of the working tree taken before a compaction.
    #[must_use]
    pub fn snapshot_file(&self) -> Spot {
        self.files.join("compaction-snapshot.md")
    }

    /// The session state that people write by hand.
    #[must_use]
    pub fn session_state_file(&self) -> Spot {
        self.files.join("session-state.md")
    }

    /// The folder of a session's notes and compaction log.
    #[must_use]
    pub fn session_folder(&self, session_id: &str) -> Spot {
        self.files.join("sessions").join(safe_name(session_id))
    }
}

/// The folder and row name of a project: its folder's name for people, a fingerprint of the path for uniqueness.
fn project_key(root: &Path) -> String {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let readable: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(32).collect();
    format!("{readable}-{:016x}", fingerprint(root.as_os_str().as_encoded_bytes()))
}

/// A file name out of an id that came from outside: the id itself when it is plain, else its fingerprint.
///
/// ```
/// use throughline_store::paths::safe_name;
/// assert_eq!(safe_name("2f467a84-03d0"), "2f467a84-03d0");
/// assert!(safe_name("../../x").starts_with("odd-"));
/// ```
#[must_use]
pub fn safe_name(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !id.is_empty() && id.len() <= 100 && id.bytes().all(plain) {
        id.to_owned()
    } else {
        format!("odd-{:016x}", fingerprint(id.as_bytes()))
    }
}
