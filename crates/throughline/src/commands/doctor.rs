//! `doctor`: one line a check.

use super::App;
use crate::failure::Failure;

/// Check that everything works, one line a check
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(_: &App, args: &Args) -> Result<(), Failure> {
    let _ = args.json;
    Ok(())
}
