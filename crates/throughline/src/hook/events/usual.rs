//! The usual run: the event is noted, the context's size is looked up, and now and then a gate opens.

use std::time::Duration;

use throughline_agents::claude_code::hook_payload::Event;
use throughline_agents::claude_code::transcript_tail::LastUsage;
use throughline_briefing::Cap;
use throughline_domain::text::thousands;
use throughline_domain::{Timestamp, Trigger};
use throughline_engine::last_usage;
use throughline_engine::resuming::{self, Back};
use throughline_engine::session_facts::{self, percent_of_limit};
use throughline_store::session::{CompactionMark, GateMarks, SessionCache};
use throughline_store::spool::{Spool, SpoolRecord};

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::events::session_start;
use crate::hook::steps::backups;
use crate::hook::steps::checkpoints;
use crate::hook::steps::gate;
use crate::hook::steps::hand_over;
use crate::hook::steps::later;
use crate::hook::steps::notes;
use crate::hook::steps::purity;
use crate::hook::steps::reading;

/// From here on the client's compaction comes before its next request.
const DUE_PERCENT: u64 = 100;
/// Room for the resume context in a prompt's reply.
const RESUME_TOKENS: u64 = 400;

pub(in crate::hook) fn run(run: &Run, mut spool: Option<&mut Spool>) -> Outcome {
    let folder = run.place.home.session(&run.payload.session_id);
    let Some(mut cache) =
        SessionCache::read(&folder).or_else(|| session_facts::compile(&run.start(), "unseen"))
    else {
        return Outcome::silent();
    };
    if cache.paused {
        return Outcome::silent();
    }
    let last = spool.as_ref().and_then(|spool| spool.last().cloned());
    if cache.difference_waits
        && (run.payload.event == Event::UserPromptSubmit || ends_a_turn(run))
        && may_speak(run, spool.as_deref_mut())
        && let Some(text) = later::difference(run, &cache)
    {
        let turn = last.as_ref().map_or(0, |record| record.turn) + u64::from(ends_a_turn(run));
        return Outcome { turn, note: note(run), ..Outcome::saying(Some(text)) };
    }
    if run.payload.event == Event::UserPromptSubmit {
        return prompt(run, &cache, last.as_ref(), spool);
    }
    let mut outcome = Outcome { note: note(run), ..Outcome::silent() };
    outcome.turn = last.as_ref().map_or(0, |record| record.turn);
    if run.payload.event == Event::TaskCompleted {
        if may_speak(run, spool) {
            at_task_end(run, &mut outcome.failures);
        }
        return outcome;
    }
    if matches!(run.payload.event, Event::SubagentStart | Event::SubagentStop) {
        notes::at_subagent(run, &mut outcome.failures);
    }
    if !ends_a_turn(run) {
        return outcome;
    }
    outcome.turn += 1;
    let usage = last_usage::of(&run.payload.transcript_path);
    if let Some(usage) = &usage
        && backups::is_due(&cache, usage)
        && !is_from_before_compaction(run, usage)
        && may_speak(run, spool.as_deref_mut())
    {
        gate::watch(run);
        backups::at_step(run, &mut cache, usage, &mut outcome.failures);
    }
    if let Some(usage) = usage
        && crossed(run, &cache, &usage).is_some()
        && !is_from_before_compaction(run, &usage)
        && may_speak(run, spool.as_deref_mut())
    {
        // The model or the window may be others than at the session's start: settled again before anything is said.
        let settled =
            session_facts::compile_for(&run.start(), &cache.source, usage.model.clone()).unwrap_or(cache);
        return match crossed(run, &settled, &usage) {
            Some(_) if is_due(&settled, &usage) => await_compaction(run, settled, outcome),
            Some(crossed) => at_threshold(run, settled, &usage, crossed, outcome.failures),
            None => outcome,
        };
    }
    if outcome.turn >= cache.gate_turns {
        outcome.turn = 0;
        at_tenth_turn(run, spool, &mut outcome);
    }
    outcome
}

