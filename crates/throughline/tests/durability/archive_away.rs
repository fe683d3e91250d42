//! An archive that is locked, damaged, missing or no file at all: verbs and hooks go on, and the next run folds it in.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use throughline_store::archive::Archive;
use throughline_testkit::payload;

use crate::scene::{SESSION, Scene, has, words_of};

#[test]
fn a_locked_archive_keeps_nobody_waiting_for_long() {
    if !has("python3") {
        return;
    }
    let scene = scene_with_an_entry();
    let mut holder = lock_archive(&scene);
    let verb = record_meanwhile(&scene);
    assert!(verb < Duration::from_secs(4), "a verb took {verb:?}");
    drop(holder.stdin.take());
    holder.wait().expect("the holder");
    everything_is_folded_in(&scene);
}

#[test]
fn a_damaged_archive_costs_no_entry() {
    let scene = scene_with_an_entry();
    move_archive(&scene, "throughline.db", "aside.db");
    fs::write(archive_path(&scene), b"this is no database ".repeat(1_000)).expect("a damaged archive");
    record_meanwhile(&scene);
    fs::remove_file(archive_path(&scene)).expect("a damaged archive");
    move_archive(&scene, "aside.db", "throughline.db");
    everything_is_folded_in(&scene);
}

#[test]
fn a_folder_in_the_archives_place_costs_no_entry() {
    let scene = scene_with_an_entry();
    move_archive(&scene, "throughline.db", "aside.db");
    fs::create_dir(archive_path(&scene)).expect("a folder");
    record_meanwhile(&scene);
    fs::remove_dir(archive_path(&scene)).expect("an empty folder");
    move_archive(&scene, "aside.db", "throughline.db");
    everything_is_folded_in(&scene);
}

#[test]
fn a_missing_archive_is_made_anew() {
    let scene = scene_with_an_entry();
    move_archive(&scene, "throughline.db", "aside.db");
    let verb = scene.verb(&["add", "decision", "meanwhile"]);
    verb.assert_success();
    let rows = scene.archived().expect("a list");
    assert!(rows.iter().any(|row| words_of(row) == "meanwhile"), "{rows:#?}");
    let state = scene.state().expect("a valid state").expect("a state");
    let words: Vec<&str> = state.all_entries().map(|entry| entry.text.as_str()).collect();
    assert_eq!(
        words,
        ["before", "meanwhile"],
        "what the archive no longer knows is still in the working set"
    );
}

#[test]
fn a_long_absence_of_the_archive_makes_nothing_fail_or_slow() {
    let scene = scene_with_an_entry();
    move_archive(&scene, "throughline.db", "aside.db");
    fs::create_dir(archive_path(&scene)).expect("a folder");
    let long = "w".repeat(900);
    for number in 0..120 {
        scene.verb(&["add", "decision", &format!("{number} {long}")]).assert_success();
    }
    fs::remove_dir(archive_path(&scene)).expect("an empty folder");
    move_archive(&scene, "aside.db", "throughline.db");
    let rows = scene.check().expect("everything in order");
    assert!((0..120).all(|number| rows.iter().any(|row| words_of(row) == format!("{number} {long}"))));
}

#[test]
fn saves_alone_wait_for_the_next_entry_but_not_for_ever() {
    let scene = Scene::new();
    for number in 0..10 {
        scene.verb(&["add", "decision", &format!("{number} {}", "w".repeat(900))]).assert_success();
    }
    let outbox = scene.data_of_project().join("outbox.jsonl");
    let waiting = || fs::metadata(&outbox).map_or(0, |meta| meta.len());
    scene.verb(&["save"]).assert_success();
    assert!(waiting() > 0, "a save does not open the archive");
    for _ in 0..40 {
        scene.verb(&["save"]).assert_success();
        assert!(waiting() < 300 << 10, "{} bytes wait", waiting());
    }
    scene.verb(&["add", "decision", "the next"]).assert_success();
    assert_eq!(waiting(), 0, "what waited went in with the next entry");
    scene.check().expect("everything in order");
}

fn scene_with_an_entry() -> Scene {
    let scene = Scene::new();
    scene.hook(&payload::session_start(&scene.home, SESSION, "startup"));
    scene.verb(&["add", "decision", "before"]).assert_success();
    scene
}

/// Verbs acknowledge, hooks leave with 0, and all of it waits. Returns how long a verb took.
fn record_meanwhile(scene: &Scene) -> Duration {
    let verb = scene.verb(&["add", "decision", "meanwhile"]);
    verb.assert_success();
    assert!(verb.stderr.contains("the archive at"), "the user is told: {}", verb.stderr);
    for payload in [
        payload::pre_compact(&scene.home, SESSION, "manual", Some("the focus")),
        payload::post_compact(&scene.home, SESSION, "manual", "the summary"),
        payload::stop(&scene.home, SESSION, "done"),
    ] {
        let hook = scene.hook(&payload);
        assert!(hook.took < Duration::from_secs(3), "a hook took {:?}", hook.took);
    }
    let outbox = fs::read_to_string(scene.data_of_project().join("outbox.jsonl")).unwrap_or_default();
    let folding =
        fs::read_to_string(scene.data_of_project().join("outbox.folding.jsonl")).unwrap_or_default();
    assert!(outbox.contains("meanwhile") || folding.contains("meanwhile"), "the entry waits in the outbox");
    let log = fs::read_to_string(scene.home.data().join("throughline.log")).unwrap_or_default();
    assert!(log.contains("hook Stop"), "the failure is in the log: {log}");
    verb.took
}

/// The next hook brings everything home: entries, the hook runs, and the compaction with its summary.
fn everything_is_folded_in(scene: &Scene) {
    scene.hook(&payload::stop(&scene.home, SESSION, "done"));
    let rows = scene.check().expect("everything in order");
    for text in ["before", "meanwhile", "the focus"] {
        assert!(rows.iter().any(|row| words_of(row) == text), "`{text}` is missing: {rows:#?}");
    }
    let archive =
        Archive::open(&throughline_store::door::outside::at(&archive_path(scene)), Duration::from_secs(1))
            .expect("an archive");
    let project = scene.data_of_project().file_name().expect("a name").to_string_lossy().into_owned();
    let compactions = archive.compactions(&project, 10).expect("compactions");
    assert_eq!(compactions.len(), 1, "{compactions:?}");
    assert_eq!(compactions[0].summary.as_deref(), Some("the summary"));
}

fn archive_path(scene: &Scene) -> PathBuf {
    scene.home.data().join("throughline.db")
}

fn move_archive(scene: &Scene, from: &str, to: &str) {
    for end in ["", "-wal", "-shm"] {
        let path = |name: &str| scene.home.data().join(format!("{name}{end}"));
        if path(from).exists() {
            fs::rename(path(from), path(to)).expect("an archive that can be moved");
        }
    }
}

/// Another program in the middle of a write transaction; it ends when its standard input does.
fn lock_archive(scene: &Scene) -> Child {
    let program = "import sqlite3, sys\n\
        db = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
        db.execute('BEGIN IMMEDIATE')\n\
        print('locked', flush=True)\n\
        sys.stdin.read()\n";
    let mut command = std::process::Command::new("python3");
    command.args(["-c", program]).arg(archive_path(scene)).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a holder");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    assert_eq!(line, "locked\n");
    child.stdin.as_mut().expect("its input").flush().expect("an open pipe");
    child
}
