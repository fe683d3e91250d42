//! Writing: blocks of passages into the index, in one transaction with how far their transcripts were read.

use std::collections::HashSet;

use rusqlite::{Transaction, TransactionBehavior, params};

use super::block::{self, NewBlock};
use super::{FILES, LOG_BYTES_MAX, Recall, RecallError, Writing};
use crate::known_files::{self, KnownFile};

/// What one transaction brings.
#[derive(Debug, Default)]
pub struct Batch {
    /// Passages.
    pub blocks: Vec<NewBlock>,
    /// How far transcripts were read with them.
    pub files: Vec<KnownFile>,
}

/// What is new.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// Passages.
    pub passages: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
}

impl Added {
    /// Adds what another transaction brought.
    pub fn add(&mut self, other: Self) {
        self.passages += other.passages;
        self.text_bytes += other.text_bytes;
    }
}

impl Recall {
    /// Takes a batch: all of it or nothing.
    pub fn add(&mut self, _writing: &Writing, batch: &Batch) -> Result<Added, RecallError> {
        let added = self.in_transaction(|transaction| insert(transaction, batch))?;
        self.shorten_log(LOG_BYTES_MAX);
        Ok(added)
    }

    /// The fingerprints of every line that passages were made from.
    pub fn known_lines(&self) -> Result<HashSet<u64>, RecallError> {
        self.read(|connection| {
            let mut known = HashSet::new();
            let mut statement = connection.prepare_cached("SELECT marks FROM lines")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                known.extend(block::marks(row.get_ref(0)?.as_blob()?));
            }
            Ok(known)
        })
    }

    /// Puts the index in order after much was added or removed: smaller, and quicker to ask.
    pub fn tidy(&mut self, _writing: &Writing) -> Result<(), RecallError> {
        self.read(|connection| {
            connection.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
            // A row for every page that is given back: all of them must be asked for.
            let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            Ok(())
        })?;
        self.shorten_log(0);
        Ok(())
    }

    pub(super) fn in_transaction<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, RecallError> {
        let run = |connection: &mut rusqlite::Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        run(&mut self.connection).map_err(|error| self.error(&error))
    }
}

fn insert(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<Added> {
    let mut added = Added::default();
    let mut id: i64 = transaction.query_row("SELECT next_id FROM counters", [], |row| row.get(0))?;
    let first_id = id;
    for block in batch.blocks.iter().filter(|block| !block.index_lines.is_empty()) {
        let session = session_id(transaction, block)?;
        transaction
            .prepare_cached("INSERT INTO blocks (id, session, heads) VALUES (?1, ?2, ?3)")?
            .execute(params![id, session, block.heads])?;
        transaction
            .prepare_cached("INSERT INTO texts (id, text) VALUES (?1, ?2)")?
            .execute(params![id, block.text])?;
        transaction
            .prepare_cached("INSERT INTO lines (id, marks) VALUES (?1, ?2)")?
            .execute(params![id, block.marks])?;
        let mut words = transaction.prepare_cached("INSERT INTO words (rowid, line) VALUES (?1, ?2)")?;
        for line in &block.index_lines {
            words.execute(params![id, line])?;
            id += 1;
        }
        added.text_bytes += block.text_bytes;
    }
    added.passages = (id - first_id).cast_unsigned();
    transaction
        .prepare_cached("UPDATE counters SET next_id = ?1, passages = passages + ?2")?
        .execute(params![id, id - first_id])?;
    known_files::note(transaction, FILES, &batch.files)?;
    Ok(added)
}

fn session_id(transaction: &Transaction<'_>, block: &NewBlock) -> rusqlite::Result<i64> {
    let (first, last) = block.times_s;
    transaction
        .prepare_cached(
            "INSERT INTO sessions (session, project, first_at_s, last_at_s) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session, project) DO UPDATE SET
                 first_at_s = min(first_at_s, excluded.first_at_s), last_at_s = max(last_at_s, excluded.last_at_s)
             RETURNING id",
        )?
        .query_row(params![block.session, block.project, first, last], |row| row.get(0))
}
