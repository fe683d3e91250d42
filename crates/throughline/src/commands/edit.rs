//! `edit`: changes an entry's words, or the whole state file in the editor.

use throughline_domain::{Origin, State};
use throughline_store::memory::Author;
use throughline_store::state_file;

use super::App;
use crate::failure::Failure;
use crate::{editor, output, waiting};

/// Change an entry's words, or the whole state file in the editor; the archive keeps the old ones
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The entry: D1, C2…
    #[arg(required_unless_present = "file")]
    id: Option<String>,
    /// The new words
    #[arg(allow_hyphen_values = true, value_parser = super::words)]
    text: Option<String>,
    /// The new reason (rationale, source or context)
    #[arg(long, value_name = "WHY", allow_hyphen_values = true)]
    reason: Option<String>,
    /// Open the state file in the editor (VISUAL, EDITOR, vi): what you save counts, like anything you record
    #[arg(long, conflicts_with_all = ["id", "text", "reason"])]
    file: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let Some(id) = args.id.as_deref().filter(|_| !args.file) else { return edit_file(app) };
    if args.text.is_none() && args.reason.is_none() {
        return Err(Failure::new("nothing to change").hint("give new words, or --reason"));
    }
    let changed = app.change(|draft| draft.edit(id, args.text.as_deref(), args.reason.as_deref()))?;
    output::say(&format!("{} changed", changed.value))
}

/// A copy is edited: what hooks write meanwhile is not lost, and nobody else's change is taken for the user's.
fn edit_file(app: &App) -> Result<(), Failure> {
    const NAME: &str = "unified-session-state.json";
    app.refuse_agent("editing the state file", "; `throughline edit ID` changes an entry of its own")?;
    let (home, project) = (&app.place.home, &app.memory.project);
    let state = app.state()?;
    let (_, shown) = state_file::encode(&state);
    let bytes = editor::edited(home, project, NAME, &shown)?;
    if bytes == shown {
        return output::say("nothing changed");
    }
    let read = std::str::from_utf8(&bytes).map_err(|_| "not UTF-8 text".to_owned());
    let read = read.and_then(|text| State::read(text).map_err(|error| error.to_string()));
    let (edited, problems) = read.map_err(|what| {
        editor::kept_in(home, project, NAME, &bytes);
        Failure::new(format!("that is no state: {what}"))
            .hint("nothing was changed; edit again and correct it")
    })?;
    for problem in problems {
        output::warn(&problem.to_string());
    }
    let base = State::read(&String::from_utf8_lossy(&shown)).map_or(state, |(state, _)| state);
    let author = Author { origin: Origin::Hand, ..app.author() };
    let changed = app.memory.take_edited(&author, &base, &edited)?;
    super::tell_repairs(app, &changed.repairs);
    app.fold();
    output::say(&format!("saved: {}", waiting::counts(&changed.value)))
}
