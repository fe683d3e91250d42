//! The file of a session's notes: one writer of ours at a time, a person's edits in between are seen, never torn.

use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::door::{Refused, Spot};
use crate::files::{self, AtPath, Durability, FileError};
use crate::lock::{Lock, LockError, Patience};
use crate::paths::{Home, Project};

/// Longest page that is read; a longer one was written by others, and is put aside.
const PAGE_BYTES_MAX: u64 = throughline_domain::limits::PAGE_BYTES_MAX;
/// How often a page is worked out anew because somebody saved it meanwhile.
const TRIES: usize = 3;
const FILE: &str = "notes.md";

/// Why the notes could not be written. The page is as it was.
#[derive(Debug, thiserror::Error)]
pub enum NotesError {
    /// No lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// An IO failure.
    #[error(transparent)]
    File(#[from] FileError),
    /// Somebody saves the page again and again.
    #[error("{} is being changed by somebody else", .0.display())]
    Contended(PathBuf),
}

/// A page that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPage {
    /// The text.
    pub text: String,
    /// The old page is kept whole, beside the new one.
    pub is_new: bool,
}

/// A session's notes.
#[derive(Debug, Clone)]
pub struct NotesFile {
    path: Spot,
    lock: Spot,
}

/// What tells two versions of a file apart.
type Version = Option<(u64, SystemTime)>;

impl NotesFile {
    /// The notes of a session.
    #[must_use]
    pub fn of(project: &Project, home: &Home, session_id: &str) -> Self {
        Self {
            path: project.session_folder(session_id).join(FILE),
            lock: home.session(session_id).join("notes.lock"),
        }
    }

    /// Where the page is.
    #[must_use]
    pub fn path(&self) -> &Spot {
        &self.path
    }

    /// The page; `None` when there is none that can be read as text.
    #[must_use]
    pub fn read(&self) -> Option<String> {
        String::from_utf8(files::read_limited(&self.path, PAGE_BYTES_MAX).ok()??).ok()
    }

    /// Writes the page that `change` makes of the present one; `None` of it leaves the page alone. Says whether it was
    /// written. The second argument of `change` is the name under which an old page would be put aside. A page that is no
    /// text, or far too long, is put aside as it is.
    pub fn update(
        &self,
        patience: Patience,
        durability: Durability,
        mut change: impl FnMut(Option<&str>, &str) -> Option<NewPage>,
    ) -> Result<bool, NotesError> {
        if let Some(folder) = self.lock.parent() {
            files::create_folder(&folder)?;
        }
        let _alone = Lock::acquire(&self.lock, patience)?;
        for _ in 0..TRIES {
            if self.path.is_linked() {
                return Err(io::Error::from(Refused::Link)).at("write to", &self.path)?;
            }
            let before = self.version();
            let Some(old) = self.text_or_aside()? else { continue };
            let aside = self.free_name();
            let Some(new) = change(old.as_deref(), &aside.name()) else { return Ok(false) };
            if let Some(folder) = self.path.parent() {
                files::create_folder(&folder)?;
            }
            if before != self.version() {
                continue;
            }
            if let Some(old) = old.filter(|_| new.is_new) {
                // First the copy: a kill in between leaves the page twice, not a page too few.
                files::replace(&aside, old.as_bytes(), durability)?;
            }
            files::replace(&self.path, new.text.as_bytes(), durability)?;
            return Ok(true);
        }
        Err(NotesError::Contended(self.path.shown()))
    }

    /// The text of the page, `Some(None)` where there is no page; `None` when it has just been put aside.
    #[expect(clippy::option_option, reason = "no page, and a page to look at again, are two things")]
    fn text_or_aside(&self) -> Result<Option<Option<String>>, NotesError> {
        let bytes = match files::read_limited(&self.path, PAGE_BYTES_MAX) {
            Ok(None) => return Ok(Some(None)),
            Ok(Some(bytes)) => Some(bytes),
            Err(error) if error.source.kind() == std::io::ErrorKind::FileTooLarge => None,
            Err(error) => return Err(error.into()),
        };
        if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
            return Ok(Some(Some(text)));
        }
        let aside = self.free_name();
        files::rename(&self.path, &aside, "put aside")?;
        Ok(None)
    }

    /// A name beside the page that no file has.
    fn free_name(&self) -> Spot {
        let names = (1_u32..).map(|number| self.path.with_file_name(format!("notes-{number}.md")));
        let is_free = |path: &Spot| !path.exists();
        names.into_iter().find(is_free).unwrap_or_else(|| self.path.with_file_name("notes.aside.md"))
    }

    fn version(&self) -> Version {
        let meta = self.path.meta().ok()?;
        Some((meta.len, meta.modified()))
    }
}
