//! Around a compaction: saved before its summary is made, the summary kept when it passes by, told when it has happened.

use std::time::Duration;

use throughline_briefing::preservation::{self, PRESERVATION_TOKENS_MAX};
use throughline_briefing::snapshot::{self, SnapshotParts};
use throughline_briefing::{Cap, Facts};
use throughline_domain::ledger::Ledger;
use throughline_domain::{Detail, State, Trigger};
use throughline_store::door::outside;
use throughline_store::files::FileError;
use throughline_store::memory::NewEntry;
use throughline_store::project_files;
use throughline_store::session::{CompactionMark, SessionCache};
use throughline_store::spool::Spool;

use super::gate::{self, Session};
use super::summaries::{self, When};
use super::{
    Outcome, Run, anchors, backups, checkpoints, glance, hand_over, later, notes, session_start, usual,
};
use crate::ledger;

/// PreCompact: a summary is asked for. Save, snapshot; says what the summary should keep. Whether the context is compacted
/// then, later or never, only what follows tells.
pub(super) fn before(run: &Run) -> Outcome {
    let Some(session) = gate::open(run) else { return Outcome::silent() };
    let folder = run.place.home.session(&run.payload.session_id);
    let trigger = run.payload.trigger.as_deref().unwrap_or("auto");
    // Behind a `/compact` stand the user's own words; what comes with a compaction that nobody asked for is nobody's.
    let typed = run.payload.custom_instructions.as_deref().filter(|_| trigger == "manual");
    let focus = typed.map(str::trim).filter(|focus| !focus.is_empty());
    // A summary that was made before and not used yet may still be the one that counts.
    let waiting = CompactionMark::unused(&folder).unwrap_or_default();
    let mark = CompactionMark {
        at: run.now.as_millisecond(),
        trigger: throughline_domain::text::one_line(trigger, 20),
        focus: focus.map(|focus| throughline_store::redact::text(focus).into_owned()),
        asked_bytes: outside::metadata(&run.payload.transcript_path).map_or(0, |meta| meta.len()),
        summary: waiting.summary,
        summary_bytes: waiting.summary_bytes,
        summary_turn: waiting.summary_turn,
        ..CompactionMark::default()
    };
    let mut outcome = Outcome::silent();
    note_failure(&mut outcome, mark.write(&folder));
    if session.cache.paused {
        return outcome;
    }
    let deadline = Duration::from_millis(session.config.git.deadline_ms);
    let root = &session.memory.project.work;
    let taken = throughline_git::snapshot(root, std::time::SystemTime::now(), deadline);
    let state = save(run, &session, &taken.state, focus, &mut outcome);
    let parts = SnapshotParts {
        now: run.now,
        trigger,
        git: &taken.state,
        diff_stat: &taken.diff_stat,
        staged_stat: &taken.staged_stat,
        modified_last_hour: &taken.modified_last_hour,
    };
    let project = &session.memory.project;
    note_failure(&mut outcome, project_files::write_snapshot(project, &snapshot::render(&parts)));
    let mut told = preserve(run, &session, &mut outcome);
    note_failure(&mut outcome, CompactionMark { asked_turn: told.turn, ..mark }.write(&folder));
    crate::git_now::settle(&mut told, &taken.state);
    let untrusted = session.memory.untrusted();
    let around: Vec<String> = session_start::subagents_line(&folder).into_iter().collect();
    let handed = hand_over::of_session(run, &run.payload.session_id, &told);
    let facts = Facts { untrusted: &untrusted, around: &around, hand_over: &handed, ..Facts::default() };
    let cap = Cap::tokens(PRESERVATION_TOKENS_MAX);
    let text = preservation::render(&state, &facts, focus, &taken.diff_stat, &told, cap);
    outcome.reply = Outcome::saying(text).reply;
    backups::before_compaction(run, &session, &mut outcome.failures);
    gate::fold(run, &session.memory, &mut outcome.failures);
    outcome
}

/// Reads the transcript on and keeps what must be kept of it; gives what it told, finished work from before included.
fn preserve(run: &Run, session: &Session, outcome: &mut Outcome) -> Ledger {
    let failures = &mut outcome.failures;
    let mut told = ledger::catch_up(
        &run.place.home,
        &run.payload.session_id,
        &run.payload.transcript_path,
        ledger::LARGE_SLICE_BYTES,
        failures,
    );
    summaries::keep(run, session, &told, When::Compacting, failures);
    glance::keep(run, session, Some(&told), failures);
    anchors::propose(run, session, &told, failures);
    notes::before_compaction(run, session, &told, failures);
    checkpoints::automatic(run, session, "precompact", None, Some(&told), failures);
    summaries::recall(&run.place, &run.payload.session_id, &mut told);
    told
}

