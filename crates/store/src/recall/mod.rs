//! The index of recall: every passage of every session, found by its words, kept after the client deleted the transcript.
//!
//! A database of its own beside the archive: that one stays small and quick for the hooks. What is committed is whole:
//! passages go in together with how far their transcript was read.

mod block;
mod continued;
mod error;
mod forget;
mod forget_scope;
mod mask_again;
mod moving;
mod printed;
mod retention;
mod search;
mod surroundings;
mod write;

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

pub use block::{BLOCK_BYTES, NewBlock, line_mark};
pub use error::RecallError;
pub use moving::{KnownBlocks, MovedBlock, block_of, check_block};
pub use retention::{Kept, Retention};
pub use write::{Added, Batch};

use crate::archive::{self, ArchiveError};
use crate::door::Spot;
use crate::known_files::{self, KnownFile};
use crate::lock::{Lock, Patience};

/// Every step of the schema; its version is how many of them a database has had. Steps are appended, never edited.
const SCHEMA: [&str; 1] = [include_str!("0001_passages.sql")];
/// A longer log is moved into the database at once: every open reads it.
const LOG_BYTES_MAX: u64 = throughline_domain::limits::RECALL_LOG_BYTES_MAX;

/// The table of the transcripts that were read.
const FILES: &str = "files";

/// The index, open.
#[derive(Debug)]
pub struct Recall {
    connection: Connection,
    path: Spot,
}

/// The right to write to the index. The system frees it when its holder dies.
#[derive(Debug)]
pub struct Writing {
    _lock: Lock,
}

impl Recall {
    /// Opens the index, makes it when there is none, and brings its schema up to date.
    pub fn open(path: &Spot, wait: Duration) -> Result<Self, RecallError> {
        let mut connection = archive::open_file(path, wait)?;
        bring_up(&mut connection, path)?;
        Ok(Self { connection, path: path.clone() })
    }

    /// The same; a damaged file is set aside under another name first, and another one begun.
    ///
    /// Gives the name of what was set aside. `stamp` makes it one of its own.
    pub fn open_or_renew(
        path: &Spot,
        wait: Duration,
        stamp: &str,
    ) -> Result<(Self, Option<Spot>), RecallError> {
        match Self::open(path, wait) {
            Err(error) if error.is_corrupt() => {
                let writing = Self::writing(path, Patience::Person)?;
                // Another process may have renewed it while we waited for our turn.
                if let Ok(open) = Self::open(path, wait) {
                    return Ok((open, None));
                }
                let aside = archive::rename_aside(path, stamp)
                    .map_err(|error| RecallError::Failed { path: path.shown(), what: error.to_string() })?;
                drop(writing);
                Ok((Self::open(path, wait)?, Some(aside)))
            }
            opened => Ok((opened?, None)),
        }
    }

    /// The right to write: one process at a time.
    pub fn writing(path: &Spot, patience: Patience) -> Result<Writing, RecallError> {
        let lock = lock_path(path);
        Ok(Writing { _lock: Lock::acquire(&lock, patience)? })
    }

    /// The same, only if nobody has it.
    #[must_use]
    pub fn writing_now(path: &Spot) -> Option<Writing> {
        Lock::try_now(&lock_path(path)).map(|lock| Writing { _lock: lock })
    }

    /// Reads from here on see one state, and ask for it once: a search is some dozens of small questions.
    pub fn begin_reading(&self) -> Result<(), RecallError> {
        self.read(|connection| connection.execute_batch("BEGIN"))
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &Spot {
        &self.path
    }

    /// Bytes on disk: the database and its log.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.path.bytes() + archive::beside(&self.path, "-wal").bytes()
    }

    /// How many passages there are.
    pub fn passages(&self) -> Result<u64, RecallError> {
        let count: i64 = self
            .read(|connection| connection.query_row("SELECT passages FROM counters", [], |row| row.get(0)))?;
        Ok(count.cast_unsigned())
    }

    /// Every transcript that was read, by its path.
    pub fn known_files(&self) -> Result<BTreeMap<String, KnownFile>, RecallError> {
        self.read(|connection| known_files::known(connection, FILES))
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, RecallError> {
        work(&self.connection).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &rusqlite::Error) -> RecallError {
        ArchiveError::from_sql(&self.path, error).into()
    }

    /// Moves the log into the database, unless somebody reads it at this moment.
    fn shorten_log(&self, bytes_max: u64) {
        if archive::beside(&self.path, "-wal").bytes() > bytes_max {
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}

fn lock_path(path: &Spot) -> Spot {
    archive::beside(path, ".lock")
}

fn bring_up(connection: &mut Connection, path: &Spot) -> Result<(), RecallError> {
    let sql = |error: &rusqlite::Error| RecallError::from(ArchiveError::from_sql(path, error));
    let version =
        |connection: &Connection| connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    let known = i64::try_from(SCHEMA.len()).unwrap_or(i64::MAX);
    let found = version(connection).map_err(|error| sql(&error))?;
    if found > known {
        return Err(RecallError::Newer { path: path.shown(), found, known });
    }
    if found == known {
        return Ok(());
    }
    let mut step_up = || {
        if found == 0 {
            // Before the first table, or never.
            connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        }
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found = usize::try_from(version(&transaction)?).unwrap_or(0);
        for step in SCHEMA.iter().skip(found) {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "user_version", known)?;
        transaction.commit()
    };
    step_up().map_err(|error| sql(&error))
}
