//! Session notes at the gates: nobody has to remember to write them.

use std::borrow::Cow;
use std::time::Duration;

use throughline_agents::claude_code::hook_payload::Event;
use throughline_briefing::notes::{Commit, Progress};
use throughline_domain::Timestamp;
use throughline_domain::ledger::Ledger;
use throughline_engine::ledger;
use throughline_engine::notes::{self, Added, Moment};
use throughline_git::Changes;
use throughline_store::ledger_file::LedgerFile;
use throughline_store::lock::{LockError, Patience};
use throughline_store::notes_file::{NotesError, NotesFile};

use crate::hook::Run;
use crate::hook::steps::checkpoints;
use crate::hook::steps::gate::{self, Session};

/// How long git may take to name the commits that were made.
const GIT_DEADLINE: Duration = Duration::from_secs(1);

/// A gate has read the transcript on, or found a commit since `committed_from`.
pub(in crate::hook) fn at_gate(
    run: &Run,
    session: &Session,
    told: Option<&Ledger>,
    committed_from: Option<&str>,
    failures: &mut Vec<String>,
) {
    if !session.config.notes.enabled {
        return;
    }
    let recent = match told {
        Some(_) => None,
        None => {
            ledger::recent(&run.place.home, &run.payload.session_id, &run.payload.transcript_path, failures)
        }
    };
    let told = told.or(recent.as_ref());
    if told.is_none() && committed_from.is_none() {
        return;
    }
    let root = &session.memory.project.work;
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
    let begins = begins && session.cache.source != "fork";
    let added = Added { commits: &commits, last_words, begins, ..Added::default() };
    if write(run, session, told, added, failures) {
        checkpoints::noted(run, failures);
    }
}

fn commits_of(changes: &Changes) -> Vec<Commit> {
    let times = changes.commit_seconds.iter().map(|seconds| Timestamp::from_second(*seconds).ok());
    let commits = changes.commits.iter().zip(times);
    commits.map(|(words, at)| Commit { words: words.clone(), at }).collect()
}

/// A compaction comes: the page stands there before it, whatever has happened so far.
pub(in crate::hook) fn before_compaction(
    run: &Run,
    session: &Session,
    told: &Ledger,
    failures: &mut Vec<String>,
) {
    write(run, session, Some(told), Added { begins: true, ..Added::default() }, failures);
}

/// A compaction handed something over: the page shows it.
pub(in crate::hook) fn handed_over(
    run: &Run,
    session: &Session,
    entry: Progress,
    failures: &mut Vec<String>,
) {
    write(run, session, None, Added { by_hand: Some(entry), ..Added::default() }, failures);
}

/// A subagent began or ended: the block names those at work, if there is a page.
pub(in crate::hook) fn at_subagent(run: &Run, failures: &mut Vec<String>) {
    let payload = &run.payload;
    let (Some(id), Some(kind)) = (payload.agent_id.clone(), payload.agent_type.clone()) else { return };
    let Some(session) = gate::open(run).filter(|session| !session.cache.paused) else { return };
    let notes = NotesFile::of(&session.memory.project, &run.place.home, &payload.session_id);
    if !notes.path().is_file() {
        return;
    }
    let began = payload.event == Event::SubagentStart;
    let added = Added { subagent: Some((began, kind, id)), ..Added::default() };
    write(run, &session, None, added, failures);
}

fn write(
    run: &Run,
    session: &Session,
    told: Option<&Ledger>,
    added: Added<'_>,
    failures: &mut Vec<String>,
) -> bool {
    let folder = run.place.home.session(&run.payload.session_id);
    let read = || LedgerFile::read(&folder, &run.payload.transcript_path).main.ledger;
    let ledger = told.map_or_else(|| Cow::Owned(read()), Cow::Borrowed);
    let moment = Moment {
        memory: &session.memory,
        config: &session.config,
        session: &run.payload.session_id,
        ledger: &ledger,
        now: run.now,
        patience: Patience::Hook,
    };
    match notes::write(&moment, added) {
        Ok(_) => true,
        // Somebody else writes them at this very moment; what is new is told at the next gate.
        Err(NotesError::Lock(LockError::Busy { .. }) | NotesError::Contended(_)) => false,
        Err(error) => {
            failures.push(format!("notes: {error}"));
            false
        }
    }
}