/// A task's end is a gate: what it came to is read, kept and noted.
fn at_task_end(run: &Run, failures: &mut Vec<String>) {
    gate::watch(run);
    let Some(session) = gate::open(run) else { return };
    let told = reading::read_on(run, &session, failures);
    checkpoints::at_task_end(run, &session, told.as_ref(), failures);
    notes::at_gate(run, &session, told.as_ref(), None, failures);
}

/// Every so many turns a gate opens, so that a long turn is not told of at its end alone.
fn at_tenth_turn(run: &Run, spool: Option<&mut Spool>, outcome: &mut Outcome) {
    let Some(session) = gate::open(run) else { return };
    catch_up_save(run, &session, &mut outcome.failures);
    let told = reading::read_on(run, &session, &mut outcome.failures);
    let committed = checkpoints::at_gate(run, &session, told.as_ref(), &mut outcome.failures);
    notes::at_gate(run, &session, told.as_ref(), committed.as_deref(), &mut outcome.failures);
    if purity::is_due(&session, told.as_ref()) && may_speak(run, spool) {
        purity::at_gate(run, &session, told, outcome);
    }
    gate::fold(run, &session.memory, &mut outcome.failures);
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
fn prompt(run: &Run, cache: &SessionCache, last: Option<&SpoolRecord>, spool: Option<&mut Spool>) -> Outcome {
    let turn = last.map_or(0, |record| record.turn);
    let idle_ms = i64::try_from(cache.idle_minutes.saturating_mul(60_000)).unwrap_or(i64::MAX);
    // A compaction that came by itself while nobody was there is nobody's activity.
    let somebody = spool.as_ref().and_then(|spool| spool.last_records().find(SpoolRecord::is_activity));
    let last = somebody.as_ref().or(last);
    let silence_ms = last.map_or(0, |record| run.now.as_millisecond().saturating_sub(record.at));
    if silence_ms < idle_ms || !may_speak(run, spool) {
        return Outcome { turn, ..Outcome::silent() };
    }
    let Some(session) = gate::open(run) else { return Outcome::silent() };
    let Ok((state, _)) = session.memory.load(&gate::author(run)) else { return Outcome::silent() };
    let last_active = last.and_then(|record| Timestamp::from_millisecond(record.at).ok());
    let folder = run.place.home.session(&run.payload.session_id);
    let mut failures = Vec::new();
    let ledger = session_start::own_ledger(run, &mut failures);
    let back = Back {
        memory: &session.memory,
        config: &session.config,
        state: &state,
        ledger: Some(&ledger),
        last_active,
        session_active: last_active,
        marks: GateMarks::read(&folder),
        now: run.now,
        beside_briefing: false,
    };
    let text = resuming::text(&back, Cap::tokens(RESUME_TOKENS));
    let mut outcome = Outcome { turn, failures, ..Outcome::saying(text) };
    checkpoints::at_start(run, &session, &mut outcome.failures);
    outcome
}

/// The highest threshold that is passed and was not spoken of since the last compaction.
fn crossed(run: &Run, cache: &SessionCache, usage: &LastUsage) -> Option<u64> {
    let percent = percent_of_limit(cache, usage.context_tokens);
    let thresholds = hand_over::thresholds(run, cache);
    let highest = thresholds.into_iter().filter(|threshold| percent >= *threshold).max()?;
    (!cache.thresholds_said.contains(&highest)).then_some(highest)
}

/// Whether a compaction came after the response: the client writes the boundary some time after the compaction.
fn is_from_before_compaction(run: &Run, usage: &LastUsage) -> bool {
    let mark = CompactionMark::last(&run.place.home.session(&run.payload.session_id));
    let answered_at = usage.at.map(Timestamp::as_millisecond);
    mark.is_some_and(|mark| answered_at.is_some_and(|answered_at| answered_at < mark.happened_at))
}

/// Whether the client compacts before its next request: a warning would be read only after it, when it is wrong.
fn is_due(cache: &SessionCache, usage: &LastUsage) -> bool {
    cache.compacts_at_tokens.is_some()
        && percent_of_limit(cache, usage.context_tokens) >= DUE_PERCENT
        && !cache.thresholds_said.contains(&DUE_PERCENT)
}

/// Says nothing this time. A compaction that does not come is spoken of at the next turn.
fn await_compaction(run: &Run, mut cache: SessionCache, mut outcome: Outcome) -> Outcome {
    cache.thresholds_said.push(DUE_PERCENT);
    if let Err(error) = cache.write(&run.place.home.session(&run.payload.session_id)) {
        outcome.failures.push(error.to_string());
    }
    outcome
}

fn at_threshold(
    run: &Run,
    mut cache: SessionCache,
    usage: &LastUsage,
    crossed: u64,
    failures: Vec<String>,
) -> Outcome {
    let mut outcome = Outcome { failures, ..Outcome::silent() };
    let asked_at = cache.hand_over.percent;
    let was_asked = cache.thresholds_said.contains(&asked_at);
    let passed = hand_over::thresholds(run, &cache).into_iter().filter(|it| *it <= crossed);
    let others = [DUE_PERCENT, asked_at].into_iter().filter(|it| cache.thresholds_said.contains(it));
    cache.thresholds_said = passed.chain(others).collect();
    let folder = run.place.home.session(&run.payload.session_id);
    if let Err(error) = cache.write(&folder) {
        // Without a memory of having spoken it would speak at every turn.
        outcome.failures.push(error.to_string());
        return outcome;
    }
    let Some(session) = gate::open(run) else { return outcome };
    save(run, &session, Trigger::Threshold, &mut outcome.failures);
    checkpoints::automatic(run, &session, "threshold", None, None, &mut outcome.failures);
    gate::fold(run, &session.memory, &mut outcome.failures);
    let percent = percent_of_limit(&cache, usage.context_tokens);
    let text = match hand_over::way(run, &cache).filter(|_| crossed >= asked_at && !was_asked) {
        Some(way) => hand_over::notice(&cache, way, usage.context_tokens, percent),
        None => threshold_text(&cache, usage.context_tokens, percent),
    };
    outcome.note = Some(serde_json::json!({ "threshold": crossed, "tokens": usage.context_tokens }));
    outcome.reply = Outcome::saying(Some(text)).reply;
    outcome
}

fn threshold_text(cache: &SessionCache, used_tokens: u64, percent: u64) -> String {
    let used = thousands(used_tokens);
    let where_to = match cache.compacts_at_tokens {
        Some(at) => format!("compaction comes at {} tokens", thousands(at)),
        None => "this client will not compact by itself; ask the user to run /compact in time".to_owned(),
    };
    let text = format!(
        "The context holds {used} tokens, {percent} % of the way: {where_to}. The state was saved. Record what must \
         not get lost now: `throughline add decision \"…\" --rationale \"…\"`, `throughline add action \"…\"`."
    );
    throughline_briefing::fragment::wrap(throughline_briefing::fragment::FragmentKind::Notice, &text)
}

/// Saves the state with the working tree as it is. Without the lock the save waits for the next gate.
pub(in crate::hook) fn save(
    run: &Run,
    session: &gate::Session,
    trigger: Trigger,
    failures: &mut Vec<String>,
) {
    let deadline = match run.payload.event {
        Event::SessionEnd => session.config.git.session_end_deadline_ms,
        _ => session.config.git.deadline_ms,
    };
    let git = throughline_git::capture(&session.memory.project.work, Duration::from_millis(deadline));
    let word = trigger.word().to_owned();
    throughline_engine::git_exclude::keep_out_of_git_if_new(&session.memory.project);
    let saved = session.memory.update(&gate::author(run), |draft| {
        draft.save(trigger, git);
        draft.state.workflow.tool_executions = Some(run.tools.get());
        Ok(())
    });
    let waits = match saved {
        Ok(_) => None,
        Err(error) => {
            failures.push(format!("save: {error}"));
            Some(word)
        }
    };
    // Noted after the save: a kill in between makes for one save too many, not for one too few.
    if waits != session.cache.save_waits {
        let folder = run.place.home.session(&run.payload.session_id);
        let _ = SessionCache { save_waits: waits, ..session.cache.clone() }.write(&folder);
    }
}

/// Makes up for a save that could not get the lock.
pub(in crate::hook) fn catch_up_save(run: &Run, session: &gate::Session, failures: &mut Vec<String>) {
    if let Some(word) = &session.cache.save_waits {
        save(run, session, Trigger::from_word(word), failures);
    }
}
