//! Export and import; other programs' files, older files, files from other systems.

use std::path::Path;

use serde_json::json;

use crate::scene::{STATE, Scene};

#[test]
fn an_export_is_imported_whole_and_with_its_ids() {
    let from = Scene::new();
    from.ok(&["add", "decision", "left early"]);
    from.ok(&["add", "decision", "use SQLite", "--rationale", "one file", "--irreversible"]);
    from.ok(&["rm", "D1"]);
    from.ok(&["add", "constraint", "no network", "--blocking", "--type", "business"]);
    from.ok(&["add", "question", "which port?", "--context", "two", "--priority", "low"]);
    from.ok(&["add", "question", "which host?"]);
    from.ok(&["resolve", "Q2", "localhost"]);
    from.ok(&["add", "evidence", "E404", "--type", "error", "--source", "npm", "--context", "first"]);
    from.ok(&["add", "highlight", "warm"]);
    from.ok(&["add", "action", "ship"]);
    from.ok(&["set", "work", "--id", "SD-1", "--phase", "EXEC", "--progress", "0.5"]);
    from.edit_and_trust(|state| {
        state["ourOwnField"] = json!({"kept": [1, 2]});
        state["anchors"] = json!([{"type": "context", "content": "an anchor", "priority": "high"}]);
    });
    let exported = from.ok(&["export"]);
    let to = Scene::new();
    let output = to.home.run(Path::new(crate::scene::BINARY), &["import", "-"], &exported);
    output.assert_success();
    assert!(output.stdout.starts_with("8 of 8 entries imported"), "{}", output.stdout);
    let (before, after) = (from.json(&["load", "--json"]), to.json(&["load", "--json"]));
    for section in
        ["decisions", "constraints", "openQuestions", "evidenceLedger", "anchors", "sd", "ourOwnField"]
    {
        assert_eq!(before[section], after[section], "{section}");
    }
    for section in ["contextHighlights", "pendingActions"] {
        assert_eq!(before["summaries"][section], after["summaries"][section], "{section}");
    }
    assert_eq!(to.ok(&["trust", "--list"]), "", "what a person imports is theirs");
    let again = to.home.run(Path::new(crate::scene::BINARY), &["import", "-"], &exported);
    assert!(again.stdout.starts_with("0 of 8 entries imported"), "{}", again.stdout);
    assert_eq!(to.ok(&["add", "decision", "next"]), "D3 recorded\n");
}

#[test]
fn an_import_beside_own_entries_renumbers_and_remembers_the_old_ids() {
    let from = Scene::new();
    from.ok(&["add", "decision", "theirs"]);
    let exported = from.ok(&["export"]);
    let to = Scene::new();
    to.ok(&["add", "decision", "ours"]);
    to.home.run(Path::new(crate::scene::BINARY), &["import", "-"], &exported).assert_success();
    let decisions = &to.state()["decisions"];
    assert_eq!(decisions[0]["decision"], "ours");
    assert_eq!(decisions[1]["decision"], "theirs");
    assert_eq!(decisions[1]["id"], "D2");
    assert_eq!(decisions[1]["alias"], "D1");
}

#[test]
fn the_whole_archive_is_exported_on_request() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "left early"]);
    scene.ok(&["rm", "D1"]);
    assert!(scene.json(&["export"]).get("archive").is_none());
    let all = scene.json(&["export", "--all"]);
    assert_eq!(all["archive"][0]["id"], "D1");
    assert_eq!(all["archive"][0]["leftWhy"], "removed");
}

#[test]
fn an_idumb_state_is_imported() {
    let scene = Scene::new();
    scene.home.write(
        ".idumb/brain/state.json",
        &json!({
            "version": "0.2.0", "initialized": "2026-02-01T10:00:00.000Z", "framework": "planning",
            "phase": "phase-2", "lastValidation": null, "validationCount": 3,
            "anchors": [
                {"id": "anchor-ml2x", "created": "2026-02-01T10:05:00.000Z", "type": "decision",
                 "content": "tokens live in the vault", "priority": "critical"},
                {"id": "anchor-ml2y", "created": "2026-02-01T10:06:00.000Z", "type": "context",
                 "content": "the API is versioned", "priority": "normal"}
            ],
            "history": [{"timestamp": "2026-02-01T10:00:00.000Z", "action": "init", "agent": "meta", "result": "pass"}]
        })
        .to_string(),
    );
    let said = scene.ok(&["import", ".idumb/brain/state.json"]);
    assert!(said.starts_with("2 of 2 entries imported"), "{said}");
    let anchors = scene.json(&["list", "anchors", "--json"]);
    assert_eq!(anchors[0]["content"], "tokens live in the vault");
    assert_eq!(anchors[0]["priority"], "critical");
    assert_eq!(anchors[0]["timestamp"], "2026-02-01T10:05:00.000Z");
    let state = scene.state();
    assert_eq!(state["phase"], "phase-2");
    assert_eq!(state["history"][0]["action"], "init");
    assert_eq!(scene.ok(&["rm", "anchor-ml2x"]), "A1 removed\n", "its own id still names it");
    assert!(scene.ok(&["briefing"]).contains("the API is versioned"));
}

