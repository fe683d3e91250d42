//! A session's notes, brought up to date: where it stands, and what happened since they were last written.

use throughline_briefing::Facts;
use throughline_briefing::notes::{Commit, CurrentState, Mark, NotesEntry, Page, Update, since};
use throughline_domain::ledger::Ledger;
use throughline_domain::{Kind, State, Timestamp, time};
use throughline_redact as redact;
use throughline_store::config::Config;
use throughline_store::door::Spot;
use throughline_store::files::Durability;
use throughline_store::lock::Patience;
use throughline_store::memory::Memory;
use throughline_store::notes_file::{NewPage, NotesError, NotesFile};
use throughline_store::session::SessionFacts;
use throughline_store::{outline_file, spool};

use crate::event_times;
use crate::session_facts::agent_of;

/// What is known when the notes are written.
pub struct NotesMoment<'a> {
    /// The project's memory.
    pub memory: &'a Memory,
    /// What is configured.
    pub config: &'a Config,
    /// The session.
    pub session: &'a str,
    /// Its facts.
    pub facts: &'a SessionFacts,
    /// The session that it goes on from.
    pub parent: Option<&'a str>,
    /// The state in force and which of its entries nobody has trusted, where that was read already.
    pub recorded: Option<(&'a State, &'a [String])>,
    /// What its transcript told.
    pub ledger: &'a Ledger,
    /// Now.
    pub now: Timestamp,
    /// How long others are waited for.
    pub patience: Patience,
}

/// What is added to what the transcript tells.
#[derive(Debug, Default)]
pub struct Added<'a> {
    /// Commits that were made since, the newest first.
    pub commits: &'a [Commit],
    /// What somebody says by hand.
    pub by_hand: Option<NotesEntry>,
    /// A subagent that just began (`true`) or ended: the spool does not know it yet.
    pub subagent: Option<(bool, String, String)>,
    /// The agent's last words, which the transcript may not hold yet.
    pub last_words: Option<&'a str>,
    /// The page is begun also when nothing has happened yet.
    pub begins: bool,
}

/// Brings the notes of a session up to date. Says whether they were written.
pub fn write(moment: &NotesMoment<'_>, mut added: Added<'_>) -> Result<bool, NotesError> {
    if !moment.config.notes.enabled {
        return Ok(false);
    }
    let notes = NotesFile::of(&moment.memory.project, &moment.memory.home, moment.session);
    let folder = moment.memory.home.session(moment.session);
    let state = outline(moment, &folder);
    let subagents = subagents(spool::subagents_at_work(&folder), added.subagent.take());
    let current = match added.last_words {
        Some(words) => {
            let (stand, asked) = throughline_capture::after_words(moment.ledger, &mask(words));
            CurrentState::after(&state, moment.ledger, &stand, asked.as_deref(), &subagents)
        }
        None => CurrentState::of(&state, moment.ledger, &subagents),
    };
    let current = masked_state(&current);
    // A note that a person waits for is safe when he is told so.
    let is_waited_for = added.by_hand.is_some() && moment.patience == Patience::Person;
    let durability = if is_waited_for { Durability::Flushed } else { Durability::Quick };
    if notes.read().is_none() {
        crate::git_exclude::keep_out_of_git_if_new(&moment.memory.project);
    }
    notes.update(moment.patience, durability, |page, aside| {
        let mark = match page {
            Some(page) => Page::mark(page).unwrap_or_else(|| mark_now(&state, moment.ledger)),
            None => first_mark(moment.facts, &state, moment.ledger),
        };
        let happened = since(mark, &state, moment.ledger, added.commits);
        let mut entries: Vec<NotesEntry> = happened.entries.iter().map(masked).collect();
        event_times::resolve(&mut entries, &moment.facts.transcript, agent_of(moment.facts));
        entries.extend(added.by_hand.as_ref().map(masked));
        if page.is_none() && entries.is_empty() && !added.begins {
            return None;
        }
        let update = Update {
            session: moment.session,
            parent: moment.parent,
            now: moment.now,
            state: &current,
            entries: &entries,
            mark: happened.mark,
            bytes_max: moment.config.notes.page_bytes,
            aside,
        };
        Page::updated(page, &update).map(|page| NewPage { text: page.text, is_new: page.is_new })
    })
}

/// What notes tell of the state, without what nobody here vouches for. The whole is read only when its file is another one.
fn outline(moment: &NotesMoment<'_>, folder: &Spot) -> State {
    let stamp = moment.memory.stamp();
    if let Some(outline) = outline_file::read(folder, stamp) {
        return outline;
    }
    let outline_of = |state: &State, untrusted: &[String]| {
        Facts { untrusted, ..Facts::default() }.vouched(state).outline()
    };
    let outline = if let Some((state, untrusted)) = moment.recorded {
        outline_of(state, untrusted)
    } else {
        let state = moment.memory.peek().ok().flatten().unwrap_or_else(State::empty);
        outline_of(&state, &moment.memory.untrusted())
    };
    // One that cannot be kept is made again.
    let _ = outline_file::keep(folder, stamp, &outline);
    outline
}

/// Where a page begins that has none yet: what was recorded before the session is not of it, and neither is the history
/// that a fork copied.
fn first_mark(facts: &SessionFacts, state: &State, ledger: &Ledger) -> Mark {
    if facts.source == "fork" {
        return mark_now(state, ledger);
    }
    let is_earlier = |at: &str| {
        time::parse(at).is_some_and(|at| facts.started_at > 0 && at.as_millisecond() < facts.started_at)
    };
    let decisions = state.entries(Kind::Decision).iter();
    let earlier = decisions.filter(|entry| is_earlier(&entry.timestamp)).map(|entry| entry.id.number);
    Mark { decision: earlier.max().unwrap_or_default(), ..Mark::default() }
}

/// Everything up to now is taken for told: somebody took our mark out of the page.
fn mark_now(state: &State, ledger: &Ledger) -> Mark {
    since(Mark::default(), state, ledger, &[]).mark
}

fn subagents(mut at_work: Vec<(String, String)>, just: Option<(bool, String, String)>) -> Vec<String> {
    if let Some((began, kind, id)) = just {
        at_work.retain(|(_, known)| *known != id);
        if began && !kind.is_empty() {
            at_work.push((kind, id));
        }
    }
    at_work.into_iter().map(|(kind, id)| format!("{kind}={id}")).collect()
}

fn mask(text: &str) -> String {
    redact::text(text).into_owned()
}

fn masked(entry: &NotesEntry) -> NotesEntry {
    // A key has many lines, and one alone does not tell that it is of a key.
    let lines = mask(&entry.lines.join("\n"));
    NotesEntry { at: entry.at, title: mask(&entry.title), lines: lines.lines().map(str::to_owned).collect() }
}

fn masked_state(state: &CurrentState) -> CurrentState {
    CurrentState {
        work: mask(&state.work),
        item: mask(&state.item),
        blocking: mask(&state.blocking),
        next: mask(&state.next),
        fails: mask(&state.fails),
        subagents: mask(&state.subagents),
    }
}
