//! `compact-focus`: the line `/compact …` for right now, ready to paste.

use serde_json::json;
use throughline_briefing::Facts;
use throughline_briefing::focus::{self, Focus};
use throughline_domain::State;
use throughline_domain::ledger::Ledger;
use throughline_domain::text::{utf16_len, word_count};

use super::App;
use super::briefing::{ledger_of, session_ledger};
use super::cursor::whole_id;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  throughline compact-focus                    the session at hand: the one that calls, else the one last active
  throughline compact-focus --session 1f2e…    another one, by its id or a beginning of it
  throughline compact-focus | wl-copy          into the clipboard, to paste it in the client

The line names what is in progress, what comes next, what blocks, which commands fail, which files matter, and by
their ids the anchors, constraints and questions that must be kept word by word: at most 60 words. What follows
/compact is heeded far more often than standing instructions are. It holds no word that a tool printed.";

/// Print the line `/compact …` for right now, ready to paste
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The session, by its id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let state = app.state()?;
    let (session, ledger) = match &args.session {
        Some(named) => {
            let session = whole_id(app, named)?;
            let ledger = ledger_of(app, &session).ok_or_else(|| {
                Failure::new(format!(
                    "nothing is known of session `{}`",
                    throughline_domain::text::one_line(&session, 80)
                ))
                .hint("`throughline status` names the sessions of this project")
            })?;
            (Some(session), Some(ledger))
        }
        None => (app.session_at_hand(), session_ledger(app)),
    };
    let focus = of(app, &state, ledger.as_ref());
    if args.json {
        return output::say_json(&json!({
            "line": focus.line,
            "isGeneric": focus.is_generic,
            "session": session,
            "words": word_count(&focus.line),
            "units": utf16_len(&focus.line),
        }));
    }
    output::say(&focus.line)
}

/// The line for a state and what a session told. What nobody here vouches for has no place in it.
pub(super) fn of(app: &App, state: &State, ledger: Option<&Ledger>) -> Focus {
    let untrusted = app.memory.untrusted();
    let vouched = Facts { untrusted: &untrusted, ..Facts::default() }.vouched(state);
    focus::line(&vouched, ledger)
}
