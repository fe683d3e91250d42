//! Disagreements: compactions that the samples tell of and the transcript does not, or the other way round.
//!
//! A side that was not there has no say: a session without responses after the sample (its transcript is elsewhere, or
//! not read so far), or without samples on both sides of the boundary (no status line).

use rusqlite::{Transaction, params};
use throughline_domain::Timestamp;
use throughline_domain::slice::SLOT_MS;

use super::names::Names;
use super::{UsageStore, at, ms};
use crate::archive::{ArchiveError, Commit, from_sql_int};

/// How late either side may be: the boundary may reach its file late, and clocks are read at different moments.
const LATE_MS: i64 = 15 * 60_000;
/// Responses are looked for this long after a sample; a session that rests for longer is not judged.
const LOOK_AHEAD_MS: i64 = 7 * 24 * 60 * 60_000;

/// A compaction that only one side tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The session.
    pub session: String,
    /// When.
    pub at: Timestamp,
    /// Whether the samples tell of it; else it is the transcript.
    pub is_sampled: bool,
}

impl UsageStore {
    /// Compares the samples with the transcripts. Returns the disagreements that were not noted before, oldest first.
    pub fn note_disagreements(&mut self) -> Result<Vec<Disagreement>, ArchiveError> {
        self.archive.write(Commit::Quick, |transaction| {
            transaction.execute_batch(
                "CREATE TEMP TABLE IF NOT EXISTS disagreeing (id BLOB, at_ms INTEGER, session INTEGER, seen_by TEXT);
                 DELETE FROM temp.disagreeing;",
            )?;
            only_sampled(transaction)?;
            only_in_transcript(transaction)?;
            transaction.execute(
                "DELETE FROM usage_disagreements WHERE id NOT IN (SELECT id FROM temp.disagreeing)",
                [],
            )?;
            let mut names = Names::over(transaction);
            let mut statement = transaction.prepare_cached(
                "INSERT INTO usage_disagreements (id, at_ms, session, seen_by)
                 SELECT id, at_ms, session, seen_by FROM temp.disagreeing WHERE true ORDER BY at_ms
                 ON CONFLICT (id) DO NOTHING RETURNING session, at_ms, seen_by",
            )?;
            let mut rows = statement.query([])?;
            let mut new = Vec::new();
            while let Some(row) = rows.next()? {
                new.push(Disagreement {
                    session: names.owned(row.get(0)?)?,
                    at: at(row.get(1)?),
                    is_sampled: row.get_ref(2)?.as_str()? == "samples",
                });
            }
            Ok(new)
        })
    }

    /// How many disagreements are noted, of compactions since a moment.
    pub fn disagreements_since(&self, since: Timestamp) -> Result<u64, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT count(*) FROM usage_disagreements WHERE at_ms >= ?1")?
                .query_row([ms(since)], |row| row.get(0).map(from_sql_int))
        })
    }
}

/// The compaction lies between the sample before and this one, so its boundary does too; and the transcript was read
/// further than that.
fn only_sampled(transaction: &Transaction<'_>) -> rusqlite::Result<usize> {
    transaction
        .prepare_cached(
            "INSERT INTO temp.disagreeing
             SELECT it.id, it.at_ms, it.session, 'samples' FROM usage_samples AS it
             WHERE it.compaction = 1
               AND NOT EXISTS (
                 SELECT 1 FROM usage_boundaries AS boundary
                 WHERE boundary.session = it.session AND boundary.at_ms <= it.at_ms + ?1 AND boundary.at_ms >= min(
                     it.at_ms - ?1,
                     ifnull((SELECT max(before.at_ms) FROM usage_samples AS before
                             WHERE before.session = it.session AND before.at_ms < it.at_ms), it.at_ms)))
               AND EXISTS (
                 SELECT 1 FROM usage_slots AS slot
                 WHERE slot.slot BETWEEN it.at_ms / ?2 AND (it.at_ms + ?3) / ?2 AND slot.session = it.session
                   AND slot.last_ms > it.at_ms + ?1)",
        )?
        .execute(params![LATE_MS, SLOT_MS, LOOK_AHEAD_MS])
}

/// There are samples before the boundary and well after it, and none up to the first of those is a compaction.
fn only_in_transcript(transaction: &Transaction<'_>) -> rusqlite::Result<usize> {
    transaction
        .prepare_cached(
            "INSERT INTO temp.disagreeing
             SELECT id, at_ms, session, 'transcript' FROM (
                 SELECT it.*, (SELECT min(after.at_ms) FROM usage_samples AS after
                               WHERE after.session = it.session AND after.at_ms > it.at_ms + ?1) AS next_ms
                 FROM usage_boundaries AS it
                 WHERE EXISTS (SELECT 1 FROM usage_samples AS before
                               WHERE before.session = it.session AND before.at_ms < it.at_ms)) AS it
             WHERE next_ms IS NOT NULL
               AND NOT EXISTS (
                 SELECT 1 FROM usage_samples AS sample
                 WHERE sample.compaction = 1 AND sample.session = it.session
                   AND sample.at_ms BETWEEN it.at_ms - ?1 AND it.next_ms)",
        )?
        .execute([LATE_MS])
}
