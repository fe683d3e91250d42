//! Retention: how long sessions are kept and how much room they may take; the oldest go first.

use std::collections::HashMap;

use rusqlite::Transaction;

use super::forget::remove_block;
use super::{Recall, RecallError, Writing, block};

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Most bytes of the index on disk.
    pub bytes_max: u64,
    /// What was last written to before this is forgotten, in seconds since 1970.
    pub oldest_s: i64,
}

/// What retention did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    /// Sessions that went.
    pub sessions_removed: u64,
}

/// Bytes that are looked at again after so many sessions went.
const SESSIONS_AT_ONCE: usize = 16;

impl Recall {
    /// Removes sessions that are too old, then the oldest until the rest has room.
    pub fn keep_within(&mut self, writing: &Writing, retention: Retention) -> Result<Kept, RecallError> {
        let mut kept = Kept::default();
        let too_old: Vec<i64> = self.read(|connection| {
            connection
                .prepare_cached("SELECT id FROM sessions WHERE last_at_s < ?1 AND last_at_s > 0")?
                .query_map([retention.oldest_s], |row| row.get(0))?
                .collect()
        })?;
        kept.sessions_removed += self.remove_sessions(&too_old)?;
        if !too_old.is_empty() {
            self.tidy(writing)?;
        }
        while self.bytes() > retention.bytes_max {
            self.shorten_log(0);
            if self.bytes() <= retention.bytes_max {
                break;
            }
            let oldest = self.oldest_sessions(retention.bytes_max)?;
            if oldest.is_empty() {
                break;
            }
            kept.sessions_removed += self.remove_sessions(&oldest)?;
            self.tidy(writing)?;
        }
        Ok(kept)
    }

    /// The oldest sessions that take the room that there is not. What a session takes in the index is not known: as much
    /// of it as of the texts.
    fn oldest_sessions(&self, bytes_max: u64) -> Result<Vec<i64>, RecallError> {
        let bytes_now = self.bytes().max(1);
        let all: i64 = self.read(|connection| {
            connection.query_row("SELECT ifnull(sum(length(text)), 0) FROM texts", [], |row| row.get(0))
        })?;
        let share_over = u128::from(bytes_now.saturating_sub(bytes_max)) * u128::from(all.cast_unsigned());
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT sessions.id, sum(length(texts.text)) FROM sessions
                 JOIN blocks ON blocks.session = sessions.id JOIN texts ON texts.id = blocks.id
                 GROUP BY sessions.id ORDER BY last_at_s, sessions.id",
            )?;
            let mut rows = statement.query([])?;
            let (mut chosen, mut bytes) = (Vec::new(), 0_u64);
            while let Some(row) = rows.next()? {
                chosen.push(row.get(0)?);
                bytes += row.get::<_, i64>(1)?.cast_unsigned();
                if u128::from(bytes) * u128::from(bytes_now) >= share_over || chosen.len() >= SESSIONS_AT_ONCE
                {
                    break;
                }
            }
            Ok(chosen)
        })
    }

    /// Removes sessions with everything they said; gives how many there were.
    fn remove_sessions(&mut self, sessions: &[i64]) -> Result<u64, RecallError> {
        for session in sessions {
            self.in_transaction(|transaction| remove(transaction, *session))?;
        }
        Ok(sessions.len() as u64)
    }
}

fn remove(transaction: &Transaction<'_>, session: i64) -> rusqlite::Result<()> {
    let blocks: HashMap<i64, usize> = transaction
        .prepare_cached("SELECT id, heads FROM blocks WHERE session = ?1")?
        .query_map([session], |row| Ok((row.get(0)?, block::heads(row.get_ref(1)?.as_blob()?).len())))?
        .collect::<rusqlite::Result<_>>()?;
    for (id, count) in blocks {
        remove_block(transaction, id, count)?;
        transaction.prepare_cached("DELETE FROM lines WHERE id = ?1")?.execute([id])?;
    }
    transaction.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([session])?;
    Ok(())
}
