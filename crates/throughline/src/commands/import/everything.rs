//! Importing a bundle, for a person: it is read to its end and checked, then taken; what is new and what differs is told.

use std::io::{Read, Seek, SeekFrom};

use serde_json::{Value, json};
use throughline_domain::text::one_line;
use throughline_domain::{Origin, State};
use throughline_engine::bundle::take::{Check, Take};
use throughline_engine::git_exclude::keep_out_of_git_if_new;
use throughline_store::archive::Taking;
use throughline_store::bundle::{self, BundleError, Header, Room};

use super::{Args, entries};
use crate::commands::App;
use crate::failure::Failure;
use crate::output;

/// Names that are told one by one.
const NAMED_MAX: usize = 20;

pub(super) fn run<S: Read + Seek>(app: &App, name: &str, source: &mut S, args: &Args) -> Result<(), Failure> {
    let refused = |error: &BundleError| {
        let hint = match error {
            BundleError::Newer(_) => "nothing was taken; install the newer version",
            BundleError::TooMuch(_) if !args.large => {
                "nothing was taken; ask who made it, and if you know what is in it: `throughline import --large`"
            }
            BundleError::Checksum(_) | BundleError::Truncated(_) => {
                "nothing was taken; copy the file again, or export it anew"
            }
            _ => "nothing was taken",
        };
        Failure::new(format!("could not import {name}: {}", one_line(&error.to_string(), 400))).hint(hint)
    };
    let room = if args.large { Room::LARGE } else { Room::USUAL };
    let mut check = Check::of(&app.memory.project);
    let header = bundle::read(&mut *source, room, |part, record| check.take(part, &record))
        .map_err(|error| refused(&error))?;
    if args.dry_run {
        return tell_trial(&header, &check, args.json);
    }
    // Directives, checkpoints and what somebody trusted are in it: their word is a person's, and so is taking it.
    if app.author().origin == Origin::Assistant {
        return Err(Failure::new(format!("{name} is not imported for an agent: it holds words of a person"))
            .hint("a person imports it in a terminal of their own; `--dry-run` shows what is in it"));
    }
    source
        .seek(SeekFrom::Start(0))
        .map_err(|error| Failure::new(format!("could not read {name} again: {error}")))?;
    keep_out_of_git_if_new(&app.memory.project);
    let at_hand = app.at_hand();
    let mut take_state = |incoming: &State, quoted: &[String], rows: &Taking| {
        entries::take(app, incoming, quoted, rows).map_err(|failure| failure.message)
    };
    let mut take = Take::begin(&at_hand, &mut take_state)?;
    let taken = bundle::read(&mut *source, room, |part, record| {
        take.record(part, record).map_err(|it| it.to_string())
    });
    let flushed = taken.map_err(|error| {
        Failure::new(format!("could not import all of {name}: {}", one_line(&error.to_string(), 400)))
            .hint("what was taken stays; run it again to complete it")
    });
    flushed?;
    take.flush()?;
    tell(&take, &header, name, args.json)
}

fn tell(take: &Take<'_>, header: &Header, name: &str, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::say_json(&json!({
            "dryRun": false, "about": about(header), "new": take.new, "differing": take.differing,
            "renumbered": take.renumbered(),
        }));
    }
    let new: Vec<String> = take
        .new
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(part, count)| format!("{part} {count}"))
        .collect();
    let new = if new.is_empty() { "nothing that is not here".to_owned() } else { new.join(", ") };
    output::say(&format!("imported from {name}: {new}"))?;
    tell_differing(&take.differing);
    if !take.renumbered().is_empty() {
        let ids = one_line(&take.renumbered().join(", "), 300);
        output::warn(&format!(
            "{ids} mean something else here: what came has new ids, and the old ones as aliases"
        ));
    }
    Ok(())
}

fn tell_trial(header: &Header, check: &Check<'_>, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::say_json(&json!({
            "dryRun": true, "about": about(header), "records": check.counts, "differing": check.differing,
        }));
    }
    let about = about(header);
    let told = |key: &str| about[key].as_str().unwrap_or("?").to_owned();
    output::say(&format!("an export of {}, made {}; it is whole", told("project"), told("at")))?;
    for (part, count) in &check.counts {
        output::say(&format!("{part}: {count}"))?;
    }
    tell_differing(&check.differing);
    Ok(())
}

/// What a file says of itself, in a form that can be shown.
fn about(header: &Header) -> Value {
    let text = |key: &str| {
        one_line(&throughline_domain::text::printable(header.about[key].as_str().unwrap_or_default()), 100)
    };
    json!({"project": text("project"), "at": text("at"), "program": text("program")})
}

fn tell_differing(names: &[String]) {
    for name in names.iter().take(NAMED_MAX) {
        output::warn(&format!("{} is another one here, and stays", one_line(name, 200)));
    }
    if let Some(more) = names.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
        output::warn(&format!("{more} more files are others here, and stay"));
    }
}
