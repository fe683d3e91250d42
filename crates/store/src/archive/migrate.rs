//! Migrations: brings a database up to the schema this program knows. Migrations are appended, never edited.

use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::error::ArchiveError;

use crate::door::Spot;

/// Every migration; the schema version is how many of them a database has had.
const MIGRATIONS: [&str; 6] = [
    include_str!("../../migrations/0001_entries.sql"),
    include_str!("../../migrations/0002_sessions.sql"),
    include_str!("../../migrations/0003_usage.sql"),
    include_str!("../../migrations/0004_usage_moved.sql"),
    include_str!("../../migrations/0005_usage_disagreements.sql"),
    include_str!("../../migrations/0006_usage_agents.sql"),
];

/// The schema version this program writes.
#[expect(clippy::cast_possible_truncation, reason = "nobody writes four thousand million migrations")]
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// Makes sure that the schema is the one this program knows. One read when it already is.
pub(super) fn bring_up(connection: &mut Connection, path: &Spot, wait: Duration) -> Result<(), ArchiveError> {
    let sql = |error: rusqlite::Error| ArchiveError::from_sql(path, &error);
    if version_of(connection, path)? == SCHEMA_VERSION {
        return Ok(());
    }
    switch_to_wal(connection, wait).map_err(sql)?;
    // Immediate: the second of two processes waits here, then sees that there is nothing left to do.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let found = version_of(&transaction, path)?;
    for migration in MIGRATIONS.iter().skip(found as usize) {
        transaction.execute_batch(migration).map_err(sql)?;
    }
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(sql)?;
    transaction.commit().map_err(sql)
}

/// The schema version of a database; an error when it is newer than what this program knows.
fn version_of(connection: &Connection, path: &Spot) -> Result<u32, ArchiveError> {
    let written: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|error| ArchiveError::from_sql(path, &error))?;
    let Ok(found) = u32::try_from(written) else {
        return Err(ArchiveError::Corrupt { path: path.shown(), what: format!("schema version {written}") });
    };
    if found > SCHEMA_VERSION {
        return Err(ArchiveError::Newer { path: path.shown(), found, known: SCHEMA_VERSION });
    }
    Ok(found)
}

/// Write-ahead logging, remembered in the file. The busy timeout does not cover this step, so we try again.
fn switch_to_wal(connection: &Connection, wait: Duration) -> rusqlite::Result<()> {
    const PAUSE: Duration = Duration::from_millis(3);
    let deadline = Instant::now() + wait;
    loop {
        let switched = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match switched {
            Err(error) if is_busy(&error) && Instant::now() < deadline => std::thread::sleep(PAUSE),
            // A file system without shared memory keeps the old journal: slower, and just as safe.
            switched => return switched.map(drop),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
