//! Sessions of Codex CLI: started, resumed, left alone, cleared, forked; each is told what it needs, once.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use serde_json::json;
use throughline_testkit::{Script, Step};

use crate::codex_scene::{Scene, fragment, fragments, shell};

const DECISION: &str = "Rows are streamed";
const RULE: &str = "The public API stays";

/// The clock is moved by the configuration: every pause is a long one.
const NO_PATIENCE: &str = "[restore]\nbanner_minutes = 0\nbriefing_minutes = 0\nidle_minutes = 0\n";

fn scene() -> Option<Scene> {
    let scene = Scene::installed()?;
    scene.run(&["add", "decision", DECISION]);
    Some(scene)
}

/// A session that writes a file, runs a test that fails, and says what it would do next.
fn work(scene: &Scene) -> Script {
    scene.runner("echo 'FAILED rows: error: empty row not skipped'; exit 1");
    let patch = "*** Begin Patch\n*** Add File: rows.rs\n+fn rows() {}\n*** End Patch";
    let steps = [
        Step::tool("apply_patch", json!(patch)),
        shell("./run/pytest rows"),
        shell("git add rows.rs && git commit --quiet --message='rows are read' && echo committed"),
        Step::text("The rows are read. Next I'll skip the empty ones."),
    ];
    Script::new().turn("PROMPT:rows", steps)
}

/// Somebody else works in the project while nobody is there.
fn meanwhile(scene: &Scene) {
    let home = scene.lab.home();
    home.git(&["commit", "--quiet", "--allow-empty", "--message=made at night"]);
    let path = home.write("rows.rs", "somebody else was here\n");
    let later = SystemTime::now() + Duration::from_mins(1);
    fs::File::options().append(true).open(path).unwrap().set_modified(later).unwrap();
}

#[track_caller]
fn assert_tells_of_the_pause(said: &[String]) {
    let [resume] = said else { panic!("one fragment, not {said:?}") };
    assert!(resume.starts_with("[throughline:resume]"), "{resume}");
    for line in
        ["Back after ", "made at night", RULE, "Next I'll skip the empty ones.", "read them again: rows.rs"]
    {
        assert!(resume.contains(line), "{line}: {resume}");
    }
}

#[test]
fn a_start_gives_the_briefing_before_the_prompt_and_once() {
    let Some(scene) = scene() else { return };
    scene.plays(Script::new().turn("PROMPT:go", [shell("echo one"), shell("echo two"), Step::text("Done.")]));
    scene.lab.exec("PROMPT:go on").assert_done();
    let asked = scene.asked();
    assert_eq!(asked.len(), 3);
    for request in &asked {
        assert!(fragment(request).contains(DECISION));
    }
    let first = &asked[0];
    assert!(first.place_of("developer", DECISION) < first.place_of("user", "PROMPT:go on"));
    assert_eq!(scene.logged(), "");
}

#[test]
fn an_empty_project_is_told_nothing() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.exec("go on").assert_done();
    assert_eq!(fragments(&scene.asked()[0]), Vec::<String>::new());
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_session_that_is_resumed_at_once_is_told_nothing_again() {
    let Some(scene) = scene() else { return };
    let first = scene.lab.exec("go on");
    let second = scene.lab.exec_resume("and on");
    assert_eq!(first.assert_done().thread_id(), second.assert_done().thread_id());
    let last = scene.asked().pop().unwrap();
    assert!(fragment(&last).contains(DECISION), "the first one stays in the history");
    assert_eq!(scene.sessions().len(), 1);
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_session_that_is_resumed_after_a_pause_is_told_what_changed() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.home().configure(NO_PATIENCE);
    scene.run(&["anchor", "add", RULE, "--priority", "critical"]);
    scene.plays(work(&scene));
    scene.lab.exec("PROMPT:rows write the importer for us").assert_done();
    meanwhile(&scene);
    scene.lab.exec_resume("good morning").assert_done();
    let new: Vec<String> = fragments(&scene.asked().pop().unwrap())
        .into_iter()
        .filter(|text| text.contains("made at night"))
        .collect();
    assert_tells_of_the_pause(&new);
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_session_that_was_left_open_is_told_with_the_next_prompt() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.home().configure(NO_PATIENCE);
    scene.run(&["anchor", "add", RULE, "--priority", "critical"]);
    scene.plays(work(&scene));
    scene.lab.trust_hooks();
    let mut server = scene.lab.server();
    let thread = server.start_thread(&scene.lab.home().project(), &json!({}));
    server.ask(&thread, "PROMPT:rows write the importer for us");
    meanwhile(&scene);
    server.ask(&thread, "good morning");
    server.close();
    let new: Vec<String> = fragments(&scene.asked().pop().unwrap())
        .into_iter()
        .filter(|text| text.contains("made at night"))
        .collect();
    assert_tells_of_the_pause(&new);
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_cleared_session_and_a_fork_are_told_and_listed() {
    let Some(scene) = scene() else { return };
    let first = scene.lab.exec("write the importer for us").thread_id().to_owned();
    let fork =
        scene.lab.exec_fork(&first, "another way of doing it, please").assert_done().thread_id().to_owned();
    assert!(fragments(&scene.asked().pop().unwrap()).iter().any(|text| text.contains(DECISION)));
    scene.lab.trust_hooks();
    let mut server = scene.lab.server();
    let cleared = server.start_thread(&scene.lab.home().project(), &json!({"sessionStartSource": "clear"}));
    server.ask(&cleared, "something else, please, and soon");
    server.close();
    let said = fragment(&scene.asked().pop().unwrap());
    assert!(said.starts_with("[throughline:notice]") && said.contains("1 decision"), "{said}");
    let listed = scene.sessions();
    for session in [&first, &fork, &cleared] {
        assert!(listed.iter().any(|it| it["session"] == session.as_str()), "{session}: {listed:?}");
    }
    assert_eq!(scene.logged(), "");
}
