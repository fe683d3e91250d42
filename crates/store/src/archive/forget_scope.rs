//! Forgetting by origin: the rows of a session, of a project, of a time go, and no free page keeps them.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use throughline_domain::slice::SLOT_MS;

use super::{Archive, ArchiveError, Commit};
use crate::forget::Scope;

/// Stands where the id of a forgotten session stood in somebody else's words.
const FORGOTTEN: &str = "[forgotten]";

/// How many rows are concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScopeRows {
    /// Entries.
    pub entries: u64,
    /// What happened to entries, and copies of the working set.
    pub history: u64,
    /// Sessions, their receipts, notes and compactions.
    pub sessions: u64,
    /// Responses, samples and compactions that were counted.
    pub usage: u64,
}

impl ScopeRows {
    /// All of them.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.entries + self.history + self.sessions + self.usage
    }
}

impl Archive {
    /// Removes the rows of a scope. With `is_trial` nothing is changed, only counted. [`Self::leave_nothing_behind`] has to
    /// follow.
    pub fn forget_scope(&mut self, scope: &Scope, is_trial: bool) -> Result<ScopeRows, ArchiveError> {
        if is_trial {
            // In a transaction that is taken back: what is counted is exactly what would go.
            return self.read(|connection| {
                let transaction = connection.unchecked_transaction()?;
                let rows = forget(&transaction, scope)?;
                transaction.rollback()?;
                Ok(rows)
            });
        }
        // Freed pages are overwritten, not only given back.
        self.read(|connection| connection.pragma_update(None, "secure_delete", true))?;
        self.write(Commit::Flushed, |transaction| forget(transaction, scope))
    }

    /// Puts `[forgotten]` where ids of forgotten sessions stand in the words of others.
    pub fn mask_ids(&mut self, ids: &[String]) -> Result<u64, ArchiveError> {
        self.write(Commit::Flushed, |transaction| {
            let mut masked = 0;
            for id in ids {
                for (table, columns) in MENTIONING {
                    for column in *columns {
                        let sql = format!(
                            "UPDATE {table} SET {column} = replace({column}, ?1, ?2) WHERE instr({column}, ?1) > 0"
                        );
                        masked += transaction.prepare_cached(&sql)?.execute(params![id, FORGOTTEN])? as u64;
                    }
                }
            }
            Ok(masked)
        })
    }

    /// Rebuilds index and file, so that nothing of removed rows is in them; empties the log. Says whether it could be emptied:
    /// whoever reads from it at this moment keeps it.
    pub fn leave_nothing_behind(&mut self) -> Result<bool, ArchiveError> {
        self.read(|connection| {
            connection.execute_batch(
                "INSERT INTO entries_fts (entries_fts) VALUES ('rebuild');
                 INSERT INTO entries_fts (entries_fts) VALUES ('optimize');
                 VACUUM;",
            )?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        })
        .map(|busy| busy == 0)
    }

    /// Pages that belong to nothing: something of removed rows could be in them.
    pub fn free_pages(&self) -> Result<u64, ArchiveError> {
        let free: i64 =
            self.read(|connection| connection.query_row("PRAGMA freelist_count", [], |row| row.get(0)))?;
        Ok(free.cast_unsigned())
    }

    /// The sessions of a project that any table names.
    pub fn sessions_known(&self, project: &str, root: &str) -> Result<Vec<String>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare(
                    "SELECT id FROM sessions WHERE project = ?1
                     UNION SELECT session FROM receipts WHERE project = ?1
                     UNION SELECT session FROM compactions WHERE project = ?1
                     UNION SELECT session FROM entries WHERE project = ?1 AND session IS NOT NULL
                     UNION SELECT own.name FROM usage_slots JOIN usage_names AS own ON own.name_no = usage_slots.session
                         JOIN usage_names AS top ON top.name_no = usage_slots.project WHERE top.name = ?2",
                )?
                .query_map(params![project, root], |row| row.get(0))?
                .collect()
        })
    }

    /// When a session began and was last seen, as text.
    pub fn session_times(&self, session: &str) -> Result<Option<(String, String)>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT started_at, last_seen_at FROM sessions WHERE id = ?1")?
                .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })
    }

    /// Live entries of a project that were recorded in a session, by their ids.
    pub fn entries_of_session(&self, project: &str, session: &str) -> Result<Vec<String>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT id FROM entries WHERE project = ?1 AND session = ?2 AND left_at IS NULL ORDER BY entry_no",
                )?
                .query_map(params![project, session], |row| row.get(0))?
                .collect()
        })
    }

    /// The words of the entries of a scope, and their reasons.
    pub fn entry_texts(&self, scope: &Scope) -> Result<Vec<String>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare(&format!(
                    "SELECT text FROM entries WHERE entry_no IN ({CHOSEN})
                     UNION SELECT reason FROM entries WHERE entry_no IN ({CHOSEN})"
                ))?
                .query_map(params![scope.project.key, scope.session, scope.before_iso()], |row| row.get(0))?
                .collect()
        })
    }

    /// The projects that are known: their keys and their top folders.
    pub fn projects(&self) -> Result<Vec<(String, String)>, ArchiveError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT key, root FROM projects ORDER BY last_fold_at DESC")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
    }
}

