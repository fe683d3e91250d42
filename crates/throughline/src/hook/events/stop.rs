//! Stop: a turn is over, and what waits goes into the archive.

use throughline_store::project_files;

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::checkpoints;
use crate::hook::steps::compaction;
use crate::hook::steps::masking;
use crate::hook::steps::notes;
use crate::hook::steps::purity;
use crate::hook::steps::reading;
use crate::hook::steps::saving;

/// Stop: folds what waits.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let mut outcome = Outcome::silent();
    let Some(gate) = Gate::open(run) else { return outcome };
    if !gate.facts.paused {
        saving::catch_up(&gate);
    }
    outcome.note = compaction::unnoted(run);
    if !gate.facts.paused {
        reading::settle_lineage(&gate);
        let noted = project_files::note_current_session(&gate.memory.project, &run.payload.session_id);
        run.failures.keep(noted);
        let told = reading::read_on(&gate);
        let committed = checkpoints::at_gate(&gate, told.as_ref());
        notes::at_gate(&gate, told.as_ref(), committed.as_deref());
        purity::at_gate(&gate, told, &mut outcome);
    }
    gate.fold();
    masking::go_on(run);
    outcome
}
