//! `demo`: a recorded session is compacted and comes back.

use crate::failure::Failure;

/// Replay a recorded session through the real hooks in a temporary home
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    Ok(())
}
