//! Reading on: what the transcript tells since the last gate, taken note of.

use throughline_domain::ledger::Ledger;
use throughline_engine::{ledger, lineage};
use throughline_store::ledger_file::LedgerFile;

use crate::hook::gate::Gate;
use crate::hook::steps::anchors;
use crate::hook::steps::glance;
use crate::hook::steps::summaries::{self, When};

/// Takes note of what the transcript tells since the last gate, and summarises what is over.
pub(in crate::hook) fn read_on(gate: &Gate<'_>) -> Option<Ledger> {
    if LedgerFile::may_wait(&gate.run.folder, &gate.run.payload.transcript_path) {
        glance::keep(gate, None);
        return None;
    }
    let told = gate.catch_up(ledger::SLICE_BYTES);
    summaries::keep(gate, &told, When::Filling);
    glance::keep(gate, Some(&told));
    anchors::propose(gate, &told);
    Some(told)
}

/// A fork does not say whose it is; its transcript, which is there by now, does.
pub(in crate::hook) fn settle_lineage(gate: &Gate<'_>) {
    let run = gate.run;
    if gate.facts.source != "fork" || run.progress().parent.is_some() {
        return;
    }
    let (home, payload) = (&run.place.home, &run.payload);
    let project = &gate.memory.project;
    let fork = (run.agent, payload.session_id.as_str(), payload.transcript_path.as_str());
    let found = lineage::forked_from(home, project, fork, run.now);
    // Once it was looked for in vain it is not looked for again.
    if found.is_some() {
        run.change_progress(|progress| progress.parent = found);
    }
}
