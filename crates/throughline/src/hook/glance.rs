//! The glance that a gate leaves for the status line: phase, task, and what is saved.

use throughline_domain::ledger::Ledger;
use throughline_domain::{State, time};
use throughline_store::glance::Glance;
use throughline_store::memory::Memory;
use throughline_store::statusline_rules::stamp_of;

use super::Run;

/// Leaves what changed. The state is read again only if its file is another one; tasks come with a ledger.
pub(super) fn keep(run: &Run, memory: &Memory, ledger: Option<&Ledger>, failures: &mut Vec<String>) {
    let folder = run.place.home.session(&run.payload.session_id);
    let before = Glance::read(&folder);
    let state_stamp = stamp_of(&[memory.project.state_file()], &[]);
    let same_state = before.as_ref().filter(|before| before.state_stamp == state_stamp);
    if same_state.is_some() && ledger.is_none() {
        return;
    }
    let mut glance = match same_state {
        Some(before) => before.clone(),
        None => of_state(memory.peek().ok().flatten().as_ref(), state_stamp),
    };
    glance.task = match ledger {
        Some(ledger) => task_in_hand(ledger),
        None => before.and_then(|before| before.task),
    };
    failures.extend(glance.keep(&folder).err().map(|error| error.to_string()));
}

fn of_state(state: Option<&State>, state_stamp: u64) -> Glance {
    let Some(state) = state else { return Glance { state_stamp, ..Glance::default() } };
    let phase = state.sd.phase.as_ref().or(state.workflow.current_phase.as_ref());
    Glance {
        phase: phase.filter(|phase| !phase.trim().is_empty()).cloned(),
        task: None,
        entries: (state.all_entries().count() + state.key_decisions.len()) as u64,
        saved_at_ms: time::parse(&state.timestamp).map(throughline_domain::Timestamp::as_millisecond),
        state_stamp,
    }
}

/// The task in progress that was last touched.
fn task_in_hand(ledger: &Ledger) -> Option<String> {
    let at_work = ledger.tasks.iter().filter(|task| task.status == "in_progress");
    at_work.max_by_key(|task| task.changed).map(|task| task.subject.clone())
}
