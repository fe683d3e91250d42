//! Forgetting by origin in the index: the passages of a session, of a project, of a time go, their words with them.

use rusqlite::{Connection, Transaction, params};
use throughline_recall::Passage;

use super::block::{self, NewBlock};
use super::forget::remove_block;
use super::{Recall, RecallError, Writing};
use crate::forget::{ID_BYTES_MIN, Scope};

impl Recall {
    /// Removes the passages of a scope; gives how many there were. With `is_trial` they stay.
    pub fn forget_scope(
        &mut self,
        writing: &Writing,
        scope: &Scope,
        is_trial: bool,
    ) -> Result<u64, RecallError> {
        let concerned = self.read(|connection| concerned(connection, scope))?;
        let passages = concerned.iter().map(|block| block.gone as u64).sum();
        if is_trial {
            return Ok(passages);
        }
        self.read(|connection| connection.pragma_update(None, "secure_delete", true))?;
        self.in_transaction(|transaction| {
            concerned.iter().try_for_each(|block| cut(transaction, block))?;
            let is_gone = "NOT EXISTS (SELECT 1 FROM blocks WHERE blocks.session = sessions.id)";
            transaction.execute(&format!("DELETE FROM sessions WHERE {is_gone}"), [])?;
            for session in scope.sessions.iter().filter(|id| id.len() >= ID_BYTES_MIN) {
                // Read anew they bring back nothing: what is forgotten is passed over, what is there is known.
                transaction
                    .prepare_cached("DELETE FROM files WHERE instr(key, ?1) > 0")?
                    .execute([session])?;
            }
            Ok(())
        })?;
        if !concerned.is_empty() {
            self.tidy(writing)?;
            self.read(|connection| connection.execute_batch("VACUUM"))?;
        }
        Ok(passages)
    }

    /// The sessions of a project that have passages.
    pub fn sessions_of(&self, project: &str) -> Result<Vec<String>, RecallError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT session FROM sessions WHERE project = ?1 ORDER BY session")?
                .query_map([project], |row| row.get(0))?
                .collect()
        })
    }

    /// Empties the log; says whether it could be: whoever reads from it at this moment keeps it.
    pub fn empty_log(&self, _writing: &Writing) -> Result<bool, RecallError> {
        let busy: i64 = self.read(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        })?;
        Ok(busy == 0)
    }

    /// Pages that belong to nothing: something of removed passages could be in them.
    pub fn free_pages(&self) -> Result<u64, RecallError> {
        let free: i64 =
            self.read(|connection| connection.query_row("PRAGMA freelist_count", [], |row| row.get(0)))?;
        Ok(free.cast_unsigned())
    }
}

/// A block of which the first passages, or all, are to go.
struct Concerned {
    id: i64,
    session: String,
    project: String,
    count: usize,
    gone: usize,
}

fn concerned(connection: &Connection, scope: &Scope) -> rusqlite::Result<Vec<Concerned>> {
    let root = scope.project.root.to_string_lossy();
    let mut statement = connection.prepare(
        "SELECT blocks.id, blocks.heads, sessions.session, sessions.project FROM blocks
         JOIN sessions ON sessions.id = blocks.session",
    )?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (session, project): (String, String) = (row.get(2)?, row.get(3)?);
        let is_ours = match &scope.session {
            Some(own) => *own == session,
            None => project == root || scope.sessions.contains(&session),
        };
        if !is_ours {
            continue;
        }
        let heads = block::heads(row.get_ref(1)?.as_blob()?);
        // Up to the last that is too old: what stands before it was said before it.
        let gone = heads.iter().rposition(|head| scope.holds_ms(head.at_s.saturating_mul(1_000)));
        // A block without a readable head may hold anything.
        let gone = if heads.is_empty() { Some(0) } else { gone };
        if let Some(last) = gone {
            let gone = (last + 1).min(heads.len());
            found.push(Concerned { id: row.get(0)?, session, project, count: heads.len(), gone });
        }
    }
    Ok(found)
}

fn cut(transaction: &Transaction<'_>, concerned: &Concerned) -> rusqlite::Result<()> {
    let Concerned { id, session, project, count, gone } = concerned;
    let rest = if gone < count { rest_of(transaction, concerned)? } else { Vec::new() };
    let (number, marks): (i64, Vec<u8>) = transaction
        .prepare_cached(
            "SELECT blocks.session, ifnull(lines.marks, x'') FROM blocks LEFT JOIN lines ON lines.id = blocks.id WHERE blocks.id = ?1",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    remove_block(transaction, *id, *count)?;
    transaction.prepare_cached("DELETE FROM lines WHERE id = ?1")?.execute([id])?;
    if rest.is_empty() {
        return Ok(());
    }
    // Passages keep their numbers: the block begins with the first that stays.
    let first = id + i64::try_from(*gone).unwrap_or(0);
    let block = NewBlock::pack(session, project, &rest, &[]);
    transaction
        .prepare_cached("INSERT INTO blocks (id, session, heads) VALUES (?1, ?2, ?3)")?
        .execute(params![first, number, block.heads])?;
    transaction
        .prepare_cached("INSERT INTO texts (id, text) VALUES (?1, ?2)")?
        .execute(params![first, block.text])?;
    transaction
        .prepare_cached("INSERT INTO lines (id, marks) VALUES (?1, ?2)")?
        .execute(params![first, marks])?;
    let mut words = transaction.prepare_cached("INSERT INTO words (rowid, line) VALUES (?1, ?2)")?;
    for (line, id) in block.index_lines.iter().zip(first..) {
        words.execute(params![id, line])?;
    }
    transaction
        .prepare_cached("UPDATE counters SET passages = passages + ?1")?
        .execute([i64::try_from(rest.len()).unwrap_or(0)])?;
    transaction
        .prepare_cached("UPDATE sessions SET first_at_s = max(first_at_s, ?2) WHERE id = ?1")?
        .execute(params![number, block.times_s.0])?;
    Ok(())
}

/// The passages of a block that stay; none of a block that cannot be read.
fn rest_of(transaction: &Transaction<'_>, concerned: &Concerned) -> rusqlite::Result<Vec<Passage>> {
    let (heads, texts) = transaction
        .prepare_cached(
            "SELECT blocks.heads, texts.text FROM blocks JOIN texts ON texts.id = blocks.id WHERE blocks.id = ?1",
        )?
        .query_row([concerned.id], |row| {
            let heads = block::heads(row.get_ref(0)?.as_blob()?);
            let texts = block::texts(&heads, row.get_ref(1)?.as_blob()?);
            Ok((heads, texts.unwrap_or_default()))
        })?;
    Ok(block::passages(&heads, texts).into_iter().skip(concerned.gone).collect())
}
