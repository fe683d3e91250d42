//! The gate's work: what waits in the outbox and the spools goes into the archive. Failures leave everything waiting.

use std::time::Duration;

use throughline_domain::{Timestamp, time};

use crate::archive::{Archive, ArchiveError, CompactionRow, SpoolFold};
use crate::catalogue::{self, Under};
use crate::files::{self, FileError};
use crate::lock::Patience;
use crate::memory::{FoldOutcome, Memory, fold_outbox};
use crate::paths::safe_name;
use crate::spool;

/// Why a fold did not happen; what waits, waits on.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// The archive refused.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Outbox or spool could not be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What a gate did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Changes of the working set.
    pub batches: usize,
    /// Hook runs.
    pub records: usize,
}

/// Folds a project's outbox and the spools of the named sessions.
pub fn fold(memory: &Memory, session_ids: &[&str], wait: Duration) -> Result<Folded, GateError> {
    let mut archive = Archive::open(&memory.home.archive(), wait)?;
    let mut folded = Folded::default();
    if let FoldOutcome::Folded(batches) = fold_outbox(memory, &mut archive, Patience::Hook)? {
        folded.batches = batches;
    }
    for session_id in session_ids {
        sweep(memory, session_id);
        folded.records += fold_spool(memory, &mut archive, session_id)?;
    }
    Ok(folded)
}

/// What killed hooks left lying about in the data folder, in those of a session, and among the checkpoints: after the last one of a
/// project nobody else would look there.
fn sweep(memory: &Memory, session_id: &str) {
    let session = safe_name(session_id);
    catalogue::sweep(Under::Project, &memory.project.files, &session);
    catalogue::sweep(Under::Data, memory.home.root(), &session);
}

/// Folds what sessions that are over left behind, and removes their folders. Returns how many are gone.
pub fn retire(memory: &Memory, session_ids: &[&str], wait: Duration) -> Result<usize, GateError> {
    let waiting: Vec<&&str> = session_ids.iter().filter(|id| memory.home.session(id).exists()).collect();
    if waiting.is_empty() {
        return Ok(0);
    }
    let mut archive = Archive::open(&memory.home.archive(), wait)?;
    for session_id in &waiting {
        // One slice at a time: a spool that is longer than a slice goes at a later start.
        fold_spool(memory, &mut archive, session_id)?;
        let folder = memory.home.session(session_id);
        let archived_bytes = archive.spool_offset(session_id)?;
        let bytes = folder.join("spool.jsonl").bytes();
        if archived_bytes >= bytes {
            files::remove_tree(&folder)?;
            archive.retire_spool(session_id)?;
        }
    }
    Ok(waiting.len())
}

/// Folds the outbox alone: what a verb does after its change.
pub fn fold_changes(memory: &Memory, wait: Duration) -> Result<usize, GateError> {
    if memory.outbox().is_empty() {
        return Ok(0);
    }
    let mut archive = Archive::open(&memory.home.archive(), wait)?;
    match fold_outbox(memory, &mut archive, Patience::Fold)? {
        FoldOutcome::Folded(batches) => Ok(batches),
        FoldOutcome::Nothing | FoldOutcome::Busy => Ok(0),
    }
}

fn fold_spool(memory: &Memory, archive: &mut Archive, session_id: &str) -> Result<usize, GateError> {
    let from = archive.spool_offset(session_id)?;
    let slice = spool::read_from(&memory.home.session(session_id), from)?;
    if slice.records.is_empty() && slice.end == from {
        return Ok(0);
    }
    for record in &slice.records {
        if let Some(compaction) = compaction_in(record, session_id, &memory.project.key) {
            archive.note_compaction(&compaction)?;
        }
    }
    match archive.fold_spool(session_id, &memory.project.key, &slice, from)? {
        SpoolFold::Folded => Ok(slice.records.len()),
        SpoolFold::Moved { .. } => Ok(0),
    }
}

/// A compaction that a hook noted in the spool.
fn compaction_in(record: &spool::SpoolRecord, session: &str, project: &str) -> Option<CompactionRow> {
    let noted = record.note.as_ref()?.get("compaction")?;
    let text = |key: &str| noted.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let at_ms = noted.get("at").and_then(serde_json::Value::as_i64).unwrap_or(record.at);
    Some(CompactionRow {
        session: session.to_owned(),
        project: project.to_owned(),
        at: time::iso(Timestamp::from_millisecond(at_ms).ok()?),
        trigger: text("trigger"),
        focus: text("focus"),
        summary: text("summary"),
    })
}
