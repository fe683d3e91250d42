//! Folding the outbox into the archive: outside the project's lock but for a moment, and never twice.

use super::Memory;
use crate::archive::Archive;
use crate::files::{self, Durability, FileError};
use crate::gate::GateError;
use crate::lock::{Lock, Patience};
use crate::state_file;

/// What a fold did.
#[derive(Debug, PartialEq, Eq)]
pub enum FoldOutcome {
    /// Nothing waited.
    Nothing,
    /// So many changes reached the archive.
    Folded(usize),
    /// Somebody else is at it, or holds the lock; what waits, waits on.
    Busy,
}

/// Moves what waits in a project's outbox into the archive.
pub fn fold_outbox(memory: &Memory, archive: &mut Archive) -> Result<FoldOutcome, GateError> {
    let outbox = memory.outbox();
    if outbox.is_empty() {
        return Ok(FoldOutcome::Nothing);
    }
    let Some(_folding) = Lock::try_now(&memory.folder().join("fold-lock")) else {
        return Ok(FoldOutcome::Busy);
    };
    let (current, next) = {
        let Ok(_lock) = Lock::acquire(&memory.lock_path(), Patience::Hook) else {
            return Ok(FoldOutcome::Busy);
        };
        // Under the lock nobody is between the outbox and the state file, so the last batch can be judged.
        outbox.begin_fold()?;
        let current = current_bytes(memory);
        let hash = current.as_ref().map(|bytes| state_file::hash_of(bytes));
        remember_what_was_written(memory, current.as_deref(), hash.as_ref())?;
        (hash, outbox.first_waiting()?)
    };
    let batches = outbox.read_folding()?;
    let committed: Vec<bool> = (0..batches.len())
        .map(|at| {
            let later = batches.get(at + 1).or(next.as_ref());
            let hash_later = later.map_or(current.as_ref(), |later| later.hash_before.as_ref());
            // A batch whose file was found unchanged afterwards never reached it: its writer was killed in between.
            hash_later != batches[at].hash_before.as_ref()
        })
        .collect();
    let root = memory.project.root.to_string_lossy();
    archive.fold_batches(&memory.project.key, &root, &batches, &committed)?;
    outbox.end_fold()?;
    Ok(FoldOutcome::Folded(batches.len()))
}

fn current_bytes(memory: &Memory) -> Option<Vec<u8>> {
    let path = state_file::real_path(&memory.project).ok()?;
    files::read_limited(&path, 8 << 20).ok().flatten()
}

/// A writer that was killed after the commit left no copy of what it wrote: its batch, about to go, is the last proof
/// that this file is ours and not a hand edit.
fn remember_what_was_written(memory: &Memory, current: Option<&[u8]>, hash: Option<&String>) -> Result<(), FileError> {
    let ours = memory.outbox().read_all()?.last().map(|batch| batch.hash_after.clone());
    match (current, hash) {
        (Some(bytes), Some(hash)) if Some(hash) == ours.as_ref() => {
            files::replace(&memory.last_written_path(), bytes, Durability::Quick)
        }
        _ => Ok(()),
    }
}
