//! `import`: entries out of another state file, an export, or an iDumb state.

use std::io::Read;
use std::path::PathBuf;

use serde_json::Value;
use throughline_domain::{Detail, Entry, Kind, Origin, State};

use super::App;
use crate::failure::Failure;
use crate::output;

/// Longest file that is read.
const IMPORT_BYTES_MAX: u64 = 4 << 20;

/// The source of a constraint that an agent brings: it cannot say that somebody else set it.
const BY_AGENT: &str = "agent";

/// Add the entries of another state file, of an export, or of `.idumb/brain/state.json`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file; `-` reads standard input
    file: PathBuf,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let bytes = read(args)?;
    let name = args.file.display();
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{name} is not UTF-8 text")))?;
    let (incoming, problems) = State::read(&text).map_err(|unreadable| {
        Failure::new(format!("could not read {name}: {unreadable}"))
            .hint("import takes a state file, the output of `throughline export`, or iDumb's state.json")
    })?;
    let before = app.state()?.all_entries().count();
    let is_agent = app.author().origin == Origin::Assistant;
    // Directives are the user's own words: an agent cannot bring any, out of whatever file.
    let is_welcome = |entry: &&Entry| !is_agent || entry.id.kind != Kind::Directive;
    let changed = app.change(|draft| {
        for mut entry in incoming.all_entries().filter(is_welcome).cloned() {
            if let Detail::Constraint { source, .. } = &mut entry.detail
                && is_agent
            {
                BY_AGENT.clone_into(source);
            }
            let created = entry.extra.shift_remove("created");
            if let Some(Value::String(created)) = created
                && entry.timestamp.is_empty()
            {
                entry.timestamp = created;
            }
            draft.adopt(entry);
        }
        adopt_the_rest(&incoming, &mut draft.state);
        Ok(())
    })?;
    for problem in &problems {
        output::warn(&format!("{problem}; nothing was dropped"));
    }
    let seen = incoming.all_entries().count();
    let left_out = seen - incoming.all_entries().filter(is_welcome).count();
    if left_out > 0 {
        output::warn(&format!(
            "{left_out} directives were left out: they are the user's words, and an agent imports"
        ));
    }
    let now = changed.state.all_entries().count() + changed.evicted.len();
    output::say(&format!("{} of {seen} entries imported from {name}", now.saturating_sub(before)))
}

fn read(args: &Args) -> Result<Vec<u8>, Failure> {
    let name = args.file.display();
    let failed = |error: std::io::Error| Failure::new(format!("could not read {name}: {error}"));
    // Opened as it is, not as a regular file: `import <(…)` is a pipe.
    let source: Box<dyn Read> = if args.file.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        match std::fs::File::open(&args.file) {
            Ok(file) => Box::new(file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Failure::new(format!("there is no file {name}")));
            }
            Err(error) => return Err(failed(error)),
        }
    };
    let mut bytes = Vec::new();
    source.take(IMPORT_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > IMPORT_BYTES_MAX {
        return Err(Failure::new(format!("{name} holds more than {IMPORT_BYTES_MAX} bytes"))
            .hint("import it in parts: each a state of its own"));
    }
    Ok(bytes)
}

/// What is no entry: taken where the project has nothing of its own.
fn adopt_the_rest(incoming: &State, state: &mut State) {
    if state.sd.is_empty() {
        state.sd = incoming.sd.clone();
    }
    if state.history.is_empty() {
        state.history.clone_from(&incoming.history);
    }
    for line in &incoming.key_decisions {
        let known = state.entries(Kind::Decision).iter().any(|entry| entry.text == *line);
        if !known && !state.key_decisions.contains(line) {
            state.key_decisions.push(line.clone());
        }
    }
    for (key, value) in &incoming.extra {
        if key != "archive" {
            state.extra.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    for (key, value) in &incoming.unparsed {
        state.unparsed.entry(key.clone()).or_insert_with(|| value.clone());
    }
}
