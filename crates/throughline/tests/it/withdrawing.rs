//! The verbs that withdraw: resolve, done, lift, supersede, edit, rm, fresh. The archive keeps everything, marked.

use expect_test::expect;

use crate::scene::Scene;

fn left_why(scene: &Scene, id: &str) -> String {
    scene.archived_entry(id).left_why.unwrap_or_default()
}

#[test]
fn a_question_is_resolved_once() {
    let scene = Scene::new();
    scene.ok(&["add", "question", "which port?", "--priority", "high"]);
    assert_eq!(scene.ok(&["resolve", "q1", "8080"]), "Q1 resolved\n");
    let question = &scene.state()["openQuestions"][0];
    assert_eq!(question["resolved"], true);
    assert_eq!(question["resolution"], "8080");
    assert_eq!(scene.fails(1, &["resolve", "Q1", "9090"]), "error: Q1 is resolved already\n");
    expect![[r#"
        error: there is no entry `Q7` in the working set

               hint: `throughline list` shows what there is; `throughline list --all` shows the archive too
    "#]]
    .assert_eq(&scene.fails(1, &["resolve", "Q7", "x"]));
    scene.ok(&["add", "action", "ship"]);
    expect![[r#"
        error: P1 is an action, not a question

               hint: an action is finished with `throughline done P1`
    "#]]
    .assert_eq(&scene.fails(1, &["resolve", "P1", "x"]));
    scene.ok(&["add", "question", "another?"]);
    assert_eq!(scene.fails(1, &["resolve", "Q2", " "]), "error: the resolution is empty\n");
}

#[test]
fn actions_are_finished_all_or_none() {
    let scene = Scene::new();
    scene.ok(&["add", "action", "write"]);
    scene.ok(&["add", "action", "ship"]);
    let said = scene.fails(1, &["done", "P1", "P9"]);
    assert!(said.contains("`P9`") && said.contains("hint:"), "{said}");
    assert_eq!(
        scene.state()["summaries"]["pendingActions"].as_array().unwrap().len(),
        2,
        "none of them is done"
    );
    assert_eq!(scene.ok(&["done", "P1", "P2"]), "P1 done\nP2 done\n");
    assert_eq!(scene.state()["summaries"]["pendingActions"].as_array().unwrap().len(), 0);
    assert_eq!(left_why(&scene, "P1"), "done");
    assert_eq!(scene.ok(&["add", "action", "write"]), "P3 recorded\n", "an id is never used twice");
}

#[test]
fn a_constraint_is_lifted_and_nothing_else_is() {
    let scene = Scene::new();
    scene.ok(&["add", "constraint", "no network", "--blocking"]);
    scene.ok(&["add", "decision", "use SQLite"]);
    expect![[r#"
        error: D1 is a decision, not a constraint

               hint: `throughline rm` removes any entry
    "#]]
    .assert_eq(&scene.fails(1, &["lift", "D1"]));
    assert_eq!(scene.ok(&["lift", "C1", "--because", "the lab has one now"]), "C1 lifted\n");
    assert_eq!(left_why(&scene, "C1"), "lifted: the lab has one now");
    assert!(scene.fails(1, &["lift", "C1"]).contains("no entry `C1`"));
}

#[test]
fn a_new_decision_supersedes_an_old_one() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "use Postgres", "--rationale", "known"]);
    let said = scene.ok(&["supersede", "D1", "use SQLite", "--rationale", "one file"]);
    assert_eq!(said, "D2 recorded, supersedes D1\n");
    let state = scene.state();
    assert_eq!(state["decisions"].as_array().unwrap().len(), 1);
    assert_eq!(state["decisions"][0]["decision"], "use SQLite");
    assert_eq!(state["decisions"][0]["rationale"], "one file");
    assert_eq!(state["decisions"][0]["supersedes"], "D1");
    assert_eq!(left_why(&scene, "D1"), "superseded by D2");
    assert_eq!(scene.archived_entry("D2").body["supersedes"], "D1");
    assert!(scene.fails(1, &["supersede", "D1", "x"]).contains("hint:"));
}

#[test]
fn a_decision_does_not_supersede_itself() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "use SQLite", "--rationale", "one file"]);
    let said = scene.fails(1, &["supersede", "D1", "use SQLite"]);
    assert!(said.contains("D1"), "{said}");
    assert_eq!(scene.state()["decisions"].as_array().unwrap().len(), 1);
}

