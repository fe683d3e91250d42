//! Surroundings: passages by their number, and what stands around them in their session.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};
use throughline_recall::{Head, Placed, SessionOf};

use super::block;
use super::{Recall, RecallError};

/// Blocks of a session that are looked at in one direction.
const BLOCKS_MAX: i64 = 24;

impl Recall {
    /// The session that a passage belongs to, and whether there is such a passage.
    pub fn session_of(&self, id: u64) -> Result<Option<SessionOf>, RecallError> {
        Ok(self.block_around(id)?.map(|(_, session)| session))
    }

    /// A passage with up to `before` and `after` passages around it, in their order. Empty when there is none.
    pub fn around(&self, id: u64, before: usize, after: usize) -> Result<Vec<Placed>, RecallError> {
        let Some((block, session)) = self.block_around(id)? else { return Ok(Vec::new()) };
        let mut near: BTreeMap<u64, Placed> = BTreeMap::new();
        for of_block in self.blocks_of(session.number, block, before, after)? {
            near.extend(self.block(of_block)?.into_iter().map(|placed| (placed.id, placed)));
        }
        Ok(window(near, id, before, after).map(|(_, placed)| placed).collect())
    }

    /// The same without the texts, which cost most of it.
    pub fn heads_around(
        &self,
        id: u64,
        before: usize,
        after: usize,
    ) -> Result<Vec<(u64, Head)>, RecallError> {
        let Some((block, session)) = self.block_around(id)? else { return Ok(Vec::new()) };
        let mut near: BTreeMap<u64, Head> = BTreeMap::new();
        for of_block in self.blocks_of(session.number, block, before, after)? {
            near.extend((of_block.cast_unsigned()..).zip(self.heads_of(of_block)?));
        }
        Ok(window(near, id, before, after).collect())
    }

    /// One passage.
    pub fn passage(&self, id: u64) -> Result<Option<Placed>, RecallError> {
        let Some((block, _)) = self.block_around(id)? else { return Ok(None) };
        let until = self.block_until(block, id.cast_signed())?;
        Ok(until.into_iter().find(|placed| placed.id == id))
    }

    fn heads_of(&self, block: i64) -> Result<Vec<Head>, RecallError> {
        self.read(|connection| {
            let heads = connection
                .prepare_cached("SELECT heads FROM blocks WHERE id = ?1")?
                .query_row([block], |row| Ok(block::heads(row.get_ref(0)?.as_blob()?)))
                .optional()?;
            Ok(heads.unwrap_or_default())
        })
    }

    /// The first number of the block that holds a passage, and its session.
    fn block_around(&self, id: u64) -> Result<Option<(i64, SessionOf)>, RecallError> {
        let found = self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT blocks.id, blocks.heads, sessions.id, sessions.session, sessions.project FROM blocks
                     JOIN sessions ON sessions.id = blocks.session
                     WHERE blocks.id <= ?1 ORDER BY blocks.id DESC LIMIT 1",
                )?
                .query_row([id.cast_signed()], |row| {
                    let count = block::heads(row.get_ref(1)?.as_blob()?).len() as u64;
                    let session =
                        SessionOf { number: row.get(2)?, session: row.get(3)?, project: row.get(4)? };
                    Ok((row.get::<_, i64>(0)?, count, session))
                })
                .optional()
        })?;
        Ok(found
            .filter(|(first, count, _)| id < first.cast_unsigned() + count)
            .map(|(first, _, session)| (first, session)))
    }

    /// The numbers of a session's blocks around one, as far as so many passages may need.
    fn blocks_of(
        &self,
        session: i64,
        block: i64,
        before: usize,
        after: usize,
    ) -> Result<Vec<i64>, RecallError> {
        let mut ids = vec![block];
        let mut look = |query: &str, wanted: usize| {
            self.read(|connection| {
                let mut statement = connection.prepare_cached(query)?;
                let mut rows = statement.query(params![session, block, BLOCKS_MAX])?;
                let mut seen = 0;
                while let Some(row) = rows.next()? {
                    if seen >= wanted {
                        break;
                    }
                    ids.push(row.get(0)?);
                    seen += block::heads(row.get_ref(1)?.as_blob()?).len();
                }
                Ok(())
            })
        };
        look(
            "SELECT id, heads FROM blocks WHERE session = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
            before,
        )?;
        look("SELECT id, heads FROM blocks WHERE session = ?1 AND id > ?2 ORDER BY id LIMIT ?3", after)?;
        Ok(ids)
    }

    /// The passages of a block. A damaged one has none.
    fn block(&self, id: i64) -> Result<Vec<Placed>, RecallError> {
        self.block_until(id, i64::MAX)
    }

    /// The same up to a passage: what stands behind it is not unpacked.
    pub(super) fn block_until(&self, id: i64, last: i64) -> Result<Vec<Placed>, RecallError> {
        self.read(|connection| {
            let packed = connection
                .prepare_cached(
                    "SELECT blocks.heads, texts.text FROM blocks JOIN texts ON texts.id = blocks.id WHERE blocks.id = ?1",
                )?
                .query_row([id], |row| {
                    let mut heads = block::heads(row.get_ref(0)?.as_blob()?);
                    let count = usize::try_from(last.saturating_sub(id)).unwrap_or(0).saturating_add(1);
                    heads.truncate(count);
                    let texts = block::texts(&heads, row.get_ref(1)?.as_blob()?);
                    Ok((heads, texts.unwrap_or_default()))
                })
                .optional()?;
            let Some((heads, texts)) = packed else { return Ok(Vec::new()) };
            let numbered = heads.into_iter().zip(texts).zip(id.cast_unsigned()..);
            Ok(numbered.map(|((head, text), id)| Placed { id, head, text }).collect())
        })
    }
}

/// Of what is near a passage so much before and behind it, in its order.
fn window<T>(near: BTreeMap<u64, T>, id: u64, before: usize, after: usize) -> impl Iterator<Item = (u64, T)> {
    let at = near.range(..id).count();
    let from = at.saturating_sub(before);
    near.into_iter().skip(from).take(at - from + 1 + after)
}
