//! `done`, `lift`, `rm`: an entry leaves the working set; the archive keeps it, with the reason.

use throughline_domain::Kind;

use super::App;
use crate::failure::Failure;
use crate::output;

/// Finish an action (or any entry): it leaves the working set and stays in the archive
#[derive(Debug, clap::Args)]
pub(crate) struct DoneArgs {
    /// The entries: P1, H2…
    #[arg(required = true)]
    ids: Vec<String>,
}

/// Lift a constraint: it no longer holds
#[derive(Debug, clap::Args)]
pub(crate) struct LiftArgs {
    /// The constraint: C1
    id: String,
    /// Why it no longer holds
    #[arg(long, value_name = "WHY", allow_hyphen_values = true)]
    because: Option<String>,
}

/// Remove an entry that should not have been recorded; the archive keeps it, marked
#[derive(Debug, clap::Args)]
pub(crate) struct RmArgs {
    /// The entries
    #[arg(required = true)]
    ids: Vec<String>,
}

pub(crate) fn done(app: &App, args: &DoneArgs) -> Result<(), Failure> {
    leave(app, &args.ids, "done", "done")
}

pub(crate) fn rm(app: &App, args: &RmArgs) -> Result<(), Failure> {
    leave(app, &args.ids, "removed", "removed")
}

pub(crate) fn lift(app: &App, args: &LiftArgs) -> Result<(), Failure> {
    let state = app.state()?;
    if let Some(entry) = state.find(&args.id)
        && entry.id.kind != Kind::Constraint
    {
        return Err(Failure::new(format!("{} is a {}, not a constraint", entry.id, entry.id.kind.word()))
            .hint("`throughline rm` removes any entry"));
    }
    let why = args.because.as_ref().map_or_else(|| "lifted".to_owned(), |why| format!("lifted: {why}"));
    leave(app, std::slice::from_ref(&args.id), &why, "lifted")
}

fn leave(app: &App, names: &[String], why: &str, word: &str) -> Result<(), Failure> {
    let changed = app.change(|draft| {
        names
            .iter()
            .map(|name| draft.withdraw(name, why).map(|entry| entry.id))
            .collect::<Result<Vec<_>, _>>()
    })?;
    for id in changed.value {
        output::say(&format!("{id} {word}"))?;
    }
    Ok(())
}
