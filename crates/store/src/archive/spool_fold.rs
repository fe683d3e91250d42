//! Folding a spool: a session's records become receipts and notes, together with how far the spool was read.

use rusqlite::{OptionalExtension, Transaction, params};

use super::{Archive, ArchiveError, Commit, from_sql_int, sql_int};
use crate::spool::{NOTE_ONLY, Slice, SpoolRecord};

/// Receipts kept per project, beside the last of each event.
const RECEIPTS_MAX: i64 = 5_000;
/// Two installations see the same event within this time.
const SAME_EVENT_MS: i64 = 5_000;

/// What became of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpoolFold {
    /// Its records are in, and the offset with them.
    Folded,
    /// Somebody else folded meanwhile: nothing was stored. Read the spool again from `offset`.
    Moved {
        /// How much of the spool is in.
        offset: u64,
    },
}

impl Archive {
    /// Stores the records of a slice that was read from the offset `from`, and where the next one begins.
    pub fn fold_spool(
        &mut self,
        session_id: &str,
        project_key: &str,
        slice: &Slice,
        from: u64,
    ) -> Result<SpoolFold, ArchiveError> {
        self.write(Commit::Quick, |transaction| {
            let offset = stored_offset(transaction, session_id)?;
            if offset != from {
                return Ok(SpoolFold::Moved { offset });
            }
            let fold = Fold { transaction, session: session_id, project: project_key };
            for record in &slice.records {
                fold.record(record)?;
            }
            if !slice.records.is_empty() {
                fold.prune()?;
            }
            transaction
                .prepare_cached(
                    "INSERT INTO spool_offsets (session, offset_bytes) VALUES (?1, ?2)
                     ON CONFLICT (session) DO UPDATE SET offset_bytes = excluded.offset_bytes",
                )?
                .execute(params![session_id, sql_int(slice.end)])?;
            Ok(SpoolFold::Folded)
        })
    }

    /// How much of a session's spool is in the archive, in bytes.
    pub fn spool_offset(&self, session_id: &str) -> Result<u64, ArchiveError> {
        self.read(|connection| stored_offset(connection, session_id))
    }

    /// Forgets how far a spool was read, once its file is gone: a session that goes on starts a new one.
    pub fn retire_spool(&mut self, session_id: &str) -> Result<(), ArchiveError> {
        self.write(Commit::Quick, |transaction| {
            transaction.execute("DELETE FROM spool_offsets WHERE session = ?1", [session_id]).map(drop)
        })
    }
}

fn stored_offset(connection: &rusqlite::Connection, session_id: &str) -> rusqlite::Result<u64> {
    let offset: Option<i64> = connection
        .prepare_cached("SELECT offset_bytes FROM spool_offsets WHERE session = ?1")?
        .query_row([session_id], |row| row.get(0))
        .optional()?;
    Ok(offset.map_or(0, from_sql_int))
}

struct Fold<'a> {
    transaction: &'a Transaction<'a>,
    session: &'a str,
    project: &'a str,
}

impl Fold<'_> {
    fn record(&self, record: &SpoolRecord) -> rusqlite::Result<()> {
        if let Some(note) = &record.note {
            self.note(record, &note.to_string())?;
        }
        if record.out == NOTE_ONLY {
            return Ok(());
        }
        // A failure is news whoever had it; everything else that two installations report is one run.
        let is_plain = matches!(record.out.as_str(), "ok" | "claim" | "yield");
        let is_second = is_plain && (record.out == "yield" || self.ran_elsewhere(record)?);
        let outcome = if is_second { "yield" } else { record.out.as_str() };
        let began_as = if is_second { "yield" } else { "claim" };
        match self.begun(record, began_as)? {
            Some(receipt_no) => self.finish(receipt_no, record, outcome),
            None => self.insert(record, outcome),
        }
    }

    /// Whether the other installation already had this very event.
    fn ran_elsewhere(&self, record: &SpoolRecord) -> rusqlite::Result<bool> {
        if record.claim.is_empty() {
            return Ok(false);
        }
        self.transaction
            .prepare_cached(
                "SELECT 1 FROM receipts WHERE session = ?1 AND claim = ?2 AND at_ms BETWEEN ?3 AND ?4
                 AND via <> ?5 AND outcome <> 'yield'",
            )?
            .exists(params![
                self.session,
                record.claim,
                record.at.saturating_sub(SAME_EVENT_MS),
                record.at.saturating_add(SAME_EVENT_MS),
                record.via,
            ])
    }

    /// The receipt that this run left when it began (`claim`), or the one of a run that gave way (`yield`).
    fn begun(&self, record: &SpoolRecord, outcome: &str) -> rusqlite::Result<Option<i64>> {
        if record.claim.is_empty() || record.out == "claim" && outcome == "claim" {
            return Ok(None);
        }
        // A run may take long, but another run with the same payload is another event.
        let (earliest, latest) = match outcome {
            "claim" => (i64::MIN, i64::MAX),
            _ => (record.at.saturating_sub(SAME_EVENT_MS), record.at.saturating_add(SAME_EVENT_MS)),
        };
        self.transaction
            .prepare_cached(
                "SELECT receipt_no FROM receipts WHERE session = ?1 AND claim = ?2 AND at_ms BETWEEN ?3 AND ?4
                 AND via = ?5 AND outcome = ?6 ORDER BY receipt_no DESC LIMIT 1",
            )?
            .query_row(
                params![self.session, record.claim, earliest, latest, record.via, outcome],
                |row| row.get(0),
            )
            .optional()
    }

    fn finish(&self, receipt_no: i64, record: &SpoolRecord, outcome: &str) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "UPDATE receipts SET at_ms = ?2, duration_us = max(duration_us, ?3), outcome = ?4,
                     said_bytes = max(said_bytes, ?5) WHERE receipt_no = ?1",
            )?
            .execute(params![receipt_no, record.at, sql_int(record.us), outcome, sql_int(record.said)])
            .map(drop)
    }

    fn insert(&self, record: &SpoolRecord, outcome: &str) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT INTO receipts
                     (project, session, event, at_ms, duration_us, outcome, said_bytes, via, claim)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                self.project,
                self.session,
                record.ev,
                record.at,
                sql_int(record.us),
                outcome,
                sql_int(record.said),
                record.via,
                record.claim,
            ])
            .map(drop)
    }

    /// Two installations that note the same about one event have noted it once.
    fn note(&self, record: &SpoolRecord, note: &str) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT INTO notes (project, session, event, at_ms, claim, note)
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?5 = '' OR NOT EXISTS
                     (SELECT 1 FROM notes WHERE session = ?2 AND claim = ?5 AND at_ms BETWEEN ?7 AND ?8
                      AND note = ?6)",
            )?
            .execute(params![
                self.project,
                self.session,
                record.ev,
                record.at,
                record.claim,
                note,
                record.at.saturating_sub(SAME_EVENT_MS),
                record.at.saturating_add(SAME_EVENT_MS),
            ])
            .map(drop)
    }

    fn prune(&self) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "DELETE FROM receipts WHERE project = ?1 AND receipt_no <= (SELECT receipt_no FROM receipts
                     WHERE project = ?1 ORDER BY receipt_no DESC LIMIT 1 OFFSET ?2)
                 AND receipt_no NOT IN (SELECT max(receipt_no) FROM receipts WHERE project = ?1 GROUP BY event)",
            )?
            .execute(params![self.project, RECEIPTS_MAX])
            .map(drop)
    }
}
