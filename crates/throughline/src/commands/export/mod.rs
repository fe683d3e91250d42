//! `export`: everything that a project has in one file; or the working set as JSON.

mod to_file;

use std::path::PathBuf;

use serde_json::{Value, json};
use throughline_store::archive::{Archive, Filter};

use super::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output;

/// Write everything that the project has into one file, or print the working set as JSON; `import` reads both
///
/// With --output: the working set, every archived entry with its history, sessions, compactions, notes, checkpoints, proposed
/// anchors, summaries of tasks, passages for recall, usage and its log. Not in it: copies of transcripts (they are not masked), the
/// files that checkpoints hold in git, trust, settings. The file is for you alone (0600), and has a checksum for each part;
/// `zcat` shows what is in it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throughline export --output app.throughline   # everything; on the other machine: throughline import app.throughline
  throughline export --output - | ssh host 'cd app && throughline import -'
  throughline export > state.json               # the working set alone, as JSON")]
pub(crate) struct Args {
    /// Everything into this file, which must not be there yet; `-` is standard output
    #[arg(long, short, value_name = "FILE", conflicts_with = "all")]
    output: Option<PathBuf>,
    /// The archive's entries too, in the JSON
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    if let Some(to) = &args.output {
        return to_file::run(app, to);
    }
    let mut value = app.state()?.to_json();
    if args.all {
        let archive = Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)?;
        let filter = Filter { kind: None, live_only: false, limit: u64::from(u32::MAX) };
        let rows = archive.entries(&app.memory.project.key, filter)?;
        let rows: Vec<Value> = rows.into_iter().map(crate::commands::list::row_json).collect();
        if let Some(map) = value.as_object_mut() {
            map.insert("archive".to_owned(), json!(rows));
        }
    }
    output::say_json(&value)
}
