//! The check itself: it finds what is false, and lets stand what is true.

use serde_json::json;

use crate::check::{EDITED, FAILS, LAST, PASSES, QUOTED, RAN, STALE, TASK, TWICE, check};
use crate::record::Record;

/// A transcript of calls with their answers: tool, input, answer, whether it failed.
fn record() -> Record {
    let calls = [
        ("Bash", json!({"command": "cd x && cargo test -p a 2>&1 | tail -3"}), "1 passed; 1 failed", false),
        ("Bash", json!({"command": "cargo test -p a -v"}), "test result: ok. 2 passed; 0 failed", false),
        ("Bash", json!({"command": "make lint"}), "Exit code 2\nerror: x", true),
        (
            "Bash",
            json!({"command": "rm -rf build"}),
            "The user doesn't want to proceed with this tool use.",
            true,
        ),
        ("Edit", json!({"file_path": "/p/src/a.rs"}), "ok", false),
        (
            "TodoWrite",
            json!({"todos": [{"content": "Step one", "status": "in_progress"}, {"content": "Step two", "status": "completed"}]}),
            "ok",
            false,
        ),
        (
            "Edit",
            json!({"file_path": "/p/src/b.rs"}),
            "The user doesn't want to proceed with this tool use.",
            true,
        ),
    ];
    let mut lines =
        vec![json!({"type": "user", "message": {"content": "Never **touch**\nthe API."}}).to_string()];
    for (number, (tool, input, answer, failed)) in calls.into_iter().enumerate() {
        let id = number.to_string();
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        lines.push(json!({"type": "assistant", "message": {"content": [call]}}).to_string());
        let answer = json!({"type": "tool_result", "tool_use_id": id, "content": answer, "is_error": failed});
        lines.push(json!({"type": "user", "message": {"content": [answer]}}).to_string());
    }
    Record::read([lines.join("\n").as_str()])
}

#[test]
fn what_is_true_stands() {
    for text in [
        "Checks:\n`cargo test -p a` passed: 2 passed\n`make lint` failed",
        "Fails:\n`make lint`\n> error: x",
        "Run before: `make lint` · `cargo test -p a`",
        "The user's directives:\n- \"Never touch the API.\"",
        "Edited, no commit since: src/: a.rs",
        "In progress: you said \"x\", then edited a.rs.",
        "Names: rm -rf build, b.rs",
        "Tasks:\n- in progress: Step one",
    ] {
        assert_eq!(check(text, &record()), [], "{text}");
    }
}

#[test]
fn what_is_false_is_found() {
    for (text, rule) in [
        ("Fails:\n`cargo test -p a`\n> x", FAILS),
        ("Checks:\n`cargo test -p a` failed", FAILS),
        ("Checks:\n`make lint` passed", PASSES),
        ("Run before: `rm -rf build`", RAN),
        ("In progress: you said \"x\", then ran `rm -rf build`.", RAN),
        ("The request: \"Always touch the API.\"", QUOTED),
        ("Edited: src/: b.rs", EDITED),
        ("In progress: edited b.rs.", EDITED),
        ("Next, not run since the last edit:\n`cargo test -p a` passed", STALE),
        ("In progress: nothing; the user is next.\nTasks:\n- in progress: Step one", TWICE),
        ("In progress: nothing yet; you have done nothing about it yet.", LAST),
        ("Tasks:\n- open: Step two", TASK),
        ("/compact Failing: cargo test -p a. Files: a.rs.", FAILS),
        ("### [2026-01-01 10:00] Tests failed: `cargo test -p a`", FAILS),
    ] {
        let found = check(text, &record());
        assert_eq!(found.iter().map(|it| it.rule).collect::<Vec<_>>(), [rule], "{text}");
    }
}
