//! `resolve`: answers a question.

use super::App;
use crate::failure::Failure;
use crate::output;

/// Answer an open question
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question: Q1, or another program's id
    id: String,
    /// The answer
    #[arg(allow_hyphen_values = true, value_parser = super::words)]
    answer: String,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let changed = app.change(|draft| draft.resolve_question(&args.id, &args.answer))?;
    output::say(&format!("{} resolved", changed.value))
}