#[test]
fn words_are_edited_and_the_archive_follows() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "use SQLight"]);
    assert_eq!(scene.ok(&["edit", "D1", "use SQLite", "--reason", "spelling"]), "D1 changed\n");
    assert_eq!(scene.state()["decisions"][0]["decision"], "use SQLite");
    assert_eq!(scene.state()["decisions"][0]["rationale"], "spelling");
    assert_eq!(scene.archived_entry("D1").text, "use SQLite");
    let database = std::fs::read(scene.home.data().join("throughline.db")).unwrap();
    let log = std::fs::read(scene.home.data().join("throughline.db-wal")).unwrap_or_default();
    let old = b"use SQLight";
    assert!(
        database.windows(old.len()).chain(log.windows(old.len())).any(|it| it == old),
        "the old words are kept"
    );
    expect![[r#"
        error: nothing to change

               hint: give new words, or --reason
    "#]]
    .assert_eq(&scene.fails(1, &["edit", "D1"]));
    scene.ok(&["add", "highlight", "a point"]);
    assert!(scene.fails(1, &["edit", "H1", "--reason", "x"]).contains("not an entry with a reason"));
}

#[test]
fn an_edit_cannot_empty_an_entry() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["add", "evidence", "exit status 1"]);
    assert!(scene.fails(1, &["edit", "D1", ""]).contains("empty"));
    assert!(scene.fails(1, &["edit", "E1", " "]).contains("empty"));
    assert_eq!(scene.state()["evidenceLedger"][0]["content"], "exit status 1");
}

#[test]
fn removed_entries_stay_in_the_archive() {
    let scene = Scene::new();
    scene.ok(&["add", "evidence", "wrong"]);
    scene.ok(&["add", "highlight", "also wrong"]);
    assert_eq!(scene.ok(&["rm", "E1", "H1"]), "E1 removed\nH1 removed\n");
    assert_eq!(left_why(&scene, "E1"), "removed");
    assert_eq!(left_why(&scene, "H1"), "removed");
    let all = scene.ok(&["list", "--all"]);
    assert!(all.contains("E1 wrong (removed)"), "{all}");
    assert!(scene.fails(1, &["rm", "E1"]).contains("hint:"));
}

#[test]
fn a_fresh_start_archives_everything() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["add", "action", "ship"]);
    scene.ok(&["set", "work", "--id", "SD-1"]);
    assert_eq!(scene.ok(&["fresh"]), "2 entries archived; the working set is empty\n");
    assert_eq!(scene.json(&["list", "--json"]), serde_json::json!([]));
    assert_eq!(left_why(&scene, "D1"), "fresh start");
    assert_eq!(scene.ok(&["add", "decision", "begin again"]), "D2 recorded\n");
    assert!(!scene.ok(&["briefing"]).contains("SD-1"));
    assert_eq!(scene.ok(&["fresh"]), "1 entries archived; the working set is empty\n");
}

#[test]
fn pausing_silences_the_hooks_and_keeps_the_verbs() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    assert!(scene.ok(&["pause"]).starts_with("paused"));
    assert!(scene.ok(&["status"]).contains("paused"));
    let before = std::fs::read(scene.state_path()).unwrap();
    let payload = throughline_testkit::payload::session_start(&scene.home, "s1", "startup");
    assert_eq!(scene.hook(&payload), "");
    let payload = throughline_testkit::payload::pre_compact(&scene.home, "s1", "manual", Some("keep x"));
    assert_eq!(scene.hook(&payload), "");
    let payload = throughline_testkit::payload::session_end(&scene.home, "s1", "other");
    assert_eq!(scene.hook(&payload), "");
    assert_eq!(std::fs::read(scene.state_path()).unwrap(), before, "a paused hook records nothing");
    assert!(!scene.home.project().join(".claude/compaction-snapshot.md").exists());
    scene.ok(&["unpause"]);
    assert!(!scene.ok(&["status"]).contains("paused"));
    let payload = throughline_testkit::payload::session_start(&scene.home, "s2", "startup");
    assert!(scene.hook(&payload).contains("use SQLite"));
}
