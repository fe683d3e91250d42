//! `forget`: words, a session, a project or what is older than a day goes out of everything that is remembered, with proof.

mod by_origin;
mod by_words;
mod report;

use std::io::{BufRead, IsTerminal};
use std::path::Path;

use throughline_store::forget::NeedleError;

use super::App;
use crate::failure::Failure;
use crate::output;

/// Forget words, a session, a project, or what is older than a day: out of every place, with proof
///
/// WORDS: entries that hold them are removed; elsewhere `[forgotten]` takes their place.
///
/// --session, --before, --everything: what they brought is removed from the state, archive, index of recall, notes, usage and
/// its log, checkpoints, backups, task summaries and the session's own files. --session and --before may be combined: what of
/// that session is older. Words stand alone. An entry goes with the session that recorded it, also when another session has
/// changed or superseded it since; an entry of another session stays with its present words, without what this session
/// did to it. What nobody can tell the session of (the work item, the snapshot before a compaction) stays, unless everything
/// goes. With --before a page of notes, a session's own files and its backups go as a whole when they began earlier.
///
/// Then every place is looked at again, every byte of the data folder and of our files in the project: exits with 0 only when
/// nothing is found. A run that was killed is completed by the next one. Nothing comes back from a transcript: a mark
/// without text keeps it away, and a session that is at work begins afresh. The agent's own transcripts are not ours: they are
/// named, not touched. A damaged database that was set aside goes with --everything; otherwise it is named, and the exit status is
/// 1, since nobody can look into it. What `usage sync` sent to a fleet stays there; it holds numbers only.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:
  throughline forget --dry-run blue moon       # what would go: the two words in this order, in any case
  throughline forget 'jane@example.com' --yes  # without asking
  throughline forget --session 2f467a84        # all that one session brought; the beginning of its id is enough
  throughline forget --before 30d --dry-run    # what is older than the last thirty days, counted by place
  throughline forget --before 2026-09-01       # what was recorded before that day began
  throughline forget --everything              # all of this project
  throughline forget --everything --project /gone/app   # of one whose folder is gone; its name in `projects/` is taken too")]
pub(crate) struct Args {
    /// The words, in their order; case and blanks between them do not matter
    #[arg(required_unless_present_any = ["session", "before", "everything"], conflicts_with_all = ["session", "before", "everything"])]
    words: Vec<String>,
    /// What this session brought; the beginning of its id is enough
    #[arg(long, value_name = "ID", conflicts_with = "everything")]
    session: Option<String>,
    /// What is older: 2026-01-31, 20260131, today, yesterday, 7d, 2w, 3mo, 1y
    #[arg(long, value_name = "DATE|AGE", conflicts_with = "everything")]
    before: Option<String>,
    /// The whole project
    #[arg(long)]
    everything: bool,
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// As JSON; not with words
    #[arg(long, conflicts_with = "words")]
    json: bool,
}

pub(crate) fn run(folder: Option<&Path>, args: &Args) -> Result<(), Failure> {
    let is_of_words = !args.words.is_empty();
    let app = if is_of_words { App::open(folder)? } else { by_origin::open(folder)? };
    if !args.dry_run {
        app.refuse_agent("forgetting for good", "; `--dry-run` shows what would go")?;
    }
    if is_of_words { by_words::run(&app, args) } else { by_origin::run(&app, args) }
}

/// Asks on a terminal. In a pipe nobody can answer, and that is no.
fn is_confirmed(question: &str) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    output::remark(&format!("This cannot be undone. {question} [y/N]"));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|error| Failure::new(error.to_string()))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

impl From<NeedleError> for Failure {
    fn from(error: NeedleError) -> Self {
        let hint = match &error {
            NeedleError::Empty => "`throughline forget blue moon` forgets two words that stand in this order",
            NeedleError::TooLong(_) => "a part of them is enough, such that stands nowhere else",
            NeedleError::Unusable(_) => "nothing was changed",
        };
        Self::new(error.to_string()).hint(hint)
    }
}
