//! A state as it stands in the middle of a piece of work.

use serde_json::{Value, json};
use throughline_domain::State;

pub(crate) fn document() -> Value {
    json!({
        "version": "2.0.0", "timestamp": "2026-02-11T08:45:10.120Z", "trigger": "precompact",
        "git": {
            "branch": "feature/export", "status": " M src/export.rs\nA  tests/export.rs\n?? notes.txt", "changedFiles": 3,
            "recentCommits": ["4be01aa export: write the header once", "19c77d2 parser: accept tabs"],
            "modifiedFiles": ["src/export.rs"], "stagedChanges": "1 file changed, 31 insertions(+)",
        },
        "sd": {
            "id": "EXP-7", "title": "Export as CSV", "phase": "EXEC", "progress": 0.4, "item": "quoting",
            "next": "measure a file of 2 GB",
        },
        "decisions": [
            {"id": "D1", "decision": "Stream rows instead of collecting them", "rationale": "files of 2 GB exist", "reversible": false},
            {"id": "D2", "decision": "Quote every field", "rationale": "the old importer splits at commas inside words"},
            {"id": "D4", "decision": "Write to a temporary file in the same folder and rename it when all rows are out"},
        ],
        "constraints": [
            {"id": "C1", "constraint": "The column order is part of the contract with the importer", "source": "user", "blocking": true},
            {"id": "C2", "constraint": "No new dependency", "source": "team", "type": "business"},
        ],
        "openQuestions": [
            {"id": "Q1", "question": "Which line ending do the importers on Windows expect?", "context": "CRLF doubles in their log", "priority": "high"},
            {"id": "Q2", "question": "Is a byte order mark wanted?", "priority": "low"},
            {"id": "Q3", "question": "One file or many?", "resolved": true, "resolution": "one", "resolvedAt": "2026-02-10T08:00:00Z"},
        ],
        "evidenceLedger": [
            {"id": "E1", "type": "command", "content": "cargo test export", "source": "terminal"},
            {"id": "E2", "type": "error", "content": "thread 'export' panicked at src/export.rs:42:\nindex out of bounds: the len is 3\n\nnote: run with RUST_BACKTRACE=1", "source": "cargo test"},
        ],
        "anchors": [{"id": "A1", "type": "output_style", "content": "Answer in German", "priority": "critical"}],
        "directives": [{"id": "U1", "text": "keep the API of the exporter", "source": "/compact"}],
        "summaries": {
            "contextHighlights": ["the importer trims spaces"],
            "keyDecisions": ["CSV first, Parquet later"],
            "pendingActions": ["write the footer", "measure 2 GB", "update the manual", "tell the team"],
        },
    })
}

pub(crate) fn state() -> State {
    State::read(&document().to_string()).unwrap().0
}
