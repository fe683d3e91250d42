//! Purification: a context that has gone bad is kept by what is true in it, once, and given at the next start.

use throughline_briefing::restore::Start;
use throughline_briefing::{Cap, Facts, purification};
use throughline_domain::ledger::Ledger;
use throughline_domain::purity::{Purification, Purity};
use throughline_domain::text::utf16_len;
use throughline_domain::{State, time};
use throughline_engine::ledger;
use throughline_engine::liveness::{Fate, Seen};
use throughline_redact as redact;
use throughline_store::memory::MemoryError;

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::checkpoints;
use crate::hook::steps::glance;

/// Whether the context is to be purified now.
pub(in crate::hook) fn is_due(gate: &Gate<'_>, told: Option<&Ledger>) -> bool {
    told.and_then(|told| rated(gate, told)).is_some_and(|purity| purity.level.purifies())
}

fn rated(gate: &Gate<'_>, told: &Ledger) -> Option<Purity> {
    let rules = &gate.config.purity;
    rules.enabled.then(|| rules.scale.rate_stretch(&told.stretch, told.turn))
}

/// Purifies where it is due: checkpoint, context in the state, another stretch, a note for the archive, a word to the
/// agent where the event can carry one.
pub(in crate::hook) fn at_gate(gate: &Gate<'_>, told: Option<Ledger>, outcome: &mut Outcome) {
    let run = gate.run;
    let Some(told) = told else { return };
    let Some(purity) = rated(gate, &told).filter(|purity| purity.level.purifies()) else { return };
    let state = gate.state();
    let is_done = state
        .purification
        .as_ref()
        .is_some_and(|kept| kept.session == run.payload.session_id && kept.since == told.stretch.since);
    if !is_done {
        let note = format!("purity {} of 100: {}", purity.score, purity.why());
        let with_note = ("purity", Some(note.as_str()));
        checkpoints::with_note(gate, with_note, None, Some(&told));
        // Without the context there is nothing to begin anew with: the next gate tries again.
        let kept = keep(gate, &state, &told, &purity);
        if run.failures.keep_of("purification", kept).is_none() {
            return;
        }
    }
    // A kill before this purifies the same stretch once more, which finds it done.
    if let Some(told) = run.failures.keep(ledger::begin_stretch(&run.transcript())) {
        glance::keep(gate, Some(&told));
    }
    if is_done {
        return;
    }
    let causes: Vec<&str> = purity.causes.iter().map(|cause| cause.signal.word()).collect();
    let what = serde_json::json!({ "score": purity.score, "level": purity.level.word(), "causes": causes });
    match &mut outcome.note {
        Some(serde_json::Value::Object(note)) => {
            note.insert("purity".to_owned(), what);
        }
        note => *note = Some(serde_json::json!({ "purity": what })),
    }
    outcome.reply = Outcome::saying(Some(purification::notice(&purity))).reply;
}

fn keep(gate: &Gate<'_>, state: &State, told: &Ledger, purity: &Purity) -> Result<(), MemoryError> {
    let run = gate.run;
    let untrusted = gate.untrusted();
    let vouched = Facts { untrusted: &untrusted, ..Facts::default() }.vouched(state);
    let kept = Purification {
        at: time::iso(run.now),
        session: run.payload.session_id.clone(),
        since: told.stretch.since,
        score: purity.score,
        causes: purity.causes.iter().map(|cause| format!("{} −{}", cause.words(), cause.points)).collect(),
        text: redact::text(&purification::kept(&vouched, told)).into_owned(),
        ..Purification::default()
    };
    let kept = gate.update(|draft| {
        draft.state.purification = Some(kept);
        Ok(())
    });
    kept.map(drop)
}

/// What a purified context left for this start. That of a session which is at work in another window stays its own.
pub(in crate::hook) fn waiting(
    run: &Run,
    state: &State,
    start: Start,
    seen: &[Seen],
    cap: Cap,
) -> Option<String> {
    if start == Start::Resume {
        return None;
    }
    let kept = state.waiting_purification(run.now)?;
    let is_own = kept.session == run.payload.session_id;
    let is_at_work = seen.iter().any(|seen| seen.session == kept.session && seen.fate == Fate::Alive);
    if is_at_work && !is_own {
        return None;
    }
    // Half of the room at most: what else is to be said is not less true.
    let text = purification::render(kept, run.now, Cap { units: cap.units / 2 })?;
    (utf16_len(&text) < cap.units).then_some(text)
}

/// What was given, or is too old, goes.
pub(in crate::hook) fn settle(gate: &Gate<'_>, state: &State, is_given: bool) {
    let is_old = state.purification.is_some() && state.waiting_purification(gate.run.now).is_none();
    if !is_given && !is_old {
        return;
    }
    let settled = gate.update(|draft| {
        draft.state.purification = None;
        Ok(())
    });
    // Given twice is better than never.
    gate.run.failures.keep_of("purification", settled);
}
