//! A compaction: the summary that passes by is kept, and what happened is told once.

use std::time::SystemTime;

use throughline_domain::transcript::What;
use throughline_engine::ledger;
use throughline_engine::source::LineReader;
use throughline_store::project_files;
use throughline_store::session::CompactionMark;
use throughline_store::spool::Spool;
use throughline_store::transcript_file::Cursor;

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::gate::Gate;

/// So much of a transcript's end is looked through for a summary.
const SUMMARY_BYTES_MAX: u64 = ledger::SLICE_BYTES;

/// Whether a subagent that stopped is the client's own summariser: it has no type, and a summary of the main conversation
/// is being made.
pub(in crate::hook) fn is_summariser(run: &Run, spool: Option<&Spool>) -> bool {
    run.payload.agent_type.as_deref() == Some("")
        && CompactionMark::current(&run.folder, run.now)
            .is_some_and(|mark| !mark.noted && mark.happened_at == 0)
        && !spool.is_some_and(crate::hook::events::subagent::is_compacting)
}

/// SessionStart(compact) or PostCompact, whichever comes first: the context was compacted. It is logged, and what was
/// said on the way to it may be said again.
pub(in crate::hook) fn happened(gate: &Gate<'_>, mark: &mut CompactionMark) {
    let run = gate.run;
    if mark.happened_at != 0 {
        return;
    }
    mark.happened_at = run.now.as_millisecond();
    run.failures.keep(mark.write(&run.folder));
    run.change_progress(|progress| {
        progress.thresholds_said.clear();
        progress.backup_at_tokens = 0;
    });
    if gate.facts.paused {
        return;
    }
    // Without a word of how it came about, it is the client's first sign of a session that we know nothing of.
    let trigger = &mark.trigger;
    if trigger.is_empty() {
        return;
    }
    let (id, transcript) = (&run.payload.session_id, &run.payload.transcript_path);
    let logged = project_files::log_compaction(&gate.memory.project, id, run.now, trigger, transcript);
    run.failures.keep(logged);
}

/// The summary as the client wrote it down, for agents whose hooks do not bring it.
pub(in crate::hook) fn find_summary(run: &Run, mark: &mut CompactionMark) {
    if run.agent.hooks.brings_summary || mark.summary.is_some() {
        return;
    }
    let transcript = run.transcript();
    let source = transcript.source();
    let bytes = source.bytes().unwrap_or(u64::MAX);
    // What was written since it was asked for; where nobody was told of that, the end.
    let bytes_max = bytes.saturating_sub(mark.asked_bytes).clamp(1, SUMMARY_BYTES_MAX);
    let cursor = if bytes_max < bytes { Cursor::default() } else { Cursor::at_start() };
    let mut found = None;
    let mut reader = LineReader::afresh(run.agent);
    let each_line = |_: u64, bytes: &[u8]| {
        ledger::each(&mut reader, bytes, |line| {
            match &line.what {
                _ if line.is_sidechain => {}
                What::Summary(text) => found = Some(text.clone().into_owned()),
                // Its own summary follows it, or none that can be read: an earlier one is not this one's.
                What::Compacted { .. } => found = None,
                _ => {}
            }
        });
    };
    run.failures.keep(source.read_on(&cursor, bytes_max, SystemTime::UNIX_EPOCH, each_line));
    if let Some(summary) = found {
        mark.keep_summary(&summary);
        run.failures.keep(mark.write(&run.folder));
    }
}

/// SubagentStop of the summariser: its last words are the summary. Of several, the last counts.
pub(in crate::hook) fn keep_summary(run: &Run) -> Outcome {
    if let (Some(mut mark), Some(summary)) =
        (CompactionMark::current(&run.folder, run.now), &run.payload.last_assistant_message)
    {
        mark.keep_summary(summary);
        run.failures.keep(mark.write(&run.folder));
    }
    Outcome::silent()
}

/// A compaction whose summary came by but whose PostCompact did not: clients before 2.1.76 have none.
pub(in crate::hook) fn unnoted(run: &Run) -> Option<serde_json::Value> {
    let is_told = |mark: &CompactionMark| mark.happened_at > 0 && mark.summary.is_some();
    let mut mark = CompactionMark::last(&run.folder).filter(is_told)?;
    let noted = note(&mut mark)?;
    mark.write(&run.folder).ok().map(|()| noted)
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
