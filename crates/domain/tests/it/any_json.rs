//! Any JSON object is a state: nothing panics, nothing is lost, and reading what was written changes nothing.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Map, Value};
use throughline_domain::budget::{Limits, truncate_for_budget};
use throughline_domain::state::VERSION;
use throughline_domain::{Kind, State};

use crate::arbitrary::state_like;

/// Keys that the state gives a meaning to; every other key of a document belongs to somebody else.
const OURS: [&str; 18] = [
    "version",
    "timestamp",
    "trigger",
    "git",
    "sd",
    "workflow",
    "history",
    "decisions",
    "constraints",
    "openQuestions",
    "evidenceLedger",
    "directives",
    "anchors",
    "tokenMetrics",
    "summaries",
    "counters",
    "labels",
    "unparsed",
];

fn read(map: &Map<String, Value>) -> State {
    State::read(&Value::Object(map.clone()).to_string()).expect("an object is a state").0
}

/// Reads what the state is written as.
fn again(state: &State) -> State {
    State::read(&serde_json::to_string_pretty(&state.to_json()).unwrap()).expect("what we wrote is a state").0
}

fn tokens(value: &Value, found: &mut HashSet<String>) {
    match value {
        Value::String(text) if text.starts_with("token") => {
            found.insert(text.clone());
        }
        Value::Array(elements) => elements.iter().for_each(|it| tokens(it, found)),
        Value::Object(map) => map.values().for_each(|it| tokens(it, found)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_of_a_document_is_found_in_what_is_written(map in state_like()) {
        let mut expected = HashSet::new();
        tokens(&Value::Object(map.clone()), &mut expected);
        if let Some(Value::String(version)) = map.get("version") {
            // What is written is always our version.
            expected.remove(version);
        }
        let mut written = HashSet::new();
        tokens(&read(&map).to_json(), &mut written);
        let lost: Vec<_> = expected.difference(&written).collect();
        prop_assert!(lost.is_empty(), "lost {lost:?}");
    }

    #[test]
    fn fields_that_are_nobody_of_ours_stay_where_they_are(map in state_like()) {
        let written = read(&map).to_json();
        for (key, value) in map.iter().filter(|(key, _)| !OURS.contains(&key.as_str())) {
            prop_assert_eq!(&written[key], value);
        }
    }

    #[test]
    fn reading_what_was_written_gives_the_same_state(map in state_like()) {
        let mut once = read(&map);
        let twice = again(&once);
        once.version = VERSION.to_owned();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn what_was_written_has_no_problems_of_form(map in state_like()) {
        let text = read(&map).to_json().to_string();
        let (_, problems) = State::read(&text).unwrap();
        prop_assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn ids_are_unique_and_below_their_counters(map in state_like()) {
        let mut state = read(&map);
        let ids: Vec<_> = state.all_entries().map(|entry| entry.id).collect();
        prop_assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        prop_assert!(ids.iter().all(|id| id.number >= 1 && id.number <= state.counter(id.kind)));
        for kind in Kind::ALL {
            let next = state.next_id(kind);
            prop_assert!(!ids.contains(&next));
        }
    }

    #[test]
    fn what_leaves_and_what_stays_is_everything(map in state_like(), file_bytes_max in 0_usize..4_000) {
        let mut state = read(&map);
        let lines = state.key_decisions.len();
        let before = state.all_entries().count();
        let mut ids: HashSet<_> = state.all_entries().map(|entry| entry.id).collect();
        let limits = Limits { file_bytes_max, ..Limits::default() };
        let evicted = truncate_for_budget(&mut state, &limits, "2026-03-01T10:00:00.000Z");
        let moved = lines - state.key_decisions.len();
        prop_assert_eq!(evicted.len() + state.all_entries().count(), before + moved);
        for entry in state.all_entries().chain(evicted.iter().map(|(entry, _)| entry)) {
            ids.remove(&entry.id);
        }
        prop_assert!(ids.is_empty(), "gone without a word: {ids:?}");
        let cut = state.token_metrics.last_truncation.as_deref() == Some("2026-03-01T10:00:00.000Z");
        prop_assert_eq!(cut, !evicted.is_empty());
    }

    #[test]
    fn any_text_is_a_state_or_a_reason(text in "\\PC{0,64}") {
        if let Err(unreadable) = State::read(&text) {
            prop_assert!(!unreadable.to_string().is_empty());
        }
    }

    #[test]
    fn a_document_cut_anywhere_is_refused_with_a_place(map in state_like(), at in any::<prop::sample::Index>()) {
        let text = Value::Object(map).to_string();
        let cut: String = text.chars().take(at.index(text.chars().count())).collect();
        let unreadable = State::read(&cut).unwrap_err();
        prop_assert!(unreadable.line > 0);
    }
}
