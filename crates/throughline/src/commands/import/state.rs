//! Importing a working set: entries out of another state file, an export of one, or an iDumb state.

use serde_json::Value;
use throughline_domain::entry::BY_AGENT;
use throughline_domain::{Detail, Entry, Kind, Origin, State};
use throughline_store::archive::Taking;
use throughline_store::memory::{KEY_DECISIONS, WORK_ITEM};

use crate::commands::App;
use crate::failure::Failure;
use crate::output;

/// Adds the entries of a state, as text.
pub(super) fn run(app: &App, name: &str, bytes: Vec<u8>, is_trial: bool) -> Result<(), Failure> {
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{name} is not UTF-8 text")))?;
    let (incoming, problems) = State::read(&text).map_err(|unreadable| {
        Failure::new(format!("could not read {name}: {unreadable}"))
            .hint("import takes a state file, the output of `throughline export`, or iDumb's state.json")
    })?;
    let seen = incoming.all_entries().count();
    if is_trial {
        return output::say(&format!(
            "would be taken from {name}: {seen} entries, those that are here already once"
        ));
    }
    let new = take(app, &incoming, &[], &Taking::default())?;
    for problem in &problems {
        output::warn(&format!("{problem}; nothing was dropped"));
    }
    output::say(&format!("{new} of {seen} entries imported from {name}"))
}

/// Adopts the entries of a state; those that are named in `quoted` were never trusted, and are quoted here too. Gives how many
/// are new.
pub(super) fn take(app: &App, incoming: &State, quoted: &[String], rows: &Taking) -> Result<usize, Failure> {
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
            let id = entry.id.to_string();
            let is_archived = rows.holds(&id, &entry.text);
            if quoted.contains(&id) {
                draft.adopt_quoted(entry, is_archived);
            } else if is_archived {
                draft.adopt_archived(entry);
            } else {
                draft.adopt(entry);
            }
        }
        adopt_the_rest(incoming, quoted, &mut draft.state);
        Ok(())
    })?;
    let left_out = incoming.all_entries().count() - incoming.all_entries().filter(is_welcome).count();
    if left_out > 0 {
        output::warn(&format!(
            "{left_out} directives were left out: they are the user's words, and an agent imports"
        ));
    }
    let now = changed.state.all_entries().count() + changed.evicted.len();
    Ok(now.saturating_sub(before))
}

/// What is no entry: taken where the project has nothing of its own, and where it was trusted.
fn adopt_the_rest(incoming: &State, quoted: &[String], state: &mut State) {
    let is_quoted = |name: &str| quoted.iter().any(|it| it == name);
    if state.sd.is_empty() && !is_quoted(WORK_ITEM) {
        state.sd = incoming.sd.clone();
    }
    if state.history.is_empty() && !is_quoted(WORK_ITEM) {
        state.history.clone_from(&incoming.history);
    }
    for line in incoming.key_decisions.iter().filter(|_| !is_quoted(KEY_DECISIONS)) {
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
