//! The usage log: read once each, under whatever name; rotated, broken and older ones too; samples are never added up.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use crate::history::History;

pub(crate) const LOG: &str = ".claude/logs/context-usage.jsonl";

pub(crate) fn sample(session: &str, ts: &str, percent: u64, compaction: bool) -> Value {
    json!({
        "ts": ts, "session": session, "model": "claude-opus-4-6", "context_used": percent * 2_000,
        "context_size": 200_000, "percent": percent, "input": 5, "output": 7, "cache_create": 11,
        "cache_read": percent * 1_900, "status": "HEALTHY", "compaction": compaction, "cwd": "/home/me/app"
    })
}

pub(crate) fn append(history: &History, path: &str, lines: &[Value]) {
    let path = history.home.project().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    for line in lines {
        writeln!(file, "{line}").unwrap();
    }
}

fn samples_new(history: &History) -> u64 {
    fs::create_dir_all(history.home.claude_config().join("projects")).unwrap();
    history.json(&["backfill", "--json"])["samples_new"].as_u64().unwrap()
}

#[test]
fn a_rotated_log_is_read_to_its_end_and_the_new_one_from_its_start() {
    let history = History::new();
    append(&history, LOG, &[sample("s1", "2026-02-03T10:00:00Z", 40, false)]);
    assert_eq!(samples_new(&history), 1);
    append(&history, LOG, &[sample("s1", "2026-02-03T10:01:00Z", 41, false)]);
    let project = history.home.project();
    let rotated = ".claude/logs/context-usage.20260203T100200Z.jsonl";
    fs::rename(project.join(LOG), project.join(rotated)).unwrap();
    append(&history, LOG, &[sample("s1", "2026-02-03T10:03:00Z", 42, false)]);
    // A writer that still held the old one.
    append(&history, rotated, &[sample("s1", "2026-02-03T10:02:00Z", 43, false)]);
    assert_eq!(samples_new(&history), 3);
    assert_eq!(samples_new(&history), 0);
}

#[test]
fn a_broken_line_costs_that_line_and_two_in_one_second_are_two() {
    let history = History::new();
    append(&history, LOG, &[sample("s1", "2026-02-03T10:00:00Z", 40, false)]);
    let path = history.home.project().join(LOG);
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    // As an older tool wrote a path with a quote in it.
    writeln!(file, "{{\"ts\":\"2026-02-03T10:00:01Z\",\"session\":\"s1\",\"cwd\":\"/a\"b\"}}").unwrap();
    append(
        &history,
        LOG,
        &[sample("s1", "2026-02-03T10:00:02Z", 41, false), sample("s1", "2026-02-03T10:00:02Z", 42, false)],
    );
    assert_eq!(samples_new(&history), 3);
}

#[test]
fn samples_give_the_fullness_of_a_session_and_no_tokens() {
    let history = History::new();
    let samples: Vec<Value> =
        (0..5).map(|it| sample("s1", &format!("2026-02-03T10:0{it}:00Z"), 80 + it, false)).collect();
    append(&history, LOG, &samples);
    append(&history, LOG, &[sample("s2", "2026-02-03T11:00:00Z", 30, false)]);
    let report = history.json(&["usage", "sessions", "--above", "80", "--json"]);
    let sessions = report["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 1, "{report}");
    assert_eq!(
        (sessions[0]["session"].as_str(), sessions[0]["peak_percent"].as_f64()),
        (Some("s1"), Some(84.0))
    );
    assert_eq!(sessions[0]["average_percent"].as_f64(), Some(82.0));
    // An older tool summed the snapshots of a day.
    assert_eq!(report["total"]["total_tokens"], 0);
    assert_eq!(history.json(&["usage", "days", "--json"])["days"], json!([]));
}

#[test]
fn the_analysis_takes_the_sample_before_each_compaction() {
    let history = History::new();
    let events = [(93, 12), (95, 13), (91, 12)];
    for (hour, (before, after)) in events.into_iter().enumerate() {
        let samples = [
            sample("s1", &format!("2026-02-03T1{hour}:00:00Z"), before, false),
            sample("s2", &format!("2026-02-03T1{hour}:00:30Z"), 50, false),
            sample("s1", &format!("2026-02-03T1{hour}:01:00Z"), after, true),
        ];
        append(&history, LOG, &samples);
    }
    let analysis = history.json(&["usage", "analyze", "--json"]);
    assert_eq!(analysis["count"], 3);
    assert_eq!(analysis["before_percent"]["average"].as_f64(), Some(93.0));
    assert_eq!(
        (analysis["before_percent"]["min"].as_f64(), analysis["before_percent"]["max"].as_f64()),
        (Some(91.0), Some(95.0))
    );
    assert_eq!(analysis["after_percent"]["average"].as_f64(), Some(12.33));
    assert_eq!(analysis["ratio"].as_f64(), Some(7.54));
    let said = history.ok(&["usage", "analyze"]);
    assert!(said.contains("93.00 % on average (91.00 to 95.00, median 93.00)"), "{said}");
    assert!(said.contains("7.54 : 1\n"), "{said}");
}

#[test]
fn a_figure_says_of_how_many_compactions_it_is_known() {
    let mut history = History::new();
    append(
        &history,
        LOG,
        &[sample("s1", "2026-02-03T10:00:00Z", 80, false), sample("s1", "2026-02-03T10:03:00Z", 10, true)],
    );
    history.said("s2.jsonl", &crate::history::Said::new(1, "s2", "2026-02-03T10:00:00.000Z"));
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": "b1", "sessionId": "s2", "cwd": "/home/me/app",
        "timestamp": "2026-02-03T10:01:00.000Z", "compactMetadata": {"trigger": "auto", "preTokens": 160_000}
    });
    history.line("s2.jsonl", &boundary);
    let analysis = history.json(&["usage", "analyze", "--json"]);
    assert_eq!(
        (&analysis["before_percent"]["count"], &analysis["after_percent"]["count"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(analysis["ratio_count"], 1);
    let said = history.ok(&["usage", "analyze"]);
    assert!(said.contains("(10.00 to 10.00, median 10.00); known of 1 of 2\n"), "{said}");
    assert!(said.contains("8.00 : 1; known of 1 of 2\n"), "{said}");
    assert!(said.contains("median 80.00)\n"), "known of all: {said}");
}

#[test]
fn a_compaction_that_both_tell_of_is_one() {
    let mut history = History::new();
    append(
        &history,
        LOG,
        &[sample("s1", "2026-02-03T10:00:00Z", 83, false), sample("s1", "2026-02-03T10:03:00Z", 9, true)],
    );
    history.said("s1.jsonl", &crate::history::Said::new(1, "s1", "2026-02-03T10:00:00.000Z"));
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": "b1", "sessionId": "s1", "cwd": "/home/me/app",
        "timestamp": "2026-02-03T10:01:00.000Z", "compactMetadata": {"trigger": "auto", "preTokens": 167_081}
    });
    history.line("s1.jsonl", &boundary);
    // A fork repeats it.
    history.line("s2.jsonl", &boundary);
    let analysis = history.json(&["usage", "analyze", "--json"]);
    assert_eq!((analysis["count"].as_u64(), analysis["auto"].as_u64()), (Some(1), Some(1)));
    let one = &analysis["compactions"][0];
    assert_eq!((one["seen_by"].as_str(), one["before_tokens"].as_u64()), (Some("both"), Some(167_081)));
}
