//! A kill at every single system call of a writer: what random instants may miss is met here for certain.

use std::fs;

use crate::scene::{BINARY, Scene, has, words_of};

/// Calls of one run; more would be a loop.
const CALLS_MAX: usize = 2_000;

#[test]
fn a_first_entry_survives_a_kill_at_any_system_call() {
    kill_at_every_call(&[], &["add", "decision", "the one"]);
}

#[test]
fn an_entry_that_pushes_another_out_survives_a_kill_at_any_system_call() {
    let before: Vec<String> = (0..10).map(|number| format!("decision {number}")).collect();
    kill_at_every_call(&before, &["add", "decision", "the one"]);
}

/// Kills the writer at its first system call, then, in a scene just like the first, at its second, and so on.
fn kill_at_every_call(before: &[String], args: &[&str]) {
    if !has("strace") {
        return;
    }
    let scene = Scene::new();
    for text in before {
        scene.verb(&["add", "decision", text]).assert_success();
    }
    let start = scene.home.root().join("start");
    copy_folders(&scene, &start);
    for (killed, call) in (1..CALLS_MAX).enumerate() {
        restore_folders(&scene, &start);
        let inject = format!("inject=all:signal=KILL:when={call}");
        let mut whole = vec!["-f", "-qq", "-o", "/dev/null", "-e", "trace=all", "-e", &inject, BINARY];
        whole.extend(args);
        let acknowledged = scene.run_through("strace", &whole).status.success();
        look_at(&scene, before, acknowledged)
            .unwrap_or_else(|violation| panic!("killed at call {call}: {violation}\n{}", scene.dump()));
        if acknowledged {
            println!("{killed} kills, one at each call of {args:?}");
            assert!(killed > 50, "a writer makes more calls than {killed}");
            return;
        }
    }
    panic!("the writer made more than {CALLS_MAX} calls");
}

fn look_at(scene: &Scene, before: &[String], acknowledged: bool) -> Result<(), String> {
    if scene.state()?.is_none() && !before.is_empty() {
        return Err("the state file is gone".to_owned());
    }
    // The next writer comes first, so that it meets what the killed one left; then everything is looked at.
    let next = scene.verb(&["add", "decision", "the next"]);
    if !next.status.success() || next.stderr.contains("by hand") || next.stderr.contains("rebuilt") {
        return Err(format!("the next writer ended with {}: {}", next.status, next.stderr));
    }
    let rows = scene.check()?;
    let is_there = |text: &str| rows.iter().any(|row| words_of(row) == text);
    let lost: Vec<&String> = before.iter().filter(|text| !is_there(text)).collect();
    if !lost.is_empty() {
        return Err(format!("lost: {lost:?}"));
    }
    if acknowledged && !is_there("the one") {
        return Err("the acknowledged entry is gone".to_owned());
    }
    let temps = scene.temps();
    if temps.is_empty() { Ok(()) } else { Err(format!("temp files are left: {temps:?}")) }
}

pub(crate) fn copy_folders(scene: &Scene, to: &std::path::Path) {
    fs::create_dir(to).expect("a folder for the copy");
    for name in ["project", "data"] {
        let from = scene.home.root().join(name).to_string_lossy().into_owned();
        scene.run_through("cp", &["-a", &from, &to.to_string_lossy()]).assert_success();
    }
}

pub(crate) fn restore_folders(scene: &Scene, from: &std::path::Path) {
    for name in ["project", "data"] {
        let folder = scene.home.root().join(name);
        fs::remove_dir_all(&folder).expect("a folder that can be emptied");
        let from = from.join(name).to_string_lossy().into_owned();
        let to = scene.home.root().to_string_lossy().into_owned();
        // The working folder of `cp` may be the one that was just removed.
        let copied = std::process::Command::new("cp").args(["-a", &from, &to]).status();
        assert!(copied.is_ok_and(|status| status.success()), "{name} could not be put back");
    }
}
