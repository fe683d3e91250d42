//! `trust`, `untrust`: a person's word for what others may have written into the project's files.

use std::io::{BufRead, IsTerminal};

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_domain::{Origin, State};
use throughline_store::archive::Archive;
use throughline_store::config::{WaitingConfig, allowed};
use throughline_store::door::Spot;
use throughline_store::memory::{Author, KEY_DECISIONS, WORK_ITEM, Waiting};

use super::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output;
use crate::waiting;

/// The names of the project's configuration, today's and the one of the time when its rules alone waited.
const CONFIG_NAMES: [&str; 2] = ["config", "rules"];

/// Take over what others may have written into the project's files: shows it, asks, and from then on it counts
///
/// The state file and `.claude/throughline.toml` count as far as we wrote them, or a person allowed exactly these bytes.
/// Anything else waits, and what we last wrote stays in force. `throughline edit --file` and `throughline config edit
/// --project` need no further word: what is saved there is the user's.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
#[command(after_help = "Examples:
  throughline trust --list     # what waits, and what it would change
  throughline trust            # show it, ask, take all of it over
  throughline trust D3 config  # some of it, by name")]
pub(crate) struct Args {
    /// Parts of it: entries, `sd` (the work item), `keyDecisions`, `config`; all when none is named
    ids: Vec<String>,
    /// Only list what waits
    #[arg(long)]
    list: bool,
    /// Print JSON (with --list)
    #[arg(long, requires = "list")]
    json: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Take the word back instead; the same as `untrust`
    #[arg(long, conflicts_with_all = ["list", "yes"])]
    revoke: bool,
}

/// Take a word back: entries are only quoted again, or the project's configuration waits again
#[derive(Debug, clap::Args)]
pub(crate) struct UntrustArgs {
    /// Entries, `sd`, `keyDecisions` or `config`; the configuration when none is named
    ids: Vec<String>,
}

/// Everything that waits.
struct Waits<'a> {
    state: State,
    versions: Vec<Waiting>,
    /// Entries of our own file that came from elsewhere: with an import, or under earlier versions.
    quoted: Vec<String>,
    config: Option<&'a WaitingConfig>,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    if args.revoke {
        return revoke(app, &args.ids);
    }
    let waits = Waits {
        state: app.memory.load(&app.author())?.0,
        versions: app.memory.waiting()?,
        quoted: app.memory.untrusted(),
        config: app.config.waiting.as_ref(),
    };
    if args.json {
        return output::say_json(&waits.to_json());
    }
    if args.list {
        return show(&waits);
    }
    let names = waits.names();
    if let Some(id) = args.ids.iter().find(|id| !names.iter().any(|it| it.eq_ignore_ascii_case(id))) {
        return Err(
            Failure::new(format!("{id} is not among what waits")).hint("`throughline trust --list` shows it")
        );
    }
    app.refuse_agent("trusting what came with the repository", "; `throughline trust --list` shows it")?;
    if names.is_empty() {
        return output::say("nothing waits");
    }
    if args.ids.is_empty() && !args.yes {
        show(&waits)?;
        confirm()?;
    }
    take(app, &waits, &args.ids)
}

pub(crate) fn untrust(app: &App, args: &UntrustArgs) -> Result<(), Failure> {
    revoke(app, &args.ids)
}

fn take(app: &App, waits: &Waits<'_>, ids: &[String]) -> Result<(), Failure> {
    let author = Author { origin: Origin::Hand, ..app.author() };
    let is_named = |name: &str| ids.is_empty() || ids.iter().any(|id| id.eq_ignore_ascii_case(name));
    let mut count = 0;
    for version in &waits.versions {
        let named: Vec<String> =
            version.difference.names().into_iter().filter(|name| is_named(name)).collect();
        if !named.is_empty() {
            let parts: &[String] = if ids.is_empty() { &[] } else { &named };
            let changed = app.memory.take(&author, version, parts)?;
            super::tell_repairs(app, &changed.repairs);
            count += changed.value;
        }
    }
    app.fold();
    let quoted: Vec<String> = waits.quoted.iter().filter(|name| is_named(name)).cloned().collect();
    if !quoted.is_empty() {
        count += app.memory.trust(&quoted)?;
        mark_archive(app, &quoted, true);
    }
    if app.memory.untrusted().is_empty() {
        // The archive's own marks follow; they matter to searches, not to what was just trusted.
        let _ = Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)
            .and_then(|mut archive| archive.trust_all(&app.memory.project.key));
    }
    if count > 0 {
        output::say(&match count {
            1 => "1 entry trusted".to_owned(),
            count => format!("{count} entries trusted"),
        })?;
    }
    match waits.config.filter(|_| CONFIG_NAMES.iter().any(|name| is_named(name))) {
        Some(config) => trust_config(app, config),
        None => Ok(()),
    }
}

/// The archive's own marks follow; searches go by them.
fn mark_archive(app: &App, ids: &[String], trusted: bool) {
    let _ = Archive::open(&app.place.home.archive(), ARCHIVE_WAIT)
        .and_then(|mut archive| archive.set_trusted(&app.memory.project.key, ids, trusted));
}

