//! The glance that a gate leaves for the status line: phase, task, and what is saved.

use throughline_domain::ledger::Ledger;
use throughline_domain::purity::Level;
use throughline_domain::{State, time};
use throughline_store::glance::Glance;

use crate::hook::Run;
use crate::hook::gate::Gate;

/// Leaves what changed. The state is read again only if its file is another one; tasks come with a ledger.
pub(in crate::hook) fn keep(gate: &Gate<'_>, ledger: Option<&Ledger>) {
    let run = gate.run;
    let before = Glance::read(&run.folder);
    let now = gate.state_stamp();
    let same_state = before.as_ref().filter(|before| before.state_stamp == now);
    if same_state.is_some() && ledger.is_none() {
        return;
    }
    let mut glance = if let Some(before) = same_state {
        before.clone()
    } else {
        let (state, stamp) = gate.stamped_state();
        of_state(run, &state, stamp)
    };
    (glance.task, glance.purity) = match ledger {
        Some(ledger) => (task_in_hand(ledger), purity_of(gate, ledger)),
        None => before.map_or((None, None), |before| (before.task, before.purity)),
    };
    run.failures.keep(glance.keep(&run.folder));
}

fn of_state(run: &Run, state: &State, state_stamp: u64) -> Glance {
    let purified = state.waiting_purification(run.now).filter(|it| it.session == run.payload.session_id);
    let phase = state.sd.phase.as_ref().or(state.workflow.current_phase.as_ref());
    Glance {
        phase: phase.filter(|phase| !phase.trim().is_empty()).cloned(),
        task: None,
        entries: (state.all_entries().count() + state.key_decisions.len()) as u64,
        saved_at_ms: time::parse(&state.timestamp).map(throughline_domain::Timestamp::as_millisecond),
        state_stamp,
        purity: None,
        purified: purified.map(|kept| kept.score),
    }
}

fn purity_of(gate: &Gate<'_>, ledger: &Ledger) -> Option<(u64, Level)> {
    let rules = Some(&gate.config.purity).filter(|rules| rules.enabled && ledger.turn > 0)?;
    let purity = rules.scale.rate_stretch(&ledger.stretch, ledger.turn);
    Some((purity.score, purity.level))
}

/// The task in progress that was last touched.
fn task_in_hand(ledger: &Ledger) -> Option<String> {
    let at_work = ledger.tasks.iter().filter(|task| task.status == "in_progress");
    at_work.max_by_key(|task| task.changed).map(|task| task.subject.clone())
}
