//! Compactions: when a session's context was summarised, at whose wish, and what the summary said.

use rusqlite::{Row, params};

use super::{Archive, ArchiveError, Commit, sql_int};

/// One compaction of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionRow {
    /// The agent's session.
    pub session: String,
    /// The project's key.
    pub project: String,
    /// When (ISO 8601); with the session it names the compaction.
    pub at: String,
    /// `auto` or `manual`.
    pub trigger: Option<String>,
    /// What the user asked the summary to be about.
    pub focus: Option<String>,
    /// The client's own summary.
    pub summary: Option<String>,
}

impl Archive {
    /// Notes a compaction, or what is new about one: what was known and is not given stays.
    pub fn note_compaction(&mut self, compaction: &CompactionRow) -> Result<(), ArchiveError> {
        self.write(Commit::Quick, |transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO compactions (session, project, at, trigger_word, focus, summary)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                     ON CONFLICT (session, at) DO UPDATE SET
                         project = excluded.project,
                         trigger_word = ifnull(excluded.trigger_word, trigger_word),
                         focus = ifnull(excluded.focus, focus),
                         summary = ifnull(excluded.summary, summary)",
                )?
                .execute(params![
                    compaction.session,
                    compaction.project,
                    compaction.at,
                    compaction.trigger,
                    compaction.focus,
                    compaction.summary,
                ])
                .map(drop)
        })
    }

    /// The compactions of a project, the latest first.
    pub fn compactions(&self, project: &str, limit: u64) -> Result<Vec<CompactionRow>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT session, project, at, trigger_word, focus, summary FROM compactions
                     WHERE project = ?1 ORDER BY at DESC, compaction_no DESC LIMIT ?2",
                )?
                .query_map(params![project, sql_int(limit)], CompactionRow::from_row)?
                .collect()
        })
    }
}

impl CompactionRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            session: row.get(0)?,
            project: row.get(1)?,
            at: row.get(2)?,
            trigger: row.get(3)?,
            focus: row.get(4)?,
            summary: row.get(5)?,
        })
    }
}
