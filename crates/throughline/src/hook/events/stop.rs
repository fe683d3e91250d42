//! Stop: a turn is over, and what waits goes into the archive.

use throughline_store::project_files;

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::events::usual;
use crate::hook::steps::checkpoints;
use crate::hook::steps::compaction;
use crate::hook::steps::gate::{self};
use crate::hook::steps::masking;
use crate::hook::steps::notes;
use crate::hook::steps::purity;
use crate::hook::steps::reading;

/// Stop: folds what waits.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let mut outcome = Outcome::silent();
    if let Some(session) = gate::open(run) {
        if !session.cache.paused {
            usual::catch_up_save(run, &session, &mut outcome.failures);
        }
        outcome.note = compaction::unnoted(run);
        if !session.cache.paused {
            reading::settle_lineage(run, &session, &mut outcome.failures);
            let noted = project_files::note_current_session(&session.memory.project, &run.payload.session_id);
            outcome.failures.extend(noted.err().map(|error| error.to_string()));
            let told = reading::read_on(run, &session, &mut outcome.failures);
            let committed = checkpoints::at_gate(run, &session, told.as_ref(), &mut outcome.failures);
            notes::at_gate(run, &session, told.as_ref(), committed.as_deref(), &mut outcome.failures);
            purity::at_gate(run, &session, told, &mut outcome);
        }
        gate::fold(run, &session.memory, &mut outcome.failures);
        masking::go_on(run);
    }
    outcome
}