#[test]
fn the_other_dialect_is_read_and_written_in_ours() {
    let scene = Scene::new();
    let file = scene.home.write(
        "other.json",
        &json!({
            "version": "2.0.0",
            "decisions": [{"id": "dec_1700", "decision": "use queues", "reasoning": "bursts", "timestamp": "2026-01-01T00:00:00.000Z"}],
            "constraints": [{"id": "con_1", "constraint": "EU only", "type": "business", "source": "legal"}],
            "openQuestions": [
                {"id": "q_1", "question": "which region?", "status": "open", "priority": "high"},
                {"id": "q_2", "question": "which cloud?", "status": "resolved", "resolution": "ours"}
            ],
            "evidenceLedger": [{"id": "ev_1", "type": "output", "source": "curl", "excerpt": "200 OK", "context": "smoke"}],
            "summaries": {"keyDecisions": [{"decision": "ship weekly", "reasoning": "rhythm"}]}
        })
        .to_string(),
    );
    scene.ok(&["import", file.to_str().unwrap()]);
    let state = scene.state();
    assert_eq!(state["decisions"][0]["rationale"], "bursts");
    assert_eq!(state["constraints"][0]["type"], "business");
    assert_eq!(state["openQuestions"][1]["resolved"], true);
    assert_eq!(state["evidenceLedger"][0]["content"], "200 OK");
    assert!(state["decisions"].to_string().contains("ship weekly"), "{}", state["decisions"]);
    assert_eq!(scene.ok(&["resolve", "q_1", "eu-central"]), "Q1 resolved\n");
    assert_eq!(scene.ok(&["supersede", "dec_1700", "use topics"]), "D3 recorded, supersedes D1\n");
}

#[test]
fn a_file_of_version_1_is_upgraded_on_load_and_nothing_is_dropped() {
    let scene = Scene::new();
    let old = json!({
        "version": "1.0.0", "timestamp": "2026-01-01T00:00:00.000Z", "trigger": "manual",
        "git": {"branch": "main", "status": "M a.rs", "recentCommits": ["abc one"]},
        "sd": {"id": "SD-9", "title": "Old work"},
        "summaries": {"keyDecisions": ["keep the old format"], "contextHighlights": ["a point"], "pendingActions": ["upgrade"]},
        "legacy": {"anything": [true]}
    });
    scene.home.write(STATE, &old.to_string());
    let output = scene.run(&["trust", "--yes"]);
    output.assert_success();
    assert!(output.stderr.contains("upgraded from version 1.0.0"), "{}", output.stderr);
    let state = scene.state();
    assert_eq!(state["version"], "2.0.0");
    assert_eq!(state["legacy"], old["legacy"]);
    assert_eq!(state["sd"]["title"], "Old work");
    assert_eq!(state["summaries"]["keyDecisions"], json!(["keep the old format"]));
    assert_eq!(state["summaries"]["pendingActions"], json!(["upgrade"]));
    assert_eq!(scene.run(&["list"]).stderr, "", "it is said once");
}

