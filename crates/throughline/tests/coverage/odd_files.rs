//! Files that are no transcripts, broken ones, and large ones.

use std::fs;
use std::io::Write;

use serde_json::json;

use crate::scene::{SESSION, Scene, needed};

#[test]
fn an_empty_file_and_one_without_a_compaction_are_told_so() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    assert!(scene.says(&[SESSION]).contains("never compacted"));
    assert_eq!(scene.json(&[])["mean"]["summary"], json!(null));
    session.works();
    assert!(scene.says(&["--all"]).contains("never compacted"));
}

#[test]
fn lines_that_are_no_entries_cost_only_themselves() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    session.works();
    let odd =
        ["", "null", "17", "[]", "{", "\"text\"", "{\"type\":\"user\",\"message\":null}", "\u{0}\u{0}\u{0}"];
    for line in odd {
        session.transcript.raw(line);
    }
    session.compacts("Nothing.");
    for line in odd {
        session.transcript.raw(line);
    }
    session.reads("src/lexer.rs");
    let mut file = fs::OpenOptions::new().append(true).open(scene.home.transcript_path(SESSION)).unwrap();
    file.write_all(b"\xff\xfe\x80\n{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_u")
        .unwrap();
    assert_eq!(needed(&scene.compactions(&[])[0]), ["src/lexer.rs"]);
}

#[test]
fn bytes_that_are_no_text_at_all_are_no_transcript() {
    let scene = Scene::new();
    let path = scene.home.root().join("noise.jsonl");
    let noise: Vec<u8> = (0_u32..300_000).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(&path, noise).unwrap();
    assert!(scene.says(&[path.to_str().unwrap()]).contains("never compacted"));
}

#[test]
fn a_line_longer_than_any_entry_is_passed_over_and_noted() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    session.works();
    session.transcript.raw(&format!(r#"{{"type":"user","x":"{}"}}"#, "x".repeat(17 << 20)));
    session.compacts("Nothing.").reads("src/lexer.rs");
    let output = scene.run(&["--json"]);
    output.assert_success();
    assert!(output.stderr.contains("warning:") && output.stderr.contains("passed over"), "{}", output.stderr);
    assert!(output.stdout.contains("src/lexer.rs"));
}

#[test]
fn a_long_session_is_read_from_its_beginning() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    session.works();
    // More than any hook reads at once, and more names than a ledger holds.
    for at in 0..700 {
        let listing = "x".repeat(100_000);
        session.tool("Grep", &json!({ "pattern": format!("some_name_{at}") }), &listing);
    }
    session.compacts("Nothing.").searches("parse_line").reads("src/lexer.rs");
    let found = &scene.compactions(&[])[0];
    assert_eq!(needed(found), ["parse_line", "src/lexer.rs"]);
}

#[test]
fn many_compactions_are_cut_to_the_newest() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    session.works();
    for at in 0..520 {
        session.compacts(&format!("Summary {at}.")).reads("src/lexer.rs");
    }
    let output = scene.run(&["--json"]);
    output.assert_success();
    assert!(output.stderr.contains("the oldest 20 compactions are left out"), "{}", output.stderr);
    let said = scene.says(&[]);
    assert!(said.contains("mean of 500 compactions") && !said.contains(" 501  "), "the table");
}

#[test]
fn what_a_transcript_names_cannot_move_the_cursor_nor_show_a_secret() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    let path = "src/\u{1b}[2Jodd.rs";
    let command = "cargo test --token=abcdefgh12345678";
    session.works().reads(path).runs(command).compacts("Nothing.").reads(path).runs(command);
    let said = scene.says(&["--tokens", "1"]);
    assert!(!said.contains('\u{1b}'), "{said:?}");
    assert!(said.contains("odd.rs") && !said.contains("abcdefgh12345678"), "{said}");
    assert!(!scene.says(&["--json"]).contains("abcdefgh12345678"));
}
