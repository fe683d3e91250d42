//! The archive: damaged, gone, locked, too new.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::scene::{Scene, has, on_path};

fn texts_in_the_archive(scene: &Scene) -> Vec<String> {
    let list: Value = serde_json::from_str(&scene.ok(&["list", "--all", "--json"])).expect("JSON");
    let rows = list.as_array().expect("a list").iter();
    rows.map(|row| row["decision"].as_str().unwrap_or_default().to_owned()).collect()
}

fn destroy(scene: &Scene) {
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(scene.home.data().join(format!("throughline.db{suffix}")));
    }
    fs::write(scene.archive(), b"this is no database ".repeat(1_000)).expect("a damaged archive");
}

#[test]
fn a_damaged_archive_is_set_aside_and_the_new_one_knows_the_working_set() {
    let scene = Scene::at_work();
    scene.ok(&["add", "decision", "second"]);
    scene.start_session("startup", "claude-opus-5-5");
    destroy(&scene);
    let report = scene.doctor();
    report.passes().says("archive", "warn", "was damaged", "other projects");
    report.says("archive", "warn", "throughline.db.corrupt-", "");
    report.says("archive", "warn", "2 entries of the working set missing in it, and put back", "");
    let mut texts = texts_in_the_archive(&scene);
    texts.sort();
    assert_eq!(texts, ["keep the old parser", "second"]);
    scene.doctor().passes().says("archive", "warn", "set aside in", "then delete it").says(
        "hook runs",
        "ok",
        "SessionStart",
        "",
    );
    assert_eq!(texts_in_the_archive(&scene).len(), 2, "putting back twice adds nothing");
}

#[test]
fn a_change_that_waited_beside_a_damaged_archive_is_not_lost() {
    let scene = Scene::at_work();
    destroy(&scene);
    scene.ok(&["add", "decision", "recorded meanwhile"]);
    scene.doctor().passes().says("archive", "warn", "was damaged", "");
    let mut texts = texts_in_the_archive(&scene);
    texts.sort();
    assert_eq!(texts, ["keep the old parser", "recorded meanwhile"]);
    scene.ok(&["add", "decision", "afterwards"]);
    assert_eq!(texts_in_the_archive(&scene).len(), 3);
}

#[test]
fn an_archive_that_is_gone_is_restocked() {
    let scene = Scene::at_work();
    for name in ["throughline.db", "throughline.db-wal", "throughline.db-shm"] {
        let _ = fs::remove_file(scene.home.data().join(name));
    }
    scene.doctor().passes();
    assert_eq!(texts_in_the_archive(&scene), ["keep the old parser"]);
    let day = &scene.ok(&["list", "--all"])[..10];
    assert!(
        scene.home.read(".claude/unified-session-state.json").contains(day),
        "recorded when it was recorded"
    );
}

#[test]
fn a_locked_archive_is_a_warning_and_what_waits_is_counted() {
    if !has("sqlite3") {
        return;
    }
    let scene = Scene::at_work();
    let mut holder = hold(&scene);
    scene.ok(&["add", "decision", "recorded meanwhile"]);
    let report = scene.doctor();
    report.passes().says("archive", "warn", "1 change (", "nothing is lost");
    report.says("archive", "warn", "locked by another process", "fuser");
    assert!(report.took < Duration::from_secs(20), "{:?}", report.took);
    drop(holder.stdin.take());
    holder.wait().expect("the holder");
    scene.doctor().passes().says("archive", "ok", "1 change and 0 hook runs waited", "");
    assert_eq!(texts_in_the_archive(&scene).len(), 2);
}

#[test]
fn an_archive_of_a_later_version_is_a_failure_and_stays() {
    if !has("sqlite3") {
        return;
    }
    let scene = Scene::at_work();
    let sqlite = on_path("sqlite3").expect("sqlite3");
    let archive = scene.archive();
    let args = [archive.to_str().expect("UTF-8"), "PRAGMA user_version = 99"];
    scene.home.run(&sqlite, &args, "").assert_success();
    scene.doctor().fails().says("archive", "fail", "schema version 99", "newer throughline");
    assert!(archive.exists());
}

/// Another program in the middle of a write.
fn hold(scene: &Scene) -> Child {
    let mut child = scene
        .home
        .command(&on_path("sqlite3").expect("sqlite3"))
        .arg(scene.archive())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sqlite3");
    let stdin = child.stdin.as_mut().expect("a pipe");
    stdin.write_all(b"BEGIN IMMEDIATE;\nSELECT 'held';\n").expect("a program that listens");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an answer");
    assert_eq!(line.trim(), "held");
    child
}