/// Allows the bytes that were shown.
fn trust_config(app: &App, shown: &WaitingConfig) -> Result<(), Failure> {
    allowed::allow(&app.place.home, &app.memory.project, &shown.hash)?;
    match app.place.config(&app.memory.project).0.waiting {
        Some(_) => output::say(".claude/throughline.toml has changed meanwhile: what is in it now waits"),
        None => output::say(".claude/throughline.toml trusted"),
    }
}

fn revoke(app: &App, ids: &[String]) -> Result<(), Failure> {
    app.refuse_agent("taking a word back", "")?;
    let is_config = |id: &String| CONFIG_NAMES.iter().any(|name| id.eq_ignore_ascii_case(name));
    let entries: Vec<String> = ids.iter().filter(|id| !is_config(id)).cloned().collect();
    if !entries.is_empty() {
        let count = app.memory.untrust(&entries)?;
        if count < entries.len() {
            return Err(Failure::new("not all of them are entries of the working set")
                .hint("`throughline list` shows what there is"));
        }
        mark_archive(app, &entries.iter().map(|id| id.to_uppercase()).collect::<Vec<_>>(), false);
        output::say(&format!("{count} no longer trusted"))?;
    }
    if ids.is_empty() || ids.iter().any(is_config) {
        let was = allowed::revoke(&app.place.home, &app.memory.project)?;
        let said = if was { "no longer trusted" } else { "was not trusted" };
        output::say(&format!(".claude/throughline.toml {said}"))?;
    }
    Ok(())
}

fn show(waits: &Waits<'_>) -> Result<(), Failure> {
    for version in &waits.versions {
        let place = match version.aside.as_ref().and_then(|aside| aside.file_name()) {
            Some(name) => format!("kept as {}", name.to_string_lossy()),
            None => "which stands there now".to_owned(),
        };
        output::say(&format!("another version of the state file ({place}):"))?;
        for line in waiting::lines(&version.difference) {
            output::say(&format!("  {line}"))?;
        }
    }
    for name in &waits.quoted {
        output::say(&format!("{name}: {}", one_line(&text_of(&waits.state, name), 200)))?;
    }
    if let Some(config) = waits.config {
        output::say("config: .claude/throughline.toml")?;
        for line in waiting::config_lines(config) {
            output::say(&format!("  {line}"))?;
        }
    }
    Ok(())
}

fn confirm() -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new("nobody is there to be asked")
            .hint("nothing was changed; `--yes` takes over what was shown"));
    }
    output::remark("Take this over as your own? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|error| Failure::new(error.to_string()))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err(Failure::new("nothing was changed"))
}

impl Waits<'_> {
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.versions.iter().flat_map(|it| it.difference.names()).collect();
        names.extend(self.quoted.iter().cloned());
        names.extend(self.config.iter().flat_map(|_| CONFIG_NAMES.map(str::to_owned)));
        names
    }

    fn to_json(&self) -> Value {
        let mut rows = Vec::new();
        for version in &self.versions {
            let difference = &version.difference;
            let mut row = |name: String, change: &str, old: Option<String>, new: Option<String>| {
                rows.push(json!({
                    "name": name, "file": "state", "change": change, "old": old, "new": new,
                    "hash": version.hash, "keptAs": version.aside.as_ref().map(Spot::shown),
                }));
            };
            for entry in &difference.added {
                row(entry.id.to_string(), "added", None, Some(entry.text.clone()));
            }
            for entry in &difference.removed {
                row(entry.id.to_string(), "removed", Some(entry.text.clone()), None);
            }
            for (ours, theirs) in &difference.changed {
                row(ours.id.to_string(), "changed", Some(ours.text.clone()), Some(theirs.text.clone()));
            }
            if let Some((ours, theirs)) = &difference.work {
                let words = |sd| Some(waiting::work_words(sd));
                row(WORK_ITEM.to_owned(), "changed", words(ours), words(theirs));
            }
            if let Some((ours, theirs)) = &difference.lines {
                let words = |lines: &[String]| Some(lines.join(" · "));
                row(KEY_DECISIONS.to_owned(), "changed", words(ours), words(theirs));
            }
            if difference.rest.is_some() {
                row("rest".to_owned(), "changed", None, None);
            }
        }
        rows.extend(self.quoted.iter().map(|name| {
            json!({ "name": name, "file": "state", "change": "quoted", "new": text_of(&self.state, name) })
        }));
        if let Some(config) = self.config {
            rows.extend(config.keys.iter().map(|key| {
                json!({
                    "name": key.key, "file": "config", "change": "changed", "old": key.old, "new": key.new,
                    "hash": config.hash,
                })
            }));
            if let Some(why) = &config.unreadable {
                rows.push(json!({ "name": "config", "file": "config", "why": why, "hash": config.hash }));
            }
        }
        json!(rows)
    }
}

/// The words that are trusted or not under a name.
fn text_of(state: &State, name: &str) -> String {
    match name {
        WORK_ITEM => waiting::work_words(&state.sd),
        KEY_DECISIONS => state.key_decisions.join(" · "),
        name => state.find(name).map_or_else(String::new, |entry| entry.text.clone()),
    }
}
