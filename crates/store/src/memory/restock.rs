//! Restocking: an archive that was started anew is told what the working set holds.

use std::collections::HashSet;

use serde_json::Value;
use throughline_domain::{Origin, time};
use throughline_redact as redact;

use super::reconcile::{self, WhoseVersion};
use super::{Author, Memory, batch_uid, draft};
use crate::archive::{Archive, Filter};
use crate::gate::GateError;
use crate::lock::Lock;
use crate::memory::MemoryError;
use crate::outbox::{Batch, Event, Op};
use crate::state_file;

/// What the fold compares the state file's fingerprint with: no file has this one, so the batch counts as committed.
const NO_FILE_HASH: &str = "restock";
/// More live entries than any working set holds.
const LIVE_MAX: u64 = 100_000;

/// Why the archive could not be restocked. Nothing was lost.
#[derive(Debug, thiserror::Error)]
pub enum RestockError {
    /// The working set could not be read, or the outbox not written.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The archive could not be asked.
    #[error(transparent)]
    Gate(#[from] GateError),
}

impl Memory {
    /// Puts every entry of the working set that the archive lacks into the outbox, for the next fold, and says how
    /// many. 0 as well while changes wait in the outbox: they are to be folded first, or they could not be judged.
    pub fn restock(&self, author: &Author, archive: &Archive) -> Result<usize, RestockError> {
        let filter = Filter { kind: None, live_only: true, limit: LIVE_MAX };
        let rows = archive.entries(&self.project.key, filter).map_err(GateError::from)?;
        let known: HashSet<String> = rows.into_iter().map(|row| row.id).collect();
        let _lock = Lock::acquire(&self.lock_path(), author.patience).map_err(MemoryError::from)?;
        let outbox = self.outbox();
        if !outbox.is_empty() {
            return Ok(0);
        }
        let path = state_file::standing(&self.project).map_err(MemoryError::from)?;
        // Somebody else's version is not ours to record.
        let WhoseVersion::Ours { state, hash, .. } = reconcile::standing(self, &path)?.0 else {
            return Ok(0);
        };
        let untrusted = self.untrusted();
        let events: Vec<Event> = state
            .all_entries()
            .filter(|entry| !known.contains(&entry.id.to_string()))
            .map(|entry| {
                let foreign = untrusted.contains(&entry.id.to_string());
                let origin = if foreign { Origin::Import } else { Origin::Hand };
                // A return, not an addition: the row then carries the time at which the entry was recorded.
                let why = Some("read back from the state file".to_owned());
                let mut event = draft::event(Op::Return, entry, origin, why);
                redact::json(&mut event.body);
                event
            })
            .collect();
        let count = events.len();
        if count > 0 {
            let mut whole: Value = state.to_json();
            redact::json(&mut whole);
            let batch = Batch {
                uid: batch_uid(author.now),
                at: time::iso(author.now),
                session: None,
                hash_before: Some(NO_FILE_HASH.to_owned()),
                hash_after: hash,
                events,
                state: whole,
            };
            outbox.append(&batch).map_err(MemoryError::from)?;
        }
        Ok(count)
    }
}
