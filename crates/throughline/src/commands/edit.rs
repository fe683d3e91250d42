//! `edit`: changes an entry's words.

use super::App;
use crate::failure::Failure;
use crate::output;

/// Change an entry's words; the archive keeps the old ones
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The entry: D1, C2…
    id: String,
    /// The new words
    #[arg(allow_hyphen_values = true, value_parser = super::words)]
    text: Option<String>,
    /// The new reason (rationale, source or context)
    #[arg(long, value_name = "WHY", allow_hyphen_values = true)]
    reason: Option<String>,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    if args.text.is_none() && args.reason.is_none() {
        return Err(Failure::new("nothing to change").hint("give new words, or --reason"));
    }
    let changed = app.change(|draft| draft.edit(&args.id, args.text.as_deref(), args.reason.as_deref()))?;
    output::say(&format!("{} changed", changed.value))
}
