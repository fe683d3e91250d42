//! `trust`: entries that came with a clone become ours.

use throughline_domain::State;
use throughline_store::archive::Archive;
use throughline_store::config::ProjectGovernance;
use throughline_store::memory::{KEY_DECISIONS, WORK_ITEM};
use throughline_store::rules_trust;

use super::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::hook::governance;
use crate::output;

/// The name of the rules that the project's configuration brings.
const RULES: &str = "rules";

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
    let mut untrusted = app.memory.untrusted();
    let rules = governance::not_vouched(&app.memory, &app.config);
    untrusted.extend(rules.map(|_| RULES.to_owned()));
    if args.json {
        return output::say_json(&serde_json::json!(untrusted));
    }
    if args.list {
        for id in &untrusted {
            output::say(&format!(
                "{id}: {}",
                throughline_domain::text::one_line(&text_of(&state, rules, id), 200)
            ))?;
        }
        return Ok(());
    }
    let unknown: Vec<&String> =
        args.ids.iter().filter(|id| !untrusted.iter().any(|it| it.eq_ignore_ascii_case(id))).collect();
    if let Some(id) = unknown.first() {
        return Err(Failure::new(format!("{id} is not among the untrusted entries"))
            .hint("`throughline trust --list` shows them"));
    }
    app.refuse_agent("trusting what came with the repository", "; `throughline trust --list` shows it")?;
    let mut count = app.memory.trust(&args.ids)?;
    let names_rules = args.ids.is_empty() || args.ids.iter().any(|id| id.eq_ignore_ascii_case(RULES));
    if let Some(foreign) = rules.filter(|_| names_rules) {
        rules_trust::trust(&app.place.home, &app.memory.project, &foreign.rules)?;
        count += 1;
    }
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
fn text_of(state: &State, rules: Option<&ProjectGovernance>, name: &str) -> String {
    match name {
        RULES => rules.map_or_else(String::new, |foreign| {
            let phases = foreign.rules.phases.values().map(String::as_str);
            [foreign.rules.text.as_str()].into_iter().chain(phases).collect::<Vec<_>>().join(" · ")
        }),
        WORK_ITEM => {
            let sd = &state.sd;
            let parts = [&sd.id, &sd.title, &sd.phase, &sd.item, &sd.blocking, &sd.next];
            parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" · ")
        }
        KEY_DECISIONS => state.key_decisions.join(" · "),
        name => state.find(name).map_or_else(String::new, |entry| entry.text.clone()),
    }
}
