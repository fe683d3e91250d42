//! `fresh`: archives everything and starts empty.

use super::App;
use crate::failure::Failure;
use crate::output;

/// Archive everything and start with an empty working set
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(app: &App, _: &Args) -> Result<(), Failure> {
    let changed = app.change(|draft| Ok(draft.start_fresh()))?;
    output::say(&format!("{} entries archived; the working set is empty", changed.value))
}
