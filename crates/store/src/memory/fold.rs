//! Folding the outbox into the archive: outside the project's lock but for a moment, and never twice.

use serde_json::Value;
use throughline_domain::State;

use super::{Memory, known_ids, reconcile};
use crate::archive::Archive;
use crate::files::FileError;
use crate::gate::GateError;
use crate::lock::{Lock, Patience};
use crate::outbox::Batch;

/// Batches in one transaction; each carries a whole state.
const BATCHES_AT_ONCE: usize = 128;

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
pub fn fold_outbox(
    memory: &Memory,
    archive: &mut Archive,
    patience: Patience,
) -> Result<FoldOutcome, GateError> {
    let outbox = memory.outbox();
    if outbox.is_empty() {
        return Ok(FoldOutcome::Nothing);
    }
    let Some(_folding) = Lock::try_now(&memory.folder().join("fold-lock")) else {
        return Ok(FoldOutcome::Busy);
    };
    let mut folded = 0;
    // What a killed fold left goes first; what came after it is a second round.
    for _ in 0..2 {
        match fold_round(memory, archive, patience)? {
            Some(batches) => folded += batches,
            None if folded == 0 => return Ok(FoldOutcome::Busy),
            None => break,
        }
        if outbox.is_empty() {
            break;
        }
    }
    Ok(FoldOutcome::Folded(folded))
}

/// Folds one file of batches; `None` when the project's lock could not be had.
fn fold_round(
    memory: &Memory,
    archive: &mut Archive,
    patience: Patience,
) -> Result<Option<usize>, GateError> {
    let outbox = memory.outbox();
    let (current, next) = {
        let Ok(_lock) = Lock::acquire(&memory.lock_path(), patience) else {
            return Ok(None);
        };
        // Under the lock nobody is between the outbox and the state file, so the last batch can be judged.
        let current = settle_last_written(memory)?;
        outbox.begin_fold()?;
        (current, outbox.first_waiting()?)
    };
    let root = memory.project.root.to_string_lossy();
    let mut waiting = outbox.folding()?.peekable();
    let mut folded = 0;
    while waiting.peek().is_some() {
        let batches: Vec<Batch> = waiting.by_ref().take(BATCHES_AT_ONCE).collect();
        let after = waiting.peek().or(next.as_ref());
        let committed: Vec<bool> =
            (0..batches.len()).map(|at| is_committed(&batches, at, after, &current)).collect();
        for (batch, _) in batches.iter().zip(&committed).filter(|(_, committed)| !**committed) {
            if let Value::Object(map) = &batch.state {
                known_ids::remember(&memory.folder(), &State::from_map(map.clone()).0)?;
            }
        }
        archive.fold_batches(&memory.project.key, &root, &batches, &committed)?;
        folded += batches.len();
    }
    outbox.end_fold()?;
    Ok(Some(folded))
}

/// Whether a batch reached the state file. One whose file was found unchanged afterwards did not: its writer was
/// killed in between.
fn is_committed(batches: &[Batch], at: usize, after: Option<&Batch>, current: &[String]) -> bool {
    let batch = &batches[at];
    if batch.hash_before.as_ref() == Some(&batch.hash_after) {
        // The file stood there already, word by word: a hand edit that was only taken note of.
        return true;
    }
    match batches.get(at + 1).or(after) {
        Some(later) => later.hash_before != batch.hash_before,
        // Found nothing, and there is nothing: it was not written.
        None => match &batch.hash_before {
            None => !current.is_empty(),
            Some(before) => !current.contains(before),
        },
    }
}

/// Makes the copy of what we last wrote true. A writer that was killed after the commit left an old one: its batch,
/// about to go, is the last proof that this file is ours. Returns what the last batch found, if it never reached the file.
fn settle_last_written(memory: &Memory) -> Result<Vec<String>, FileError> {
    let (current, newer) = reconcile::found_now(memory)?;
    if let Some(bytes) = newer {
        memory.note_last_written(&bytes)?;
    }
    Ok(current)
}
