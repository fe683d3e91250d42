//! Known files: how far each was read, and as what it was last seen, so that what did not change is not opened again.
//!
//! Two databases keep such a table, each its own: what was read for one is not read for the other.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, Transaction, params};

use crate::door::Meta;
use crate::transcript_file::Cursor;

/// A file that nobody wrote to for so long is quiet. A line is written in one go, within milliseconds; where times of
/// files are kept in whole seconds, one second would be as good as none. One age for all: a file is settled only if its
/// reader took the last line without a line end.
const QUIET_AGE: Duration = Duration::from_secs(2);

/// What a file looks like from outside. Another look means that somebody wrote to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileMark {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its length.
    pub size_bytes: u64,
    /// When it was written, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

impl FileMark {
    /// The mark of a file of ours.
    #[must_use]
    pub fn of_meta(meta: &Meta) -> Self {
        Self { device: meta.device, inode: meta.inode, size_bytes: meta.len, mtime_ns: meta.mtime_ns }
    }

    /// The mark of a file.
    #[must_use]
    pub fn of(meta: &Metadata) -> Self {
        let mtime_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        Self { device: meta.dev(), inode: meta.ino(), size_bytes: meta.len(), mtime_ns }
    }

    /// Whether nobody wrote to the file for a while: its last line counts without a line end, and nothing more comes.
    #[must_use]
    pub fn is_quiet(&self, now: SystemTime) -> bool {
        let Ok(ns) = u64::try_from(self.mtime_ns) else { return true };
        let written = SystemTime::UNIX_EPOCH + Duration::from_nanos(ns);
        now.duration_since(written).is_ok_and(|age| age >= QUIET_AGE)
    }
}

/// A file that was read, and how far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// What it is known by: a transcript by its path, a log by device and number, since it is renamed.
    pub key: String,
    /// As what it was last seen.
    pub mark: FileMark,
    /// Whether there is nothing more to read in it as long as it looks like that.
    pub is_settled: bool,
    /// How far it was read.
    pub cursor: Cursor,
    /// What its reader must know to go on, in the reader's own words.
    pub state: String,
}

/// Every file that a table knows, by its key.
pub(crate) fn known(connection: &Connection, table: &str) -> rusqlite::Result<BTreeMap<String, KnownFile>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT key, device, inode, size_bytes, mtime_ns, is_settled, cursor, state FROM {table}"
    ))?;
    let mut rows = statement.query([])?;
    let mut files = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let mark = FileMark {
            device: row.get::<_, i64>(1)?.cast_unsigned(),
            inode: row.get::<_, i64>(2)?.cast_unsigned(),
            size_bytes: row.get::<_, i64>(3)?.cast_unsigned(),
            mtime_ns: row.get(4)?,
        };
        // A cursor that cannot be read begins anew: what is there already is known again.
        let cursor = serde_json::from_str(row.get_ref(6)?.as_str()?).unwrap_or_else(|_| Cursor::at_start());
        let key: String = row.get(0)?;
        let known = KnownFile { key: key.clone(), mark, is_settled: row.get(5)?, cursor, state: row.get(7)? };
        files.insert(key, known);
    }
    Ok(files)
}

/// Notes in a table how far files were read.
pub(crate) fn note(transaction: &Transaction<'_>, table: &str, files: &[KnownFile]) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(&format!(
        "INSERT INTO {table} (key, device, inode, size_bytes, mtime_ns, is_settled, cursor, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (key) DO UPDATE SET device = excluded.device, inode = excluded.inode,
             size_bytes = excluded.size_bytes, mtime_ns = excluded.mtime_ns, is_settled = excluded.is_settled,
             cursor = excluded.cursor, state = excluded.state"
    ))?;
    for file in files {
        let cursor = serde_json::to_string(&file.cursor).unwrap_or_default();
        let FileMark { device, inode, size_bytes, mtime_ns } = file.mark;
        statement.execute(params![
            file.key,
            device.cast_signed(),
            inode.cast_signed(),
            size_bytes.cast_signed(),
            mtime_ns,
            file.is_settled,
            cursor,
            file.state,
        ])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_quiet_two_seconds_after_it_was_written_and_not_before() {
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let mark = FileMark { mtime_ns: 1_000_000_000_000, ..FileMark::default() };
        assert!(!mark.is_quiet(written + Duration::from_millis(1_999)));
        assert!(mark.is_quiet(written + QUIET_AGE));
        assert!(!mark.is_quiet(written - QUIET_AGE), "a clock that went back tells nothing");
        assert!(FileMark { mtime_ns: -1, ..mark }.is_quiet(written));
    }
}
