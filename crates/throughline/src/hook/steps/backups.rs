//! Backups of the transcript, where the user wants them: as the context fills up, and before a compaction.

use std::path::Path;
use std::time::Duration;

use throughline_agents::claude_code::transcript_tail::LastUsage;
use throughline_engine::session_facts::limit_tokens;
use throughline_store::backups::{BackupError, Backups, Moment};
use throughline_store::forget::Forgotten;
use throughline_store::lock::{LockError, Patience};
use throughline_store::session::SessionCache;

use crate::hook::Run;
use crate::hook::steps::gate::Session;

/// Before a compaction so much time may have gone when another slice is begun.
const COMPACTING_MAX: Duration = Duration::from_secs(4);
/// The next turn goes on with what was left over.
const GO_ON: u64 = 1;

/// Whether a step was passed. The only question that a usual run asks.
pub(in crate::hook) fn is_due(cache: &SessionCache, usage: &LastUsage) -> bool {
    cache.backup_at_tokens > 0 && usage.context_tokens >= cache.backup_at_tokens
}

/// A step was passed: what is new in the transcript is copied, and the next step noted.
pub(in crate::hook) fn at_step(
    run: &Run,
    cache: &mut SessionCache,
    usage: &LastUsage,
    failures: &mut Vec<String>,
) {
    let project = run.place.project_at(&cache.project_root);
    let (config, _) = run.place.config(&project);
    let used = usage.context_tokens;
    let mut more = false;
    if config.backup.transcripts {
        more = take(run, &project.key, config.backup.max_bytes, Some(used), failures);
    }
    let next = config.backup.next_step(limit_tokens(cache), used).unwrap_or(0);
    cache.backup_at_tokens = if more { GO_ON } else { next };
    if let Err(error) = cache.write(&run.place.home.session(&run.payload.session_id)) {
        failures.push(error.to_string());
    }
}

/// Before a compaction: everything, as far as there is time. The steps begin again.
pub(in crate::hook) fn before_compaction(run: &Run, session: &Session, failures: &mut Vec<String>) {
    let rules = &session.config.backup;
    if !rules.transcripts {
        return;
    }
    let mut more = true;
    while more && run.began.elapsed() < COMPACTING_MAX {
        more = take(run, &session.memory.project.key, rules.max_bytes, None, failures);
    }
    let folder = run.place.home.session(&run.payload.session_id);
    // What was written since this run began stays.
    if more && let Some(cache) = SessionCache::read(&folder) {
        let _ = SessionCache { backup_at_tokens: GO_ON, ..cache }.write(&folder);
    }
}

/// Copies one slice; tells whether there is more. A failure costs this copy: what is missing goes with the next one.
fn take(run: &Run, project: &str, bytes_max: u64, tokens: Option<u64>, failures: &mut Vec<String>) -> bool {
    // A copy would bring back what was forgotten of this session.
    match Forgotten::read(&run.place.home) {
        Ok(forgotten) if forgotten.until_of_session(&run.payload.session_id).is_none() => {}
        Ok(_) => return false,
        Err(error) => {
            failures.push(error.to_string());
            return false;
        }
    }
    let moment = Moment {
        project,
        session: &run.payload.session_id,
        transcript: Path::new(&run.payload.transcript_path),
        tokens,
        now: run.now,
        bytes_max,
        patience: Patience::Hook,
    };
    match Backups::of(&run.place.home).take(&moment) {
        Ok(taken) => taken.more,
        // Somebody else copies it at this very moment.
        Err(BackupError::Lock(LockError::Busy { .. })) => false,
        Err(error) => {
            failures.push(format!("backup: {error}"));
            false
        }
    }
}
