//! Sent: up to which row a receiver has everything.

use rusqlite::{OptionalExtension, params};
use throughline_domain::Timestamp;
use throughline_domain::time::iso;
use throughline_domain::usage::RecordId;

use super::{RowKind, UsageStore, at};
use crate::archive::{ArchiveError, Commit};

impl UsageStore {
    /// The row up to which a receiver has everything; 0 when it has nothing.
    pub fn sent(&self, target: &str, kind: RowKind) -> Result<i64, ArchiveError> {
        self.read(|connection| {
            let found = connection
                .prepare_cached("SELECT row_no FROM usage_sent WHERE target = ?1 AND kind = ?2")?
                .query_row(params![target, kind.word()], |row| row.get(0))
                .optional()?;
            Ok(found.unwrap_or(0))
        })
    }

    /// The furthest row that any receiver has; 0 when none has one.
    pub fn last_sent(&self, kind: RowKind) -> Result<i64, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT ifnull(max(row_no), 0) FROM usage_sent WHERE kind = ?1")?
                .query_row([kind.word()], |row| row.get(0))
        })
    }

    /// Notes that a receiver has everything up to a row. Never goes back: of two senders the further one counts.
    pub fn note_sent(
        &mut self,
        target: &str,
        kind: RowKind,
        row_no: i64,
        now: Timestamp,
    ) -> Result<(), ArchiveError> {
        self.archive.write(Commit::Quick, |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO usage_sent (target, kind, row_no, sent_at) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (target, kind) DO UPDATE SET
                         row_no = max(row_no, excluded.row_no), sent_at = excluded.sent_at",
                )?
                .execute(params![target, kind.word(), row_no, iso(now)])?;
            Ok(())
        })
    }

    /// The keys that responses with numbers above `after`, up to `last`, had before and have no longer: a receiver
    /// that knows them would count those responses twice.
    pub fn moved_between(&self, after: i64, last: i64) -> Result<Vec<(Timestamp, RecordId)>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT at_ms, id FROM usage_moved WHERE row_no > ?1 AND row_no <= ?2")?
                .query_map([after, last], |row| Ok((at(row.get(0)?), RecordId(row.get(1)?))))?
                .collect()
        })
    }

    /// Forgets what a receiver has: everything is sent again.
    pub fn forget_sent(&mut self, target: &str) -> Result<(), ArchiveError> {
        self.archive.write(Commit::Quick, |transaction| {
            transaction
                .prepare_cached("DELETE FROM usage_sent WHERE target = ?1")?
                .execute([target])
                .map(drop)
        })
    }
}
