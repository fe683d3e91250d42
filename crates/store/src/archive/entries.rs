//! Reading entries back: what was recorded for a project, the ids it has used, the working set to rebuild from.

use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, params};
use serde_json::Value;
use throughline_domain::Kind;

use super::{Archive, ArchiveError, from_sql_int, sql_int};

/// The columns of an [`EntryRow`], in the order [`EntryRow::from_row`] reads them.
pub(super) const ENTRY_COLUMNS: &str = "entries.project, entries.kind, entries.id, entries.text, \
    entries.reason, entries.body, entries.origin, entries.session, entries.recorded_at, entries.changed_at, entries.left_at, \
    entries.left_why, entries.trusted";

/// One entry as the archive keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryRow {
    /// The project's key.
    pub project: String,
    /// The kind's word (`decision`).
    pub kind: String,
    /// The entry's id (`D3`).
    pub id: String,
    /// Its words.
    pub text: String,
    /// Its reason, source or context.
    pub reason: String,
    /// The whole entry as the state file spells it.
    pub body: Value,
    /// Who said it (`user`, `assistant`, `tool`, `hand`, `import`).
    pub origin: String,
    /// The agent's session, when known.
    pub session: Option<String>,
    /// When it was recorded.
    pub recorded_at: String,
    /// When its words last changed.
    pub changed_at: Option<String>,
    /// When it left the working set; `None` while it is in it.
    pub left_at: Option<String>,
    /// Why it left.
    pub left_why: Option<String>,
    /// Whether it may be shown as fact; otherwise it is quoted.
    pub trusted: bool,
}

impl EntryRow {
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let body: String = row.get(5)?;
        let body = serde_json::from_str(&body)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(5, Type::Text, Box::new(error)))?;
        Ok(Self {
            project: row.get(0)?,
            kind: row.get(1)?,
            id: row.get(2)?,
            text: row.get(3)?,
            reason: row.get(4)?,
            body,
            origin: row.get(6)?,
            session: row.get(7)?,
            recorded_at: row.get(8)?,
            changed_at: row.get(9)?,
            left_at: row.get(10)?,
            left_why: row.get(11)?,
            trusted: row.get(12)?,
        })
    }
}

/// Which entries of a project are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Of this kind only.
    pub kind: Option<Kind>,
    /// Only those in the working set.
    pub live_only: bool,
    /// At most so many, the newest.
    pub limit: u64,
}

impl Archive {
    /// The entries of a project, newest first.
    pub fn entries(&self, project: &str, filter: Filter) -> Result<Vec<EntryRow>, ArchiveError> {
        let query = format!(
            "SELECT {ENTRY_COLUMNS} FROM entries
             WHERE project = ?1 AND (?2 IS NULL OR kind = ?2) AND (NOT ?3 OR left_at IS NULL)
             ORDER BY entry_no DESC LIMIT ?4"
        );
        let kind = filter.kind.map(Kind::word);
        self.read(|connection| {
            connection
                .prepare_cached(&query)?
                .query_map(
                    params![project, kind, filter.live_only, sql_int(filter.limit)],
                    EntryRow::from_row,
                )?
                .collect()
        })
    }

    /// The highest id number ever used in a project, for every kind; 0 where there is none.
    pub fn counters(&self, project: &str) -> Result<Vec<(Kind, u64)>, ArchiveError> {
        // An archive that was started anew knows old ids only from the counters of the state it was given.
        let written: Option<Value> = self
            .read(|connection| {
                connection
                    .prepare_cached(
                        "SELECT state ->> '$.counters' FROM working_sets
                         WHERE project = ?1 ORDER BY set_no DESC LIMIT 1",
                    )?
                    .query_row([project], |row| row.get::<_, Option<String>>(0))
                    .optional()
            })?
            .flatten()
            .and_then(|text| serde_json::from_str(&text).ok());
        let in_state = |kind: Kind| written.as_ref()?.get(kind.prefix())?.as_u64();
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT ifnull(max(number), 0) FROM entries WHERE project = ?1 AND kind = ?2",
            )?;
            let mut highest = |kind: Kind| {
                let used: i64 = statement.query_row(params![project, kind.word()], |row| row.get(0))?;
                let counted = in_state(kind).unwrap_or(0).min(u64::from(u32::MAX));
                Ok((kind, from_sql_int(used).max(counted)))
            };
            Kind::ALL.into_iter().map(&mut highest).collect()
        })
    }

    /// The newest working set of a project, as JSON, and the fingerprint of the state file it was.
    pub fn working_set(&self, project: &str) -> Result<Option<(String, String)>, ArchiveError> {
        Ok(self.working_sets(project, 1)?.pop())
    }

    /// The newest working sets of a project and their fingerprints, newest first.
    pub fn working_sets(&self, project: &str, limit: u64) -> Result<Vec<(String, String)>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT state, hash FROM working_sets WHERE project = ?1 ORDER BY set_no DESC LIMIT ?2",
                )?
                .query_map(params![project, sql_int(limit)], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
    }

    /// Whether an entry with this id was ever recorded here with these words; one that was not came with a clone.
    pub fn knows(&self, project: &str, kind: Kind, id: &str, text: &str) -> Result<bool, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT 1 FROM entries WHERE project = ?1 AND kind = ?2 AND id = ?3 AND (text = ?4 OR EXISTS
                     (SELECT 1 FROM entry_history WHERE entry_history.entry_no = entries.entry_no
                      AND old_text = ?4))",
                )?
                .exists(params![project, kind.word(), id, text])
        })
    }

    /// Whether anything of this project was ever folded in.
    pub fn has_project(&self, project: &str) -> Result<bool, ArchiveError> {
        self.project_root(project).map(|root| root.is_some())
    }

    /// Where a project's folder was when it was last folded in.
    pub fn project_root(&self, project: &str) -> Result<Option<String>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT root FROM projects WHERE key = ?1")?
                .query_row([project], |row| row.get(0))
                .optional()
        })
    }

    /// Marks a project's entries as trusted, except what tools printed; says how many that concerned.
    pub fn trust_all(&mut self, project: &str) -> Result<u64, ArchiveError> {
        self.write(super::Commit::Flushed, |transaction| {
            let rows = transaction.execute(
                "UPDATE entries SET trusted = 1 WHERE project = ?1 AND trusted = 0 AND origin <> 'tool'",
                [project],
            )?;
            Ok(rows as u64)
        })
    }

    /// Says of entries whether somebody vouches for them.
    pub fn set_trusted(&mut self, project: &str, ids: &[String], trusted: bool) -> Result<u64, ArchiveError> {
        self.write(super::Commit::Flushed, |transaction| {
            let mut statement = transaction
                .prepare_cached("UPDATE entries SET trusted = ?3 WHERE project = ?1 AND id = ?2")?;
            let mut rows = 0;
            for id in ids {
                rows += statement.execute(params![project, id, trusted])?;
            }
            Ok(rows as u64)
        })
    }
}
