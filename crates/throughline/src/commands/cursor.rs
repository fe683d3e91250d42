//! `cursor reset`: what a session's transcript told is forgotten, and read anew at the next gate.

use throughline_store::ledger_file::LedgerFile;
use throughline_store::session::Registry;
use throughline_store::task_summaries::TaskSummaries;

use super::App;
use crate::failure::Failure;
use crate::output;

/// The place up to which a session's transcript was read
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: CursorVerb,
}

#[derive(Debug, clap::Subcommand)]
enum CursorVerb {
    /// Forget what the transcript told: it is read anew at the next gate
    Reset {
        /// The session, by its id or a beginning of it; this agent's own, else the project's last, when left out
        session: Option<String>,
    },
}

/// The session whose id begins so, where it is the only one of the project; what nobody knows is taken as it is.
pub(super) fn whole_id(app: &App, named: &str) -> Result<String, Failure> {
    let notes = Registry::of(&app.place.home, &app.memory.project).recent();
    let mut ids: Vec<String> = notes.into_iter().map(|note| note.session).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.iter().any(|id| id == named) {
        return Ok(named.to_owned());
    }
    ids.retain(|id| id.starts_with(named));
    match ids.as_slice() {
        [] => Ok(named.to_owned()),
        [one] => Ok(one.clone()),
        several => Err(Failure::new(format!("{} sessions begin with `{named}`", several.len()))
            .hint(format!("name more of it: {}", several.join(", ")))),
    }
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let CursorVerb::Reset { session } = &args.verb;
    let own = || app.author().session;
    let last = || {
        let notes = Registry::of(&app.place.home, &app.memory.project).recent();
        notes.into_iter().last().map(|note| note.session)
    };
    let named = session.as_deref().map(|named| whole_id(app, named)).transpose()?;
    let session = named.or_else(own).or_else(last).ok_or_else(|| {
        Failure::new("no session was seen in this project")
            .hint("name one: `throughline cursor reset <session>`")
    })?;
    let was_there = LedgerFile::forget(&app.place.home.session(&session))?;
    if let Some(claude_folder) = &app.place.claude_folder {
        TaskSummaries::of(claude_folder).forget_check(&session);
    }
    let session = throughline_domain::text::one_line(&session, 100);
    output::say(&if was_there {
        format!("the transcript of session {session} is read anew at its next gate")
    } else {
        format!("nothing was read of session {session} yet")
    })
}
