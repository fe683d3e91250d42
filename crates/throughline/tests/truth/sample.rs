//! The check over real sessions: every compaction of every transcript in a folder, replayed through the hooks.
//!
//! `THROUGHLINE_TRUTH_TRANSCRIPTS=<folder> cargo test -p throughline --test truth sample -- --nocapture` prints what is false.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_testkit::{TempHome, payload};

use crate::check::{False, check};
use crate::record::Record;
use crate::scene::Scene;

const FOLDER: &str = "THROUGHLINE_TRUTH_TRANSCRIPTS";
/// Set to a folder, the texts are written there for people to read.
const KEPT: &str = "THROUGHLINE_TRUTH_TEXTS";
/// A transcript without a compaction is cut here, as if it crashed.
const CRASHES_AT: [usize; 2] = [2, 1];

/// What was said at one moment of one session.
struct Said {
    what: &'static str,
    text: String,
    before: String,
}

#[test]
fn nothing_false_is_said_of_the_sample_transcripts() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        eprintln!("{FOLDER} names no folder: nothing was replayed");
        return;
    };
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the folder").flatten().map(|it| it.path()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "jsonl"));
    files.sort();
    let (mut count, mut texts) = (0, 0);
    for path in &files {
        for said in replayed(path) {
            texts += 1;
            keep(path, &said, texts);
            let record = Record::read([said.before.as_str()]);
            for False { rule, words } in check(&said.text, &record) {
                count += 1;
                println!("{} {}: {rule}: {words}", path.file_name().unwrap_or_default().display(), said.what);
            }
        }
    }
    println!("{count} false statements in {texts} texts of {} transcripts", files.len());
    assert_eq!(count, 0, "statements that are false");
}

fn keep(path: &Path, said: &Said, number: usize) {
    if let Some(folder) = std::env::var_os(KEPT).map(PathBuf::from) {
        let name = path.file_stem().unwrap_or_default().display().to_string();
        fs::create_dir_all(&folder).expect("a folder for the texts");
        fs::write(folder.join(format!("{number:03}-{name}-{}.txt", said.what)), &said.text).expect("a text");
    }
}

/// The texts at each compaction, and after a crash at some other moments.
fn replayed(path: &Path) -> Vec<Said> {
    let whole = fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = whole.lines().collect();
    let is_boundary = |line: &&str| line.contains("\"compact_boundary\"");
    let boundaries: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| is_boundary(line)).map(|it| it.0).collect();
    let mut said = Vec::new();
    for at in boundaries {
        let summary = lines[at..].iter().take(6).find_map(|line| summary_in(line)).unwrap_or_default();
        said.extend(compacted(&lines[..at], &summary));
    }
    for part in CRASHES_AT {
        said.extend(crashed(&lines[..lines.len() / part]));
    }
    said
}

fn summary_in(line: &str) -> Option<String> {
    let entry: Value = serde_json::from_str(line).ok()?;
    if entry["isCompactSummary"] != Value::Bool(true) {
        return None;
    }
    let content = &entry["message"]["content"];
    content.as_str().map(str::to_owned).or_else(|| Some(content[0]["text"].as_str()?.to_owned()))
}

fn stage(lines: &[&str]) -> (Scene, String) {
    let scene = Scene { home: TempHome::new() };
    let path = scene.home.transcript_path("s1");
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let before = lines.iter().fold(String::new(), |text, line| text + line + "\n");
    fs::write(path, &before).expect("a transcript");
    (scene, before)
}

fn compacted(lines: &[&str], summary: &str) -> Vec<Said> {
    let (scene, before) = stage(lines);
    let said = |what, text: String| Said { what, text, before: before.clone() };
    let block = scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    let words = format!("<summary>\n{summary}\n</summary>");
    scene.hook(&payload::subagent_stop(&scene.home, "s1", "", &words));
    let briefing = scene.hook(&payload::session_start(&scene.home, "s1", "compact"));
    let notes = fs::read_to_string(scene.home.project().join(".claude/sessions/s1/notes.md"));
    let focus = scene.run(&["compact-focus"]).stdout;
    vec![
        said("block", block),
        said("briefing", briefing),
        said("notes", notes.unwrap_or_default()),
        said("focus", focus),
    ]
}

fn crashed(lines: &[&str]) -> Vec<Said> {
    let (scene, before) = stage(lines);
    scene.minutes_pass(15);
    let mut told = payload::session_start(&scene.home, "s2", "startup");
    told["model"] = json!("claude-opus-5-5");
    vec![Said { what: "restored", text: scene.hook(&told), before }]
}
