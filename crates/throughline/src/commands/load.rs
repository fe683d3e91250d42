//! `load`: the state, as the restore banner or as JSON.

use throughline_briefing::{Facts, banner};

use super::App;
use crate::failure::Failure;
use crate::output;
use crate::quoting::{self, RECORDED};

/// Show the recorded state
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the whole state as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let state = app.state()?;
    let untrusted = app.memory.untrusted();
    if args.json {
        let mut value = state.to_json();
        if !untrusted.is_empty() {
            value["untrusted"] = untrusted.into();
        }
        return output::say_json(&value);
    }
    if state.timestamp.is_empty() {
        return output::say("nothing is recorded in this project yet; `throughline add --help` shows how");
    }
    let facts = Facts { untrusted: &untrusted, ..Facts::default() };
    quoting::say(&RECORDED, &[banner::summary(&facts.vouched(&state))])?;
    if !untrusted.is_empty() {
        output::remark(&format!(
            "{} entries are not trusted yet: `throughline trust --list`",
            untrusted.len()
        ));
    }
    Ok(())
}
