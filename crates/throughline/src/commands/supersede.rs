//! `supersede`: a new decision takes an old one's place.

use super::App;
use crate::failure::Failure;
use crate::output;

/// Put a new decision (or another entry of the same kind) in the place of an old one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The old entry: D1
    id: String,
    /// The new words
    #[arg(allow_hyphen_values = true, value_parser = super::words)]
    text: String,
    /// Why (for a decision)
    #[arg(long, value_name = "WHY", allow_hyphen_values = true)]
    rationale: Option<String>,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let changed = app.change(|draft| draft.supersede(&args.id, &args.text, args.rationale.as_deref()))?;
    let (old, new) = changed.value;
    output::say(&format!("{new} recorded, supersedes {old}"))
}
