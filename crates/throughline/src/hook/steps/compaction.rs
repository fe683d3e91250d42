//! A compaction: the summary that passes by is kept, and what happened is told once.

use throughline_store::files::FileError;
use throughline_store::project_files;
use throughline_store::session::{CompactionMark, SessionCache};
use throughline_store::spool::Spool;

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::steps::gate::Session;

/// Whether a subagent that stopped is the client's own summariser: it has no type, and a summary of the main conversation
/// is being made.
pub(in crate::hook) fn is_summariser(run: &Run, spool: Option<&Spool>) -> bool {
    let folder = run.place.home.session(&run.payload.session_id);
    run.payload.agent_type.as_deref() == Some("")
        && CompactionMark::current(&folder, run.now).is_some_and(|mark| !mark.noted && mark.happened_at == 0)
        && !spool.is_some_and(crate::hook::events::subagent::is_compacting)
}

/// SessionStart(compact) or PostCompact, whichever comes first: the context was compacted. It is logged, and what was
/// said on the way to it may be said again.
pub(in crate::hook) fn happened(
    run: &Run,
    session: Option<&Session>,
    mark: &mut CompactionMark,
    failures: &mut Vec<String>,
) {
    if mark.happened_at != 0 {
        return;
    }
    mark.happened_at = run.now.as_millisecond();
    let folder = run.place.home.session(&run.payload.session_id);
    let mut note = |result: Result<(), FileError>| failures.extend(result.err().map(|it| it.to_string()));
    note(mark.write(&folder));
    let Some(session) = session else { return };
    let limit = throughline_engine::session_facts::limit_tokens(&session.cache);
    let anew = SessionCache {
        thresholds_said: Vec::new(),
        backup_at_tokens: session.config.backup.next_step(limit, 0).unwrap_or(0),
        ..session.cache.clone()
    };
    note(anew.write(&folder));
    if session.cache.paused {
        return;
    }
    // Without a word of how it came about, it is the client's first sign of a session that we know nothing of.
    let trigger = &mark.trigger;
    if trigger.is_empty() {
        return;
    }
    let (id, transcript) = (&run.payload.session_id, &run.payload.transcript_path);
    note(project_files::log_compaction(&session.memory.project, id, run.now, trigger, transcript));
}

/// SubagentStop of the summariser: its last words are the summary. Of several, the last counts.
pub(in crate::hook) fn keep_summary(run: &Run) -> Outcome {
    let folder = run.place.home.session(&run.payload.session_id);
    let mut outcome = Outcome::silent();
    if let (Some(mut mark), Some(summary)) =
        (CompactionMark::current(&folder, run.now), &run.payload.last_assistant_message)
    {
        mark.keep_summary(summary);
        note_failure(&mut outcome, mark.write(&folder));
    }
    outcome
}

/// A compaction whose summary came by but whose PostCompact did not: clients before 2.1.76 have none.
pub(in crate::hook) fn unnoted(run: &Run) -> Option<serde_json::Value> {
    let folder = run.place.home.session(&run.payload.session_id);
    let is_told = |mark: &CompactionMark| mark.happened_at > 0 && mark.summary.is_some();
    let mut mark = CompactionMark::last(&folder).filter(is_told)?;
    let noted = note(&mut mark)?;
    mark.write(&folder).ok().map(|()| noted)
}

/// What the spool is told of a compaction, once.
pub(in crate::hook) fn note(mark: &mut CompactionMark) -> Option<serde_json::Value> {
    if std::mem::replace(&mut mark.noted, true) {
        return None;
    }
    Some(serde_json::json!({ "compaction": {
        "at": mark.happened_at, "trigger": mark.trigger, "focus": mark.focus, "summary": mark.summary,
    }}))
}

fn note_failure<T, E: std::fmt::Display>(outcome: &mut Outcome, result: Result<T, E>) {
    if let Err(error) = result {
        outcome.failures.push(error.to_string());
    }
}
