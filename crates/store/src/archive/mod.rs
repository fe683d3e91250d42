//! The archive: a database that remembers every entry ever recorded, the sessions, and what their hooks did.
//!
//! It is written after the fact, from the outbox and the spools: whatever happens to it, those wait and are
//! folded in by the next run. Nothing here is on the usual path of a hook.

mod compactions;
mod entries;
mod error;
mod fold;
mod forget;
mod forget_scope;
mod health;
mod mask_again;
mod migrate;
mod moving;
mod receipts;
mod search;
mod sessions;
mod set_aside;
mod spool_fold;

use std::io;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

pub use compactions::CompactionRow;
pub use entries::{EntryRow, Filter};
pub use error::ArchiveError;
pub use fold::{FoldCount, NOT_COMMITTED};
pub use forget::ForgotRows;
pub use forget_scope::ScopeRows;
pub use health::Counts;
pub(crate) use mask_again::MASKED_TABLES;
pub use migrate::SCHEMA_VERSION;
pub use moving::{NewRow, Taking, row_of};
pub use receipts::{Note, Receipt};
pub use sessions::SessionRow;
pub use set_aside::{all_aside, set_aside};
pub use spool_fold::SpoolFold;

use crate::door::Spot;
use crate::files;
pub(crate) use set_aside::{beside, is_aside, rename_aside};

/// More than one run writes into any of the archive's files.
const ROOM_BYTES: u64 = 64 << 20;
/// The longest log that is left behind.
const LOG_BYTES_MAX: u64 = throughline_domain::limits::ARCHIVE_LOG_BYTES_MAX;

/// The archive, open.
#[derive(Debug)]
pub struct Archive {
    connection: Connection,
    path: Spot,
    wait: Duration,
    /// Device and number of the file that was opened, to notice when another one takes its place.
    file_id: Option<(u64, u64)>,
}

/// The database engine writes where it likes, and past a limit on file sizes the system kills the process: under a
/// tight one what waits, waits on.
fn refuse_without_room(path: &Spot) -> Result<(), ArchiveError> {
    let Some(bytes_max) = crate::files::file_bytes_max() else { return Ok(()) };
    let bytes = path.bytes();
    if bytes_max >= bytes + ROOM_BYTES {
        return Ok(());
    }
    let what = format!("files may have {bytes_max} bytes at most (`ulimit -f`)");
    Err(ArchiveError::Io { path: path.shown(), what })
}

/// The engine opens its files by their names, and writes into them where they stand: each must be a file with that name
/// alone.
fn refuse_odd_files(path: &Spot) -> Result<(), ArchiveError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let file = beside(path, suffix);
        if let Ok(meta) = file.meta()
            && (!meta.is_file() || meta.links > 1)
        {
            let what = "it is a link, or no file of ours alone; nothing is written to it".to_owned();
            return Err(ArchiveError::Io { path: file.shown(), what });
        }
    }
    Ok(())
}

/// What a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commit {
    /// A power cut too. For what is erased elsewhere once it is in here.
    Flushed,
    /// A kill. For what may be missing after a power cut without anybody being misled.
    Quick,
}

