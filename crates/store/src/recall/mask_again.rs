//! Masking again in the index: blocks of earlier rules, some at a time, each packed anew under its number.

use std::borrow::Cow;

use rusqlite::{Transaction, params};
use throughline_redact as redact;

use super::block::{self, NewBlock};
use super::continued;
use super::{Recall, RecallError, Writing};

/// Blocks of one transaction.
const SLICE_BLOCKS: u32 = 32;

impl Recall {
    /// Masks the blocks behind a number; gives how many changed, and the number to go on behind. How far transcripts were
    /// read is masked with the first of them. A block that cannot be read goes: it may hold anything.
    pub(crate) fn mask_blocks(
        &mut self,
        _writing: &Writing,
        behind: i64,
    ) -> Result<(u64, Option<i64>), RecallError> {
        self.read(|connection| connection.pragma_update(None, "secure_delete", true))?;
        self.in_transaction(|transaction| {
            let mut changed = if behind == 0 { mask_rows(transaction)? } else { 0 };
            let blocks = next_blocks(transaction, behind)?;
            for block in &blocks {
                changed += u64::from(mask_block(transaction, block)?);
            }
            let next = blocks.last().map(|block| block.id).filter(|_| blocks.len() == SLICE_BLOCKS as usize);
            Ok((changed, next))
        })
    }

    /// Gives back every page that held something else before.
    pub(crate) fn tidy_masked(&mut self) -> Result<(), RecallError> {
        let is_busy: i64 = self.read(|connection| {
            connection.pragma_update(None, "secure_delete", true)?;
            connection.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
            connection.execute_batch("VACUUM")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        })?;
        if is_busy == 0 { Ok(()) } else { Err(RecallError::Busy { path: self.path.shown() }) }
    }
}

struct Block {
    id: i64,
    heads: Vec<u8>,
    text: Vec<u8>,
}

fn next_blocks(transaction: &Transaction<'_>, behind: i64) -> rusqlite::Result<Vec<Block>> {
    transaction
        .prepare_cached(
            "SELECT blocks.id, blocks.heads, texts.text FROM blocks JOIN texts ON texts.id = blocks.id
             WHERE blocks.id > ?1 ORDER BY blocks.id LIMIT ?2",
        )?
        .query_map(params![behind, SLICE_BLOCKS], |row| {
            Ok(Block { id: row.get(0)?, heads: row.get(1)?, text: row.get(2)? })
        })?
        .collect()
}

fn mask_block(transaction: &Transaction<'_>, old: &Block) -> rusqlite::Result<bool> {
    let heads = block::heads(&old.heads);
    let Some(texts) = block::texts(&heads, &old.text) else {
        super::forget::remove_block(transaction, old.id, heads.len())?;
        return Ok(true);
    };
    let passages = block::passages(&heads, texts);
    if !continued::masked(&passages).iter().any(|text| matches!(text, Cow::Owned(_))) {
        return Ok(false);
    }
    let new = NewBlock::pack("", "", &passages, &[]);
    let count = i64::try_from(passages.len()).unwrap_or(0);
    transaction
        .prepare_cached("DELETE FROM words WHERE rowid >= ?1 AND rowid < ?2")?
        .execute(params![old.id, old.id + count])?;
    transaction
        .prepare_cached("UPDATE blocks SET heads = ?2 WHERE id = ?1")?
        .execute(params![old.id, new.heads])?;
    transaction
        .prepare_cached("UPDATE texts SET text = ?2 WHERE id = ?1")?
        .execute(params![old.id, new.text])?;
    let mut words = transaction.prepare_cached("INSERT INTO words (rowid, line) VALUES (?1, ?2)")?;
    for (id, line) in (old.id..).zip(&new.index_lines) {
        words.execute(params![id, line])?;
    }
    Ok(true)
}

/// What a reader of a transcript must know to go on holds commands.
fn mask_rows(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let mut changed = 0;
    let states: Vec<(String, String)> = transaction
        .prepare("SELECT key, state FROM files")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (key, state) in states {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&state) else { continue };
        let mut clean = value.clone();
        redact::json(&mut clean);
        if clean != value {
            transaction
                .execute("UPDATE files SET state = ?2 WHERE key = ?1", params![key, clean.to_string()])?;
            changed += 1;
        }
    }
    Ok(changed)
}
