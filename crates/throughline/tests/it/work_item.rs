//! The work item: what is set is shown as it was, and every change of phase or id is in its history.

use expect_test::expect;
use serde_json::{Value, json};

use crate::scene::Scene;

fn history(scene: &Scene) -> Vec<Value> {
    scene.json(&["work", "--json"])["history"].as_array().cloned().unwrap()
}

/// From, to, id and by of each, oldest first.
fn told(scene: &Scene) -> Vec<(Value, Value, Value, Value)> {
    let fields = |it: &Value| (it["from"].clone(), it["to"].clone(), it["id"].clone(), it["by"].clone());
    history(scene).iter().map(fields).collect()
}

/// A slow machine takes a second or two.
fn without_ages(text: &str) -> String {
    let shown = text.lines().map(|line| match (line.rfind('('), line.find(" ago")) {
        (Some(open), Some(ago)) => format!("{}(<age>{}\n", &line[..open], &line[ago..]),
        _ => format!("{line}\n"),
    });
    shown.collect()
}

#[test]
fn the_work_item_and_its_history_are_shown_in_a_known_form() {
    let scene = Scene::new();
    assert!(scene.run(&["work"]).stderr.contains("no work item is set"));
    scene.ok(&["set", "work", "--id", "SD-1", "--title", "Docs", "--phase", "PLAN"]);
    scene.ok(&["set", "work", "--phase", "EXEC", "--progress", "0.75", "--next", "ship"]);
    scene.ok(&["set", "work", "--id", "SD-2"]);
    expect![[r#"
        SD-2: Docs
          phase: EXEC
          progress: 75 %
          next: ship
        history, newest first
          phase EXEC, SD-1 → SD-2 (<age> ago, by you)
          PLAN → EXEC, SD-1 (<age> ago, by you)
          none → PLAN, SD-1 (<age> ago, by you)
    "#]]
    .assert_eq(&without_ages(&scene.ok(&["work"])));
    let mut item = scene.json(&["work", "--json"]);
    for transition in item["history"].as_array_mut().unwrap() {
        assert!(transition["timestamp"].as_str().unwrap().ends_with('Z'));
        transition["timestamp"] = "<time>".into();
    }
    expect![[r#"
        {
          "id": "SD-2",
          "title": "Docs",
          "phase": "EXEC",
          "progress": 0.75,
          "next": "ship",
          "trusted": true,
          "history": [
            {
              "timestamp": "<time>",
              "from": null,
              "to": "PLAN",
              "id": "SD-1",
              "by": "user"
            },
            {
              "timestamp": "<time>",
              "from": "PLAN",
              "to": "EXEC",
              "id": "SD-1",
              "by": "user"
            },
            {
              "timestamp": "<time>",
              "from": "EXEC",
              "to": "EXEC",
              "id": "SD-2",
              "fromId": "SD-1",
              "by": "user"
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&item).unwrap());
}

#[test]
fn only_a_change_of_phase_or_id_is_a_transition() {
    let scene = Scene::new();
    scene.ok(&["set", "work", "--title", "Docs"]);
    scene.ok(&["set", "work", "--progress", "0.5"]);
    scene.ok(&["add", "decision", "use SQLite"]);
    assert_eq!(history(&scene).len(), 0);
    assert!(scene.state().get("history").is_none(), "nothing is written where there is nothing");
    scene.ok(&["set", "work", "--phase", "PLAN"]);
    scene.ok(&["set", "work", "--phase", "PLAN"]);
    scene.ok(&["set", "work", "--phase", ""]);
    assert_eq!(
        told(&scene),
        [
            (Value::Null, json!("PLAN"), Value::Null, json!("user")),
            (json!("PLAN"), Value::Null, Value::Null, json!("user")),
        ]
    );
    assert_eq!(scene.state()["workflow"]["currentPhase"], Value::Null);
}

#[test]
fn whoever_changes_it_is_named() {
    let mut scene = Scene::new();
    scene.ok(&["set", "work", "--phase", "PLAN"]);
    scene.home.set_env("CLAUDECODE", "1");
    scene.ok(&["set", "work", "--phase", "EXEC"]);
    scene.home.remove_env("CLAUDECODE");
    scene.edit_and_trust(|state| state["sd"]["phase"] = "VERIFY".into());
    assert_eq!(
        told(&scene),
        [
            (Value::Null, json!("PLAN"), Value::Null, json!("user")),
            (json!("PLAN"), json!("EXEC"), Value::Null, json!("assistant")),
            (json!("EXEC"), json!("VERIFY"), Value::Null, json!("hand")),
        ]
    );
    assert_eq!(told(&scene).len(), 3, "an edit is noted once");
    scene.edit_and_trust(|state| state["history"] = json!([]));
    assert_eq!(told(&scene).len(), 0, "who edits the history itself means it");
    scene.ok(&["fresh"]);
    assert_eq!(told(&scene), [(json!("VERIFY"), Value::Null, Value::Null, json!("user"))]);
}

/// An edit of the file may be somebody else's commit.
#[test]
fn a_phase_that_nobody_took_over_is_not_the_one_at_hand() {
    let scene = Scene::with_git();
    scene.ok(&["set", "work", "--phase", "PLAN"]);
    scene.edit_by_hand(|state| state["sd"]["phase"] = "EXEC".into());
    assert_eq!(told(&scene).len(), 1);
    assert!(scene.ok(&["work"]).contains("phase: PLAN"));
}

#[test]
fn any_phase_comes_back_as_it_was() {
    let scene = Scene::with_git();
    let phases = ["phase-1", "../x", "two words", "фаза 漢字", "🚀 👨‍👩‍👧", &"x".repeat(500), &"界".repeat(500)];
    for phase in phases {
        scene.ok(&["set", "work", "--phase", phase]);
        let item = scene.json(&["work", "--json"]);
        assert_eq!(item["phase"], phase);
        assert_eq!(item["history"].as_array().unwrap().last().unwrap()["to"], phase);
        assert_eq!(scene.state()["workflow"]["currentPhase"], phase);
        assert!(scene.ok(&["work"]).contains(&format!("phase: {phase}\n")), "{phase}");
        let newest = scene.json(&["checkpoint", "list", "--json"])[0].clone();
        assert_eq!((&newest["phase"], &newest["type"]), (&json!(phase), &json!("phase")));
        let id = newest["id"].as_str().unwrap();
        assert_eq!(scene.json(&["checkpoint", "show", id, "--json"])["phase"], phase);
        assert!(scene.ok(&["checkpoint", "show", id]).contains("phase: "));
    }
    let odd = "a\u{1b}[31m\nb".to_owned() + &"y".repeat(3_000);
    scene.ok(&["set", "work", "--phase", &odd]);
    let kept = scene.state()["workflow"]["currentPhase"].as_str().unwrap().to_owned();
    assert!(kept.starts_with("a b") && kept.encode_utf16().count() == 500, "{kept}");
    assert!(!scene.ok(&["work"]).contains('\u{1b}'));
}

#[test]
fn twenty_stay_and_older_ones_are_in_the_archive() {
    let scene = Scene::new();
    for number in 0..24 {
        scene.ok(&["set", "work", "--id", &format!("SD-{number}"), "--phase", &format!("phase-{number}")]);
    }
    let kept = history(&scene);
    assert_eq!((kept.len(), &kept[0]["to"], &kept[19]["to"]), (20, &json!("phase-4"), &json!("phase-23")));
    let archived: Vec<_> = scene.archived().into_iter().filter(|row| row.kind == "transition").collect();
    assert_eq!(archived.len(), 4);
    let oldest = archived.last().unwrap();
    assert_eq!((&oldest.body["to"], oldest.left_why.as_deref()), (&json!("phase-0"), Some("section full")));
    let all = scene.ok(&["list", "--all"]);
    assert!(all.contains("phase-3") && !all.contains("phase-4\n"), "{all}");
    assert_eq!(scene.state()["tokenMetrics"]["budgetStatus"], "healthy", "no briefing tells it");
    assert!(std::fs::metadata(scene.state_path()).unwrap().len() < 8_000);
}

#[test]
fn another_programs_history_stays_readable_and_ours_goes_on_behind_it() {
    let scene = Scene::new();
    scene.home.write(
        "idumb.json",
        &json!({
            "version": "0.2.0", "phase": "phase-2",
            "history": [
                {"timestamp": "2026-02-01T10:00:00.000Z", "action": "init\u{1b}[31m", "agent": "meta", "result": "pass"},
                "a word",
            ]
        })
        .to_string(),
    );
    scene.ok(&["import", "idumb.json"]);
    scene.ok(&["set", "work", "--phase", "EXEC"]);
    assert_eq!(history(&scene).len(), 3);
    let shown = scene.ok(&["work"]);
    assert!(shown.contains("init, meta, pass (") && shown.contains("\"a word\""), "{shown}");
    assert!(shown.lines().nth(3).unwrap().contains("none → EXEC"), "{shown}");
}
