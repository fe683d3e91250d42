//! Forgetting in the index: blocks of passages that hold certain words go, and nothing of them stays in freed pages.

use rusqlite::{Transaction, params};

use super::{Recall, RecallError, Writing, block};

impl Recall {
    /// Removes every block with a passage that holds the words, of whatever project; gives how many passages were in them.
    /// With `is_trial` they stay. A block that cannot be read may hold anything, and goes too.
    ///
    /// Transcripts that were read are not read again, so that what went does not come back from them.
    pub fn forget(
        &mut self,
        writing: &Writing,
        holds: &dyn Fn(&str) -> bool,
        is_trial: bool,
    ) -> Result<u64, RecallError> {
        let holding: Vec<(i64, usize)> = self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT blocks.id, blocks.heads, texts.text FROM blocks JOIN texts ON texts.id = blocks.id",
            )?;
            let mut rows = statement.query([])?;
            let mut holding = Vec::new();
            while let Some(row) = rows.next()? {
                let heads = block::heads(row.get_ref(1)?.as_blob()?);
                let texts = block::texts(&heads, row.get_ref(2)?.as_blob()?);
                if texts.is_none_or(|texts| texts.iter().any(|text| holds(text))) {
                    holding.push((row.get(0)?, heads.len()));
                }
            }
            Ok(holding)
        })?;
        let passages = holding.iter().map(|(_, count)| *count as u64).sum();
        if is_trial || holding.is_empty() {
            return Ok(passages);
        }
        self.read(|connection| connection.pragma_update(None, "secure_delete", true))?;
        self.in_transaction(|transaction| {
            holding.iter().try_for_each(|(id, count)| remove_block(transaction, *id, *count))
        })?;
        self.tidy(writing)?;
        Ok(passages)
    }
}

/// Removes a block. The fingerprints of its lines stay: a copy of them in another transcript is not taken in either.
pub(super) fn remove_block(transaction: &Transaction<'_>, id: i64, count: usize) -> rusqlite::Result<()> {
    let count = i64::try_from(count).unwrap_or(0);
    transaction
        .prepare_cached("DELETE FROM words WHERE rowid >= ?1 AND rowid < ?2")?
        .execute(params![id, id + count])?;
    for table in ["blocks", "texts"] {
        transaction.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?1"))?.execute([id])?;
    }
    transaction.prepare_cached("UPDATE counters SET passages = passages - ?1")?.execute([count])?;
    Ok(())
}
