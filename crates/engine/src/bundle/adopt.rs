//! Adopting a working set: the entries of another state become part of this one.

use serde_json::Value;
use throughline_domain::entry::BY_AGENT;
use throughline_domain::{Detail, Entry, Kind, Origin, State};
use throughline_store::archive::Taking;
use throughline_store::memory::{Draft, KEY_DECISIONS, WORK_ITEM};

/// Adopts the entries of a state; those that are named in `quoted` were never trusted, and are quoted here too. `rows` are
/// in the archive already.
pub fn adopt(draft: &mut Draft, incoming: &State, quoted: &[String], rows: &Taking, by: Origin) {
    for mut entry in incoming.all_entries().filter(|entry| is_welcome(entry, by)).cloned() {
        if let Detail::Constraint { source, .. } = &mut entry.detail
            && by == Origin::Assistant
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
}

/// Entries that are left out: directives are the user's own words, and an agent cannot bring any, out of whatever file.
#[must_use]
pub fn left_out(incoming: &State, by: Origin) -> usize {
    incoming.all_entries().filter(|entry| !is_welcome(entry, by)).count()
}

fn is_welcome(entry: &Entry, by: Origin) -> bool {
    by != Origin::Assistant || entry.id.kind != Kind::Directive
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
