//! What can go wrong with the index, told apart by what the caller does next.

use std::path::PathBuf;

use crate::archive::ArchiveError;
use crate::files::FileError;
use crate::lock::LockError;

/// A failure of the index. The transcripts it was made from are untouched.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// Somebody else writes to it.
    #[error("another process is bringing the index at {} up to date; what is in it can be asked meanwhile", path.display())]
    Busy {
        /// The database file.
        path: PathBuf,
    },
    /// It is no database, or a damaged one.
    #[error("the index at {} is damaged ({what})", path.display())]
    Corrupt {
        /// The database file.
        path: PathBuf,
        /// What the database engine said.
        what: String,
    },
    /// A later version of the program wrote it.
    #[error("the index at {} has version {found}, this program knows up to {known}; install the newer throughline again", path.display())]
    Newer {
        /// The database file.
        path: PathBuf,
        /// The version in the file.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// Anything else.
    #[error("could not use the index at {}: {what}; free some space, or check who owns the folder", path.display())]
    Failed {
        /// The database file.
        path: PathBuf,
        /// What happened.
        what: String,
    },
}

impl RecallError {
    /// Whether the file must be set aside before there can be an index at this path again.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }
}

impl From<ArchiveError> for RecallError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Locked { path } => Self::Busy { path },
            ArchiveError::Corrupt { path, what } => Self::Corrupt { path, what },
            ArchiveError::Newer { path, found, known } => {
                Self::Newer { path, found: found.into(), known: known.into() }
            }
            ArchiveError::Io { path, what } | ArchiveError::Other { path, what } => {
                Self::Failed { path, what }
            }
        }
    }
}

impl From<FileError> for RecallError {
    fn from(error: FileError) -> Self {
        Self::Failed { path: error.path.clone(), what: error.source.to_string() }
    }
}

impl From<LockError> for RecallError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy { path, .. } => Self::Busy { path },
            LockError::Unsupported { path, source } => Self::Failed { path, what: source.to_string() },
            LockError::File(error) => error.into(),
        }
    }
}