#[test]
fn an_old_file_without_entries_is_upgraded_once_too() {
    let scene = Scene::new();
    scene
        .home
        .write(STATE, r#"{"version":"1.0.0","timestamp":"2026-01-01T00:00:00.000Z","sd":{"id":"SD-9"}}"#);
    assert!(scene.run(&["trust", "--yes"]).stderr.contains("upgraded"));
    assert_eq!(scene.state()["version"], "2.0.0");
    assert!(!scene.run(&["list"]).stderr.contains("upgraded"), "it is said once");
}

#[test]
fn a_byte_order_mark_and_carriage_returns_are_accepted() {
    let scene = Scene::new();
    let text = "\u{feff}{\r\n  \"version\": \"2.0.0\",\r\n  \"decisions\": [\r\n    {\"id\": \"D4\", \"decision\": \"from Windows\"}\r\n  ]\r\n}\r\n";
    scene.home.write(STATE, text);
    scene.ok(&["trust", "--yes"]);
    assert!(scene.ok(&["list"]).contains("D4 from Windows"));
    assert_eq!(scene.ok(&["add", "decision", "next"]), "D5 recorded\n");
    let file =
        scene.home.write("windows.json", &text.replace("D4", "D9").replace("from Windows", "imported"));
    scene.ok(&["import", file.to_str().unwrap()]);
    assert!(scene.ok(&["list"]).contains("imported"));
}

#[test]
fn a_newer_file_is_left_alone() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "from the future"]);
    scene.edit_ours(|state| state["version"] = "3.0.0".into());
    let text = scene.home.read(STATE);
    let said = scene.fails(1, &["add", "decision", "mine"]);
    assert!(said.contains("newer than this program knows") && said.contains("hint:"), "{said}");
    assert_eq!(scene.home.read(STATE), text);
    let payload = throughline_testkit::payload::pre_compact(&scene.home, "s1", "auto", None);
    scene.hook(&payload);
    assert_eq!(scene.home.read(STATE), text);
}

#[test]
fn imported_evidence_obeys_the_limit_of_500() {
    let scene = Scene::new();
    let long = "😀".repeat(400);
    let file = scene
        .home
        .write("long.json", &json!({"evidenceLedger": [{"type": "output", "content": long}]}).to_string());
    scene.ok(&["import", file.to_str().unwrap()]);
    let kept = scene.state()["evidenceLedger"][0]["content"].as_str().unwrap().to_owned();
    assert_eq!(kept, "😀".repeat(250));
}

#[test]
fn what_cannot_be_imported_is_refused_and_nothing_changes() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "mine"]);
    let before = scene.home.read(STATE);
    let broken = scene.home.write("broken.json", "{\n  \"decisions\": [,]\n}");
    let said = scene.fails(1, &["import", broken.to_str().unwrap()]);
    assert!(said.contains("line 2") && said.contains("hint: import takes"), "{said}");
    assert!(scene.fails(1, &["import", "no-such-file.json"]).contains("there is no file no-such-file.json"));
    let list = scene.home.write("list.json", "[1]");
    assert!(scene.fails(1, &["import", list.to_str().unwrap()]).contains("not a JSON object"));
    std::fs::write(scene.home.project().join("latin1.json"), b"{\"a\": \"\xe9\"}").unwrap();
    assert!(scene.fails(1, &["import", "latin1.json"]).contains("not UTF-8"));
    assert!(scene.fails(1, &["import", "."]).contains("error:"));
    assert_eq!(scene.home.read(STATE), before);
}

#[test]
fn unknown_fields_of_every_level_survive_each_verb() {
    let scene = Scene::new();
    scene.ok(&["add", "decision", "mine"]);
    scene.edit_and_trust(|state| {
        state["custom"] = json!({"deep": {"deeper": [1, "two", null]}});
        state["git"]["custom"] = json!(1);
        state["sd"]["custom"] = json!("x");
        state["workflow"]["custom"] = json!(true);
        state["summaries"]["custom"] = json!([1]);
        state["decisions"][0]["custom"] = json!({"a": 1});
        state["tokenMetrics"]["custom"] = json!(7);
    });
    scene.ok(&["add", "action", "ship"]);
    scene.ok(&["set", "work", "--id", "X"]);
    scene.ok(&["edit", "D1", "mine, changed"]);
    let state = scene.state();
    assert_eq!(state["custom"], json!({"deep": {"deeper": [1, "two", null]}}));
    assert_eq!(state["sd"]["custom"], "x");
    assert_eq!(state["workflow"]["custom"], true);
    assert_eq!(state["summaries"]["custom"], json!([1]));
    assert_eq!(state["decisions"][0]["custom"], json!({"a": 1}));
    assert_eq!(state["tokenMetrics"]["custom"], 7);
}

#[test]
fn a_pipe_is_imported_too() {
    let scene = Scene::new();
    scene.home.write("other.json", r#"{"decisions":[{"decision":"through a pipe"}]}"#);
    let script = format!("'{}' import <(cat other.json)", crate::scene::BINARY);
    scene.home.run(Path::new("/bin/bash"), &["-c", &script], "").assert_success();
    assert!(scene.ok(&["list"]).contains("through a pipe"));
}
