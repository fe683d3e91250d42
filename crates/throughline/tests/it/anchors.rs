//! Anchors: recorded, filtered, bounded, proposed in the session's own words, and in every briefing.

use expect_test::expect;
use serde_json::{Value, json};
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{Scene, tokens};

const RULE: &str = "Never change the order of the columns.";
const CHOICE: &str =
    "We decided to use SQLite as the storage instead of plain files, because two processes write.";

fn anchors(scene: &Scene) -> Vec<Value> {
    scene.state()["anchors"].as_array().cloned().unwrap_or_default()
}

fn ids(rows: &Value) -> Vec<&str> {
    rows.as_array().expect("a list").iter().map(|row| row["id"].as_str().expect("an id")).collect()
}

fn proposed(scene: &Scene) -> Value {
    scene.json(&["anchor", "list", "--proposed", "--json"])
}

/// A session in which the user sets a rule and the agent makes a choice.
fn session(scene: &Scene, id: &str) -> Transcript {
    scene.hook(&payload::session_start(&scene.home, id, "startup"));
    let mut transcript = Transcript::new(&scene.home, id);
    transcript.user(&format!("Read the importer. {RULE}"));
    transcript.assistant(CHOICE, Usage::filling(20_000));
    transcript
}

fn stop(scene: &Scene, id: &str) {
    scene.hook(&payload::stop(&scene.home, id, "done"));
}

