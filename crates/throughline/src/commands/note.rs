//! `note`: a line into the session's notes, by hand.

use throughline_briefing::notes::NotesEntry;
use throughline_domain::Detail;
use throughline_domain::text::{one_line, printable, utf16_len};
use throughline_store::memory::NewEntry;

use super::App;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throughline note \"the importer wants CRLF; see the mail of Monday\"
  throughline note --route qa \"RS-12 for review\"      handed to somebody: logged as such
  throughline notes                                    the page itself

The hooks write the rest by themselves: finished tasks, commits, test runs, decisions. A note is also kept in the working
set as a highlight, so that the agent is told of it.";
const NOTE_UNITS_MAX: usize = 2_000;

/// Add a note to the session's progress log
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The words
    #[arg(allow_hyphen_values = true, value_parser = super::words)]
    text: String,
    /// Something was handed over for review or approval: to whom
    #[arg(long, value_name = "WHOM")]
    route: Option<String>,
    /// The session, by its id; without it the one at hand
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let text = printable(&throughline_redact::text(args.text.trim()));
    let units = utf16_len(&text);
    if text.is_empty() {
        return Err(Failure::new("the note is empty").hint("throughline note \"what should be remembered\""));
    }
    if units > NOTE_UNITS_MAX {
        return Err(Failure::new(format!(
            "the note has {units} characters, at most {NOTE_UNITS_MAX} are kept"
        ))
        .hint("nothing was recorded; put the detail into a file and note the file's name"));
    }
    let session = match &args.session {
        Some(name) => Some(super::sessions::named(app, name)?),
        None => app.session_at_hand(),
    };
    let title = match args.route.as_deref().map(|whom| one_line(whom, 80)) {
        Some(whom) if whom.is_empty() => {
            return Err(
                Failure::new("--route names nobody").hint("throughline note --route qa \"RS-12 for review\"")
            );
        }
        Some(whom) => format!("Routed to {whom}: {}", one_line(&text, 200)),
        None => format!("Note: {}", one_line(&text, 200)),
    };
    let words = match &args.route {
        Some(whom) => format!("routed to {}: {text}", one_line(whom, 80)),
        None => text.clone(),
    };
    let changed = app.change(|draft| draft.add(NewEntry { text: words, detail: Detail::Highlight }))?;
    let id = changed.value;
    let Some(session) = session else {
        output::say(&format!("{id} recorded"))?;
        output::remark("no session was seen in this project yet, so there is no page of notes to write to");
        return Ok(());
    };
    // What the title cuts off, or puts on one line, stands below it as it was written.
    let is_whole = one_line(&text, 200) == text;
    let lines = if is_whole { Vec::new() } else { text.lines().map(str::to_owned).collect() };
    match super::notes::add(app, &session, Some(NotesEntry { title, lines, ..NotesEntry::default() })) {
        Ok(path) => output::say(&format!("{id} recorded, noted in {}", path.display())),
        Err(failure) => {
            // It is safe in the working set, and the agent will be told.
            output::warn(&format!("not on the session's page: {}", failure.message));
            output::say(&format!("{id} recorded"))
        }
    }
}