fn save(
    run: &Run,
    session: &Session,
    git: &throughline_domain::GitState,
    focus: Option<&str>,
    outcome: &mut Outcome,
) -> State {
    crate::commands::keep_out_of_git_if_new(&session.memory.project);
    let saved = session.memory.update(&gate::author(run), |draft| {
        draft.save(Trigger::Precompact, git.clone());
        draft.state.workflow.tool_executions = Some(run.tools.get());
        if let Some(focus) = focus {
            let text = throughline_domain::text::shorten(&throughline_store::redact::text(focus), 1_000);
            // A focus that cannot be recorded must not cost the save.
            let _ = draft.add(NewEntry { text, detail: Detail::Directive { source: "/compact".to_owned() } });
        }
        Ok(())
    });
    match saved {
        Ok(changed) => changed.state,
        Err(error) => {
            outcome.failures.push(format!("save: {error}"));
            let folder = run.place.home.session(&run.payload.session_id);
            let waiting = SessionCache {
                save_waits: Some(Trigger::Precompact.word().to_owned()),
                thresholds_said: Vec::new(),
                ..SessionCache::read(&folder).unwrap_or_else(|| session.cache.clone())
            };
            let _ = waiting.write(&folder);
            // Where nothing could be written there is still something to be told.
            session.memory.peek().ok().flatten().unwrap_or_else(State::empty)
        }
    }
}

/// Whether a subagent that stopped is the client's own summariser: it has no type, and a summary of the main conversation
/// is being made.
pub(super) fn is_summariser(run: &Run, spool: Option<&Spool>) -> bool {
    let folder = run.place.home.session(&run.payload.session_id);
    run.payload.agent_type.as_deref() == Some("")
        && CompactionMark::current(&folder, run.now).is_some_and(|mark| !mark.noted && mark.happened_at == 0)
        && !spool.is_some_and(super::subagent::is_compacting)
}

/// SessionStart(compact) or PostCompact, whichever comes first: the context was compacted. It is logged, and what was
/// said on the way to it may be said again.
pub(super) fn happened(run: &Run, mark: &mut CompactionMark, failures: &mut Vec<String>) {
    if mark.happened_at != 0 {
        return;
    }
    mark.happened_at = run.now.as_millisecond();
    let folder = run.place.home.session(&run.payload.session_id);
    let mut note = |result: Result<(), FileError>| failures.extend(result.err().map(|it| it.to_string()));
    note(mark.write(&folder));
    let Some(session) = gate::open(run) else { return };
    let limit = usual::limit_tokens(&session.cache);
    let anew = SessionCache {
        thresholds_said: Vec::new(),
        backup_at_tokens: session.config.backup.next_step(limit, 0).unwrap_or(0),
        ..session.cache.clone()
    };
    note(anew.write(&folder));
    if session.cache.paused {
        return;
    }
    // Without a word of how it came about, it is the client's first sign of a session that we know nothing of.
    let trigger = &mark.trigger;
    if trigger.is_empty() {
        return;
    }
    let (id, transcript) = (&run.payload.session_id, &run.payload.transcript_path);
    note(project_files::log_compaction(&session.memory.project, id, run.now, trigger, transcript));
}

/// SubagentStop of the summariser: its last words are the summary. Of several, the last counts.
pub(super) fn keep_summary(run: &Run) -> Outcome {
    let folder = run.place.home.session(&run.payload.session_id);
    let mut outcome = Outcome::silent();
    if let (Some(mut mark), Some(summary)) =
        (CompactionMark::current(&folder, run.now), &run.payload.last_assistant_message)
    {
        mark.keep_summary(summary);
        note_failure(&mut outcome, mark.write(&folder));
    }
    outcome
}

/// PostCompact: keeps the summary if it was not known, and hands the whole to the archive.
pub(super) fn after(run: &Run) -> Outcome {
    let folder = run.place.home.session(&run.payload.session_id);
    let mut outcome = Outcome::silent();
    let mut mark = CompactionMark::of_compaction(&folder, run.now);
    if let Some(trigger) = &run.payload.trigger {
        mark.trigger = throughline_domain::text::one_line(trigger, 20);
    }
    happened(run, &mut mark, &mut outcome.failures);
    if !mark.has_own_summary()
        && let Some(summary) = run.payload.compact_summary.as_ref().filter(|it| !it.is_empty())
    {
        mark.keep_summary(summary);
        later::note_known(run, &mark, &mut outcome.failures);
    }
    // What the client says it used counts; a summary that was made before may have been dropped.
    let used = run.payload.compact_summary.as_deref().filter(|summary| !summary.is_empty());
    let used = used.or(mark.summary.as_deref()).map(str::to_owned);
    hand_over::after_compaction(run, used.as_deref(), None, &mut outcome.failures);
    outcome.note = note(&mut mark);
    note_failure(&mut outcome, mark.write(&folder));
    outcome
}

/// A compaction whose summary came by but whose PostCompact did not: clients before 2.1.76 have none.
pub(super) fn unnoted(run: &Run) -> Option<serde_json::Value> {
    let folder = run.place.home.session(&run.payload.session_id);
    let is_told = |mark: &CompactionMark| mark.happened_at > 0 && mark.summary.is_some();
    let mut mark = CompactionMark::last(&folder).filter(is_told)?;
    let noted = note(&mut mark)?;
    mark.write(&folder).ok().map(|()| noted)
}

/// What the spool is told of a compaction, once.
fn note(mark: &mut CompactionMark) -> Option<serde_json::Value> {
    if std::mem::replace(&mut mark.noted, true) {
        return None;
    }
    Some(serde_json::json!({ "compaction": {
        "at": mark.happened_at, "trigger": mark.trigger, "focus": mark.focus, "summary": mark.summary,
    }}))
}

fn note_failure<T, E: std::fmt::Display>(outcome: &mut Outcome, result: Result<T, E>) {
    if let Err(error) = result {
        outcome.failures.push(error.to_string());
    }
}
