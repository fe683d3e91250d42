//! `validate`: a precise list of what is wrong with the state file.

use std::path::PathBuf;

use serde_json::{Value, json};
use throughline_domain::{Problem, validate};
use throughline_store::files;

use super::App;
use crate::failure::Failure;
use crate::given;
use crate::output;

/// Longest file that is looked at.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::STATE_COPY_BYTES_MAX;

/// Check the state file; exit 1 and a list when it is invalid
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Another file than the project's
    file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let path = app.memory.project.state_file();
    let bytes = match &args.file {
        Some(path) => given::read(path, FILE_BYTES_MAX)?,
        None => files::read_limited(&path, FILE_BYTES_MAX)?.ok_or_else(|| {
            Failure::new(format!("there is no state file at {}", path.display()))
                .hint("`throughline save` makes one")
        })?,
    };
    let problems = match String::from_utf8(bytes) {
        Ok(text) => validate::problems_in(&text),
        Err(_) => vec![Problem::new("file", "not UTF-8 text")],
    };
    if args.json {
        let list: Vec<Value> =
            problems.iter().map(|problem| json!({ "place": problem.place, "what": problem.what })).collect();
        output::say_json(&json!({ "valid": problems.is_empty(), "problems": list }))?;
    } else if problems.is_empty() {
        output::say("valid")?;
    } else {
        for problem in &problems {
            output::say(&problem.to_string())?;
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::silent(1)) }
}
