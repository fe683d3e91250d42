//! `age`: how old the state is.

use serde_json::json;
use throughline_domain::time;

use super::App;
use crate::failure::Failure;
use crate::output;

/// Show how old the recorded state is
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let state = app.state()?;
    let seconds = time::parse(&state.timestamp).map(|then| time::seconds_between(then, app.now));
    let recent = state.is_recent(app.now, app.config.restore.banner_minutes);
    if args.json {
        return output::say_json(
            &json!({ "timestamp": state.timestamp, "ageSeconds": seconds, "recent": recent }),
        );
    }
    output::say(&match seconds {
        None => "nothing is recorded in this project yet".to_owned(),
        Some(seconds) => {
            let word = if recent { "recent" } else { "not recent" };
            format!("{} old ({word}), saved {}", time::span_words(seconds), state.timestamp)
        }
    })
}
