//! `trust`: entries that came with a clone become ours.

use throughline_domain::State;
use throughline_store::archive::Archive;
use throughline_store::memory::{KEY_DECISIONS, WORK_ITEM};

use super::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output;

/// Trust entries that came with the repository: until then they are only quoted
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The entries; all when none is named
    ids: Vec<String>,
    /// Only list what is not trusted yet
    #[arg(long)]
    list: bool,
    /// Print JSON (with --list)
    #[arg(long, requires = "list")]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let state = app.state()?;
    let untrusted = app.memory.untrusted();
    if args.json {
        return output::say_json(&serde_json::json!(untrusted));
    }
    if args.list {
        for id in &untrusted {
            output::say(&format!("{id}: {}", throughline_domain::text::one_line(&text_of(&state, id), 200)))?;
        }
        return Ok(());
    }
    let unknown: Vec<&String> =
        args.ids.iter().filter(|id| !untrusted.iter().any(|it| it.eq_ignore_ascii_case(id))).collect();
    if let Some(id) = unknown.first() {
        return Err(Failure::new(format!("{id} is not among the untrusted entries"))
            .hint("`throughline trust --list` shows them"));
    }
    let count = app.memory.trust(&args.ids)?;
    if app.memory.untrusted().is_empty() {
        // The archive's own marks follow; they matter to searches, not to what was just trusted.
        let _ = Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)
            .and_then(|mut archive| archive.trust(&app.memory.project.key));
    }
    output::say(&match count {
        1 => "1 entry trusted".to_owned(),
        count => format!("{count} entries trusted"),
    })
}

/// The words that are trusted or not under a name.
fn text_of(state: &State, name: &str) -> String {
    match name {
        WORK_ITEM => {
            let sd = &state.sd;
            let parts = [&sd.id, &sd.title, &sd.phase, &sd.item, &sd.blocking, &sd.next];
            parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
        }
        KEY_DECISIONS => state.key_decisions.join(" · "),
        name => state.find(name).map_or_else(String::new, |entry| entry.text.clone()),
    }
}
