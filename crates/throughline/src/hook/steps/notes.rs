//! Session notes at the gates: nobody has to remember to write them.

use std::borrow::Cow;
use std::time::Duration;

use throughline_agents::hook::Event;
use throughline_briefing::notes::{Commit, NotesEntry};
use throughline_domain::Timestamp;
use throughline_domain::ledger::Ledger;
use throughline_engine::ledger;
use throughline_engine::notes::{self, Added, NotesMoment};
use throughline_git::Changes;
use throughline_store::lock::{LockError, Patience};
use throughline_store::notes_file::{NotesError, NotesFile};
use throughline_store::session::SessionFacts;

use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::checkpoints;

/// How long git may take to name the commits that were made.
const GIT_DEADLINE: Duration = Duration::from_secs(1);

/// A gate has read the transcript on, or found a commit since `committed_from`.
pub(in crate::hook) fn at_gate(gate: &Gate<'_>, told: Option<&Ledger>, committed_from: Option<&str>) {
    let run = gate.run;
    if !gate.config.notes.enabled {
        return;
    }
    let recent = match told {
        Some(_) => None,
        None => ledger::recent(&run.transcript(), &run.failures),
    };
    let told = told.or(recent.as_ref());
    if told.is_none() && committed_from.is_none() {
        return;
    }
    let root = &gate.memory.project.work;
    let changes = committed_from.and_then(|head| throughline_git::changes_since(root, head, GIT_DEADLINE));
    let mut commits: Vec<Commit> = changes.as_ref().map(commits_of).unwrap_or_default();
    let more = changes.map_or(0, |changes| changes.commit_count.saturating_sub(commits.len() as u64));
    if more > 0 {
        let at = commits.last().and_then(|commit| commit.at);
        commits.push(Commit { words: format!("and {more} before these"), at });
    }
    let last_words = run.payload.last_assistant_message.as_deref();
    let last_words = last_words.filter(|_| run.payload.event == Event::Stop);
    // From the first turn on there is a page.
    let begins = told.is_some_and(|told| told.turn > 0 || !told.said.is_empty());
    // What a fork copied is not what it did.
    let begins = begins && gate.facts.source != "fork";
    let added = Added { commits: &commits, last_words, begins, ..Added::default() };
    if write(gate, told, added) {
        checkpoints::noted(run);
    }
}

fn commits_of(changes: &Changes) -> Vec<Commit> {
    let times = changes.commit_seconds.iter().map(|seconds| Timestamp::from_second(*seconds).ok());
    let commits = changes.commits.iter().zip(times);
    commits.map(|(words, at)| Commit { words: words.clone(), at }).collect()
}

/// A compaction comes: the page stands there before it, whatever has happened so far.
pub(in crate::hook) fn before_compaction(gate: &Gate<'_>, told: &Ledger) {
    write(gate, Some(told), Added { begins: true, ..Added::default() });
}

/// A compaction handed something over: the page shows it.
pub(in crate::hook) fn handed_over(gate: &Gate<'_>, told: &Ledger, entry: NotesEntry) {
    write(gate, Some(told), Added { by_hand: Some(entry), ..Added::default() });
}

/// A subagent began or ended: the block names those at work, if there is a page.
pub(in crate::hook) fn at_subagent(run: &Run, facts: &SessionFacts) {
    let payload = &run.payload;
    let (Some(id), Some(kind)) = (payload.agent_id.clone(), payload.agent_type.clone()) else { return };
    let gate = Gate::of_facts(run, facts.clone());
    let notes = NotesFile::of(&gate.memory.project, &run.place.home, &payload.session_id);
    if !notes.path().is_file() {
        return;
    }
    let began = payload.event == Event::SubagentStart;
    let added = Added { subagent: Some((began, kind, id)), ..Added::default() };
    write(&gate, None, added);
}

fn write(gate: &Gate<'_>, told: Option<&Ledger>, added: Added<'_>) -> bool {
    let run = gate.run;
    let ledger = told.map_or_else(|| Cow::Owned(run.transcript().read_so_far()), Cow::Borrowed);
    let (progress, known) = (run.progress(), gate.known_state());
    let untrusted = known.as_ref().map(|_| gate.untrusted());
    let moment = NotesMoment {
        memory: &gate.memory,
        config: &gate.config,
        session: &run.payload.session_id,
        facts: &gate.facts,
        parent: progress.known_parent(),
        recorded: known.as_deref().zip(untrusted.as_deref()),
        ledger: &ledger,
        now: run.now,
        patience: Patience::Hook,
    };
    match notes::write(&moment, added) {
        Ok(_) => true,
        // Somebody else writes them at this very moment; what is new is told at the next gate.
        Err(NotesError::Lock(LockError::Busy { .. }) | NotesError::Contended(_)) => false,
        Err(error) => {
            run.failures.add(format_args!("notes: {error}"));
            false
        }
    }
}
