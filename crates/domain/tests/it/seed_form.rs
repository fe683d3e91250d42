//! A whole file of the usual form comes back with the same keys in the same order, and the same values.

use serde_json::{Value, json};
use throughline_domain::{Kind, State, time, validate};

fn example() -> Value {
    json!({
        "version": "2.0.0",
        "timestamp": "2026-02-11T08:45:10.120Z",
        "trigger": "checkpoint",
        "git": {
            "branch": "feature/export",
            "status": " M src/export.rs\nA  tests/export.rs",
            "changedFiles": 2,
            "recentCommits": ["4be01aa export: write the header once", "19c77d2 parser: accept tabs"],
            "modifiedFiles": ["src/export.rs", "tests/export.rs"],
            "stagedChanges": "1 file changed, 31 insertions(+)",
        },
        "sd": {"id": "EXP-7", "title": "Export as CSV", "phase": "EXEC", "progress": 0.4},
        "workflow": {"currentPhase": "EXEC", "lastHandoff": null, "toolExecutions": 17},
        "decisions": [{
            "id": "D1", "decision": "Stream rows instead of collecting them", "rationale": "files of 2 GB exist",
            "timestamp": "2026-02-11T08:00:00.000Z", "reversible": false,
        }],
        "constraints": [{
            "id": "C1", "constraint": "The column order is part of the contract", "source": "user",
            "blocking": true, "timestamp": "2026-02-11T08:01:00.000Z",
        }],
        "openQuestions": [{
            "id": "Q1", "question": "Quote every field, or only where needed?", "context": "old importers",
            "priority": "high", "timestamp": "2026-02-11T08:02:00.000Z",
        }],
        "evidenceLedger": [{
            "id": "E1", "type": "error", "content": "thread 'main' panicked at src/export.rs:42",
            "source": "cargo test", "timestamp": "2026-02-11T08:03:00.000Z",
        }],
        "tokenMetrics": {"estimatedTokens": 412, "budgetStatus": "healthy", "lastTruncation": null},
        "summaries": {
            "contextHighlights": ["the importer trims spaces"],
            "keyDecisions": ["CSV first, Parquet later"],
            "pendingActions": ["write the footer", "measure 2 GB"],
        },
    })
}

#[test]
fn it_is_read_without_a_problem_and_written_back_the_same() {
    let text = serde_json::to_string_pretty(&example()).unwrap();
    assert_eq!(validate::problems_in(&text), []);
    let (state, _) = State::read(&text).unwrap();
    let mut written = state.to_json();
    let map = written.as_object_mut().unwrap();
    assert_eq!(map.shift_remove("counters"), Some(json!({"D": 1, "C": 1, "Q": 1, "E": 1, "H": 1, "P": 2})));
    assert!(map.shift_remove("labels").is_some());
    assert_eq!(serde_json::to_string_pretty(&written).unwrap(), text, "to the byte, order included");
}

#[test]
fn its_parts_are_where_they_are_looked_for() {
    let (state, _) = State::read(&example().to_string()).unwrap();
    assert_eq!(state.find("E1").unwrap().reason(), "cargo test");
    assert_eq!(state.entries(Kind::Action).len(), 2);
    assert_eq!(state.key_decisions, ["CSV first, Parquet later"]);
    assert!(state.find("C1").unwrap().is_precious());
    assert!(state.is_recent(time::parse("2026-02-11T09:15:09Z").unwrap(), 30));
    assert!(!state.is_recent(time::parse("2026-02-11T09:15:11Z").unwrap(), 30));
    assert!(state.is_recent(time::parse("2026-02-11T09:15:11Z").unwrap(), u64::MAX));
}

#[test]
fn an_entry_alone_goes_through_its_json_form() {
    let (state, _) = State::read(&example().to_string()).unwrap();
    for entry in state.all_entries() {
        assert_eq!(
            throughline_domain::Entry::from_json(entry.id.kind, &entry.to_json()).as_ref(),
            Some(entry)
        );
    }
}
