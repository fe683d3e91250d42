//! Hand-made files of some megabytes: reading, cutting and writing take a moment, not minutes.
#![expect(clippy::disallowed_methods, reason = "these tests hold a stopwatch")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use throughline_domain::budget::{Limits, file_bytes, truncate_for_budget};
use throughline_domain::{Kind, State};

/// Generous for a debug build on a busy machine; anything quadratic is far above it.
const PATIENCE: Duration = Duration::from_secs(10);

fn cut(name: &str, text: &str) -> State {
    let start = Instant::now();
    let (mut state, _) = State::read(text).unwrap();
    truncate_for_budget(&mut state, &Limits::default(), "2026-03-01T10:00:00.000Z");
    let again = State::read(&state.to_json().to_string()).unwrap().0;
    assert_eq!(again, state);
    let took = start.elapsed();
    assert!(took < PATIENCE, "{name}: {took:?}");
    eprintln!("{name}: {} bytes in {took:?}", text.len());
    state
}

fn list(section: &str, count: usize, element: impl Fn(usize) -> String) -> String {
    let mut text = format!("{{\"version\":\"2.0.0\",{section}[");
    for number in 0..count {
        let comma = if number == 0 { "" } else { "," };
        write!(text, "{comma}{}", element(number)).unwrap();
    }
    text
}

#[test]
fn twenty_thousand_entries() {
    let decisions = list("\"decisions\":", 20_000, |number| {
        format!(r#"{{"id":"D{}","decision":"entry {number}","rationale":"{}"}}"#, number + 1, "r".repeat(120))
    });
    let state = cut("decisions", &(decisions + "]}"));
    assert_eq!(state.entries(Kind::Decision).len(), 10);
    let questions = list("\"openQuestions\":", 20_000, |number| format!(r#"{{"question":"q{number}"}}"#));
    cut("questions without ids", &(questions + "]}"));
    let doubles = list("\"decisions\":", 20_000, |_| r#"{"id":"D1","decision":"same"}"#.to_owned());
    cut("one id for all", &(doubles + "],\"counters\":{\"D\":9007199254740991}}"));
}

#[test]
fn a_hundred_thousand_bare_strings() {
    let same = list("\"summaries\":{\"pendingActions\":", 100_000, |_| "\"same\"".to_owned());
    let state = State::read(&(same + "]}}")).unwrap().0;
    let labelled = state.to_json().to_string();
    assert!(labelled.len() < 4 << 20, "{}", labelled.len());
    cut("bare strings with labels", &labelled);
    let lines = list("\"summaries\":{\"keyDecisions\":", 400_000, |_| "\"l\"".to_owned());
    let state = cut("decision lines", &(lines + "]}}"));
    assert_eq!(state.key_decisions.len(), 10);
}

#[test]
fn a_few_entries_of_megabytes() {
    let words = "é".repeat(60_000);
    let huge =
        list("\"decisions\":", 10, |number| format!(r#"{{"id":"D{}","decision":"{words}"}}"#, number + 1));
    let constraints = list("\"constraints\":", 10, |number| {
        format!(r#"{{"id":"C{}","constraint":"{words}","blocking":true}}"#, number + 1)
    });
    let state = cut("huge decisions", &(huge + "]}"));
    assert!(file_bytes(&state) <= 15 * 1024);
    cut("huge precious", &(constraints + "]}"));
}

#[test]
fn an_entry_and_a_file_with_many_foreign_fields() {
    let mut fields = String::new();
    for number in 0..30_000 {
        write!(fields, ",\"f{number}\":{number}").unwrap();
    }
    cut("fields of an entry", &format!(r#"{{"decisions":[{{"id":"D1","decision":"x"{fields}}}]}}"#));
    cut("fields of the file", &format!(r#"{{"version":"2.0.0"{fields}}}"#));
    cut("fields of a part", &format!(r#"{{"sd":{{"progress":"wrong"{fields}}}}}"#));
}
