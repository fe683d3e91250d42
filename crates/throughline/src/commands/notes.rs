//! `notes`: the page that the hooks keep about a session.

use std::path::PathBuf;

use serde_json::json;
use throughline_briefing::notes::NotesEntry;
use throughline_domain::text::{one_line, printable};
use throughline_engine::ledger;
use throughline_engine::notes::{self, Added, NotesMoment};
use throughline_engine::session_facts::agent_of;
use throughline_store::lock::Patience;
use throughline_store::notes_file::NotesFile;
use throughline_store::session::{SessionFacts, SessionProgress};

use super::App;
use crate::failure::Failure;
use crate::output;
use crate::quoting::{self, RECORDED};

const EXAMPLES: &str = "\
Examples:
  throughline notes                     the session at hand
  throughline notes --session 1f2e…     another one
  throughline notes --path              only where the page is

The block between the two marks is replaced as the work goes on; what you write anywhere else stays.";

/// Show the session's notes: where it stands now, and what it did
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The session, by its id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print only where the page is
    #[arg(long)]
    path: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let named = args.session.as_deref().map(|name| super::sessions::named(app, name)).transpose()?;
    let session = named.or_else(|| app.session_at_hand()).ok_or_else(|| {
        Failure::new("no session was seen in this project yet")
            .hint("`throughline init`, then start the agent; `throughline sessions list` shows the sessions")
    })?;
    let notes = NotesFile::of(&app.memory.project, &app.place.home, &session);
    // Whoever asks wants to know how it is now.
    if notes.path().is_file() && !args.path {
        refresh(app, &session);
    }
    let text = notes.read();
    if args.json {
        return output::say_json(&json!({ "session": session, "path": notes.path().shown(), "text": text }));
    }
    match text {
        None => Err(Failure::new(format!("there are no notes of session `{}` yet", one_line(&session, 80)))
            .hint("they begin with the first finished task, commit, test run or decision; `throughline note \"…\"` begins them now")),
        Some(_) if args.path => output::say(&notes.path().display()),
        Some(text) => quoting::say(&RECORDED, &[printable(&text).trim_end().to_owned()]),
    }
}

/// Brings the notes of a session up to date, with what somebody says by hand. Gives their place.
pub(super) fn add(app: &App, session: &str, by_hand: Option<NotesEntry>) -> Result<PathBuf, Failure> {
    let folder = app.place.home.session(session);
    let facts = SessionFacts::read(&folder).unwrap_or_default();
    let progress = SessionProgress::read(&folder);
    let source = ledger::SessionTranscript {
        home: &app.place.home,
        session,
        transcript: &facts.transcript,
        agent: agent_of(&facts),
    };
    let ledger = ledger::look(&source);
    let moment = NotesMoment {
        memory: &app.memory,
        config: &app.config,
        session,
        facts: &facts,
        parent: progress.known_parent(),
        recorded: None,
        ledger: &ledger,
        now: app.now,
        patience: Patience::Person,
    };
    if !app.config.notes.enabled {
        output::warn("notes are switched off ([notes] enabled = false in throughline.toml)");
    }
    notes::write(&moment, Added { by_hand, begins: true, ..Added::default() })?;
    Ok(NotesFile::of(&app.memory.project, &app.place.home, session).path().shown())
}

/// Brings the page of the session at hand up to date, if there is one: what a verb changed is true at once.
pub(super) fn follow(app: &App) {
    if let Some(session) = app.session_at_hand()
        && NotesFile::of(&app.memory.project, &app.place.home, &session).path().is_file()
    {
        refresh(app, &session);
    }
}

fn refresh(app: &App, session: &str) {
    // Of a session whose own files are gone nothing is known but the page: it would be emptied.
    if SessionFacts::read(&app.place.home.session(session)).is_none() {
        return;
    }
    if let Err(failure) = add(app, session, None) {
        output::warn(&failure.message);
    }
}
