//! Transcript rows: a session that its client keeps in a database of its own, read on as lines, each once.
//!
//! The database is the client's: it is opened to be read alone, for a moment, and whoever writes to it never waits for us.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Row};

use crate::door::outside;
use crate::files::{AtPath, FileError};
use crate::transcript_file::{Cursor, LINE_BYTES_MAX, Reading};

/// A writer that holds the file for longer is left alone: the next gate comes.
const BUSY_WAIT: Duration = Duration::from_millis(200);
/// Most sessions that are listed.
const SESSIONS_MAX: usize = 100_000;

/// A session, as the client's database lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSession {
    /// Its id.
    pub id: String,
    /// The folder that it works in.
    pub folder: String,
    /// The place of its last line.
    pub last_position: u64,
    /// When something was last written to it (ms since 1970).
    pub changed_ms: i64,
}

/// The sessions that a database lists, by a query for id, folder, last position and last change; none where there is no
/// database.
pub fn sessions(database: &Path, query: &str) -> Result<Vec<RowSession>, FileError> {
    let mut found = Vec::new();
    each_row(database, query, [], |row| {
        found.push(RowSession {
            id: row.get(0)?,
            folder: row.get(1)?,
            last_position: position(row, 2)?,
            changed_ms: row.get(3)?,
        });
        Ok(if found.len() < SESSIONS_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(found)
}

/// Reads a session on behind the cursor, by a query for position and line, until `bytes_max` are read.
pub fn read_on(
    database: &Path,
    query: &str,
    session: &str,
    cursor: &Cursor,
    bytes_max: u64,
    mut each_line: impl FnMut(u64, &[u8]),
) -> Result<(Cursor, Reading), FileError> {
    let mut next = cursor.clone();
    let mut reading = Reading::default();
    let behind = i64::try_from(cursor.offset).unwrap_or(i64::MAX);
    each_row(database, query, (session, behind), |row| {
        if reading.bytes >= bytes_max {
            reading.more = true;
            return Ok(ControlFlow::Break(()));
        }
        let at = position(row, 0)?;
        let line = row.get_ref(1)?.as_bytes()?;
        if line.len() <= LINE_BYTES_MAX {
            each_line(at, line);
            reading.lines += 1;
        }
        reading.bytes += line.len() as u64;
        next.offset = at;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((next, reading))
}

/// A place in a session; a negative one is none.
fn position(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, Option<i64>>(column)?.unwrap_or(0)).unwrap_or(0))
}

fn each_row(
    database: &Path,
    query: &str,
    params: impl rusqlite::Params,
    mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<ControlFlow<()>>,
) -> Result<(), FileError> {
    // A pipe or a device in its place must not be waited for.
    match outside::metadata(database) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Err(io::Error::other("it is no regular file")).at("open", database),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).at("open", database),
    }
    let read = || -> rusqlite::Result<()> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(outside::real(database).unwrap_or(database.into()), flags)?;
        connection.busy_timeout(BUSY_WAIT)?;
        let mut statement = connection.prepare(query)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            if take(row)?.is_break() {
                break;
            }
        }
        Ok(())
    };
    read().map_err(io::Error::other).at("read", database)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSIONS: &str =
        "SELECT s.id, s.folder, MAX(l.n), s.changed FROM s JOIN l ON l.s = s.id GROUP BY s.id";
    const LINES: &str = "SELECT n, line FROM l WHERE s = ?1 AND n > ?2 ORDER BY n";

    fn database(folder: &Path) -> (std::path::PathBuf, Connection) {
        let path = folder.join("client.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; CREATE TABLE s (id, folder, changed); CREATE TABLE l (n INTEGER PRIMARY KEY, s, line);
                 INSERT INTO s VALUES ('one', '/home/me/app', 7); INSERT INTO l VALUES (1, 'one', 'a'), (2, 'two', 'b'), (5, 'one', 'c');",
            )
            .unwrap();
        (path, connection)
    }

    fn read(path: &Path, cursor: &Cursor, bytes_max: u64) -> (Vec<String>, Cursor, bool) {
        let mut lines = Vec::new();
        let (cursor, reading) = read_on(path, LINES, "one", cursor, bytes_max, |at, line| {
            lines.push(format!("{at}{}", String::from_utf8_lossy(line)));
        })
        .unwrap();
        (lines, cursor, reading.more)
    }

    #[test]
    fn each_line_of_a_session_comes_once_while_its_client_writes() {
        let folder = tempfile::tempdir().unwrap();
        let (path, client) = database(folder.path());
        let (lines, cursor, more) = read(&path, &Cursor::at_start(), 1);
        assert_eq!((lines, more), (vec!["1a".to_owned()], true));
        client.execute_batch("BEGIN IMMEDIATE; INSERT INTO l VALUES (9, 'one', 'd');").unwrap();
        let (lines, cursor, more) = read(&path, &cursor, 100);
        assert_eq!((lines, more), (vec!["5c".to_owned()], false), "what is not committed is not there");
        client.execute_batch("COMMIT").unwrap();
        assert_eq!(read(&path, &cursor, 100).0, ["9d"]);
        let listed = sessions(&path, SESSIONS).unwrap();
        let one =
            RowSession { id: "one".into(), folder: "/home/me/app".into(), last_position: 9, changed_ms: 7 };
        assert_eq!(listed, [one]);
    }

    #[test]
    fn no_database_has_no_sessions_and_a_broken_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("client.db");
        assert_eq!(sessions(&path, SESSIONS).unwrap(), []);
        let words = b"this is no database, whatever it is called, and long enough to be looked at";
        crate::files::create_whole(&outside::at(&path), words).unwrap();
        assert!(sessions(&path, SESSIONS).is_err());
        assert!(sessions(folder.path(), SESSIONS).is_err(), "a folder is none either");
    }
}