impl Archive {
    /// Opens the archive, creates it when there is none, and brings its schema up to date.
    /// Waits up to `wait` for other processes, here and in every call that follows.
    pub fn open(path: &Spot, wait: Duration) -> Result<Self, ArchiveError> {
        let mut connection = open_file(path, wait)?;
        migrate::bring_up(&mut connection, path, wait)?;
        let file_id = file_id(path);
        Ok(Self { connection, path: path.to_owned(), wait, file_id })
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &Spot {
        &self.path
    }

    /// Runs `work` in one write transaction: all of it or nothing.
    pub(crate) fn write<T>(
        &mut self,
        commit: Commit,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, ArchiveError> {
        if commit == Commit::Flushed {
            self.set_synchronous("FULL")?;
        }
        let done = in_transaction(&mut self.connection, work)
            .map_err(|error| ArchiveError::from_sql(&self.path, &error));
        if commit == Commit::Flushed {
            self.set_synchronous("NORMAL")?;
        }
        let done = done?;
        self.shorten_log();
        if self.file_id != file_id(&self.path) {
            // The caller would erase what it folded into a file that nobody will look at again.
            let what = "another file took its place meanwhile; run the command again".to_owned();
            return Err(ArchiveError::Other { path: self.path.shown(), what });
        }
        Ok(done)
    }

    /// Runs `work` on the connection and gives its error the path.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, ArchiveError> {
        work(&self.connection).map_err(|error| ArchiveError::from_sql(&self.path, &error))
    }

    /// Moves a long log into the database. Every open reads the log from its beginning, so it must stay short.
    fn shorten_log(&self) {
        if beside(&self.path, "-wal").bytes() > LOG_BYTES_MAX {
            // Best effort, without waiting: somebody who reads it now keeps it until the next commit.
            let _ = self.connection.busy_timeout(Duration::ZERO);
            let _ = self.checkpoint();
            let _ = self.connection.busy_timeout(self.wait);
        }
    }

    fn set_synchronous(&self, word: &str) -> Result<(), ArchiveError> {
        self.read(|connection| connection.pragma_update(None, "synchronous", word))
    }
}

/// Opens a database file of ours with the rules that all of them share; makes it, for the owner alone.
pub(crate) fn open_file(path: &Spot, wait: Duration) -> Result<Connection, ArchiveError> {
    let sql = |error: rusqlite::Error| ArchiveError::from_sql(path, &error);
    refuse_odd_files(path)?;
    refuse_without_room(path)?;
    let connection = connect(path)?;
    connection.busy_timeout(wait).map_err(sql)?;
    configure(&connection).map_err(sql)?;
    Ok(connection)
}

fn in_transaction<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // Immediate: a transaction that begins as a reader cannot wait for a writer later, it fails.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// Opens the file; makes it, for the owner alone, when it is not there (the engine would let others read it).
fn connect(path: &Spot) -> Result<Connection, ArchiveError> {
    // One thread uses a connection, and a path with a `?` in it is a path, not a URI.
    // The engine opens its files itself: it is told where the folder really is, and to follow no link from there.
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let sql = |error: rusqlite::Error| ArchiveError::from_sql(path, &error);
    if !path.exists() {
        create(path)?;
    }
    let real =
        path.real_path().map_err(|error| ArchiveError::Io { path: path.shown(), what: error.to_string() })?;
    match Connection::open_with_flags(&real, flags) {
        // Renamed since we looked. The engine may also have found nothing at its first try and a new file at its
        // second, which is for reading only. A file that really is read-only is opened so again.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => create(path)?,
        Ok(connection) if connection.is_readonly(rusqlite::MAIN_DB).map_err(sql)? => drop(connection),
        opened => return opened.map_err(sql),
    }
    Connection::open_with_flags(&real, flags).map_err(sql)
}

fn create(path: &Spot) -> Result<(), ArchiveError> {
    let failed = |what: String| ArchiveError::Io { path: path.shown(), what };
    if let Some(folder) = path.parent() {
        files::create_folder(&folder).map_err(|error| failed(error.to_string()))?;
    }
    match files::create_new(path) {
        // Another process was faster; its file is as good.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created.map(drop).map_err(|error| failed(error.to_string())),
    }
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    // Closing would copy the log into the database and flush both, on every gate. A log that is left behind is never
    // lost; `shorten_log` sees to its length. The engine's own way is no use to short-lived processes: it copies the
    // log but does not empty it, and the next process, which cannot know that, carries it on. It grows for ever.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    // A damaged or doctored file must not make SQLite run more than tables and our own triggers.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // NORMAL does not flush at each commit: a power cut may undo the last ones, never tear them. That suits receipts
    // and sessions; `Commit::Flushed` is for entries, whose outbox is emptied after the fold.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

fn file_id(path: &Spot) -> Option<(u64, u64)> {
    path.meta().ok().map(|meta| (meta.device, meta.inode))
}

/// A count as a column stores it; a number beyond its range is the largest it has.
pub(crate) fn sql_int(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count as a column gave it.
pub(crate) fn from_sql_int(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}
