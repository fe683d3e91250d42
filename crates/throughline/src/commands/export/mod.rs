//! `export`: the working set, or everything the archive has, as JSON.

use serde_json::{Value, json};
use throughline_store::archive::{Archive, Filter};

use super::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output;

/// Print the working set as JSON; `import` reads it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The archive's entries too
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let mut value = app.state()?.to_json();
    if args.all {
        let archive = Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)?;
        let filter = Filter { kind: None, live_only: false, limit: u64::from(u32::MAX) };
        let rows = archive.entries(&app.memory.project.key, filter)?;
        let rows: Vec<Value> = rows.into_iter().map(super::list::row_json).collect();
        if let Some(map) = value.as_object_mut() {
            map.insert("archive".to_owned(), json!(rows));
        }
    }
    output::say_json(&value)
}
