//! The hot path, a usual run: the event is noted, the context's size is looked up, and now and then a gate opens.

use throughline_agents::hook::Event;
use throughline_agents::transcript::LastUsage;
use throughline_briefing::Cap;
use throughline_domain::{Timestamp, Trigger};
use throughline_engine::last_usage;
use throughline_engine::ledger;
use throughline_engine::resuming::{self, Back};
use throughline_engine::session_facts::{self, Answering, percent_of_limit};
use throughline_store::session::{CompactionMark, GateMarks, SessionFacts};
use throughline_store::spool::{Spool, SpoolRecord};

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::gate::{self, Gate};
use crate::hook::steps::backups;
use crate::hook::steps::checkpoints;
use crate::hook::steps::hand_over;
use crate::hook::steps::later_difference;
use crate::hook::steps::notes;
use crate::hook::steps::purity;
use crate::hook::steps::reading;
use crate::hook::steps::saving;
use crate::hook::steps::threshold_notice;

/// From here on the client's compaction comes before its next request.
const DUE_PERCENT: u64 = 100;
/// Room for the resume context in a prompt's reply.
const RESUME_TOKENS: u64 = 400;

pub(in crate::hook) fn run(run: &Run, mut spool: Option<&mut Spool>) -> Outcome {
    let settle = || Some(session_facts::compile(&run.start(), "unseen", None)?.facts);
    let Some(facts) = run.facts().or_else(settle) else { return Outcome::silent() };
    if facts.paused {
        return Outcome::silent();
    }
    let last = spool.as_ref().and_then(|spool| spool.last().cloned());
    if (run.payload.event == Event::UserPromptSubmit || ends_a_turn(run))
        && run.progress().difference_waits
        && may_speak(run, spool.as_deref_mut())
        && let Some(text) = later_difference::difference(run, &facts)
    {
        let turn = last.as_ref().map_or(0, |record| record.turn) + u64::from(ends_a_turn(run));
        return Outcome { turn, note: note(run), ..Outcome::saying(Some(text)) };
    }
    if run.payload.event == Event::UserPromptSubmit {
        return prompt(run, facts, last.as_ref(), spool);
    }
    let mut outcome = Outcome { note: note(run), ..Outcome::silent() };
    outcome.turn = last.as_ref().map_or(0, |record| record.turn);
    if run.payload.event == Event::TaskCompleted {
        if may_speak(run, spool) {
            at_task_end(run, facts);
        }
        return outcome;
    }
    if matches!(run.payload.event, Event::SubagentStart | Event::SubagentStop) {
        notes::at_subagent(run, &facts);
    }
    if !ends_a_turn(run) {
        return outcome;
    }
    outcome.turn += run.payload.turns.max(1);
    let usage = usage(run);
    let facts = told_anew(run, facts, usage.as_ref());
    if let Some(usage) = &usage
        && backups::is_due(run, &facts, usage)
        && !is_from_before_compaction(run, usage)
        && may_speak(run, spool.as_deref_mut())
    {
        gate::watch(run);
        backups::at_step(&Gate::of_facts(run, facts.clone()), usage);
    }
    if let Some(usage) = usage
        && crossed(run, &facts, &usage).is_some()
        && !is_from_before_compaction(run, &usage)
        && may_speak(run, spool.as_deref_mut())
    {
        // The model or the window may be others than at the session's start: settled again before anything is said.
        let known = Some(facts.clone());
        let answering = Answering { model: usage.model.clone(), window: usage.window };
        let settled = session_facts::compile_for(&run.start(), &facts.source, known, answering);
        let gate = match settled {
            Some(settled) => Gate::of_settled(run, settled),
            None => Gate::of_facts(run, facts),
        };
        return match crossed(run, &gate.facts, &usage) {
            Some(_) if is_due(run, &gate.facts, &usage) => await_compaction(run, outcome),
            Some(crossed) => at_threshold(&gate, &usage, crossed),
            None => outcome,
        };
    }
    if outcome.turn >= facts.gate_turns {
        outcome.turn = 0;
        at_tenth_turn(&Gate::of_facts(run, facts), spool, &mut outcome);
    }
    outcome
}

