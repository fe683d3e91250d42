//! Search: any words at all, never an error, the best first.

use std::time::Instant;

use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;
use throughline_domain::Origin;
use throughline_store::archive::Archive;
use throughline_store::outbox::{Event, Op};

use crate::archive::{PROJECT, archive_in, batch, decision, fold};

fn archive_with(folder: &TempDir, texts: &[&str]) -> Archive {
    let (_, mut archive) = archive_in(folder);
    let events = texts.iter().zip(1..).map(|(text, number)| decision(Op::Add, number, text)).collect();
    fold(&mut archive, &[batch(1, events)]);
    archive
}

fn ids(archive: &Archive, words: &str) -> Vec<String> {
    archive.search(words, Some(PROJECT), 10).unwrap().into_iter().map(|row| row.id).collect()
}

#[test]
fn words_are_found_whatever_their_case_accents_and_endings() {
    let folder = TempDir::new().unwrap();
    let archive = archive_with(&folder, &["Use PostgreSQL for authentication", "the Café is closed"]);
    for words in ["postgresql", "auth", "AUTHENTICATION use", "for  use\n"] {
        assert_eq!(ids(&archive, words), ["D1"], "{words}");
    }
    assert_eq!(ids(&archive, "cafe"), ["D2"]);
    assert_eq!(ids(&archive, "nothing"), Vec::<String>::new());
}

#[test]
fn entries_with_all_the_words_come_before_those_with_some() {
    let folder = TempDir::new().unwrap();
    let archive = archive_with(&folder, &["cache cache cache", "cache in redis", "redis"]);
    let found = ids(&archive, "redis cache");
    assert_eq!(found[0], "D2");
    assert_eq!(found.len(), 3);
}

#[test]
fn the_reason_is_searched_too() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let body = json!({"id": "Q1", "question": "which port?", "context": "the firewall blocks most"});
    let event = Event {
        op: Op::Add,
        kind: "question".to_owned(),
        id: "Q1".to_owned(),
        origin: Origin::Assistant,
        body,
        why: None,
    };
    fold(&mut archive, &[batch(1, vec![event])]);
    assert_eq!(archive.search("firewall", None, 5).unwrap()[0].reason, "the firewall blocks most");
}

#[test]
fn changed_words_are_found_and_the_old_ones_are_not() {
    let folder = TempDir::new().unwrap();
    let mut archive = archive_with(&folder, &["use tabs"]);
    fold(&mut archive, &[batch(2, vec![decision(Op::Change, 1, "use spaces")])]);
    assert_eq!(ids(&archive, "spaces"), ["D1"]);
    assert_eq!(ids(&archive, "tabs"), Vec::<String>::new());
    assert_eq!(archive.quick_check().unwrap(), Vec::<String>::new());
}

#[test]
fn without_words_the_most_recent_come_first() {
    let folder = TempDir::new().unwrap();
    let archive = archive_with(&folder, &["a", "b", "c"]);
    for words in ["", "  \n\u{0}"] {
        assert_eq!(ids(&archive, words), ["D3", "D2", "D1"]);
    }
    assert_eq!(archive.search("", None, 2).unwrap().len(), 2);
    assert_eq!(archive.search("a", None, 0).unwrap(), []);
}

#[test]
fn the_language_of_the_index_is_only_words() {
    let folder = TempDir::new().unwrap();
    let archive = archive_with(&folder, &["alpha NEAR beta", "gamma"]);
    assert_eq!(ids(&archive, "gamma NOT alpha")[0], "D2");
    for words in [
        "\"",
        "\"\"",
        "alpha\" OR \"gamma",
        "NEAR(alpha beta)",
        "text:alpha",
        "alpha*",
        "^alpha",
        "-alpha",
        "(",
        ")",
        "{text reason}: alpha",
        "alpha AND",
        "OR",
        "NOT",
        "alpha + beta",
        "'",
        "';--",
        "%",
        "_",
        "*",
        "\\",
        "…",
        "😀",
        "alpha\u{0}beta",
        "\u{feff}alpha",
        "a\u{301}",
    ] {
        archive.search(words, None, 10).unwrap();
        archive.search(words, Some("' OR 1=1"), 10).unwrap();
    }
    let many = "alpha ".repeat(100_000);
    assert_eq!(ids(&archive, &many), ["D1"]);
    archive.search(&"x".repeat(1 << 20), None, 10).unwrap();
}

#[test]
fn signs_and_the_middle_of_words_are_found_by_looking() {
    let folder = TempDir::new().unwrap();
    let archive = archive_with(&folder, &["a => b", "数据库用PostgreSQL", "no such thing"]);
    assert_eq!(ids(&archive, "=>"), ["D1"]);
    assert_eq!(ids(&archive, "据库"), ["D2"]);
    assert_eq!(ids(&archive, "gresq"), ["D2"]);
    assert_eq!(ids(&archive, "!!"), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_query_is_an_error_and_an_entry_is_found_by_its_own_words(words in "\\PC{0,40}", text in "[a-zäöü]{1,12}( [a-z0-9\"*:^-]{1,8}){0,4}") {
        thread_local! {
            static SHARED: (TempDir, std::cell::RefCell<Archive>) = {
                let folder = TempDir::new().unwrap();
                let archive = archive_with(&folder, &["some words to find"]);
                (folder, std::cell::RefCell::new(archive))
            };
            static COUNT: std::cell::Cell<u64> = const { std::cell::Cell::new(2) };
        }
        SHARED.with(|(_, archive)| {
            archive.borrow().search(&words, None, 5).unwrap();
            let number = COUNT.get();
            COUNT.set(number + 1);
            fold(&mut archive.borrow_mut(), &[batch(number, vec![decision(Op::Add, number, &text)])]);
            let found = archive.borrow().search(&text, Some(PROJECT), 1_000).unwrap();
            assert!(found.iter().any(|row| row.text == text), "{text:?}");
        });
    }
}

#[test]
fn ten_thousand_entries_are_searched_quickly() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let stock =
        ["cache", "token", "schema", "retry", "parser", "window", "queue", "index", "thread", "budget"];
    let batches: Vec<_> = (1..=10_000_u64)
        .map(|number| {
            let word = |step: u64| stock[usize::try_from(number / step % 10).unwrap()];
            let text = format!("{} the {} before the {} in module{number}", word(1), word(10), word(100));
            batch(number, vec![decision(Op::Add, number, &text)])
        })
        .collect();
    let began = Instant::now();
    fold(&mut archive, &batches);
    // Printed, not asserted: a busy machine is no bug.
    println!("fold 10,000 entries: {:?}, {} bytes", began.elapsed(), archive.size_bytes());
    for words in ["module777", "retry the parser", "cache", "", "dule999", "=>"] {
        let began = Instant::now();
        let found = archive.search(words, Some(PROJECT), 20).unwrap().len();
        println!("search {words:?}: {found} found, {:?}", began.elapsed());
    }
    let began = Instant::now();
    archive.counters(PROJECT).unwrap();
    archive.knows(PROJECT, throughline_domain::Kind::Decision, "D5000", "x").unwrap();
    println!("counters and knows: {:?}", began.elapsed());
}
