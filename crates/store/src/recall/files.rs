//! Known transcripts: how far each was read, and as what it was last seen.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};

use super::{Recall, RecallError};
use crate::transcript_file::Cursor;
use crate::usage::{FileMark, KnownFile};

impl Recall {
    /// Every transcript that was read, by its path.
    pub fn known_files(&self) -> Result<BTreeMap<String, KnownFile>, RecallError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT key, device, inode, size_bytes, mtime_ns, is_settled, cursor, state FROM files",
            )?;
            let mut rows = statement.query([])?;
            let mut files = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let mark = FileMark {
                    device: row.get::<_, i64>(1)?.cast_unsigned(),
                    inode: row.get::<_, i64>(2)?.cast_unsigned(),
                    size_bytes: row.get::<_, i64>(3)?.cast_unsigned(),
                    mtime_ns: row.get(4)?,
                };
                // A cursor that cannot be read begins anew: lines that are there already are known by their ids.
                let cursor =
                    serde_json::from_str(row.get_ref(6)?.as_str()?).unwrap_or_else(|_| Cursor::at_start());
                let key: String = row.get(0)?;
                let known =
                    KnownFile { key: key.clone(), mark, is_settled: row.get(5)?, cursor, state: row.get(7)? };
                files.insert(key, known);
            }
            Ok(files)
        })
    }
}

/// Notes how far transcripts were read.
pub(super) fn note(transaction: &Transaction<'_>, files: &[KnownFile]) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO files (key, device, inode, size_bytes, mtime_ns, is_settled, cursor, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (key) DO UPDATE SET device = excluded.device, inode = excluded.inode,
             size_bytes = excluded.size_bytes, mtime_ns = excluded.mtime_ns, is_settled = excluded.is_settled,
             cursor = excluded.cursor, state = excluded.state",
    )?;
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