/// How full the context is: as the client says, else as its transcript's end tells.
fn usage(run: &Run) -> Option<LastUsage> {
    let told = run.payload.context_tokens.map(|context_tokens| LastUsage {
        context_tokens,
        model: run.payload.model.clone(),
        at: None,
        window: run.payload.window_tokens,
    });
    told.or_else(|| last_usage::of(run.agent, &run.payload.transcript_path))
}

/// A client that tells the window on the way may tell another than at the start: the facts are settled again then, once.
fn told_anew(run: &Run, facts: SessionFacts, usage: Option<&LastUsage>) -> SessionFacts {
    let is_other = |usage: &&LastUsage| usage.window.is_some_and(|window| window != facts.window_tokens);
    let Some(usage) = usage.filter(is_other) else { return facts };
    let answering = Answering { model: usage.model.clone(), window: usage.window };
    let settled = session_facts::compile_for(&run.start(), &facts.source, Some(facts.clone()), answering);
    settled.map_or(facts, |settled| settled.facts)
}

/// A task's end is a gate: what it came to is read, kept and noted.
fn at_task_end(run: &Run, facts: SessionFacts) {
    gate::watch(run);
    let gate = Gate::of_facts(run, facts);
    let told = reading::read_on(&gate);
    checkpoints::at_task_end(&gate, told.as_ref());
    notes::at_gate(&gate, told.as_ref(), None);
}

/// Every so many turns a gate opens, so that a long turn is not told of at its end alone.
fn at_tenth_turn(gate: &Gate<'_>, spool: Option<&mut Spool>, outcome: &mut Outcome) {
    saving::catch_up(gate);
    let told = reading::read_on(gate);
    let committed = checkpoints::at_gate(gate, told.as_ref());
    notes::at_gate(gate, told.as_ref(), committed.as_deref());
    if purity::is_due(gate, told.as_ref()) && may_speak(gate.run, spool) {
        purity::at_gate(gate, told, outcome);
    }
    gate.fold();
}

/// Whether what is to be said is ours to say: settings and plugin both see the event, at the same moment.
fn may_speak(run: &Run, spool: Option<&mut Spool>) -> bool {
    spool.is_none_or(|spool| run.claim(spool))
}

/// Whether this event closes a response of the main conversation.
fn ends_a_turn(run: &Run) -> bool {
    run.payload.agent_id.is_none()
        && matches!(run.payload.event, Event::PostToolBatch | Event::PostToolUse | Event::PostToolUseFailure)
}

/// What the transcript lacks: the task events, which name tasks by id and subject, and subagents.
fn note(run: &Run) -> Option<serde_json::Value> {
    let payload = &run.payload;
    match payload.event {
        Event::TaskCreated | Event::TaskCompleted => {
            let subject = payload.task_subject.as_deref().map(throughline_redact::text);
            Some(serde_json::json!({ "task": payload.task_id, "subject": subject }))
        }
        Event::SubagentStart | Event::SubagentStop => {
            Some(serde_json::json!({ "agent": payload.agent_id, "type": payload.agent_type }))
        }
        _ => None,
    }
}

