//! The two dialects of version 2, and version 1: read, kept, and written in one form.

use std::fmt::Write;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use throughline_domain::{Kind, State};

fn written(document: &Value) -> Value {
    State::read(&document.to_string()).unwrap().0.to_json()
}

fn check(value: &Value, expected: &Expect) {
    expected.assert_eq(&serde_json::to_string_pretty(value).unwrap());
}

#[test]
fn the_other_dialect_is_written_back_in_the_usual_form() {
    let document = json!({
        "version": "2.0.0",
        "summaries": {
            "contextHighlights": ["cache is warm"],
            "pendingActions": ["ship"],
            "keyDecisions": [
                {"id": "dec_1700000000001", "decision": "One table", "reasoning": "fewer joins", "timestamp": "2026-02-01T09:00:00.000Z"},
                "plain line",
            ],
        },
        "constraints": [
            {"id": "con_1700000000002", "constraint": "Old files stay readable", "type": "technical", "timestamp": "2026-02-01T09:01:00.000Z"},
        ],
        "openQuestions": [
            {"id": "q_1700000000003", "question": "Which cache?", "context": "planning", "status": "open"},
            {"id": "q_1700000000004", "question": "Which port?", "status": "resolved", "resolution": "8080"},
            {"id": "q_1700000000005", "question": "Whose turn?", "status": "answered"},
        ],
        "evidenceLedger": [
            {"id": "ev_1700000000006", "source": "src/a.js:4", "excerpt": "TypeError: x", "context": "on load"},
        ],
    });
    let written = written(&document);
    let mut shown = String::new();
    for key in ["decisions", "constraints", "openQuestions", "evidenceLedger"] {
        for entry in written[key].as_array().unwrap() {
            writeln!(shown, "{key} {entry}").unwrap();
        }
    }
    writeln!(shown, "keyDecisions {}", written["summaries"]["keyDecisions"]).unwrap();
    writeln!(shown, "counters {}", written["counters"]).unwrap();
    expect![[r#"
        decisions {"id":"D1","decision":"One table","rationale":"fewer joins","timestamp":"2026-02-01T09:00:00.000Z","reversible":true,"alias":"dec_1700000000001"}
        constraints {"id":"C1","constraint":"Old files stay readable","source":"","blocking":false,"type":"technical","timestamp":"2026-02-01T09:01:00.000Z","alias":"con_1700000000002"}
        openQuestions {"id":"Q1","question":"Which cache?","context":"planning","priority":"medium","timestamp":"","alias":"q_1700000000003"}
        openQuestions {"id":"Q2","question":"Which port?","context":"","priority":"medium","timestamp":"","resolved":true,"resolution":"8080","resolvedAt":"","alias":"q_1700000000004"}
        openQuestions {"id":"Q3","question":"Whose turn?","context":"","priority":"medium","timestamp":"","resolved":true,"resolution":"","resolvedAt":"","alias":"q_1700000000005","status":"answered"}
        evidenceLedger {"id":"E1","type":"observation","content":"TypeError: x","source":"src/a.js:4","context":"on load","timestamp":"","alias":"ev_1700000000006"}
        keyDecisions ["plain line"]
        counters {"D":1,"C":1,"Q":3,"E":1,"H":1,"P":1}
    "#]].assert_eq(&shown);
    for (alias, id) in [("dec_1700000000001", "D1"), ("q_1700000000004", "Q2"), ("ev_1700000000006", "E1")] {
        let (state, _) = State::read(&document.to_string()).unwrap();
        assert_eq!(state.find(alias).unwrap().id.to_string(), id);
    }
}

#[test]
fn a_file_of_version_1_keeps_everything_and_becomes_version_2() {
    let document = json!({
        "version": "1.0.0", "timestamp": "2025-10-15T08:00:00Z", "trigger": "precompact",
        "git": {"branch": "main", "status": " M a.rs\n?? b.rs", "error": null},
        "summaries": {"contextHighlights": ["h"], "keyDecisions": ["d"], "pendingActions": ["p"], "mood": "fine"},
        "protocolReads": {"CLAUDE.md": 3},
    });
    let (state, problems) = State::read(&document.to_string()).unwrap();
    assert_eq!((state.version.as_str(), problems.len()), ("1.0.0", 0));
    assert_eq!(state.git.changed_files, 2, "older files do not count; the lines do");
    let mut written = state.to_json();
    let labels = written.as_object_mut().unwrap().shift_remove("labels").unwrap();
    assert_eq!(labels.as_object().unwrap().keys().collect::<Vec<_>>(), ["H1", "P1"]);
    check(
        &written,
        &expect![[r#"
        {
          "version": "2.0.0",
          "timestamp": "2025-10-15T08:00:00Z",
          "trigger": "precompact",
          "git": {
            "branch": "main",
            "status": " M a.rs\n?? b.rs",
            "changedFiles": 2,
            "recentCommits": [],
            "modifiedFiles": [],
            "stagedChanges": ""
          },
          "sd": {
            "id": null,
            "title": null,
            "phase": null,
            "progress": null
          },
          "workflow": {
            "currentPhase": null,
            "lastHandoff": null,
            "toolExecutions": null
          },
          "decisions": [],
          "constraints": [],
          "openQuestions": [],
          "evidenceLedger": [],
          "tokenMetrics": {
            "estimatedTokens": 0,
            "budgetStatus": "",
            "lastTruncation": null
          },
          "summaries": {
            "contextHighlights": [
              "h"
            ],
            "keyDecisions": [
              "d"
            ],
            "pendingActions": [
              "p"
            ],
            "mood": "fine"
          },
          "counters": {
            "H": 1,
            "P": 1
          },
          "protocolReads": {
            "CLAUDE.md": 3
          }
        }"#]],
    );
}

#[test]
fn unknown_words_and_wrong_types_stay_beside_the_entry() {
    let document = json!({
        "anchors": [{"id": "A1", "type": "context", "content": "x", "priority": "utmost", "priorityGiven": "mine"}],
        "evidenceLedger": [{"id": "E1", "type": "rumour", "content": "y", "source": 5}],
        "decisions": [{"id": ["odd"], "decision": "z", "alias": "first"}, {"id": "foreign", "alias": "own", "decision": "w"}],
    });
    let written = written(&document);
    assert_eq!(written["anchors"][0]["priority"], "normal");
    assert_eq!(written["anchors"][0]["priorityGiven"], "mine");
    assert_eq!(written["anchors"][0]["priorityGivenGiven"], "utmost");
    assert_eq!(written["evidenceLedger"][0]["typeGiven"], "rumour");
    assert_eq!(written["evidenceLedger"][0]["sourceGiven"], 5);
    assert_eq!(written["decisions"][0]["idGiven"], json!(["odd"]));
    assert_eq!(
        (&written["decisions"][1]["alias"], &written["decisions"][1]["idGiven"]),
        (&json!("own"), &json!("foreign"))
    );
}

#[test]
fn a_question_is_open_when_it_says_so() {
    let cases = [
        (json!({}), false),
        (json!({"resolved": false, "resolution": "", "resolvedAt": null}), false),
        (json!({"resolved": true}), true),
        (json!({"resolution": "yes"}), true),
        (json!({"resolvedAt": "2026-03-01T10:00:00Z"}), true),
        (json!({"resolved": false, "resolution": "yes"}), false),
        (json!({"status": "open", "resolution": "yes"}), false),
        (json!({"status": "closed"}), true),
        (json!({"status": "parked"}), false),
    ];
    for (fields, is_resolved) in cases {
        let mut question = json!({"id": "Q1", "question": "why?"});
        question.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let document = json!({"openQuestions": [question]});
        let (state, _) = State::read(&document.to_string()).unwrap();
        assert_eq!(state.entries(Kind::Question)[0].is_resolved(), is_resolved, "{fields}");
        assert_eq!(state.open_questions().is_empty(), is_resolved, "{fields}");
        let (again, _) = State::read(&state.to_json().to_string()).unwrap();
        assert_eq!(state, again, "{fields}");
    }
    let reopened =
        written(&json!({"openQuestions": [{"question": "why?", "resolved": false, "resolution": "yes"}]}));
    assert_eq!(reopened["openQuestions"][0]["resolutionGiven"], "yes", "the old answer is kept");
}
