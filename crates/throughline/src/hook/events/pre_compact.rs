//! PreCompact: saved before the summary is made; says what that should keep.

use std::time::Duration;

use throughline_briefing::preservation::{self, PRESERVATION_TOKENS_MAX};
use throughline_briefing::snapshot::{self, SnapshotParts};
use throughline_briefing::{Cap, Facts};
use throughline_domain::ledger::Ledger;
use throughline_domain::{Detail, State, Trigger};
use throughline_engine::ledger;
use throughline_store::door::outside;
use throughline_store::memory::NewEntry;
use throughline_store::project_files;
use throughline_store::session::{CompactionMark, SessionCache};

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::events::session_start;
use crate::hook::steps::anchors;
use crate::hook::steps::backups;
use crate::hook::steps::checkpoints;
use crate::hook::steps::gate::{self, Session};
use crate::hook::steps::glance;
use crate::hook::steps::hand_over;
use crate::hook::steps::notes;
use crate::hook::steps::summaries::{self, When};

/// PreCompact: a summary is asked for. Save, snapshot; says what the summary should keep. Whether the context is compacted
/// then, later or never, only what follows tells.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
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
        focus: focus.map(|focus| throughline_redact::text(focus).into_owned()),
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
    throughline_engine::git_now::settle(&mut told, &taken.state);
    let untrusted = session.memory.untrusted();
    let around: Vec<String> = session_start::subagents_line(&folder).into_iter().collect();
    let handed = hand_over::of_session(run, &run.payload.session_id, &told);
    let facts = Facts { untrusted: &untrusted, around: &around, hand_over: &handed, ..Facts::default() };
    let cap = Cap::tokens(PRESERVATION_TOKENS_MAX);
    let text = preservation::render(&state, &facts, focus, &taken.diff_stat, &told, cap);
    outcome.reply = Outcome::saying(text).reply;
    backups::before_compaction(run, &session, &mut outcome.failures);
    // What waits is safe in the outbox; PostCompact, or the next gate, takes it to the archive.
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
    throughline_engine::git_exclude::keep_out_of_git_if_new(&session.memory.project);
    let saved = session.memory.update(&gate::author(run), |draft| {
        draft.save(Trigger::Precompact, git.clone());
        draft.state.workflow.tool_executions = Some(run.tools.get());
        if let Some(focus) = focus {
            let text = throughline_domain::text::shorten(&throughline_redact::text(focus), 1_000);
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

fn note_failure<T, E: std::fmt::Display>(outcome: &mut Outcome, result: Result<T, E>) {
    if let Err(error) = result {
        outcome.failures.push(error.to_string());
    }
}
