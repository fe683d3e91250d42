//! What is no state, what is one although it looks odd, and what the reasons say.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the texts this way")]

use serde_json::{Value, json};
use throughline_domain::state_json::STATE_BYTES_MAX;
use throughline_domain::{Kind, State, validate};

fn refused(text: &str) -> String {
    State::read(text).unwrap_err().to_string()
}

#[test]
fn texts_that_are_no_object_are_refused_with_a_reason() {
    assert_eq!(refused(""), "line 1, column 0: EOF while parsing a value");
    assert_eq!(refused("[]"), "not a JSON object");
    assert_eq!(refused("null"), "not a JSON object");
    assert_eq!(refused("{\n  \"version\": nope\n}"), "line 2, column 15: expected ident");
    assert_eq!(refused("{\"a\":1e999}"), "line 1, column 10: number out of range");
    assert!(refused(&" ".repeat(STATE_BYTES_MAX + 1)).contains("at most 4194304"));
}

#[test]
fn a_byte_order_mark_and_carriage_returns_are_accepted() {
    let (state, problems) =
        State::read("\u{feff}{\r\n  \"version\": \"2.0.0\",\r\n  \"decisions\": [\"go\"]\r\n}\r\n").unwrap();
    assert_eq!(state.entries(Kind::Decision)[0].text, "go");
    assert!(problems.is_empty());
}

#[test]
fn nesting_without_end_is_refused_and_never_overflows_the_stack() {
    for depth in [101, 127, 128, 129, 100_000, 1_000_000] {
        let text = format!("{{\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(State::read(&text).is_err(), "{depth}");
    }
}

/// What is kept aside stands deeper than it stood: it must not make the file unreadable for the next reader.
#[test]
fn the_deepest_document_that_is_read_can_be_read_again_after_it_was_written() {
    for depth in 90..=99 {
        let deep = format!("{}7{}", "[".repeat(depth), "]".repeat(depth));
        for key in ["x", "git", "decisions", "unparsed", "summaries", "labels", "counters", "timestamp"] {
            let text = format!("{{\"{key}\":{deep}}}");
            let (once, _) = State::read(&text).unwrap();
            let written = once.to_json().to_string();
            assert!(written.contains('7'), "{key} at {depth}");
            let (twice, _) = State::read(&written).unwrap_or_else(|why| panic!("{key} at {depth}: {why}"));
            assert_eq!(once, twice, "{key} at {depth}");
        }
    }
}

/// Programs that cut a text at 500 UTF-16 units left half a character at its end, and the whole file unreadable.
#[test]
fn half_a_surrogate_pair_costs_one_character_not_the_file() {
    let text = r#"{"version":"2.0.0","evidenceLedger":[
        {"id":"E1","type":"error","content":"cut \ud83d","source":"a"},
        {"id":"E2","type":"error","content":"whole \ud83d\ude00 \\ud83d","source":"b"},
        {"id":"E3","type":"error","content":"\ude00\ud83d\ud83d\ude00","source":"c"}]}"#;
    let (state, problems) = State::read(text).unwrap();
    let texts: Vec<_> = state.entries(Kind::Evidence).iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["cut \u{fffd}", "whole 😀 \\ud83d", "\u{fffd}\u{fffd}😀"]);
    assert_eq!(problems.len(), 1);
    assert!(!validate::problems_in(text).iter().any(|problem| problem.place == "version"));
}

#[test]
fn fields_of_others_that_would_be_too_large_once_written_are_refused_before_anything_is_lost() {
    // Two bytes each here, a line of their own in the file.
    let nested = format!("{}{}{}", "[".repeat(90), "0,".repeat(60_000) + "0", "]".repeat(90));
    assert!(refused(&format!("{{\"x\":{nested}}}")).contains("at most 4194304"));
}

