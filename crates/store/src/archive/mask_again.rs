//! Masking again in the archive: rows of earlier rules, a slice at a time, and no page that keeps what they held.

use std::path::PathBuf;

use std::borrow::Cow;

use rusqlite::types::ValueRef;
use rusqlite::{Transaction, params, params_from_iter};
use serde_json::Value;
use throughline_redact as redact;

use super::{Archive, ArchiveError, Commit};

/// Rows of one transaction.
const SLICE_ROWS: i64 = 200;

/// Tables whose rows hold text, the columns that name a row, and those that are masked.
const TABLES: [(&str, &[&str], &[&str]); MASKED_TABLES] = [
    ("entries", &["entry_no"], &["text", "reason", "body", "left_why"]),
    ("entry_history", &["batch_uid", "event_no"], &["why", "old_text", "old_body"]),
    ("working_sets", &["set_no"], &["state"]),
    ("compactions", &["compaction_no"], &["focus", "summary"]),
    ("notes", &["note_no"], &["note"]),
    ("receipts", &["receipt_no"], &["outcome"]),
    ("sessions", &["id"], &["source", "end_reason"]),
    ("usage_names", &["name_no"], &["name"]),
    ("usage_files", &["key"], &["state"]),
];
pub(crate) const MASKED_TABLES: usize = 9;

impl Archive {
    /// Masks a slice of a table; gives how many rows changed, and where the next slice begins.
    pub(crate) fn mask_table(&mut self, table: usize, from: i64) -> Result<(u64, Option<i64>), ArchiveError> {
        self.pragma("secure_delete", "ON")?;
        self.write(Commit::Flushed, |transaction| mask_slice(transaction, table, from))
    }

    /// Gives back every page that held something else before.
    pub(crate) fn tidy_masked(&mut self) -> Result<(), ArchiveError> {
        self.pragma("secure_delete", "ON")?;
        self.run("INSERT INTO entries_fts (entries_fts) VALUES ('rebuild')")?;
        self.run("INSERT INTO entries_fts (entries_fts) VALUES ('optimize')")?;
        self.run("VACUUM")?;
        let is_busy: i64 = self.read(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        })?;
        if is_busy == 0 { Ok(()) } else { Err(ArchiveError::Locked { path: self.path.shown() }) }
    }

    /// Top folders of all projects.
    pub(crate) fn project_roots(&self) -> Result<Vec<PathBuf>, ArchiveError> {
        self.read(|connection| {
            let mut statement = connection.prepare("SELECT root FROM projects")?;
            let roots = statement.query_map([], |row| row.get::<_, String>(0))?;
            roots.map(|root| root.map(PathBuf::from)).collect()
        })
    }
}

fn mask_slice(
    transaction: &Transaction<'_>,
    table: usize,
    from: i64,
) -> rusqlite::Result<(u64, Option<i64>)> {
    let (name, keys, columns) = TABLES[table];
    let all: Vec<&str> = keys.iter().chain(columns).copied().collect();
    let list = all.join(", ");
    let order = keys.join(", ");
    // By number of row, not by key: rows neither come nor go in the middle, and masking moves none.
    let select = format!("SELECT {list} FROM {name} ORDER BY {order} LIMIT {SLICE_ROWS} OFFSET ?1");
    let mut changes: Vec<(Vec<rusqlite::types::Value>, Vec<Option<String>>)> = Vec::new();
    let mut rows_seen = 0;
    let mut statement = transaction.prepare(&select)?;
    let mut rows = statement.query([from])?;
    while let Some(row) = rows.next()? {
        rows_seen += 1;
        let mut is_changed = false;
        let mut values = Vec::with_capacity(columns.len());
        for column in 0..columns.len() {
            let text = match row.get_ref(keys.len() + column)? {
                ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
                _ => None,
            };
            let clean = text.as_deref().and_then(masked);
            is_changed |= clean.is_some();
            values.push(clean.or(text));
        }
        if is_changed {
            let key: rusqlite::Result<Vec<_>> = (0..keys.len()).map(|place| row.get(place)).collect();
            changes.push((key?, values));
        }
    }
    drop(rows);
    drop(statement);
    let set: Vec<String> = columns.iter().map(|column| format!("{column} = ?")).collect();
    let place: Vec<String> = keys.iter().map(|key| format!("{key} = ?")).collect();
    let update = format!("UPDATE OR IGNORE {name} SET {} WHERE {}", set.join(", "), place.join(" AND "));
    for (key, values) in &changes {
        let values = values.iter().map(|value| rusqlite::types::Value::from(value.clone()));
        let rows = transaction.execute(&update, params_from_iter(values.chain(key.clone())))?;
        if rows == 0 && name == "usage_names" {
            // Two names that differed in their secrets alone: both stay, and are told apart by their numbers.
            transaction.execute(
                "UPDATE usage_names SET name = '[masked] ' || name_no WHERE name_no = ?1",
                params![key[0]],
            )?;
        }
    }
    let next = (rows_seen == SLICE_ROWS).then_some(from + SLICE_ROWS);
    Ok((changes.len() as u64, next))
}

/// A column without secrets; `None` when there were none. Some hold JSON.
fn masked(text: &str) -> Option<String> {
    if text.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<Value>(text)
    {
        let mut clean = value.clone();
        redact::json(&mut clean);
        return (clean != value).then(|| clean.to_string());
    }
    match redact::text(text) {
        Cow::Owned(clean) => Some(clean),
        Cow::Borrowed(_) => None,
    }
}
