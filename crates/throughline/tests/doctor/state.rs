//! The state file: broken, gone, linked away, not fitting, not ours.

use std::fs;

use crate::scene::Scene;

const STATE: &str = ".claude/unified-session-state.json";

#[test]
fn a_broken_state_file_is_set_aside_rebuilt_and_named_ever_after() {
    let scene = Scene::at_work();
    scene.home.write(STATE, "{\"version\": \"2.0.0\", ");
    let report = scene.doctor();
    report.passes().says("state", "warn", "could not be read", "").says("state", "ok", "1 entry", "");
    assert!(scene.ok(&["list"]).contains("keep the old parser"));
    let report = scene.doctor();
    report.passes().says("state", "warn", "unified-session-state.json.corrupt-", "then delete it");
}

#[test]
fn a_state_file_that_is_gone_is_rebuilt() {
    let scene = Scene::at_work();
    fs::remove_file(scene.home.project().join(STATE)).expect("a state file");
    scene.doctor().passes().says("state", "warn", "1 entry rebuilt", "throughline fresh");
    assert!(scene.ok(&["list"]).contains("keep the old parser"));
}

#[test]
fn a_link_in_the_place_of_the_state_file_is_a_failure() {
    let scene = Scene::at_work();
    let path = scene.home.project().join(STATE);
    let outside = scene.home.root().join("outside.json");
    fs::rename(&path, &outside).expect("a file elsewhere");
    std::os::unix::fs::symlink(&outside, &path).expect("a link");
    scene.doctor().fails().says("state", "fail", "is a link, or is behind one", "real file");
}

#[test]
fn what_does_not_fit_the_schema_is_listed() {
    let scene = Scene::at_work();
    let text = scene.home.read(STATE).replacen("\"manual\"", "\"on a whim\"", 1);
    scene.home.write(STATE, &text);
    scene.doctor().passes().says("state", "warn", "`on a whim` is not precompact", "throughline validate");
}

#[test]
fn a_state_file_of_a_later_version_is_a_failure_and_stays() {
    let scene = Scene::at_work();
    let text = scene.home.read(STATE).replacen("\"2.0.0\"", "\"3.0.0\"", 1);
    scene.home.write(STATE, &text);
    fs::write(scene.project_data().join("last-state.json"), &text).expect("the copy");
    scene.doctor().fails().says("state", "fail", "newer than this program knows", "newer throughline");
    assert_eq!(scene.home.read(STATE), text);
}

#[test]
fn entries_of_a_clone_are_named_until_they_are_trusted() {
    let scene = Scene::at_work();
    let text = scene.home.read(STATE);
    let clone = Scene::new();
    clone.ok(&["init"]);
    clone.home.write(STATE, &text);
    let waits = "another version of the state file waits (in the file): 1 added";
    clone.doctor().passes().says("distrust", "warn", waits, "throughline trust");
    clone.ok(&["trust", "--yes"]);
    clone.doctor().is_fine("state");
    clone.doctor().is_fine("distrust");
}