#[test]
fn a_wrong_field_costs_itself_and_not_its_neighbours() {
    let document = json!({
        "version": 2, "timestamp": ["now"], "trigger": {},
        "sd": {"id": "SD-1", "progress": "75%", "owner": "ana"},
        "git": {"branch": "main", "status": null, "recentCommits": "abc"},
        "workflow": {"toolExecutions": -1, "currentPhase": "EXEC"},
        "tokenMetrics": {"estimatedTokens": 1.5},
        "counters": {"D": "7", "requests": 12},
        "labels": {"H1": 5, "env": "prod"},
        "decisions": [
            {"id": "D1", "decision": "a", "timestamp": 1_737_730_800_000_u64, "reversible": "false"},
            {"decision": 5},
            7,
        ],
        "constraints": {"C1": "not a list"},
    });
    let (state, problems) = State::read(&document.to_string()).unwrap();
    assert_eq!(state.sd.id.as_deref(), Some("SD-1"));
    assert_eq!(state.git.branch.as_deref(), Some("main"));
    assert_eq!(state.workflow.current_phase.as_deref(), Some("EXEC"));
    assert_eq!(state.entries(Kind::Decision).len(), 1);
    let written = state.to_json();
    assert_eq!(written["decisions"][0]["timestampGiven"], json!(1_737_730_800_000_u64));
    assert_eq!(written["decisions"][0]["reversible"], json!(false));
    assert_eq!(written["counters"]["requests"], json!(12));
    assert_eq!(written["labels"]["env"], json!("prod"));
    let unparsed = json!({
        "version": [2], "timestamp": [["now"]], "trigger": [{}],
        "sd": [{"progress": "75%"}], "git": [{"recentCommits": "abc"}],
        "workflow": [{"toolExecutions": -1}], "tokenMetrics": [{"estimatedTokens": 1.5}],
        "counters": [{"D": "7"}], "labels": [{"H1": 5}],
        "decisions": [{"decision": 5}, 7], "constraints": [{"C1": "not a list"}],
    });
    assert_eq!(written["unparsed"], unparsed);
    let places: Vec<_> = problems.iter().map(|problem| problem.place.as_str()).collect();
    assert_eq!(
        places,
        [
            "version",
            "timestamp",
            "trigger",
            "git.recentCommits",
            "sd.progress",
            "workflow.toolExecutions",
            "tokenMetrics.estimatedTokens",
            "counters.D",
            "labels.H1",
            "decisions[0]",
            "decisions[1]",
            "decisions[2]",
            "constraints",
        ]
    );
}

#[test]
fn validation_names_each_slip_once() {
    let text = json!({
        "version": "9.0.0", "timestamp": "soon", "trigger": "whim", "sd": {"progress": 7.5},
        "decisions": [{"id": "D1", "decision": "  ", "timestamp": "never"}],
        "openQuestions": [{"id": "Q1", "question": "why?", "priority": "urgent"}],
    });
    let problems: Vec<String> =
        validate::problems_in(&text.to_string()).iter().map(ToString::to_string).collect();
    expect_test::expect![[r#"
        openQuestions[0]: `priority` is not a word that is known there
        version: `9.0.0` is not 1.0.0 or 2.0.0
        timestamp: `soon` is not a time in ISO 8601
        trigger: `whim` is not precompact, manual, checkpoint or threshold
        sd.progress: not between 0 and 1
        D1: its text is empty
        D1: timestamp `never` is not a time in ISO 8601"#]]
    .assert_eq(&problems.join("\n"));
    assert_eq!(validate::problems_in("{").len(), 1);
    assert_eq!(validate::problems_in("{}").len(), 3);
    let minimal = r#"{"version":"2.0.0","timestamp":"2026-03-01T10:00:00Z","trigger":"manual"}"#;
    assert_eq!(validate::problems_in(minimal), []);
}

#[test]
fn numbers_come_back_as_they_were() {
    for number in ["0.1", "1e-320", "179.76931348623157", "9007199254740993", "18446744073709551615", "-0.0"]
    {
        let text = format!("{{\"x\":{number}}}");
        let written = State::read(&text).unwrap().0.to_json();
        assert_eq!(written["x"], serde_json::from_str::<Value>(number).unwrap(), "{number}");
    }
}
