//! Names: texts that many rows share, written once, and masked before they are.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Transaction};

use throughline_redact as redact;

/// Longest name that is kept; a longer one is cut.
const NAME_BYTES_MAX: usize = 4_096;

/// Finds the numbers of names, and gives numbers to new ones.
pub(super) struct Namer<'t> {
    transaction: &'t Transaction<'t>,
    known: HashMap<String, i64>,
}

impl<'t> Namer<'t> {
    pub(super) fn over(transaction: &'t Transaction<'t>) -> Self {
        Self { transaction, known: HashMap::new() }
    }

    /// The number of a name.
    pub(super) fn number(&mut self, name: &str) -> rusqlite::Result<i64> {
        if let Some(number) = self.known.get(name) {
            return Ok(*number);
        }
        let mut clean = redact::text(name).into_owned();
        clean.truncate(clean.floor_char_boundary(NAME_BYTES_MAX));
        let found = self
            .transaction
            .prepare_cached("SELECT name_no FROM usage_names WHERE name = ?1")?
            .query_row([&clean], |row| row.get(0))
            .optional()?;
        let number = match found {
            Some(number) => number,
            None => self
                .transaction
                .prepare_cached("INSERT INTO usage_names (name) VALUES (?1)")?
                .insert([&clean])?,
        };
        self.known.insert(name.to_owned(), number);
        Ok(number)
    }
}

/// The names of numbers, read as they are asked for.
pub(super) struct Names<'c> {
    connection: &'c Connection,
    known: HashMap<i64, String>,
}

impl<'c> Names<'c> {
    pub(super) fn over(connection: &'c Connection) -> Self {
        Self { connection, known: HashMap::new() }
    }

    /// The name of a number; empty when there is none.
    pub(super) fn name(&mut self, number: i64) -> rusqlite::Result<&str> {
        if !self.known.contains_key(&number) {
            let name: Option<String> = self
                .connection
                .prepare_cached("SELECT name FROM usage_names WHERE name_no = ?1")?
                .query_row([number], |row| row.get(0))
                .optional()?;
            self.known.insert(number, name.unwrap_or_default());
        }
        Ok(self.known.get(&number).map_or("", String::as_str))
    }

    /// The same, to keep.
    pub(super) fn owned(&mut self, number: i64) -> rusqlite::Result<String> {
        self.name(number).map(str::to_owned)
    }
}
