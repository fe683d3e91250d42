//! Summaries of finished tasks: written at the gates as the context fills up, remembered around a compaction.

use throughline_capture::summaries;
use throughline_domain::ledger::Ledger;
use throughline_domain::time;
use throughline_engine::place::Place;
use throughline_engine::session_facts::percent_of_limit;
use throughline_store::door::Spot;
use throughline_store::task_summaries::{TaskSummaries, kept_ids};

use crate::hook::gate::Gate;

/// Newest finished tasks whose summaries are looked for: more would not be said.
const RECALLED_MAX: usize = 12;

/// When summaries are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hook) enum When {
    /// Where the context is full enough.
    Filling,
    /// Always: the context is about to be lost.
    Compacting,
}

/// Notes the check for other tools, and summarises what is cold, once each.
pub(in crate::hook) fn keep(gate: &Gate<'_>, ledger: &Ledger, when: When) {
    let run = gate.run;
    let Some(claude_folder) = &run.place.claude_folder else { return };
    if ledger.turn == 0 {
        return;
    }
    let on_disk = TaskSummaries::of(claude_folder);
    let session_id = &run.payload.session_id;
    run.failures.keep(on_disk.note_check(session_id, ledger.turn));
    let rules = &gate.config.summaries;
    let percent = percent_of_limit(&gate.facts, ledger.context_tokens.unwrap_or(0));
    if when == When::Filling && percent < rules.percent {
        return;
    }
    let now = time::iso(run.now);
    let cold: Vec<_> = summaries::cold(ledger, rules.cold_turns)
        .into_iter()
        .map(|segment| summaries::summary_of(segment, session_id, &now))
        .collect();
    run.failures.keep(on_disk.keep(&run.folder, &cold, rules.per_session));
}

/// Reminds a ledger of finished work that only the summaries still tell.
pub(in crate::hook) fn recall(place: &Place, session_id: &str, ledger: &mut Ledger) {
    let Some(claude_folder) = &place.claude_folder else { return };
    let on_disk = TaskSummaries::of(claude_folder);
    let mut ids = finished_ids(&place.home.session(session_id), ledger);
    ids.retain(|id| !ledger.segments.iter().any(|segment| segment.id == *id));
    let newest = ids.iter().rev().take(RECALLED_MAX);
    let found = newest.filter_map(|id| on_disk.read(session_id, id)).collect();
    summaries::recall(ledger, found);
}

/// Sessions that are over need no note of their last check.
pub(in crate::hook) fn forget_checks(place: &Place, session_ids: &[&str]) {
    if let Some(claude_folder) = &place.claude_folder {
        let on_disk = TaskSummaries::of(claude_folder);
        for id in session_ids {
            on_disk.forget_check(id);
        }
    }
}

/// Tasks that may have a summary, by us or by another tool, oldest first.
fn finished_ids(session_folder: &Spot, ledger: &Ledger) -> Vec<String> {
    let done = ledger.tasks.iter().filter(|task| task.status == "completed" && !task.id.is_empty());
    let mut ids: Vec<String> = kept_ids(session_folder);
    for task in done {
        if !ids.contains(&task.id) {
            ids.push(task.id.clone());
        }
    }
    ids
}