/// Where somebody's words may mention a session.
const MENTIONING: &[(&str, &[&str])] = &[
    ("entries", &["text", "reason", "body", "left_why"]),
    ("entry_history", &["why", "old_text", "old_body"]),
    ("working_sets", &["state"]),
    ("notes", &["note"]),
    ("compactions", &["focus", "summary"]),
];

/// The entries of a scope, and those that were taken out of the working set for it.
const CHOSEN: &str = "SELECT entry_no FROM entries WHERE project = ?1 AND (left_why = 'forgotten' OR
    ((?2 IS NULL OR session = ?2) AND (?3 IS NULL OR recorded_at < ?3)))";

fn forget(transaction: &Transaction<'_>, scope: &Scope) -> rusqlite::Result<ScopeRows> {
    let mut rows = ScopeRows::default();
    forget_entries(transaction, scope, &mut rows)?;
    forget_sessions(transaction, scope, &mut rows)?;
    let root = scope.project.root.to_string_lossy();
    if scope.session.is_none()
        && let Some(number) = name_no(transaction, &root)?
    {
        rows.usage += forget_usage(transaction, scope, "project", number)?;
    }
    for session in &scope.sessions {
        if let Some(number) = name_no(transaction, session)? {
            rows.usage += forget_usage(transaction, scope, "session", number)?;
        }
        // How far its files were read: under names that tell of it.
        if session.len() >= crate::forget::ID_BYTES_MIN {
            transaction
                .prepare_cached("DELETE FROM usage_files WHERE instr(key, ?1) > 0")?
                .execute([session])?;
        }
    }
    if rows.usage > 0 {
        forget_names(transaction)?;
    }
    if scope.is_everything() {
        for table in ["working_sets", "batches"] {
            let sql = format!("DELETE FROM {table} WHERE project = ?1");
            rows.history += transaction.prepare_cached(&sql)?.execute([&scope.project.key])? as u64;
        }
        rows.history +=
            transaction.execute("DELETE FROM projects WHERE key = ?1", [&scope.project.key])? as u64;
    }
    Ok(rows)
}

fn forget_entries(
    transaction: &Transaction<'_>,
    scope: &Scope,
    rows: &mut ScopeRows,
) -> rusqlite::Result<()> {
    let chosen = params![scope.project.key, scope.session, scope.before_iso()];
    rows.history += transaction
        .prepare_cached(&format!("DELETE FROM entry_history WHERE entry_no IN ({CHOSEN})"))?
        .execute(chosen)? as u64;
    rows.entries += transaction
        .prepare_cached(&format!("DELETE FROM entries WHERE entry_no IN ({CHOSEN})"))?
        .execute(chosen)? as u64;
    // What was done to entries that stay: the older words and the reasons that this scope brought.
    rows.history += transaction
        .prepare_cached(
            "DELETE FROM entry_history WHERE entry_no IN (SELECT entry_no FROM entries WHERE project = ?1)
             AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR at < ?3) AND op <> 'add'",
        )?
        .execute(chosen)? as u64;
    // Copies of the working set hold everybody's entries; the newest, without those that went, is enough to rebuild from.
    rows.history += transaction
        .prepare_cached(
            "DELETE FROM working_sets WHERE project = ?1 AND (?2 OR (?4 IS NULL AND at < ?3))
             AND set_no < (SELECT max(set_no) FROM working_sets WHERE project = ?1)",
        )?
        .execute(params![scope.project.key, rows.entries > 0, scope.before_iso(), scope.session])?
        as u64;
    Ok(())
}

