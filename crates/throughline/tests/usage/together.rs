//! Together: `backfill` reads each transcript once for both stores, wherever each of them stands, whatever fails.

use std::fs;

use serde_json::Value;

use crate::history::{History, Said};

fn at(number: u64) -> String {
    format!("2026-02-03T{:02}:{:02}:00.000Z", 10 + number / 60, number % 60)
}

fn say(history: &mut History, numbers: std::ops::Range<u64>) {
    for number in numbers {
        history.said("s1.jsonl", &Said::new(number, "s1", &at(number)));
    }
}

/// New bytes to usage, new bytes to recall, passages that recall took.
fn news(done: &Value) -> [u64; 3] {
    [&done["bytes"], &done["recall"]["bytes"], &done["recall"]["passages_new"]].map(|it| it.as_u64().unwrap())
}

fn bytes(history: &History) -> u64 {
    fs::metadata(history.file("s1.jsonl")).unwrap().len()
}

#[test]
fn a_store_that_is_behind_catches_up_and_the_other_gets_only_what_is_new() {
    for ahead in [["usage", "days"], ["recall", "fine"]] {
        let mut history = History::new();
        say(&mut history, 0..10);
        history.ok(&ahead);
        let old = bytes(&history);
        say(&mut history, 10..15);
        let all = bytes(&history);
        let done = history.json(&["backfill", "--json"]);
        let [usage, recall, _] = news(&done);
        let wanted = if ahead[0] == "usage" { [all - old, all] } else { [all, all - old] };
        assert_eq!([usage, recall], wanted, "{ahead:?}: {done}");
        assert_eq!(history.counted(), history.truth());
        assert_eq!(news(&history.json(&["backfill", "--json"])), [0, 0, 0]);
        say(&mut history, 15..18);
        let more = bytes(&history) - all;
        let done = history.json(&["backfill", "--json"]);
        assert_eq!([news(&done)[0], news(&done)[1]], [more, more], "together from here on: {done}");
        assert_eq!(history.counted(), history.truth());
    }
}

#[test]
fn a_file_that_was_replaced_under_one_store_is_whole_in_both() {
    let mut history = History::new();
    say(&mut history, 0..10);
    history.ok(&["usage", "days"]);
    let old = bytes(&history);
    fs::remove_file(history.file("s1.jsonl")).unwrap();
    say(&mut history, 20..50);
    assert!(bytes(&history) > old);
    let done = history.json(&["backfill", "--json"]);
    let all = bytes(&history);
    assert_eq!([news(&done)[0], news(&done)[1]], [all, all], "{done}");
    assert_eq!(history.counted(), history.truth());
    let mut alone = History::new();
    say(&mut alone, 20..50);
    assert_eq!(news(&done)[2], news(&alone.json(&["backfill", "--json"]))[2]);
}

#[test]
fn a_store_of_usage_that_fails_costs_recall_nothing() {
    let mut history = History::new();
    say(&mut history, 0..10);
    fs::create_dir_all(history.home.data().join("throughline.db")).unwrap();
    let output = history.run(&["backfill"]);
    assert_eq!(output.status.code(), Some(1), "{}", output.stdout);
    assert!(output.stderr.contains("throughline.db"), "{}", output.stderr);
    assert!(output.stdout.starts_with("recall: 1 transcripts read"), "{}", output.stdout);
    fs::remove_dir(history.home.data().join("throughline.db")).unwrap();
    let done = history.json(&["backfill", "--json"]);
    assert_eq!(news(&done), [bytes(&history), 0, 0], "{done}");
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn an_index_that_fails_costs_usage_nothing() {
    let mut history = History::new();
    say(&mut history, 0..10);
    fs::create_dir_all(history.home.data().join("recall.db")).unwrap();
    let output = history.run(&["backfill", "--json"]);
    output.assert_success();
    assert!(output.stderr.contains("recall was not brought up to date"), "{}", output.stderr);
    let done: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((done["responses_new"].as_u64(), &done["recall"]), (Some(10), &Value::Null), "{done}");
    fs::remove_dir(history.home.data().join("recall.db")).unwrap();
    let done = history.json(&["backfill", "--json"]);
    let [usage, recall, passages] = news(&done);
    assert_eq!((usage, recall), (0, bytes(&history)), "{done}");
    assert!(passages > 0, "{done}");
}
