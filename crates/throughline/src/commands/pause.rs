//! `pause` and `unpause`: Throughline off and on for this project.

use super::App;
use crate::failure::Failure;
use crate::output;

/// Switch Throughline off for this project: hooks say and record nothing
#[derive(Debug, clap::Args)]
pub(crate) struct PauseArgs {}

/// Switch Throughline on again for this project
#[derive(Debug, clap::Args)]
pub(crate) struct UnpauseArgs {}

pub(crate) fn pause(app: &App, _: &PauseArgs) -> Result<(), Failure> {
    app.memory.set_paused(true)?;
    output::say(
        "paused for this project; `throughline unpause` goes on (running sessions notice at their next start)",
    )
}

pub(crate) fn unpause(app: &App, _: &UnpauseArgs) -> Result<(), Failure> {
    app.memory.set_paused(false)?;
    output::say("on again for this project")
}