fn forget_sessions(
    transaction: &Transaction<'_>,
    scope: &Scope,
    rows: &mut ScopeRows,
) -> rusqlite::Result<()> {
    let key = &scope.project.key;
    for table in ["receipts", "notes"] {
        rows.sessions += transaction
            .prepare_cached(&format!(
                "DELETE FROM {table} WHERE project = ?1 AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR at_ms < ?3)"
            ))?
            .execute(params![key, scope.session, scope.before_ms()])? as u64;
    }
    rows.sessions += transaction
        .prepare_cached(
            "DELETE FROM compactions WHERE project = ?1 AND (?2 IS NULL OR session = ?2) AND (?3 IS NULL OR at < ?3)",
        )?
        .execute(params![key, scope.session, scope.before_iso()])? as u64;
    rows.sessions += transaction
        .prepare_cached(
            "DELETE FROM sessions WHERE project = ?1 AND (?2 IS NULL OR id = ?2) AND (?3 IS NULL OR last_seen_at < ?3)",
        )?
        .execute(params![key, scope.session, scope.before_iso()])? as u64;
    // A session that goes on keeps nothing of when it began.
    transaction
        .prepare_cached(
            "UPDATE sessions SET started_at = ?3 WHERE project = ?1 AND (?2 IS NULL OR id = ?2) AND started_at < ?3",
        )?
        .execute(params![key, scope.session, scope.before_iso()])?;
    if scope.before.is_none() {
        for session in &scope.sessions {
            transaction.prepare_cached("DELETE FROM spool_offsets WHERE session = ?1")?.execute([session])?;
        }
    }
    Ok(())
}

fn name_no(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT name_no FROM usage_names WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

/// Rows of usage whose `column` is that name; sums are worked out again for the quarter of an hour that is cut.
fn forget_usage(
    transaction: &Transaction<'_>,
    scope: &Scope,
    column: &str,
    number: i64,
) -> rusqlite::Result<u64> {
    let mut gone = 0;
    let before = scope.before_ms();
    if column == "session" {
        transaction
            .prepare_cached(
                "DELETE FROM usage_disagreements WHERE session = ?1 AND (?2 IS NULL OR at_ms < ?2)",
            )?
            .execute(params![number, before])?;
    }
    transaction
        .prepare_cached(&format!(
            "DELETE FROM usage_moved WHERE id IN (SELECT id FROM usage_responses WHERE {column} = ?1 AND (?2 IS NULL OR at_ms < ?2))"
        ))?
        .execute(params![number, before])?;
    for table in ["usage_responses", "usage_samples", "usage_boundaries"] {
        gone += transaction
            .prepare_cached(&format!(
                "DELETE FROM {table} WHERE {column} = ?1 AND (?2 IS NULL OR at_ms < ?2)"
            ))?
            .execute(params![number, before])? as u64;
    }
    let cut = before.map(|before| before.div_euclid(SLOT_MS));
    transaction
        .prepare_cached(&format!(
            "DELETE FROM usage_slots WHERE {column} = ?1 AND (?2 IS NULL OR slot <= ?2)"
        ))?
        .execute(params![number, cut])?;
    if let Some(cut) = cut {
        transaction
            .prepare_cached(&format!(
                "INSERT INTO usage_slots SELECT ?3, session, project, model, tier, count(*), sum(is_sidechain), sum(input),
                     sum(output), sum(cache_write_5m), sum(cache_write_1h), sum(cache_read), sum(web_searches),
                     max(CASE WHEN is_sidechain THEN 0 ELSE context END), min(at_ms), max(at_ms)
                 FROM usage_responses WHERE {column} = ?1 AND at_ms >= ?2 AND at_ms < (?3 + 1) * ?4
                 GROUP BY session, project, model, tier"
            ))?
            .execute(params![number, before, cut, SLOT_MS])?;
    }
    for (table, kind) in
        [("usage_responses", "responses"), ("usage_samples", "samples"), ("usage_boundaries", "boundaries")]
    {
        // Numbers that are free again are given again: a receiver must not take them for what it has.
        transaction
            .prepare_cached(&format!(
                "UPDATE usage_sent SET row_no = min(row_no, (SELECT ifnull(max(row_no), 0) FROM {table})) WHERE kind = ?1"
            ))?
            .execute([kind])?;
    }
    Ok(gone)
}

/// Names that no row has any more.
fn forget_names(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "DELETE FROM usage_names WHERE name_no NOT IN (
             SELECT session FROM usage_responses UNION SELECT project FROM usage_responses UNION SELECT model FROM usage_responses
             UNION SELECT session FROM usage_samples UNION SELECT project FROM usage_samples UNION SELECT model FROM usage_samples
             UNION SELECT cwd FROM usage_samples
             UNION SELECT session FROM usage_boundaries UNION SELECT project FROM usage_boundaries UNION SELECT model FROM usage_boundaries
             UNION SELECT session FROM usage_disagreements
             UNION SELECT session FROM usage_slots UNION SELECT project FROM usage_slots UNION SELECT model FROM usage_slots);
         DELETE FROM usage_agents WHERE session NOT IN (SELECT name_no FROM usage_names)",
    )
}