/// A prompt after a long silence gets the resume context, once.
fn prompt(run: &Run, facts: SessionFacts, last: Option<&SpoolRecord>, spool: Option<&mut Spool>) -> Outcome {
    let turn = last.map_or(0, |record| record.turn);
    let idle_ms = i64::try_from(facts.idle_minutes.saturating_mul(60_000)).unwrap_or(i64::MAX);
    // A compaction that came by itself while nobody was there is nobody's activity.
    let somebody = spool.as_ref().and_then(|spool| spool.last_records().find(SpoolRecord::is_activity));
    let last = somebody.as_ref().or(last);
    let silence_ms = last.map_or(0, |record| run.now.as_millisecond().saturating_sub(record.at));
    if silence_ms < idle_ms || !may_speak(run, spool) {
        return Outcome { turn, ..Outcome::silent() };
    }
    let gate = Gate::of_facts(run, facts);
    let Ok((state, _)) = gate.load() else { return Outcome::silent() };
    let last_active = last.and_then(|record| Timestamp::from_millisecond(record.at).ok());
    // At the last Stop the client had not written the end of its answer yet.
    let ledger = gate.catch_up(ledger::SLICE_BYTES);
    let back = Back {
        memory: &gate.memory,
        config: &gate.config,
        state: &state,
        untrusted: &gate.untrusted(),
        ledger: Some(&ledger),
        last_active,
        session_active: last_active,
        marks: GateMarks::read(&run.folder),
        now: run.now,
        beside_briefing: false,
    };
    let text = resuming::text(&back, Cap::tokens(RESUME_TOKENS));
    checkpoints::at_start(&gate);
    Outcome { turn, ..Outcome::saying(text) }
}

/// The highest threshold that is passed and was not spoken of since the last compaction.
fn crossed(run: &Run, facts: &SessionFacts, usage: &LastUsage) -> Option<u64> {
    let percent = percent_of_limit(facts, usage.context_tokens);
    let thresholds = hand_over::thresholds(run, facts);
    let highest = thresholds.into_iter().filter(|threshold| percent >= *threshold).max()?;
    (!run.progress().thresholds_said.contains(&highest)).then_some(highest)
}

/// Whether a compaction came after the response: the client writes the boundary some time after the compaction.
fn is_from_before_compaction(run: &Run, usage: &LastUsage) -> bool {
    let mark = CompactionMark::last(&run.folder);
    let answered_at = usage.at.map(Timestamp::as_millisecond);
    mark.is_some_and(|mark| answered_at.is_some_and(|answered_at| answered_at < mark.happened_at))
}

/// Whether the client compacts before its next request: a warning would be read only after it, when it is wrong.
fn is_due(run: &Run, facts: &SessionFacts, usage: &LastUsage) -> bool {
    facts.compacts_at_tokens.is_some()
        && percent_of_limit(facts, usage.context_tokens) >= DUE_PERCENT
        && !run.progress().thresholds_said.contains(&DUE_PERCENT)
}

/// Says nothing this time. A compaction that does not come is spoken of at the next turn.
fn await_compaction(run: &Run, outcome: Outcome) -> Outcome {
    run.change_progress(|progress| progress.thresholds_said.push(DUE_PERCENT));
    outcome
}

fn at_threshold(gate: &Gate<'_>, usage: &LastUsage, crossed: u64) -> Outcome {
    let (run, facts) = (gate.run, &gate.facts);
    let asked_at = facts.hand_over.percent;
    let said = run.progress().thresholds_said;
    let was_asked = said.contains(&asked_at);
    let passed = hand_over::thresholds(run, facts).into_iter().filter(|it| *it <= crossed);
    let others = [DUE_PERCENT, asked_at].into_iter().filter(|it| said.contains(it));
    let said_now = passed.chain(others).collect();
    // Without a memory of having spoken it would speak at every turn.
    if !run.change_progress(|progress| progress.thresholds_said = said_now) {
        return Outcome::silent();
    }
    saving::save(gate, Trigger::Threshold);
    checkpoints::automatic(gate, "threshold", None, None);
    gate.fold();
    let percent = percent_of_limit(facts, usage.context_tokens);
    let text = match hand_over::way(run, facts).filter(|_| crossed >= asked_at && !was_asked) {
        Some(way) => threshold_notice::asking(facts, way, usage.context_tokens, percent),
        None => threshold_notice::full(facts, usage.context_tokens, percent),
    };
    let note = Some(serde_json::json!({ "threshold": crossed, "tokens": usage.context_tokens }));
    Outcome { note, ..Outcome::saying(Some(text)) }
}
