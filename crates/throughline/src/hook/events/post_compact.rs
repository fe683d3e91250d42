//! PostCompact: the compaction happened; its summary is kept, and what it hands over is taken in.

use throughline_domain::text::one_line;
use throughline_store::session::CompactionMark;

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::compaction;
use crate::hook::steps::hand_over;
use crate::hook::steps::later_difference;

/// PostCompact: keeps the summary if it was not known, and hands the whole to the archive.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let Some(gate) = Gate::open(run) else { return Outcome::silent() };
    let mut mark = CompactionMark::of_compaction(&run.folder, run.now);
    if let Some(trigger) = &run.payload.trigger {
        mark.trigger = one_line(trigger, 20);
    }
    compaction::happened(&gate, &mut mark);
    compaction::find_summary(run, &mut mark);
    // What the client says it used counts; a summary that was made before may have been dropped.
    let told = run.payload.compact_summary.as_deref().filter(|summary| !summary.is_empty());
    if let Some(summary) = told.filter(|_| !mark.has_own_summary()) {
        mark.keep_summary(summary);
        later_difference::note_known(run, &mark);
    }
    let used = told.or(mark.summary.as_deref());
    hand_over::after_compaction(&gate, &mark, used, None);
    let note = compaction::note(&mut mark);
    run.failures.keep(mark.write(&run.folder));
    // Once for all three events of a compaction.
    gate.fold();
    Outcome { note, ..Outcome::silent() }
}
