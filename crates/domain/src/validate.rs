//! Validation: a precise list of what is wrong with a state file's text.

use crate::problem::Problem;
use crate::state::{State, Trigger};
use crate::time;

/// Everything wrong with a text that should be a state; empty when it is valid.
///
/// ```
/// use throughline_domain::validate::problems_in;
/// assert_eq!(problems_in(r#"{"version":"2.0.0","timestamp":"soon","trigger":"manual"}"#).len(), 1);
/// ```
#[must_use]
pub fn problems_in(text: &str) -> Vec<Problem> {
    let (state, mut problems) = match State::read(text) {
        Ok(read) => read,
        Err(unreadable) => return vec![Problem::new("file", unreadable.to_string())],
    };
    let raw = crate::json_text::parse(text).map(|(raw, _)| raw).unwrap_or_default();
    for required in ["version", "timestamp", "trigger"] {
        if raw.get(required).is_none() {
            problems.push(Problem::new(required, "missing"));
        }
    }
    if !matches!(state.version.as_str(), "1.0.0" | "2.0.0") {
        problems.push(Problem::new("version", format!("`{}` is not 1.0.0 or 2.0.0", state.version)));
    }
    if !state.timestamp.is_empty() && time::parse(&state.timestamp).is_none() {
        problems.push(Problem::new("timestamp", format!("`{}` is not a time in ISO 8601", state.timestamp)));
    }
    if let Trigger::Other(word) = &state.trigger {
        let what = format!("`{word}` is not precompact, manual, checkpoint or threshold");
        problems.push(Problem::new("trigger", what));
    }
    if state.sd.progress.is_some_and(|progress| !(0.0..=1.0).contains(&progress)) {
        problems.push(Problem::new("sd.progress", "not between 0 and 1"));
    }
    for entry in state.all_entries() {
        if entry.text.trim().is_empty() {
            problems.push(Problem::new(entry.id.to_string(), "its text is empty"));
        }
        if !entry.timestamp.is_empty() && time::parse(&entry.timestamp).is_none() {
            let what = format!("timestamp `{}` is not a time in ISO 8601", entry.timestamp);
            problems.push(Problem::new(entry.id.to_string(), what));
        }
    }
    for key in state.unparsed.keys() {
        let place = format!("unparsed.{key}");
        if !problems.iter().any(|problem| problem.place.starts_with(key.as_str())) {
            problems.push(Problem::new(place, "did not fit the schema and was kept aside"));
        }
    }
    problems
}
