//! Full-text search over everything ever recorded. The words come from outside: none of them is ever syntax.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::entries::{ENTRY_COLUMNS, EntryRow};
use super::{Archive, ArchiveError, sql_int};

/// Most words of a query that are looked at.
const WORDS_MAX: usize = 32;
/// Longest word, in characters; the rest of it is left out.
const WORD_CHARS_MAX: usize = 64;
/// Most entries that are read one by one when the index knows nothing.
const SCAN_ROWS_MAX: i64 = 20_000;
/// Most results of one search.
const RESULTS_MAX: u64 = 1_000;

impl Archive {
    /// The entries that `words` find, best first: those with all of the words, then those with some of them.
    /// A word finds what begins with it. Without words: the most recent entries.
    pub fn search(
        &self,
        words: &str,
        project: Option<&str>,
        limit: u64,
    ) -> Result<Vec<EntryRow>, ArchiveError> {
        let limit = limit.min(RESULTS_MAX);
        let words = words_in(words);
        if limit == 0 {
            return Ok(Vec::new());
        }
        self.read(|connection| {
            if words.is_empty() {
                return most_recent(connection, project, limit);
            }
            let (indexed, symbols): (Vec<&String>, Vec<&String>) =
                words.iter().partition(|word| word.chars().any(char::is_alphanumeric));
            let mut found = Vec::new();
            if symbols.is_empty() {
                add_matches(connection, &mut found, &match_expression(&indexed, " AND "), project, limit)?;
            }
            if !indexed.is_empty() && (found.len() as u64) < limit && words.len() > 1 {
                add_matches(connection, &mut found, &match_expression(&indexed, " OR "), project, limit)?;
            }
            if found.is_empty() {
                // Signs, and words from the middle of others (scripts without spaces), are not in the index.
                return scan(connection, &words, project, limit);
            }
            Ok(found.into_iter().map(|(_, row)| row).collect())
        })
    }
}

fn words_in(words: &str) -> Vec<String> {
    words
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .map(|word| word.chars().take(WORD_CHARS_MAX).collect())
        .collect()
}

/// Every word as a quoted string, so that `OR`, `NEAR(`, `-` and `"` are words too; the star makes it a beginning.
fn match_expression(words: &[&String], joined_by: &str) -> String {
    let quoted: Vec<String> =
        words.iter().map(|word| format!("\"{}\"*", word.replace('"', "\"\""))).collect();
    quoted.join(joined_by)
}

fn add_matches(
    connection: &Connection,
    found: &mut Vec<(i64, EntryRow)>,
    expression: &str,
    project: Option<&str>,
    limit: u64,
) -> rusqlite::Result<()> {
    let query = format!(
        "SELECT {ENTRY_COLUMNS}, entries.entry_no FROM entries_fts
         JOIN entries ON entries.entry_no = entries_fts.rowid
         WHERE entries_fts MATCH ?1 AND (?2 IS NULL OR entries.project = ?2)
         ORDER BY bm25(entries_fts, 2.0, 1.0), entries.entry_no DESC LIMIT ?3"
    );
    let known: HashSet<i64> = found.iter().map(|(entry_no, _)| *entry_no).collect();
    let mut statement = connection.prepare_cached(&query)?;
    let rows = statement.query_map(params![expression, project, sql_int(limit)], |row| {
        Ok((row.get(13)?, EntryRow::from_row(row)?))
    })?;
    for row in rows {
        let (entry_no, row) = row?;
        if !known.contains(&entry_no) && (found.len() as u64) < limit {
            found.push((entry_no, row));
        }
    }
    Ok(())
}

fn most_recent(
    connection: &Connection,
    project: Option<&str>,
    limit: u64,
) -> rusqlite::Result<Vec<EntryRow>> {
    let query = format!(
        "SELECT {ENTRY_COLUMNS} FROM entries WHERE (?1 IS NULL OR project = ?1) ORDER BY entry_no DESC LIMIT ?2"
    );
    connection
        .prepare_cached(&query)?
        .query_map(params![project, sql_int(limit)], EntryRow::from_row)?
        .collect()
}

/// The newest entries that contain all the words, wherever in a word they stand.
fn scan(
    connection: &Connection,
    words: &[String],
    project: Option<&str>,
    limit: u64,
) -> rusqlite::Result<Vec<EntryRow>> {
    let query = format!(
        "SELECT {ENTRY_COLUMNS} FROM entries WHERE (?1 IS NULL OR project = ?1) ORDER BY entry_no DESC LIMIT ?2"
    );
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let mut found = Vec::new();
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows = statement.query(params![project, SCAN_ROWS_MAX])?;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(3)?.as_str()?.to_lowercase();
        let reason = row.get_ref(4)?.as_str()?.to_lowercase();
        if lower.iter().all(|word| text.contains(word.as_str()) || reason.contains(word.as_str())) {
            found.push(EntryRow::from_row(row)?);
            if found.len() as u64 >= limit {
                break;
            }
        }
    }
    Ok(found)
}
