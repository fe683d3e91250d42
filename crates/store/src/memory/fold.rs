//! Folding the outbox into the archive: outside the project's lock but for a moment, and never twice.

use super::Memory;
use crate::archive::Archive;
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
        (current_hash(memory), outbox.first_waiting()?)
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

fn current_hash(memory: &Memory) -> Option<String> {
    let path = state_file::real_path(&memory.project).ok()?;
    let bytes = crate::files::read_limited(&path, 8 << 20).ok().flatten()?;
    Some(state_file::hash_of(&bytes))
}
