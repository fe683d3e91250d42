//! Receipts and notes read back: what the hooks did last, what failed, what they noted.

use rusqlite::{Row, params};
use serde_json::Value;

use super::{Archive, ArchiveError, from_sql_int, sql_int};

/// One hook run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The agent's session.
    pub session: String,
    /// The agent's event name.
    pub event: String,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// `ok`, `claim` (began, and did not finish yet), `yield` (another installation did it), or what failed.
    pub outcome: String,
    /// Bytes given back to the agent.
    pub said_bytes: u64,
    /// Which installation ran: `s` settings, `p` plugin.
    pub via: String,
}

/// What a hook noted because the transcript lacks it.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The agent's event name.
    pub event: String,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// The note.
    pub note: Value,
}

const RECEIPT_COLUMNS: &str = "session, event, at_ms, duration_us, outcome, said_bytes, via";

/// A run that began this long before a later one of its session, and did not finish, never will.
const DEAD_RUN_MS: i64 = 60_000;

impl Archive {
    /// The last run of each event in a project, the latest first. Runs that gave way to another do not count.
    pub fn last_receipts(&self, project: &str) -> Result<Vec<Receipt>, ArchiveError> {
        let query = format!(
            "SELECT {RECEIPT_COLUMNS} FROM receipts WHERE receipt_no IN
                 (SELECT max(receipt_no) FROM receipts WHERE project = ?1 AND outcome <> 'yield' GROUP BY event)
             ORDER BY at_ms DESC, receipt_no DESC"
        );
        self.read(|connection| {
            connection.prepare_cached(&query)?.query_map([project], Receipt::from_row)?.collect()
        })
    }

    /// The runs of a project that failed, or began and never ended; the latest first.
    pub fn failures(&self, project: &str, limit: u64) -> Result<Vec<Receipt>, ArchiveError> {
        let query = format!(
            "SELECT {RECEIPT_COLUMNS} FROM receipts AS run WHERE project = ?1 AND (
                 outcome NOT IN ('ok', 'claim', 'yield')
                 OR outcome = 'claim' AND EXISTS (SELECT 1 FROM receipts AS later
                     WHERE later.project = run.project AND later.receipt_no > run.receipt_no
                     AND later.session = run.session AND later.at_ms > run.at_ms + ?3))
             ORDER BY receipt_no DESC LIMIT ?2"
        );
        self.read(|connection| {
            connection
                .prepare_cached(&query)?
                .query_map(params![project, sql_int(limit), DEAD_RUN_MS], Receipt::from_row)?
                .collect()
        })
    }

    /// What the hooks of a session noted, the latest first.
    pub fn notes(&self, session_id: &str, limit: u64) -> Result<Vec<Note>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT event, at_ms, note FROM notes WHERE session = ?1
                     ORDER BY at_ms DESC, note_no DESC LIMIT ?2",
                )?
                .query_map(params![session_id, sql_int(limit)], |row| {
                    let text: String = row.get(2)?;
                    let note = serde_json::from_str(&text).unwrap_or(Value::String(text));
                    Ok(Note { event: row.get(0)?, at_ms: row.get(1)?, note })
                })?
                .collect()
        })
    }
}

impl Receipt {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            session: row.get(0)?,
            event: row.get(1)?,
            at_ms: row.get(2)?,
            duration_us: from_sql_int(row.get(3)?),
            outcome: row.get(4)?,
            said_bytes: from_sql_int(row.get(5)?),
            via: row.get(6)?,
        })
    }
}
