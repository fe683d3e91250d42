//! Forgetting in the archive: rows that hold certain words go, and no free page keeps them.

use rusqlite::{Transaction, params};

use super::{Archive, ArchiveError, Commit};

/// What stands where something was forgotten.
const FORGOTTEN: &str = "[forgotten]";

/// How much was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ForgotRows {
    /// Entries, with their history.
    pub entries: usize,
    /// Older wordings, copies of the working set, summaries and remarks.
    pub others: usize,
}

impl Archive {
    /// Removes what holds the words from a project's rows. With `is_trial` nothing is changed, only counted.
    pub fn forget(
        &mut self,
        project: &str,
        holds: &dyn Fn(&str) -> bool,
        is_trial: bool,
    ) -> Result<ForgotRows, ArchiveError> {
        if !is_trial {
            // Freed pages are overwritten, not only given back.
            self.pragma("secure_delete", "ON")?;
        }
        let found =
            self.write(Commit::Flushed, |transaction| forget(transaction, project, holds, is_trial))?;
        if !is_trial {
            // The index of words keeps what was removed until it is built anew; the log until it is emptied.
            self.run("INSERT INTO entries_fts (entries_fts) VALUES ('rebuild')")?;
            self.run("INSERT INTO entries_fts (entries_fts) VALUES ('optimize')")?;
            self.run("VACUUM")?;
            self.run("PRAGMA wal_checkpoint(TRUNCATE)")?;
        }
        Ok(found)
    }

    /// Other projects whose rows hold the words.
    pub fn others_holding(
        &self,
        project: &str,
        holds: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, ArchiveError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare(
                "SELECT project, text || ' ' || reason || ' ' || body FROM entries WHERE project <> ?1
                 UNION ALL SELECT project, state FROM working_sets WHERE project <> ?1
                 UNION ALL SELECT project, coalesce(focus, '') || ' ' || coalesce(summary, '') FROM compactions WHERE project <> ?1",
            )?;
            let rows = statement
                .query_map([project], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
            let mut found = Vec::new();
            for row in rows {
                let (project, text) = row?;
                if !found.contains(&project) && holds(&text) {
                    found.push(project);
                }
            }
            Ok(found)
        };
        read().map_err(|error| ArchiveError::from_sql(&self.path, &error))
    }

    pub(super) fn pragma(&self, name: &str, value: &str) -> Result<(), ArchiveError> {
        self.connection
            .pragma_update(None, name, value)
            .map_err(|error| ArchiveError::from_sql(&self.path, &error))
    }

    pub(super) fn run(&self, sql: &str) -> Result<(), ArchiveError> {
        self.connection.execute_batch(sql).map_err(|error| ArchiveError::from_sql(&self.path, &error))
    }
}

fn forget(
    transaction: &Transaction<'_>,
    project: &str,
    holds: &dyn Fn(&str) -> bool,
    is_trial: bool,
) -> rusqlite::Result<ForgotRows> {
    let numbers = |sql: &str| -> rusqlite::Result<Vec<i64>> {
        let mut statement = transaction.prepare(sql)?;
        let rows =
            statement.query_map([project], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (number, text) = row?;
            if holds(&text) {
                found.push(number);
            }
        }
        Ok(found)
    };
    let entries =
        numbers("SELECT entry_no, text || ' ' || reason || ' ' || body FROM entries WHERE project = ?1")?;
    let histories = numbers(
        "SELECT h.entry_no, coalesce(h.old_text, '') || ' ' || coalesce(h.old_body, '') || ' ' || coalesce(h.why, '')
         FROM entry_history h JOIN entries e ON e.entry_no = h.entry_no WHERE e.project = ?1",
    )?;
    let sets = numbers("SELECT set_no, state FROM working_sets WHERE project = ?1")?;
    let compactions = numbers(
        "SELECT compaction_no, coalesce(focus, '') || ' ' || coalesce(summary, '') FROM compactions WHERE project = ?1",
    )?;
    let notes = numbers("SELECT note_no, note FROM notes WHERE project = ?1")?;
    let histories: Vec<i64> = histories.into_iter().filter(|number| !entries.contains(number)).collect();
    let others = histories.len() + sets.len() + compactions.len() + notes.len();
    if is_trial {
        return Ok(ForgotRows { entries: entries.len(), others });
    }
    for number in &entries {
        transaction.execute("DELETE FROM entry_history WHERE entry_no = ?1", [number])?;
        transaction.execute("DELETE FROM entries WHERE entry_no = ?1", [number])?;
    }
    for number in &histories {
        transaction.execute(
            "UPDATE entry_history SET old_text = ?2, old_body = NULL, why = NULL WHERE entry_no = ?1",
            params![number, FORGOTTEN],
        )?;
    }
    for number in &sets {
        transaction.execute("DELETE FROM working_sets WHERE set_no = ?1", [number])?;
    }
    for number in &compactions {
        transaction.execute(
            "UPDATE compactions SET focus = NULL, summary = ?2 WHERE compaction_no = ?1",
            params![number, FORGOTTEN],
        )?;
    }
    for number in &notes {
        transaction.execute("DELETE FROM notes WHERE note_no = ?1", [number])?;
    }
    Ok(ForgotRows { entries: entries.len(), others })
}
