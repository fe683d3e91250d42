//! The verbs that read: list, load, briefing, age, validate, status, handoff.

use serde_json::json;
use throughline_testkit::{Transcript, payload};

use crate::scene::{Scene, holding, tokens};

fn filled() -> Scene {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite", "--rationale", "one file", "--irreversible"]);
    scene.ok(&["add", "constraint", "no network", "--blocking", "--type", "technical"]);
    scene.ok(&["add", "question", "which port?", "--context", "two servers", "--priority", "high"]);
    scene.ok(&["add", "evidence", "E404", "--type", "error", "--source", "npm test"]);
    scene.ok(&["add", "highlight", "the cache is warm"]);
    scene.ok(&["add", "action", "ship"]);
    scene
}

#[test]
fn list_shows_each_kind_and_only_that_kind() {
    let scene = filled();
    let whole = scene.ok(&["list"]);
    expect_test::expect![[r#"
        decisions
          D1 use SQLite (because one file) [irreversible]
        constraints
          C1 no network (blocking, technical, from user)
        questions
          Q1 which port? [high] (two servers)
        evidence
          E1 E404 (error from npm test)
        highlights
          H1 the cache is warm
        actions
          P1 ship
    "#]]
    .assert_eq(&whole);
    for (word, id) in [
        ("decisions", "D1"),
        ("decision", "D1"),
        ("constraints", "C1"),
        ("questions", "Q1"),
        ("evidence", "E1"),
        ("highlights", "H1"),
        ("actions", "P1"),
    ] {
        let listed = scene.json(&["list", word, "--json"]);
        assert_eq!(listed.as_array().unwrap().len(), 1, "{word}");
        assert_eq!(listed[0]["id"], id);
    }
    assert_eq!(scene.json(&["list", "anchors", "--json"]), json!([]));
    let said = scene.fails(1, &["list", "decisoins"]);
    assert!(said.contains("no kind `decisoins`") && said.contains("hint: one of decisions"), "{said}");
}

#[test]
fn a_kind_of_which_there_is_none_is_not_called_nothing() {
    let scene = Scene::new();
    assert!(scene.run(&["list", "decisions"]).stderr.contains("nothing is recorded here yet"));
    scene.ok(&["add", "evidence", "a test fails"]);
    let said = scene.run(&["list", "decisions"]).stderr;
    assert!(said.starts_with("no decisions are recorded here; `throughline list` shows the rest"), "{said}");
    assert!(scene.run(&["list"]).stdout.contains("a test fails"));
}

#[test]
fn list_all_brings_the_archive() {
    let scene = filled();
    scene.ok(&["done", "P1"]);
    let rows = scene.json(&["list", "--all", "--json"]);
    let action = rows.as_array().unwrap().iter().find(|row| row["id"] == "P1").unwrap();
    assert_eq!(action["leftWhy"], "done");
    assert_eq!(action["origin"], "user");
    assert_eq!(action["trusted"], true);
    assert_eq!(rows.as_array().unwrap().len(), 6);
    assert!(scene.ok(&["list", "actions", "--all"]).contains("P1 ship (done)"));
    let output = scene.run(&["list", "--all", "--limit", "2"]);
    assert_eq!(output.stdout.lines().count(), 2);
    assert!(output.stderr.contains("--limit shows more"), "{}", output.stderr);
}

#[test]
fn an_empty_project_is_said_to_be_empty() {
    let scene = Scene::new();
    for (verb, words) in [
        ("load", "nothing is recorded"),
        ("age", "nothing is recorded"),
        ("briefing", "nothing would be said"),
        ("status", "nothing is recorded"),
    ] {
        assert!(scene.ok(&[verb]).contains(words), "{verb}");
    }
    assert!(scene.run(&["list"]).stderr.contains("nothing is recorded"));
    assert!(scene.run(&["list", "--all"]).stderr.contains("nothing was ever recorded"));
    assert!(scene.fails(1, &["validate"]).contains("hint: `throughline save` makes one"));
    assert_eq!(
        crate::scene::files_under(&scene.home.project()),
        Vec::<std::path::PathBuf>::new(),
        "reading writes nothing"
    );
    for verb in ["load", "age", "briefing", "status", "list", "export"] {
        let args: &[&str] = if verb == "export" { &["export"] } else { &[verb, "--json"] };
        scene.json(args);
    }
}

#[test]
fn load_shows_the_banner_with_dots_only_where_something_was_cut() {
    let scene = filled();
    scene.ok(&[
        "add",
        "decision",
        "a decision of many words that goes on and on until it no longer fits on its line",
    ]);
    scene.ok(&["save"]);
    let banner = scene.ok(&["load"]);
    assert!(banner.contains("[CONTEXT RESTORED] Session state from 2"), "{banner}");
    assert!(banner.contains("[GIT] Branch: main\n"), "{banner}");
    assert!(banner.contains("   D1: use SQLite\n"), "{banner}");
    assert!(banner.contains("C1: no network\n"), "{banner}");
    assert!(banner.contains("Q1 [HIGH]: which port?\n"), "{banner}");
    assert_eq!(banner.matches('…').count(), 1, "{banner}");
    let state = scene.json(&["load", "--json"]);
    assert_eq!(state, scene.state());
}

#[test]
fn age_speaks_of_the_last_save() {
    let scene = filled();
    assert!(scene.ok(&["age"]).contains("(recent)"));
    scene.minutes_pass(120);
    let said = scene.ok(&["age"]);
    assert!(said.starts_with("2 hours old (not recent)") || said.starts_with("2 h"), "{said}");
    let age = scene.json(&["age", "--json"]);
    assert_eq!(age["recent"], false);
    assert!((7_200..7_300).contains(&age["ageSeconds"].as_u64().unwrap()), "{age}");
}

#[test]
fn validate_gives_a_precise_list() {
    let scene = filled();
    assert_eq!(scene.ok(&["validate"]), "valid\n");
    assert_eq!(scene.json(&["validate", "--json"])["valid"], true);
    let bad = scene.home.write("bad.json", r#"{"version":"2.0.0","decisions":[{"id":"D1"}],"git":7}"#);
    let bad = bad.to_str().unwrap();
    let output = scene.run(&["validate", bad]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.contains("decisions[0]"), "{}", output.stdout);
    assert!(output.stdout.contains("git"), "{}", output.stdout);
    let output = scene.run(&["validate", bad, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let list: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert!(list["problems"].as_array().unwrap().len() >= 2, "{list}");
    let broken = scene.home.write("broken.json", "{\n  \"version\": \n}");
    let output = scene.run(&["validate", broken.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.contains("line 3"), "{}", output.stdout);
}

#[test]
fn the_briefing_says_why_each_line_is_there() {
    let scene = filled();
    let text = scene.ok(&["briefing"]);
    assert!(text.contains("D1: use SQLite (because one file) [irreversible]"), "{text}");
    assert!(tokens(&text) <= 1_200);
    let output = scene.run(&["briefing", "--preview"]);
    assert!(
        output.stdout.contains("C1 [BLOCKING]: no network (from user)  ← blocking constraint: always said"),
        "{}",
        output.stdout
    );
    assert!(output.stderr.contains("of 1200 tokens; 0 lines found no room"), "{}", output.stderr);
    let small = scene.json(&["briefing", "--tokens", "120", "--json"]);
    assert!(small["leftOut"].as_u64().unwrap() > 0, "{small}");
    assert!(small["tokens"].as_u64().unwrap() <= 120, "{small}");
}

#[test]
fn status_shows_the_last_run_of_each_hook() {
    let scene = filled();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene.hook(&payload::post_tool_batch(
        &scene.home,
        "s1",
        &[("Bash", json!({"command": "ls"}), json!("x"))],
    ));
    scene.hook(&payload::stop(&scene.home, "s1", "done"));
    let status = scene.ok(&["status"]);
    for word in ["SessionStart", "PostToolBatch", "Stop", "bytes said", "ok", "session s1 is at work"] {
        assert!(status.contains(word), "{word}: {status}");
    }
    let status = scene.json(&["status", "--json"]);
    let receipts = status["receipts"].as_array().unwrap();
    let start = receipts.iter().find(|receipt| receipt["event"] == "SessionStart").unwrap();
    assert!(start["bytesSaid"].as_u64().unwrap() > 100, "{start}");
    assert_eq!(start["outcome"], "ok");
    assert_eq!(start["session"], "s1");
    assert_eq!(status["entries"]["decisions"], 1);
    assert_eq!(status["archived"], 6);
}

/// A session whose context holds so many tokens, of a window of 200,000 that the client never compacts.
fn session_at(scene: &Scene, used_tokens: u64) {
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(used_tokens));
}

#[test]
fn handoff_prints_the_block_and_stamps_it() {
    let scene = filled();
    scene.ok(&["set", "work", "--id", "SD-1", "--phase", "EXEC"]);
    session_at(&scene, 84_000);
    let block = scene.ok(&["handoff"]);
    for words in [
        "**Work item**: SD-1",
        "D1: use SQLite",
        "## Context Health",
        "84,000 tokens (42% of 200K budget)",
        "**Status**: HEALTHY",
    ] {
        assert!(block.contains(words), "{words}: {block}");
    }
    assert!(scene.state()["workflow"]["lastHandoff"].as_str().unwrap().starts_with("20"));
    assert_eq!(scene.json(&["handoff", "--json"])["usedTokens"], 84_000);
}

#[test]
fn handoff_says_why_and_what_blocks_and_begins_no_file() {
    let scene = Scene::new();
    let before = crate::scene::files_under(&scene.home.project());
    assert!(scene.ok(&["handoff"]).contains("## Context Health"));
    assert_eq!(crate::scene::files_under(&scene.home.project()), before, "nothing was recorded yet");
    scene.ok(&["add", "decision", "use SQLite", "--rationale", "one file, no server"]);
    scene.ok(&["add", "constraint", "never push to main", "--blocking"]);
    let block = scene.ok(&["handoff"]);
    assert!(block.contains("- D1: use SQLite (one file, no server)\n"), "{block}");
    assert!(block.contains("- C1 [BLOCKING]: never push to main\n"), "{block}");
}

#[test]
fn handoff_refuses_above_critical_unless_forced() {
    let scene = filled();
    session_at(&scene, 182_000);
    let said = scene.fails(1, &["handoff"]);
    assert!(said.contains("the context is CRITICAL: 182,000 tokens used"), "{said}");
    assert!(said.contains("--force"), "{said}");
    assert!(scene.state()["workflow"]["lastHandoff"].is_null(), "a refused hand-over is not stamped");
    assert!(scene.ok(&["handoff", "--force"]).contains("**Status**: CRITICAL"));
    assert!(!scene.state()["workflow"]["lastHandoff"].is_null());
}

#[test]
fn handoff_without_a_session_says_that_it_does_not_know() {
    let scene = filled();
    assert!(scene.ok(&["handoff"]).contains("**Current Usage**: unknown"));
}
