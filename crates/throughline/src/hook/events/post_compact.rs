//! PostCompact: the compaction happened; its summary is kept, and what it hands over is taken in.

use throughline_store::session::CompactionMark;

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::steps::compaction;
use crate::hook::steps::gate::{self};
use crate::hook::steps::hand_over;
use crate::hook::steps::later;

/// PostCompact: keeps the summary if it was not known, and hands the whole to the archive.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let folder = run.place.home.session(&run.payload.session_id);
    let mut outcome = Outcome::silent();
    let mut mark = CompactionMark::of_compaction(&folder, run.now);
    if let Some(trigger) = &run.payload.trigger {
        mark.trigger = throughline_domain::text::one_line(trigger, 20);
    }
    let session = gate::open(run);
    compaction::happened(run, session.as_ref(), &mut mark, &mut outcome.failures);
    if !mark.has_own_summary()
        && let Some(summary) = run.payload.compact_summary.as_ref().filter(|it| !it.is_empty())
    {
        mark.keep_summary(summary);
        later::note_known(run, &mark, &mut outcome.failures);
    }
    // What the client says it used counts; a summary that was made before may have been dropped.
    let used = run.payload.compact_summary.as_deref().filter(|summary| !summary.is_empty());
    let used = used.or(mark.summary.as_deref()).map(str::to_owned);
    hand_over::after_compaction(run, session.as_ref(), used.as_deref(), None, &mut outcome.failures);
    outcome.note = compaction::note(&mut mark);
    note_failure(&mut outcome, mark.write(&folder));
    // Once for all three events of a compaction.
    if let Some(session) = &session {
        gate::fold(run, &session.memory, &mut outcome.failures);
    }
    outcome
}

fn note_failure<T, E: std::fmt::Display>(outcome: &mut Outcome, result: Result<T, E>) {
    if let Err(error) = result {
        outcome.failures.push(error.to_string());
    }
}
