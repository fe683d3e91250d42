//! Sessions: which agent worked on which project, from when to when.

use rusqlite::{Row, params};

use super::{Archive, ArchiveError, Commit, sql_int};

/// One session of an agent. Times as ISO 8601 in UTC with milliseconds, so that they sort as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The agent's id for it.
    pub id: String,
    /// The project's key.
    pub project: String,
    /// `claude-code`, …
    pub agent: String,
    /// The transcript's path, when known.
    pub transcript: Option<String>,
    /// How it began: `startup`, `resume`, `clear`, `compact`.
    pub source: Option<String>,
    /// When it was first seen.
    pub started_at: String,
    /// When it was last seen.
    pub last_seen_at: String,
    /// When it ended; `None` while it lives, or when it died without a word.
    pub ended_at: Option<String>,
    /// Why it ended.
    pub end_reason: Option<String>,
}

impl Archive {
    /// Notes a session, or what is new about one. The first start and the last sight are kept, what is not given
    /// stays as it was; a session that is seen again after its end lives again.
    pub fn note_session(&mut self, session: &SessionRow) -> Result<(), ArchiveError> {
        self.write(Commit::Quick, |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO sessions (id, project, agent, transcript, source, started_at, last_seen_at,
                         ended_at, end_reason)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT (id) DO UPDATE SET
                         project = excluded.project,
                         agent = excluded.agent,
                         transcript = ifnull(excluded.transcript, transcript),
                         source = ifnull(excluded.source, source),
                         started_at = min(excluded.started_at, started_at),
                         last_seen_at = max(excluded.last_seen_at, last_seen_at),
                         end_reason = CASE
                             WHEN excluded.ended_at IS NOT NULL THEN excluded.end_reason
                             WHEN excluded.last_seen_at > ended_at THEN NULL
                             ELSE end_reason END,
                         ended_at = CASE
                             WHEN excluded.ended_at IS NOT NULL THEN excluded.ended_at
                             WHEN excluded.last_seen_at > ended_at THEN NULL
                             ELSE ended_at END",
                )?
                .execute(params![
                    session.id,
                    session.project,
                    session.agent,
                    session.transcript,
                    session.source,
                    session.started_at,
                    session.last_seen_at,
                    session.ended_at,
                    session.end_reason,
                ])
                .map(drop)
        })
    }

    /// The sessions of a project, the last seen first.
    pub fn sessions(&self, project: &str, limit: u64) -> Result<Vec<SessionRow>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, project, agent, transcript, source, started_at, last_seen_at, ended_at, end_reason
                     FROM sessions WHERE project = ?1 ORDER BY last_seen_at DESC, id LIMIT ?2",
                )?
                .query_map(params![project, sql_int(limit)], SessionRow::from_row)?
                .collect()
        })
    }
}

impl SessionRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            project: row.get(1)?,
            agent: row.get(2)?,
            transcript: row.get(3)?,
            source: row.get(4)?,
            started_at: row.get(5)?,
            last_seen_at: row.get(6)?,
            ended_at: row.get(7)?,
            end_reason: row.get(8)?,
        })
    }
}
