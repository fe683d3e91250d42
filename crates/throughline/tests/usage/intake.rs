//! Intake: files that grow, shrink, are replaced or torn; several configuration folders; several readers at once.

use std::fs;

use crate::history::{History, Said};

fn at(minute: u64) -> String {
    format!("2026-02-03T{:02}:{:02}:00.000Z", 10 + minute / 60, minute % 60)
}

#[test]
fn a_report_reads_what_came_since_the_last_one_and_nothing_else() {
    let mut history = History::new();
    for number in 0..10 {
        history.said("s1.jsonl", &Said::new(number, "s1", &at(number)));
    }
    let first = history.json(&["backfill", "--json"]);
    assert_eq!((first["files_read"].as_u64(), first["responses_new"].as_u64()), (Some(1), Some(10)));
    let nothing = history.json(&["backfill", "--json"]);
    assert_eq!((nothing["files_read"].as_u64(), nothing["bytes"].as_u64()), (Some(0), Some(0)));
    history.said("s1.jsonl", &Said::new(11, "s1", &at(11)));
    let more = history.json(&["backfill", "--json"]);
    assert_eq!(more["responses_new"].as_u64(), Some(1));
    assert!(more["bytes"].as_u64() < Some(3_000), "only what is new is read: {more}");
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn without_update_a_report_shows_what_was_known() {
    let mut history = History::new();
    history.said("s1.jsonl", &Said::new(1, "s1", &at(1)));
    let known = history.counted();
    history.said("s1.jsonl", &Said::new(2, "s1", &at(2)));
    let total = &history.json(&["usage", "days", "--json", "--no-update"])["total"];
    assert_eq!(crate::history::totals(total), known);
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn a_torn_last_line_waits_until_it_is_whole() {
    let mut history = History::new();
    history.said("s1.jsonl", &Said::new(1, "s1", &at(1)));
    let before = history.truth();
    let said = Said::new(2, "s1", &at(2));
    let line = said.line(said.tokens[1], "torn").to_string();
    let (front, back) = line.split_at(line.len() / 2);
    history.append("s1.jsonl", front);
    assert_eq!(history.counted(), before);
    assert_eq!(
        history.json(&["backfill", "--json"])["passed_over"],
        0,
        "it is not lost, it is not there yet"
    );
    history.append("s1.jsonl", format!("{back}\n"));
    history.count(&said.id, said.tokens);
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn a_file_that_was_cut_replaced_or_copied_is_read_anew_and_nothing_counts_twice() {
    let mut history = History::new();
    for number in 0..20 {
        history.said("s1.jsonl", &Said::new(number, "s1", &at(number)));
    }
    assert_eq!(history.counted(), history.truth());
    let text = fs::read_to_string(history.file("s1.jsonl")).unwrap();
    // Cut to its first lines, which are older than what was read; what was used stays used.
    let first: Vec<&str> = text.lines().take(6).collect();
    fs::write(history.file("s1.jsonl"), first.join("\n") + "\n").unwrap();
    assert_eq!(history.counted(), history.truth());
    history.said("s1.jsonl", &Said::new(90, "s1", &at(90)));
    assert_eq!(history.counted(), history.truth());
    // Another file in its place, longer than before.
    fs::remove_file(history.file("s1.jsonl")).unwrap();
    for number in 30..60 {
        history.said("s1.jsonl", &Said::new(number, "s1", &at(number)));
    }
    fs::copy(history.file("s1.jsonl"), history.file("copy.jsonl")).unwrap();
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn several_sessions_in_one_file_are_told_apart() {
    let mut history = History::new();
    history.said("one.jsonl", &Said::new(1, "s1", &at(1)));
    history.said("one.jsonl", &Said::new(2, "s2", &at(2)));
    let sessions = history.json(&["usage", "sessions", "--json"]);
    let ids: Vec<&str> =
        sessions["sessions"].as_array().unwrap().iter().map(|it| it["session"].as_str().unwrap()).collect();
    assert_eq!(ids, ["s1", "s2"]);
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn several_configuration_folders_are_read_and_a_copy_in_both_counts_once() {
    let mut history = History::new();
    history.said("s1.jsonl", &Said::new(1, "s1", &at(1)));
    let other = history.home.root().join("other/projects/-home-me-app");
    fs::create_dir_all(&other).unwrap();
    fs::copy(history.file("s1.jsonl"), other.join("s1.jsonl")).unwrap();
    let said = Said::new(2, "s2", &at(2));
    fs::write(other.join("s2.jsonl"), format!("{}\n", said.line(said.tokens[1], "u"))).unwrap();
    history.count(&said.id, said.tokens);
    let folders = format!(
        "{}, {}",
        history.home.claude_config().display(),
        history.home.root().join("other").display()
    );
    history.home.set_env("CLAUDE_CONFIG_DIR", folders);
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn a_broken_line_is_named_and_costs_only_itself() {
    let mut history = History::new();
    history.said("s1.jsonl", &Said::new(1, "s1", &at(1)));
    history.append("broken.jsonl", "{\"type\":\"assistant\",\"message\":{\"usage\":{\n");
    let done = history.json(&["backfill", "--json"]);
    assert_eq!(done["passed_over"], 1);
    let problem = &done["problems"][0];
    assert!(problem["path"].as_str().unwrap().ends_with("broken.jsonl"), "{problem}");
    assert!(problem["what"].as_str().unwrap().starts_with("the line at byte 0 breaks off"), "{problem}");
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn no_word_of_a_transcript_is_stored() {
    let mut history = History::new();
    history.said("s1.jsonl", &Said::new(1, "s1", &at(1)));
    history.ok(&["backfill"]);
    for name in ["throughline.db", "throughline.db-wal"] {
        let bytes = fs::read(history.home.data().join(name)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("is fine"), "{name}");
    }
}

#[test]
fn where_there_are_no_transcripts_the_way_out_is_named() {
    let history = History::new();
    let output = history.run(&["backfill"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.contains("CLAUDE_CONFIG_DIR"), "{}", output.stderr);
    assert!(history.ok(&["usage", "days"]).contains("nothing was used"));
}
