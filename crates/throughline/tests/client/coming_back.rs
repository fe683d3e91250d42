//! Coming back in the real client: after a pause, after `/clear`, beside another session; the notes are there each time.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};
use throughline_testkit::{Kind, Request, Script, Step};

use crate::scene::{Scene, fragments};

const RULE: &str = "The public API stays";

/// The clock is moved by the configuration: every pause is a long one.
const NO_PATIENCE: &str = "[restore]\nbanner_minutes = 0\nbriefing_minutes = 0\nidle_minutes = 0\n";

fn main_requests(scene: &Scene, from: usize) -> Vec<Request> {
    scene.lab.mock().requests_of(Kind::Main).split_off(from)
}

fn sessions(scene: &Scene) -> Vec<Value> {
    let text = scene.run(&["sessions", "list", "--json"]).stdout;
    serde_json::from_str::<Value>(&text).unwrap().as_array().unwrap().clone()
}

fn page(scene: &Scene, session: &str) -> String {
    scene.lab.home().read(&format!(".claude/sessions/{session}/notes.md"))
}

fn write(path: &str) -> Step {
    Step::tool("Write", json!({"file_path": format!("@PROJECT@/{path}"), "content": "fn rows() {}\n"}))
}

/// A runner of tests, so that what it says is known.
#[expect(clippy::disallowed_methods, reason = "a test sets its scene")]
fn runner(scene: &Scene, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = scene.lab.home().write("run/pytest", &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A session that writes a file, runs a test that fails, and says what it would do next.
fn work(scene: &Scene, word: &str) -> Script {
    runner(scene, "echo 'FAILED rows: error: empty row not skipped'; exit 1");
    Script::new()
        .turn(
            word,
            [
                write("rows.rs"),
                Step::bash("./run/pytest rows"),
                Step::bash(
                    "git add rows.rs && git commit --quiet --message='rows are read' && echo committed",
                ),
                Step::text("The rows are read. Next I'll skip the empty ones."),
            ],
        )
        .in_project(&scene.lab.home().project())
}

/// Somebody else works in the project while nobody is there.
#[expect(clippy::disallowed_methods, reason = "a test lets time pass for a file")]
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
fn a_session_that_is_resumed_after_a_pause_is_told_what_changed() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.home().configure(NO_PATIENCE);
    scene.run(&["anchor", "add", RULE, "--priority", "critical"]);
    scene.lab.set_script(work(&scene, "PROMPT:rows"));
    let mut client = scene.lab.live(&[]);
    let session = client.ask("PROMPT:rows write the importer for us").session_id().to_owned();
    assert!(client.close().success());
    meanwhile(&scene);
    let asked = scene.lab.mock().requests_of(Kind::Main).len();
    let mut client = scene.lab.live(&["--resume", &session]);
    client.ask("good morning");
    assert!(client.close().success());
    let request = &main_requests(&scene, asked)[0];
    let new: Vec<String> =
        fragments(request).into_iter().filter(|text| text.contains("made at night")).take(1).collect();
    assert_tells_of_the_pause(&new);

    let page = page(&scene, &session);
    for event in ["] Commit ", "rows are read (", "] Tests failed: `./run/pytest rows`", "- **Fails:** `"] {
        assert!(page.contains(event), "{event}: {page}");
    }
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_session_that_was_left_open_is_told_with_the_next_prompt() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.home().configure(NO_PATIENCE);
    scene.run(&["anchor", "add", RULE, "--priority", "critical"]);
    scene.lab.set_script(work(&scene, "PROMPT:rows"));
    let mut client = scene.lab.live(&[]);
    client.ask("PROMPT:rows write the importer for us");
    meanwhile(&scene);
    let asked = scene.lab.mock().requests_of(Kind::Main).len();
    client.ask("good morning");
    assert!(client.close().success());
    let request = &main_requests(&scene, asked)[0];
    let new: Vec<String> =
        fragments(request).into_iter().filter(|text| text.contains("made at night")).collect();
    assert_tells_of_the_pause(&new);
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_cleared_session_and_a_fork_keep_their_lineage() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.set_script(work(&scene, "PROMPT:rows"));
    let mut client = scene.lab.live(&[]);
    let first = client.ask("PROMPT:rows write the importer for us").session_id().to_owned();
    client.ask("/clear");
    let second = client.ask("something else, please, and soon").session_id().to_owned();
    assert!(client.close().success());
    let mut client = scene.lab.live(&["--resume", &first, "--fork-session"]);
    let third = client.ask("another way of doing it, please").session_id().to_owned();
    assert!(client.close().success());
    assert!(first != second && first != third);
    let all = sessions(&scene);
    let parent = |session: &str| {
        let found = all.iter().find(|it| it["session"] == session);
        found.unwrap_or_else(|| panic!("{session} is not listed: {all:?}"))["goesOnFrom"].clone()
    };
    assert_eq!([parent(&first), parent(&second), parent(&third)], [Value::Null, json!(first), json!(first)]);
    assert_eq!(scene.logged(), "");
}

#[test]
fn two_sessions_at_once_keep_two_pages() {
    let Some(scene) = Scene::installed() else { return };
    runner(&scene, "echo \"1 passed: $1\"");
    let script = Script::new()
        .turn(
            "PROMPT:one",
            [Step::bash("./run/pytest one"), scene.decides("Rows are streamed", "2 GB"), Step::text("One.")],
        )
        .turn("PROMPT:two", [Step::bash("./run/pytest two"), Step::text("Two.")]);
    scene.lab.set_script(script);
    let mut one = scene.lab.live(&[]);
    let mut two = scene.lab.live(&[]);
    one.send("PROMPT:one write the importer");
    two.send("PROMPT:two write the exporter");
    let first = one.wait_result(Duration::from_mins(1)).session_id().to_owned();
    let second = two.wait_result(Duration::from_mins(1)).session_id().to_owned();
    let live = sessions(&scene).iter().filter(|it| it["live"] == true).count();
    assert_eq!(live, 2);
    assert!(one.close().success() && two.close().success());
    let (first, second) = (page(&scene, &first), page(&scene, &second));
    assert!(first.contains("pytest one") && first.contains("Decision D1: Rows are streamed"), "{first}");
    assert!(second.contains("pytest two") && !second.contains("pytest one"), "{second}");
    assert_eq!(scene.logged(), "");
}
