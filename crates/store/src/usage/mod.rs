//! The store of usage: responses, samples and compactions in the archive's database, and how far each file was read.
//!
//! Responses add up, samples never do. A response that comes again (it spans several lines, and resumed sessions copy
//! them) changes its row only when it brings more; sums by quarters of an hour are kept in the same transaction.

mod disagreements;
mod moving;
mod names;
mod rows;
mod samples;
mod sent;
mod slices;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rusqlite::Connection;
use throughline_domain::Timestamp;
use throughline_domain::usage::{Boundary, Response, Sample};

use crate::archive::{Archive, ArchiveError};
use crate::door::Spot;
use crate::known_files::{self, KnownFile};

pub use disagreements::Disagreement;
pub use moving::take_record;
pub use rows::{Numbered, RowKind};
pub use write::Added;

/// The table of the files that were read.
const FILES: &str = "usage_files";

/// The store of usage, open.
#[derive(Debug)]
pub struct UsageStore {
    archive: Archive,
}

/// What one transaction brings: rows, and how far the files were read that they come from.
#[derive(Debug, Default)]
pub struct Batch {
    /// API responses.
    pub responses: Vec<Response>,
    /// Compactions.
    pub boundaries: Vec<Boundary>,
    /// Lines of the usage log.
    pub samples: Vec<Sample>,
    /// Whose sessions they are, where that is not the usual agent: session, agent.
    pub agents: BTreeSet<(String, String)>,
    /// How far files were read.
    pub files: Vec<KnownFile>,
}

impl UsageStore {
    /// Opens the archive's database; waits up to `wait` for other processes, here and in every call that follows.
    pub fn open(path: &Spot, wait: Duration) -> Result<Self, ArchiveError> {
        Archive::open(path, wait).map(|archive| Self { archive })
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &Spot {
        self.archive.path()
    }

    /// Every file that was read, by its key.
    pub fn known_files(&self) -> Result<BTreeMap<String, KnownFile>, ArchiveError> {
        self.read(|connection| known_files::known(connection, FILES))
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, ArchiveError> {
        self.archive.read(work)
    }
}

/// An instant as a column stores it.
fn ms(at: Timestamp) -> i64 {
    at.as_millisecond()
}

/// An instant as a column gave it; one that no calendar knows is the beginning of time.
fn at(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH)
}
