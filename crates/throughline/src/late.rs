//! Late answers on their way: a usual hook keeps them in the spool, a gate answers with them what the transcript lacks.

use serde_json::{Value, json};
use throughline_agents::claude_code::hook_payload::Ran;
use throughline_capture::late::{self, Late};
use throughline_domain::ledger::Ledger;
use throughline_store::door::Spot;
use throughline_store::spool;

/// What a spool's line keeps of the command lines of one event: four numbers each.
pub(crate) fn note(ran: &[Ran]) -> Option<Value> {
    let numbers = ran.iter().map(|ran| Late::of(&ran.id, &ran.head, &ran.tail).numbers());
    (!ran.is_empty()).then(|| json!({ spool::RAN: numbers.collect::<Vec<_>>() }))
}

/// Answers what waits. In memory alone: the transcript brings the answers themselves.
pub(crate) fn supply(folder: &Spot, ledger: &mut Ledger) {
    let told: Vec<Late> = spool::runs_told(folder).into_iter().filter_map(Late::from_numbers).collect();
    late::supply(ledger, &told);
}
