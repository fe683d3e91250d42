//! The status line and the transcript about one compaction: they agree, or the disagreement is logged, once.

use std::fs;

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use crate::history::{History, Said};
use crate::logs::{LOG, append, sample};

/// A moment some minutes ago.
fn ago(minutes: i64) -> String {
    let at = Timestamp::now() - minutes.minutes();
    at.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}

fn boundary(session: &str, at: &str) -> Value {
    json!({
        "type": "system", "subtype": "compact_boundary", "uuid": format!("b-{session}-{at}"), "sessionId": session,
        "cwd": "/home/me/app", "timestamp": at, "compactMetadata": {"trigger": "auto", "preTokens": 167_081}
    })
}

/// What the log has after one more intake.
fn logged(history: &History) -> Vec<String> {
    history.ok(&["backfill"]);
    let text = fs::read_to_string(history.home.data().join("throughline.log")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["what"].to_string()).collect()
}

/// What `doctor` says of it.
fn doctors_line(history: &History) -> Option<String> {
    let report: Value = serde_json::from_str(&history.run(&["doctor", "--json"]).stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let is_it = |it: &&Value| it["name"] == "usage log" && it["state"] == "warn";
    checks.iter().find(is_it).map(|it| format!("{} {}", it["what"], it["remedy"]))
}

#[test]
fn a_compaction_that_the_transcript_does_not_tell_of_is_logged_once_and_forgotten_when_it_does() {
    let mut history = History::new();
    append(&history, LOG, &[sample("s1", &ago(120), 83, false), sample("s1", &ago(110), 9, true)]);
    history.said("s1.jsonl", &Said::new(1, "s1", &ago(115)));
    history.said("s1.jsonl", &Said::new(2, "s1", &ago(105)));
    assert_eq!(logged(&history), Vec::<String>::new(), "the transcript may still tell");
    history.said("s1.jsonl", &Said::new(3, "s1", &ago(60)));
    let lines = logged(&history);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("session s1: the status line saw a compaction at "), "{lines:?}");
    assert!(lines[0].contains("the transcript tells of none"), "{lines:?}");
    history.said("s1.jsonl", &Said::new(4, "s1", &ago(50)));
    assert_eq!(logged(&history).len(), 1, "once");
    let told = doctors_line(&history).unwrap();
    assert!(told.contains("1 compaction of the last 30 days"), "{told}");
    assert!(told.contains("usage analyze --json"), "{told}");
    history.line("s1.jsonl", &boundary("s1", &ago(112)));
    assert_eq!(logged(&history).len(), 1);
    assert_eq!(doctors_line(&history), None);
}

#[test]
fn a_compaction_that_the_status_line_did_not_see_is_logged_once() {
    let mut history = History::new();
    history.said("s1.jsonl", &Said::new(1, "s1", &ago(130)));
    history.line("s1.jsonl", &boundary("s1", &ago(112)));
    // Another session's compaction is no answer.
    append(&history, LOG, &[sample("s2", &ago(111), 9, true)]);
    append(&history, LOG, &[sample("s1", &ago(120), 83, false), sample("s1", &ago(110), 84, false)]);
    assert_eq!(logged(&history), Vec::<String>::new(), "the status line may still tell");
    append(&history, LOG, &[sample("s1", &ago(60), 85, false)]);
    for _ in 0..2 {
        let lines = logged(&history);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("session s1: the transcript tells of a compaction at "), "{lines:?}");
        history.said("s1.jsonl", &Said::new(3, "s1", &ago(20)));
    }
    assert!(doctors_line(&history).unwrap().contains("1 compaction "));
}

#[test]
fn who_was_not_there_has_no_say_and_a_long_pause_is_no_disagreement() {
    let mut history = History::new();
    // No status line.
    history.said("s1.jsonl", &Said::new(1, "s1", &ago(300)));
    history.line("s1.jsonl", &boundary("s1", &ago(290)));
    history.said("s1.jsonl", &Said::new(2, "s1", &ago(100)));
    // No transcript.
    append(&history, LOG, &[sample("s2", &ago(300), 83, false), sample("s2", &ago(290), 9, true)]);
    append(&history, LOG, &[sample("s2", &ago(100), 20, false)]);
    // Lunch after a compaction: the status line speaks with the next response.
    history.said("s3.jsonl", &Said::new(3, "s3", &ago(300)));
    history.line("s3.jsonl", &boundary("s3", &ago(290)));
    history.said("s3.jsonl", &Said::new(4, "s3", &ago(120)));
    history.said("s3.jsonl", &Said::new(5, "s3", &ago(20)));
    append(&history, LOG, &[sample("s3", &ago(300), 83, false), sample("s3", &ago(120), 9, true)]);
    append(&history, LOG, &[sample("s3", &ago(20), 12, false)]);
    assert_eq!(logged(&history), Vec::<String>::new());
    assert_eq!(doctors_line(&history), None);
    let analysis = history.json(&["usage", "analyze", "--json"]);
    let seen: Vec<(&str, &str)> = analysis["compactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["session"].as_str().unwrap(), it["seen_by"].as_str().unwrap()))
        .collect();
    assert_eq!(seen, [("s1", "transcript"), ("s2", "samples"), ("s3", "both")]);
}
