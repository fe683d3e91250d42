//! `away`: everything is saved, what needs a look is named, and the line to paste comes last.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};
use throughline_testkit::{Transcript, Usage, payload};

use crate::compact_focus::at_work;
use crate::scene::{Scene, Sleeper, holding};

fn kinds(told: &Value) -> Vec<&str> {
    told["warnings"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect()
}

fn texts(told: &Value) -> String {
    let all = told["warnings"].as_array().unwrap().iter();
    all.map(|it| it["text"].as_str().unwrap().to_owned() + "\n").collect()
}

#[test]
fn everything_is_saved_and_told_in_a_known_form() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "Use SQLite"]);
    at_work(&scene, "s1", "Skip empty rows");
    scene.home.write("src/rows.rs", "fn rows() {}\n");
    let said = scene.ok(&["away", "--for", "the night"]);
    let checkpoint = scene.json(&["checkpoint", "show", "latest", "--json"]);
    let id = checkpoint["id"].as_str().unwrap();
    assert_eq!((&checkpoint["type"], &checkpoint["notes"]), (&json!("away"), &json!("away for the night")));
    expect![[r#"
        ✓ saved: 1 entry; checkpoint <id> (1 uncommitted file, 1 open task)
        Before you leave:
        ! 1 file is not committed; the checkpoint keeps the content
        ! `cargo test rows` failed last
        ! nothing was handed over yet; ask the agent for one: "hand over with `throughline handover -`"
        ! the client will never compact by itself: without a window set, the client does not compact this model by usage; run `throughline init --compact-at 80%`, or set "autoCompactWindow": 200000 in the settings
        If you compact now, paste this:
        /compact In progress: Skip empty rows. Failing: cargo test rows.
    "#]].assert_eq(&said.replace(id, "<id>"));
    assert_eq!(scene.state()["trigger"], "checkpoint");
    assert!(scene.state()["git"]["status"].as_str().unwrap().contains("src/"), "{}", scene.state()["git"]);
    let told = scene.json(&["away", "--json"]);
    assert_ne!(told["checkpoint"], id, "leaving is a moment of its own");
    assert_eq!(
        (&told["note"], &told["openTasks"], &told["uncommittedFiles"]),
        (&json!("away"), &json!(1), &json!(1))
    );
    assert_eq!(told["notSaved"], json!([]));
    assert!(told["focus"].as_str().unwrap().starts_with("/compact In progress: Skip empty rows."), "{told}");
}

#[test]
fn where_all_is_well_nothing_is_warned_of() {
    let scene = Scene::with_git();
    let told = scene.json(&["away", "--json"]);
    assert_eq!(told["warnings"], json!([]), "{told}");
    assert!(told["checkpoint"].is_string() && told["focus"].as_str().unwrap().starts_with("/compact Keep:"));
    let said = scene.ok(&["away"]);
    assert!(
        !said.contains("Before you leave") && said.contains("0 uncommitted files, 0 open tasks"),
        "{said}"
    );
}

#[test]
fn a_compaction_that_is_near_or_never_comes_is_named_while_the_session_is_at_work() {
    let client = Sleeper::start();
    for (window, model, expected) in [
        (
            "{\"autoCompactWindow\": 150000}",
            "claude-sonnet-4-5",
            "a compaction is expected in about 27 minutes",
        ),
        ("{}", "claude-sonnet-4-5", "the client will never compact by itself"),
    ] {
        let mut scene = Scene::with_git();
        scene.home.write(".claude/settings.json", window);
        scene.home.set_env("CLAUDE_PID", client.pid());
        let mut start = payload::session_start(&scene.home, "s1", "startup");
        start["model"] = model.into();
        scene.hook(&start);
        let at = |seconds| jiff::Timestamp::now() - jiff::SignedDuration::from_secs(seconds);
        let mut transcript = Transcript::new(&scene.home, "s1");
        transcript.user("go on with it please").at(at(120)).assistant("one", holding(89_000));
        transcript.at(at(60)).assistant("two", holding(90_000));
        let told = scene.json(&["away", "--json"]);
        assert!(texts(&told).contains(expected), "{told}");
        scene.home.remove_env("CLAUDE_PID");
        scene.hook(&payload::session_end(&scene.home, "s1", "other"));
        let told = scene.json(&["away", "--json"]);
        assert!(!kinds(&told).contains(&"compaction") && !kinds(&told).contains(&"never"), "{told}");
    }
}

#[test]
fn subagents_at_work_and_a_question_that_waits_are_named() {
    let client = Sleeper::start();
    let mut scene = Scene::with_git();
    scene.home.set_env("CLAUDE_PID", client.pid());
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("Write the exporter for the team, please.");
    scene.hook(&payload::subagent_start(&scene.home, "s1", "Explore"));
    let mut second = payload::subagent_start(&scene.home, "s1", "Plan");
    second["agent_id"] = "b1".into();
    scene.hook(&second);
    assert!(texts(&scene.json(&["away", "--json"])).contains("2 subagents are at work"));
    scene.hook(&payload::subagent_stop(&scene.home, "s1", "Explore", "done"));
    assert!(texts(&scene.json(&["away", "--json"])).contains("1 subagent is at work"));
    scene.hook(&payload::session_start(&scene.home, "s1", "resume"));
    assert!(!kinds(&scene.json(&["away", "--json"])).contains(&"subagents"));

    let asked = "I have two ways to go. Which line ending should the exporter write?";
    transcript.assistant(asked, Usage::filling(30_000));
    let told = scene.json(&["away", "--json"]);
    assert!(
        texts(&told).contains(
            "waits for your answer: \"I have two ways to go. Which line ending should the exporter write?\""
        ),
        "{told}"
    );
    transcript.user("Use a line feed everywhere.");
    assert!(!kinds(&scene.json(&["away", "--json"])).contains(&"question"));
    transcript.tool_call("AskUserQuestion", &json!({"questions": []}), Usage::filling(31_000));
    assert!(kinds(&scene.json(&["away", "--json"])).contains(&"question"));
}

#[test]
fn what_cannot_be_saved_is_named_and_the_rest_is_done() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "Use SQLite"]);
    let folder = scene.home.project().join(".claude/checkpoints");
    fs::write(&folder, "not a folder").unwrap();
    let output = scene.run(&["away"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.contains("not saved: a checkpoint"), "{}", output.stderr);
    assert!(output.stdout.contains("/compact "), "{}", output.stdout);
    assert_eq!(scene.state()["trigger"], "checkpoint", "the state was saved all the same");
    let told: Value = serde_json::from_str(&scene.run(&["away", "--json"]).stdout).unwrap();
    assert_eq!(told["notSaved"].as_array().map(Vec::len), Some(1), "{told}");
}