#[test]
fn an_anchor_is_recorded_listed_raised_and_removed() {
    let scene = Scene::new();
    assert_eq!(scene.ok(&["anchor", "add", "Ports start at 7000"]), "A1 recorded\n");
    assert_eq!(scene.ok(&["anchor", "add", "Ports start at 7000"]), "A1 was recorded already\n");
    let more = ["anchor", "add", "No new dependencies", "--priority", "critical", "--type", "session_flow"];
    assert_eq!(scene.ok(&more), "A2 recorded\n");
    let listed = scene.ok(&["anchor", "list"]).replace(", 0 s old", "").replace(", 1 s old", "");
    expect![[r#"
        A1 Ports start at 7000 (normal context)
        A2 No new dependencies (critical session_flow)
    "#]]
    .assert_eq(&listed);
    assert_eq!(scene.ok(&["anchor", "promote", "a1"]), "A1 is high\n");
    assert_eq!(scene.ok(&["anchor", "promote", "A1"]), "A1 is critical\n");
    assert_eq!(scene.ok(&["anchor", "promote", "A1"]), "A1 is critical\n");
    assert_eq!(scene.ok(&["anchor", "promote", "A1", "--to", "normal"]), "A1 is normal\n");
    assert_eq!(scene.ok(&["anchor", "rm", "A1"]), "A1 removed\n");
    assert_eq!(scene.archived_entry("A1").left_why.as_deref(), Some("removed"));
    assert_eq!(ids(&scene.json(&["anchor", "list", "--json"])), ["A2"]);
    assert!(scene.fails(1, &["anchor", "rm", "A1"]).contains("there is no entry `A1`"));
    scene.ok(&["add", "decision", "use SQLite"]);
    assert!(scene.fails(1, &["anchor", "rm", "D1"]).contains("D1 is a decision, not an anchor"));
    assert!(scene.fails(1, &["anchor", "promote", "D1"]).contains("D1 is a decision, not an anchor"));
}

/// Others dropped an anchor whose priority they did not know.
#[test]
fn unknown_words_are_refused_on_the_command_line_and_kept_in_a_file() {
    let scene = Scene::new();
    let refused = scene.fails(2, &["anchor", "add", "x", "--priority", "urgent"]);
    assert!(refused.contains("critical, high, normal"), "{refused}");
    let refused = scene.fails(2, &["anchor", "add", "x", "--type", "mood"]);
    assert!(refused.contains("decision, context, checkpoint, output_style, session_flow"), "{refused}");
    assert!(scene.fails(1, &["anchor", "list", "--type", "mood"]).contains("session_flow"));
    scene.ok(&["anchor", "add", "first"]);
    scene.edit_and_trust(|state| {
        state["anchors"].as_array_mut().unwrap().push(json!({
            "content": "by hand", "type": "mood", "priority": "urgent", "colour": "blue"
        }));
    });
    scene.ok(&["anchor", "add", "third"]);
    let kept = &anchors(&scene)[1];
    assert_eq!(kept["content"], "by hand");
    assert_eq!((&kept["type"], &kept["priority"]), (&json!("mood"), &json!("normal")));
    assert_eq!((&kept["priorityGiven"], &kept["colour"]), (&json!("urgent"), &json!("blue")));
    assert_eq!(ids(&scene.json(&["anchor", "list", "--type", "mood", "--json"])), ["A2"]);
    assert!(scene.ok(&["anchor", "list"]).contains("the file says `urgent`"));
    scene.ok(&["anchor", "promote", "A2"]);
    assert_eq!(
        (&anchors(&scene)[1]["priority"], &anchors(&scene)[1]["type"]),
        (&json!("high"), &json!("mood"))
    );
}

#[test]
fn each_agent_has_one_output_style() {
    let scene = Scene::new();
    let style = |text: &str, agent: &str| {
        scene.ok(&["anchor", "add", text, "--type", "output_style", "--agent", agent])
    };
    style("long answers", "claude-code");
    style("tables", "opencode");
    scene.ok(&["anchor", "add", "no emojis", "--type", "output_style"]);
    style("short answers", "claude-code");
    let texts: Vec<Value> = anchors(&scene).iter().map(|it| it["content"].clone()).collect();
    assert_eq!(texts, ["tables", "no emojis", "short answers"]);
    assert_eq!(anchors(&scene)[2]["priority"], "high");
    assert_eq!(scene.archived_entry("A1").left_why.as_deref(), Some("replaced by A4"));
}

#[test]
fn filters_narrow_by_type_priority_session_and_age() {
    let mut scene = Scene::new();
    scene.ok(&["anchor", "add", "old rule", "--priority", "high"]);
    scene.home.set_env("CLAUDE_CODE_SESSION_ID", "s-42");
    scene.ok(&["anchor", "add", "new rule", "--type", "decision"]);
    scene.home.remove_env("CLAUDE_CODE_SESSION_ID");
    scene.edit_and_trust(|state| state["anchors"][0]["timestamp"] = json!("2026-01-01T00:00:00.000Z"));
    for (filter, expected) in [
        (&["--type", "decision"][..], &["A2"][..]),
        (&["--priority", "high"], &["A1"]),
        (&["--priority", "critical"], &[]),
        (&["--session", "s-4"], &["A2"]),
        (&["--session", "s-9"], &[]),
        (&["--newer", "2h"], &["A2"]),
        (&["--older", "7d"], &["A1"]),
        (&["--older", "7d", "--type", "decision"], &[]),
    ] {
        let args = [&["anchor", "list", "--json"][..], filter].concat();
        assert_eq!(ids(&scene.json(&args)), expected, "{filter:?}");
    }
    assert!(scene.fails(2, &["anchor", "list", "--newer", "soon"]).contains("30min, 24h, 7d"));
    let refused = scene.fails(2, &["anchor", "list", "--newer", "30m"]);
    assert!(refused.contains("write 30min or 30mo"), "{refused}");
    let refused = scene.fails(2, &["checkpoint", "prune", "--older", "3m", "--dry-run"]);
    assert!(refused.contains("write 3min or 3mo"), "{refused}");
}

/// Others cut twenty critical anchors to five when the twenty-first came.
#[test]
fn the_twenty_first_anchor_sends_one_to_the_archive() {
    let scene = Scene::new();
    scene.ok(&["anchor", "add", "normal one"]);
    scene.ok(&["anchor", "add", "high one", "--priority", "high"]);
    for number in 3..=20 {
        scene.ok(&["anchor", "add", &format!("rule {number}"), "--priority", "critical"]);
    }
    for gone in ["A1", "A2", "A3"] {
        let output = scene.run(&["anchor", "add", &format!("rule after {gone}"), "--priority", "critical"]);
        assert!(output.stderr.contains(&format!("{gone} moved to the archive")), "{}", output.stderr);
        assert_eq!(anchors(&scene).len(), 20);
        assert_eq!(scene.archived_entry(gone).left_why.as_deref(), Some("section full"));
    }
}

#[test]
fn critical_and_high_anchors_are_in_every_briefing() {
    let scene = Scene::with_git();
    let long = "with many words that say why it must be so ".repeat(8);
    for number in 1..=20 {
        let priority = if number % 2 == 0 { "critical" } else { "high" };
        scene.ok(&["anchor", "add", &format!("rule {number} {long}"), "--priority", priority]);
    }
    let all_are_in = |text: &str, occasion: &str| {
        for number in 1..=20 {
            assert!(
                text.contains(&format!("A{number}: rule {number} ")),
                "{occasion} lacks A{number}: {text}"
            );
        }
        assert!(tokens(text) <= 1_200, "{occasion}");
    };
    all_are_in(&scene.ok(&["briefing"]), "briefing");
    assert!(scene.ok(&["load"]).contains("[ANCHORS] 20 recorded\n   A20 [CRITICAL]: rule 20"));
    all_are_in(&scene.hook(&payload::session_start(&scene.home, "s1", "startup")), "startup");
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("Sort the importer's rows. Never change the order of the columns.");
    for number in 0..30 {
        let path = scene.home.project().join(format!("src/part_{number}/file_{number}.rs"));
        let input = json!({"file_path": path, "old_string": "a", "new_string": "b"});
        transcript.tool("Edit", &input, "The file has been updated.", Usage::filling(30_000));
    }
    stop(&scene, "s1");
    all_are_in(&scene.hook(&payload::session_start(&scene.home, "s1", "compact")), "after a compaction");
    let short = scene.ok(&["anchor", "list", "--tokens", "300"]);
    assert!(tokens(&short) <= 300 && short.lines().count() == 20, "{short}");
    assert!(short.starts_with("A20: rule 20 "), "the newest critical first: {short}");
}

#[test]
fn a_rule_and_a_choice_are_proposed_word_by_word_and_are_no_anchors_yet() {
    let scene = Scene::new();
    session(&scene, "s1");
    stop(&scene, "s1");
    let waiting = proposed(&scene);
    assert_eq!(ids(&waiting), ["PA1", "PA2"], "{waiting}");
    assert_eq!((&waiting[0]["content"], &waiting[0]["priority"]), (&json!(RULE), &json!("critical")));
    assert_eq!((&waiting[1]["content"], &waiting[1]["priority"]), (&json!(CHOICE), &json!("high")));
    assert!(!scene.state_path().exists(), "nothing was recorded");
    assert!(scene.ok(&["status"]).contains("2 anchors proposed"));
    stop(&scene, "s1");
    assert_eq!(ids(&proposed(&scene)).len(), 2, "seen once is seen once, at however many gates");
    assert_eq!(scene.ok(&["anchor", "confirm", "PA1"]), "A1 recorded from PA1\n");
    assert_eq!(scene.ok(&["anchor", "promote", "pa2", "--to", "critical"]), "A2 recorded from PA2\n");
    assert_eq!(anchors(&scene)[0]["content"], RULE);
    assert_eq!(
        (&anchors(&scene)[0]["session"], &anchors(&scene)[1]["priority"]),
        (&json!("s1"), &json!("critical"))
    );
    assert_eq!(ids(&proposed(&scene)), Vec::<&str>::new());
    assert!(scene.fails(1, &["anchor", "confirm", "PA1"]).contains("there is no proposal `PA1`"));
}

#[test]
fn what_is_said_again_becomes_an_anchor_and_what_was_rejected_stays_away() {
    let scene = Scene::new();
    session(&scene, "s1");
    stop(&scene, "s1");
    assert!(scene.ok(&["anchor", "rm", "PA2"]).contains("not proposed again"));
    session(&scene, "s2");
    stop(&scene, "s2");
    assert_eq!(ids(&proposed(&scene)), Vec::<&str>::new());
    let recorded = anchors(&scene);
    assert_eq!(recorded.len(), 1, "{recorded:?}");
    assert_eq!((&recorded[0]["content"], &recorded[0]["priority"]), (&json!(RULE), &json!("critical")));
    assert_eq!(scene.archived_entry("A1").origin, "user");
    scene.ok(&["rm", "A1"]);
    session(&scene, "s3");
    stop(&scene, "s3");
    assert_eq!((ids(&proposed(&scene)).len(), anchors(&scene).len()), (0, 0), "it was said to go");
}

/// What an agent says may come from a file that it read: no number of repetitions is the user's word.
#[test]
fn an_agent_that_repeats_itself_confirms_nothing() {
    let scene = Scene::new();
    for id in ["s1", "s2", "s3"] {
        scene.hook(&payload::session_start(&scene.home, id, "startup"));
        let mut transcript = Transcript::new(&scene.home, id);
        transcript.user("Read the importer.");
        transcript.tool("Read", &json!({"file_path": "notes.md"}), CHOICE, Usage::filling(10_000));
        transcript.assistant(CHOICE, Usage::filling(20_000));
        transcript.user(&format!("Is this from the notes?\n> {CHOICE}"));
        transcript.assistant(CHOICE, Usage::filling(20_000));
        stop(&scene, id);
        scene.hook(&payload::pre_compact(&scene.home, id, "auto", None));
        scene.hook(&payload::session_end(&scene.home, id, "other"));
    }
    let waiting = proposed(&scene);
    assert_eq!((ids(&waiting), &waiting[0]["byUser"]), (vec!["PA1"], &json!(false)), "{waiting}");
    assert_eq!(anchors(&scene), Vec::<Value>::new());
    scene.hook(&payload::session_start(&scene.home, "s4", "startup"));
    Transcript::new(&scene.home, "s4").user(CHOICE);
    stop(&scene, "s4");
    assert_eq!(anchors(&scene)[0]["content"], CHOICE);
    assert_eq!(scene.archived_entry("A1").origin, "user", "his own message is his word");
    assert_eq!(ids(&proposed(&scene)), Vec::<&str>::new());
}

#[test]
fn proposals_are_bounded_masked_and_survive_a_broken_file() {
    let scene = Scene::new();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    let key = concat!("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789");
    transcript.user(&format!("Never use {key} for anything."));
    for number in 0..30 {
        transcript.user(&format!("Never touch the file number {number}."));
        transcript.assistant("Understood.", Usage::filling(20_000));
    }
    stop(&scene, "s1");
    stop(&scene, "s1");
    assert!(ids(&proposed(&scene)).len() <= 10);
    let file = scene.project_data().join("anchor-proposals.json");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(key), "{text}");
    std::fs::write(&file, "{ torn").unwrap();
    assert_eq!(ids(&proposed(&scene)), Vec::<&str>::new());
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    assert!(!ids(&proposed(&scene)).is_empty());
}
