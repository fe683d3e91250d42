//! The outbox: what a change adds to or takes from the working set, flushed before the state file is replaced.
//!
//! One batch per change, one line each. The archive folds batches in; a batch stays until that has happened.

use std::io::{self, BufRead, BufReader, Read};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_domain::Origin;

use crate::door::Spot;
use crate::files::{self, AtPath, FileError};

/// Longest batch. A state file that is read at all is shorter.
const BATCH_BYTES_MAX: u64 = throughline_domain::limits::OUTBOX_BATCH_BYTES_MAX;
/// How much of an outbox's end is looked at for the last batches; the second only when the first holds none.
const TAIL_BYTES: [u64; 2] = [256 << 10, 16 << 20];
/// A longer outbox is folded also when no entry waits in it: a dozen saves.
const LONG_BYTES: u64 = 256 << 10;
/// How many of the last batches are looked at. Only writers that were killed, one right after the other, need more
/// than one.
const RECENT_MAX: usize = 32;

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// It was recorded.
    Add,
    /// Its words or its state changed.
    Change,
    /// It left the working set; `why` says why. It stays in the archive.
    Leave,
    /// It is back in the working set.
    Return,
}

/// One entry's part in a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// What happened.
    pub op: Op,
    /// The kind's word (`decision`).
    pub kind: String,
    /// The entry's id (`D3`).
    pub id: String,
    /// Who said it.
    pub origin: Origin,
    /// The whole entry as the state file spells it.
    pub body: Value,
    /// Why it left or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// One change of the working set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Unique among all batches: folding one twice adds nothing.
    pub uid: String,
    /// When (ISO 8601).
    pub at: String,
    /// The agent's session, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Fingerprint of the state file before, whoever wrote it; `None` when there was none.
    pub hash_before: Option<String>,
    /// Fingerprint of the state file after.
    pub hash_after: String,
    /// What happened to which entries.
    pub events: Vec<Event>,
    /// The state after the change: what a rebuild starts from.
    pub state: Value,
}

/// The outbox file of one project. Only the holder of the project's lock may touch it.
#[derive(Debug, Clone)]
pub struct Outbox {
    path: Spot,
}

impl Outbox {
    /// The outbox in a project's data folder.
    #[must_use]
    pub fn in_folder(folder: &Spot) -> Self {
        Self { path: folder.join("outbox.jsonl") }
    }

    /// Its path, for `doctor`.
    #[must_use]
    pub fn path(&self) -> &Spot {
        &self.path
    }

    /// Appends a batch and flushes it to disk. A batch without entries is not flushed: the state file, which is,
    /// holds all that it says.
    pub fn append(&self, batch: &Batch) -> Result<(), FileError> {
        let line = serde_json::to_vec(batch).map_err(io::Error::other).at("encode", &self.path)?;
        let mut file = files::open_append(&self.path)?;
        let (tail, ends_line) = files::read_tail(&mut file, 1).at("read", &self.path)?;
        files::append_line(&mut file, &line, ends_line).at("append to", &self.path)?;
        if batch.events.is_empty() {
            return Ok(());
        }
        file.sync_data().at("flush", &self.path)?;
        match self.path.parent() {
            // New since the last fold: its name has to survive a power cut as well.
            Some(folder) if tail.is_empty() => files::flush_folder(&folder),
            _ => Ok(()),
        }
    }

    /// The last batch that waits, and the fingerprints of the state files after the last few. Torn lines are
    /// skipped: their change was never acknowledged. However long the archive is away, this does not grow.
    pub fn recent(&self) -> Result<(Option<Batch>, Vec<String>), FileError> {
        let mut last = None;
        let mut hashes = Vec::new();
        for path in [&self.path, &self.folding_path()] {
            for bytes_max in TAIL_BYTES {
                let Some(tail) = read_end(path, bytes_max)? else { break };
                let lines = tail.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                for line in lines.take(RECENT_MAX) {
                    let Ok(after) = serde_json::from_slice::<After>(line) else { continue };
                    if last.is_none() {
                        last = serde_json::from_slice(line).ok();
                    }
                    hashes.push(after.hash_after);
                }
                if !hashes.is_empty() || (tail.len() as u64) < bytes_max {
                    break;
                }
            }
        }
        Ok((last, hashes))
    }

    /// Every batch that waits, oldest first; for tests and `doctor`.
    pub fn read_all(&self) -> Result<Vec<Batch>, FileError> {
        Ok(self.folding()?.chain(batches_in(&self.path)?).collect())
    }

    /// Whether anything waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.path.bytes() == 0 && self.folding_path().bytes() == 0
    }

    /// Whether so much waits that somebody should fold it, whatever it is.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.path.bytes() > LONG_BYTES || self.folding_path().exists()
    }

    /// Puts what waits aside for a fold, so that writers can go on. What an earlier fold left behind goes first.
    pub fn begin_fold(&self) -> Result<(), FileError> {
        if self.folding_path().exists() || !self.path.exists() {
            return Ok(());
        }
        files::rename(&self.path, &self.folding_path(), "move")
    }

    /// The batches put aside, oldest first, one at a time: there may be many after a long absence of the archive.
    pub fn folding(&self) -> Result<impl Iterator<Item = Batch> + use<>, FileError> {
        batches_in(&self.folding_path())
    }

    /// The first batch that came after those put aside.
    pub fn first_waiting(&self) -> Result<Option<Batch>, FileError> {
        Ok(batches_in(&self.path)?.next())
    }

    /// Forgets the batches put aside, once the archive has them.
    pub fn end_fold(&self) -> Result<(), FileError> {
        files::remove(&self.folding_path())
    }

    fn folding_path(&self) -> Spot {
        self.path.with_file_name("outbox.folding.jsonl")
    }
}

/// What a later reader needs to know of most batches.
#[derive(Deserialize)]
struct After {
    hash_after: String,
}

fn read_end(path: &Spot, bytes_max: u64) -> Result<Option<Vec<u8>>, FileError> {
    match files::open_regular(path) {
        Ok(mut file) => Ok(Some(files::read_tail(&mut file, bytes_max).at("read", path)?.0)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at("open", path),
    }
}

/// The whole batches of a file. One that cannot be read any further ends there; what follows waits for the next fold.
fn batches_in(path: &Spot) -> Result<impl Iterator<Item = Batch> + use<>, FileError> {
    let file = match files::open_regular(path) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).at("open", path),
    };
    let mut reader = file.map(BufReader::new);
    let lines = std::iter::from_fn(move || {
        let mut line = Vec::new();
        let read = reader.as_mut()?.take(BATCH_BYTES_MAX).read_until(b'\n', &mut line).ok()?;
        (read > 0).then_some(line)
    });
    Ok(lines.filter_map(|line| serde_json::from_slice(&line).ok()))
}
