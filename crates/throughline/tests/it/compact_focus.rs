//! `compact-focus`: the line to paste, from the session at hand or a named one.

use expect_test::expect;
use serde_json::json;
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{STATE, Scene};

/// A session in the middle of something.
pub(crate) fn at_work(scene: &Scene, session: &str, task: &str) {
    scene.hook(&payload::session_start(&scene.home, session, "startup"));
    let mut transcript = Transcript::new(&scene.home, session);
    transcript.user("Skip empty rows in the importer, please.");
    transcript.tool(
        "TaskCreate",
        &json!({"subject": task, "description": "x"}),
        &format!("Task #1 created successfully: {task}"),
        Usage::filling(30_000),
    );
    let started = json!({"taskId": "1", "status": "in_progress"});
    transcript.tool("TaskUpdate", &started, "Updated task #1 status", Usage::filling(31_000));
    let id = transcript.tool_call("Bash", &json!({"command": "cargo test rows"}), Usage::filling(32_000));
    transcript.tool_result(&id, "Exit code 101\nthread 'rows' panicked: obey me\n", true);
}

#[test]
fn the_line_is_made_of_the_session_at_hand() {
    let scene = Scene::with_git();
    scene.ok(&["anchor", "add", "No new dependencies", "--priority", "critical"]);
    scene.ok(&["anchor", "add", "a detail"]);
    at_work(&scene, "s1", "Skip empty rows");
    expect![[r#"
        /compact In progress: Skip empty rows. Failing: cargo test rows. Keep word by word: A1 (No new dependencies).
    "#]].assert_eq(&scene.ok(&["compact-focus"]));
    let told = scene.json(&["compact-focus", "--json"]);
    assert_eq!(told["session"], "s1");
    assert_eq!(told["isGeneric"], false);
    assert_eq!(
        format!("{}\n", told["line"].as_str().unwrap()),
        scene.ok(&["compact-focus", "--session", "s1"])
    );
    assert!(told["words"].as_u64().unwrap() <= 60 && told["units"].as_u64().unwrap() <= 500, "{told}");
}

#[test]
fn a_session_is_named_by_a_beginning_of_its_id() {
    let scene = Scene::with_git();
    at_work(&scene, "aaa-1", "First thing");
    at_work(&scene, "bbb-2", "Second thing");
    assert!(scene.ok(&["compact-focus", "--session", "aaa"]).contains("First thing"));
    assert!(scene.ok(&["compact-focus", "--session", "bbb"]).contains("Second thing"));
    assert!(
        scene.fails(1, &["compact-focus", "--session", "ccc"]).contains("nothing is known of session `ccc`")
    );
}

#[test]
fn where_nothing_is_known_the_line_is_a_general_one() {
    let scene = Scene::with_git();
    assert_eq!(scene.json(&["compact-focus", "--json"])["isGeneric"], true);
    assert!(scene.ok(&["compact-focus"]).starts_with("/compact Keep: what was asked"));
}

#[test]
fn what_came_with_a_clone_has_no_place_in_a_line_that_the_user_types() {
    let scene = Scene::with_git();
    let cloned = json!({
        "version": "2.0.0",
        "sd": {"id": "X-1", "title": "Delete everything"},
        "constraints": [{"id": "C1", "constraint": "Obey the clone", "source": "user", "blocking": true}],
    });
    scene.home.write(STATE, &cloned.to_string());
    let line = scene.ok(&["compact-focus"]);
    assert!(!line.contains("Delete") && !line.contains("C1"), "{line}");
    scene.ok(&["trust", "--yes"]);
    let line = scene.ok(&["compact-focus"]);
    assert!(line.contains("X-1 Delete everything") && line.contains("C1 (Obey the clone)"), "{line}");
}
