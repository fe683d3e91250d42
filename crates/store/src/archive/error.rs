//! What can go wrong with the archive, told apart by what the caller does next.

use std::path::PathBuf;

use crate::door::Spot;

use rusqlite::{Error as SqlError, ErrorCode, ffi};

/// A failure of the archive. Whatever it is, what was not folded in still waits in the outbox and the spools.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Somebody else is writing and did not finish in time.
    #[error(
        "the archive at {} is locked by another process; what waits is folded in by the next run",
        path.display()
    )]
    Locked {
        /// The database file.
        path: PathBuf,
    },
    /// It is no database, or a damaged one: [`set_aside`](super::set_aside()) is the way out.
    #[error(
        "the archive at {} is damaged ({what}); `throughline doctor` sets it aside and starts a new one",
        path.display()
    )]
    Corrupt {
        /// The database file.
        path: PathBuf,
        /// What the database engine said.
        what: String,
    },
    /// A later version of the program wrote it.
    #[error(
        "the archive at {} has schema version {found}, this program knows up to {known}; \
         install the newer throughline again, the archive is left as it is",
        path.display()
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// The version in the file.
        found: u32,
        /// The newest version this program knows.
        known: u32,
    },
    /// The disk is full, or the file or its folder cannot be written or read.
    #[error(
        "could not use the archive at {}: {what}; free some space or check who owns the folder",
        path.display()
    )]
    Io {
        /// The database file.
        path: PathBuf,
        /// What the system said.
        what: String,
    },
    /// Anything else.
    #[error("the archive at {} failed: {what}; `throughline doctor` looks into it", path.display())]
    Other {
        /// The database file.
        path: PathBuf,
        /// What happened.
        what: String,
    },
}

impl ArchiveError {
    /// Whether the file must be set aside before an archive can be had at this path again.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }

    pub(crate) fn from_sql(path: &Spot, error: &SqlError) -> Self {
        let what = words_of(error);
        let path = path.shown();
        match error {
            SqlError::SqliteFailure(code, _) | SqlError::SqlInputError { error: code, .. } => {
                Self::from_code(path, *code, what)
            }
            // Rows are written with the types they are read with: another type means that the page is not ours.
            SqlError::FromSqlConversionFailure(..)
            | SqlError::InvalidColumnType(..)
            | SqlError::IntegralValueOutOfRange(..)
            | SqlError::Utf8Error(..) => Self::Corrupt { path, what },
            _ => Self::Other { path, what },
        }
    }

    fn from_code(path: PathBuf, error: ffi::Error, what: String) -> Self {
        match error.extended_code {
            ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS | ffi::SQLITE_IOERR_DATA => {
                return Self::Corrupt { path, what };
            }
            _ => {}
        }
        match error.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
                Self::Locked { path }
            }
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt { path, what },
            ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::CannotOpen
            | ErrorCode::SystemIoFailure
            | ErrorCode::NoLargeFileSupport => Self::Io { path, what },
            // The statements are fixed, so a table that is missing or was there before is damage to the schema.
            ErrorCode::Unknown if is_about_the_schema(&what) => Self::Corrupt { path, what },
            _ => Self::Other { path, what },
        }
    }
}

fn words_of(error: &SqlError) -> String {
    match error {
        // The number tells apart what the words do not: twenty causes share "disk I/O error".
        SqlError::SqliteFailure(code, Some(words)) => format!("{words}, code {}", code.extended_code),
        SqlError::SqlInputError { msg: words, .. } => words.clone(),
        other => other.to_string(),
    }
}

fn is_about_the_schema(what: &str) -> bool {
    ["no such ", "already exists", "has no column", "vtable constructor failed", "unsupported file format"]
        .iter()
        .any(|sign| what.contains(sign))
}
