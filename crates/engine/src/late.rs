//! Late answers on their way: a usual hook keeps them in the spool, a gate answers with them what the transcript lacks.

use throughline_agents::hook::{Event, HookPayload};
use throughline_capture::late::{self, Late};
use throughline_domain::ledger::Ledger;
use throughline_store::door::Spot;
use throughline_store::spool;

/// What a spool's line keeps of the command lines of one event of the main conversation.
#[must_use]
pub fn told(payload: &HookPayload) -> Vec<[u64; 4]> {
    if payload.event != Event::PostToolBatch || payload.agent_id.is_some() {
        return Vec::new();
    }
    payload.ran.iter().map(|ran| Late::of(&ran.id, &ran.head, &ran.tail).numbers()).collect()
}

/// Answers what waits. In memory alone: the transcript brings the answers themselves.
pub fn supply(folder: &Spot, ledger: &mut Ledger) {
    let told: Vec<Late> = spool::runs_told(folder).into_iter().filter_map(Late::from_numbers).collect();
    late::supply(ledger, &told);
}
