//! SessionStart: the session is noted, its facts are settled, and what it needs is given back.

mod given;
mod retired;
mod scenery;
mod told;

use std::path::Path;

use throughline_agents::agent::StartText;
use throughline_briefing::restore::Start;
use throughline_domain::text::one_line;
use throughline_engine::descent::{self, Predecessor};
use throughline_engine::liveness::{self, Seen};
use throughline_engine::{lineage, session_facts};
use throughline_store::project_files;
use throughline_store::session::{CompactionMark, Registry, SessionNote};

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::checkpoints;
use crate::hook::steps::compaction;
use crate::hook::steps::glance;
use crate::hook::steps::later_difference;
use crate::hook::steps::summaries;

/// A session's beginning: how, and who was here before.
struct Beginning<'b> {
    gate: &'b Gate<'b>,
    start: Start,
    /// An old session goes on that has lost what it was told: it hears it again, and what changed meanwhile.
    is_told_again: bool,
    /// The sessions of the project, this one included where it was here before; the last active first.
    seen: &'b [Seen],
    /// The session that this one goes on from.
    before: Option<&'b Predecessor>,
    /// The compaction that this start follows.
    mark: Option<&'b CompactionMark>,
}

pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let source = run.payload.source.as_deref().unwrap_or("startup");
    late(run, source)
}

/// The same at another event, for clients whose start cannot speak, and for a compaction that they have no event for.
pub(in crate::hook) fn late(run: &Run, source: &str) -> Outcome {
    let start = start_of(run, source);
    let is_told_again = Start::from_word(source) == Start::Resume && start != Start::Resume;
    let home = &run.place.home;
    let known = run.facts();
    let found = || run.place.project_root(Path::new(&run.payload.cwd)).map(|root| run.place.settled(root));
    let root = known.as_ref().map(|facts| facts.project_root.clone()).or_else(found);
    // Who was here before must be asked before this session is noted among them.
    let seen = root.map(|root| {
        let project = run.place.project_at(&root);
        liveness::sessions_beside(known.as_ref(), home, &project, run.now)
    });
    let seen = seen.unwrap_or_default();
    let Some(settled) = session_facts::compile(&run.start(), source, known) else { return Outcome::silent() };
    let gate = Gate::of_settled(run, settled);
    if source == "clear" {
        note_parent(&gate);
    }
    let note = Some(serde_json::json!({ "start": one_line(source, 20) }));
    note_start(&gate, source);
    let mark = (start == Start::Compact).then(|| {
        if source != "compact" {
            // It happened before the session was left.
            return CompactionMark::last(&run.folder).unwrap_or_default();
        }
        let mut mark = CompactionMark::of_compaction(&run.folder, run.now);
        if mark.trigger.is_empty() && run.agent.transcripts.compaction_in.is_some() {
            "auto".clone_into(&mut mark.trigger);
        }
        compaction::happened(&gate, &mut mark);
        compaction::find_summary(run, &mut mark);
        mark
    });
    let before = if gate.facts.paused { None } else { before(run, start, &seen) };
    // Told again, it hears of nobody who came after it.
    let was_there = |before: &Predecessor| before.seen.last_active_ms <= gate.facts.started_at;
    let before = before.filter(|before| !is_told_again || was_there(before));
    let mut text = None;
    if !gate.facts.paused {
        let (before, mark_of) = (before.as_ref(), mark.as_ref());
        let beginning = Beginning { gate: &gate, start, is_told_again, seen: &seen, before, mark: mark_of };
        text = given::text(&beginning);
        if let Some(mark) = mark.filter(|_| !is_told_again) {
            later_difference::note_blind(run, mark, text.as_deref());
        }
        glance::keep(&gate, None);
        if start != Start::Compact {
            checkpoints::at_start(&gate);
        }
    }
    // After a compaction PostCompact follows at once, and folds; on clients without it the next gate does.
    if start != Start::Compact || is_told_again {
        gate.fold();
    }
    if start == Start::Startup && !is_told_again {
        let kept = before.as_ref().map(|before| before.seen.session.as_str());
        retired::retire(&gate, &seen, kept);
    }
    Outcome { note, ..Outcome::saying(text) }
}

/// How a session starts. One that was resumed without what it had been told is told again, as at its start or after its last
/// compaction.
fn start_of(run: &Run, source: &str) -> Start {
    match Start::from_word(source) {
        Start::Resume if run.agent.hooks.start_text == StartText::IsLost => {
            let was_compacted = CompactionMark::last(&run.folder).is_some_and(|mark| mark.happened_at > 0);
            if was_compacted { Start::Compact } else { Start::Startup }
        }
        start => start,
    }
}

/// After a `/clear`: the session that was cleared.
fn note_parent(gate: &Gate<'_>) {
    let run = gate.run;
    if run.progress().parent.is_none() {
        let home = &run.place.home;
        let cleared = lineage::cleared_from(home, &gate.memory.project, gate.facts.client_pid, run.now);
        run.change_progress(|progress| progress.parent = cleared);
    }
}

/// The session that this one goes on from: the last other one that worked. A compacted or resumed one goes on by itself.
fn before(run: &Run, start: Start, seen: &[Seen]) -> Option<Predecessor> {
    let is_own = |seen: &&Seen| seen.session == run.payload.session_id;
    if start == Start::Compact || (start == Start::Resume && seen.iter().any(|seen| is_own(&seen))) {
        return None;
    }
    let others = seen.iter().filter(|seen| !is_own(seen));
    let mut before = descent::predecessor(&run.place.home, others, &run.failures)?;
    summaries::recall(&run.place, &before.seen.session, &mut before.ledger);
    Some(before)
}

fn note_start(gate: &Gate<'_>, source: &str) {
    let run = gate.run;
    let note = SessionNote {
        at: run.now.as_millisecond(),
        session: run.payload.session_id.clone(),
        what: "start".to_owned(),
        how: source.to_owned(),
        parent: run.progress().parent,
        phase: None,
    };
    run.failures.keep(Registry::of(&run.place.home, &gate.memory.project).note(&note));
    if !gate.facts.paused {
        let noted = project_files::note_current_session(&gate.memory.project, &run.payload.session_id);
        run.failures.keep(noted);
    }
}
