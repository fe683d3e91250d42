//! A kill while something is forgotten or imported: the next run completes it, wherever the first one ended.

use std::fs;
use std::path::PathBuf;

use throughline_testkit::{Transcript, Usage, payload};

use crate::every_call::{copy_folders, restore_folders};
use crate::scene::{SESSION, Scene, has};
use crate::traced;

/// Kills of one verb: spread over all of its calls.
const KILLS: usize = 60;

/// A project with a session that left its word in every place, and an entry of nobody's session.
fn told() -> Scene {
    let mut scene = Scene::new();
    scene.verb(&["add", "decision", "stays for good"]).assert_success();
    scene.hook(&payload::session_start(&scene.home, SESSION, "startup")).assert_success();
    scene.home.set_env("CLAUDE_CODE_SESSION_ID", SESSION);
    scene.verb(&["add", "decision", "a cobalt heron"]).assert_success();
    scene.verb(&["note", "the cobalt heron flies"]).assert_success();
    scene.home.remove_env("CLAUDE_CODE_SESSION_ID");
    Transcript::new(&scene.home, SESSION)
        .user("Never feed the cobalt heron, please.")
        .assistant("The cobalt heron it is.", Usage::filling(20_000));
    scene.hook(&payload::stop(&scene.home, SESSION, "done")).assert_success();
    scene.hook(&payload::session_end(&scene.home, SESSION, "other")).assert_success();
    scene.verb(&["backfill"]).assert_success();
    scene
}

fn holding(scene: &Scene) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![scene.home.data(), scene.home.project().join(".claude")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default()).into_owned();
                found.extend((text.contains(SESSION) || text.contains("cobalt")).then(|| entry.path()));
            }
        }
    }
    found
}

/// Kills the verb at calls all over its run, each time from the same start; `look` sees what the next run made of it.
fn kill_all_over(scene: &Scene, verb: &[&str], touched: &str, look: impl Fn(&traced::Call)) {
    let start = scene.home.root().join("start");
    copy_folders(scene, &start);
    let calls = traced::calls(scene, verb, touched);
    let stride = calls.len() / KILLS + 1;
    let mut killed = 0;
    for call in calls.iter().step_by(stride) {
        restore_folders(scene, &start);
        killed += usize::from(!traced::run_killed(scene, verb, call));
        scene.verb(verb).assert_success();
        look(call);
    }
    println!("{killed} kills, over {} calls of {verb:?}", calls.len());
    assert!(killed > KILLS / 3, "{killed}");
}

#[test]
fn a_session_is_forgotten_wherever_the_first_try_was_killed() {
    if !has("strace") {
        return;
    }
    let scene = told();
    assert!(holding(&scene).len() > 5, "{:?}", holding(&scene));
    let verb = ["forget", "--session", SESSION, "--yes"];
    kill_all_over(&scene, &verb, "forgotten.json", |call| {
        let held = holding(&scene);
        assert!(held.is_empty(), "killed at {call}: {held:?}");
        let rows = scene.check().unwrap_or_else(|violation| panic!("killed at {call}: {violation}"));
        assert_eq!(rows.len(), 1, "killed at {call}: {rows:?}");
    });
}

#[test]
fn an_import_is_whole_wherever_the_first_try_was_killed() {
    if !has("strace") {
        return;
    }
    let scene = told();
    let bundle = scene.home.root().join("app.throughline").to_string_lossy().into_owned();
    scene.verb(&["export", "--output", &bundle]).assert_success();
    let list = || scene.verb(&["list", "--all", "--json"]).stdout;
    let recalled = || scene.verb(&["recall", "heron", "--json", "--project", "all"]).stdout;
    let before = (list(), recalled());
    assert!(before.0.contains("a cobalt heron") && before.1.contains("Never feed"), "{before:?}");
    fs::remove_dir_all(scene.home.data()).expect("the data folder");
    fs::create_dir(scene.home.data()).expect("an empty one");
    fs::remove_dir_all(scene.home.project().join(".claude")).expect("our files");
    kill_all_over(&scene, &["import", &bundle], "throughline.db", |call| {
        assert_eq!((list(), recalled()), before, "killed at {call}");
        scene.check().unwrap_or_else(|violation| panic!("killed at {call}: {violation}"));
    });
}
