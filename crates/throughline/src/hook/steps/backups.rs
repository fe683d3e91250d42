//! Backups of the transcript, where the user wants them: as the context fills up, and before a compaction.

use std::path::Path;
use std::time::Duration;

use throughline_agents::transcript::LastUsage;
use throughline_engine::session_facts::limit_tokens;
use throughline_store::backups::{BackupError, BackupMoment, Backups};
use throughline_store::forget::Forgotten;
use throughline_store::lock::{LockError, Patience};
use throughline_store::session::SessionFacts;

use crate::hook::Run;
use crate::hook::gate::Gate;

/// Before a compaction so much time may have gone when another slice is begun.
const COMPACTING_MAX: Duration = Duration::from_secs(4);
/// The next turn goes on with what was left over.
const GO_ON: u64 = 1;
/// No further step before the next compaction.
const NO_MORE: u64 = u64::MAX;

/// Whether a step was passed. The only question that a usual run asks.
pub(in crate::hook) fn is_due(run: &Run, facts: &SessionFacts, usage: &LastUsage) -> bool {
    if facts.backup_from_tokens == 0 {
        return false;
    }
    let next = run.progress().backup_at_tokens;
    usage.context_tokens >= if next == 0 { facts.backup_from_tokens } else { next }
}

/// A step was passed: what is new in the transcript is copied, and the next step noted.
pub(in crate::hook) fn at_step(gate: &Gate<'_>, usage: &LastUsage) {
    let used = usage.context_tokens;
    let rules = &gate.config.backup;
    let more = rules.transcripts && take(gate, Some(used));
    let next = rules.next_step(limit_tokens(&gate.facts), used).unwrap_or(NO_MORE);
    gate.run.change_progress(|progress| progress.backup_at_tokens = if more { GO_ON } else { next });
}

/// Before a compaction: everything, as far as there is time. The steps begin again.
pub(in crate::hook) fn before_compaction(gate: &Gate<'_>) {
    if !gate.config.backup.transcripts {
        return;
    }
    let mut more = true;
    while more && gate.run.began.elapsed() < COMPACTING_MAX {
        more = take(gate, None);
    }
    if more {
        gate.run.change_progress(|progress| progress.backup_at_tokens = GO_ON);
    }
}

/// Copies one slice; tells whether there is more. A failure costs this copy: what is missing goes with the next one.
fn take(gate: &Gate<'_>, tokens: Option<u64>) -> bool {
    let run = gate.run;
    // A copy would bring back what was forgotten of this session.
    match Forgotten::read(&run.place.home) {
        Ok(forgotten) if forgotten.until_of_session(&run.payload.session_id).is_none() => {}
        Ok(_) => return false,
        Err(error) => {
            run.failures.add(error);
            return false;
        }
    }
    let moment = BackupMoment {
        project: &gate.memory.project.key,
        session: &run.payload.session_id,
        transcript: Path::new(&run.payload.transcript_path),
        tokens,
        now: run.now,
        bytes_max: gate.config.backup.max_bytes,
        patience: Patience::Hook,
    };
    match Backups::of(&run.place.home).take(&moment) {
        Ok(taken) => taken.more,
        // Somebody else copies it at this very moment.
        Err(BackupError::Lock(LockError::Busy { .. })) => false,
        Err(error) => {
            run.failures.add(format_args!("backup: {error}"));
            false
        }
    }
}
