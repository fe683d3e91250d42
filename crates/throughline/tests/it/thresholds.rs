//! Usual runs: thresholds spoken once, folds at every tenth turn, the resume context after a long silence.

use serde_json::{Value, json};
use throughline_testkit::{Transcript, payload};

use crate::scene::{Scene, holding};

fn batch(scene: &Scene, session: &str) -> String {
    let calls = [("Bash", json!({"command": "ls"}), json!({"stdout": "x"}))];
    scene.hook(&payload::post_tool_batch(&scene.home, session, &calls))
}

fn started() -> Scene {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene
}

/// What a tool event's reply adds to the context.
fn context(reply: &str) -> String {
    if reply.is_empty() {
        return String::new();
    }
    let reply: Value = serde_json::from_str(reply).expect("a reply of JSON");
    assert_eq!(reply["hookSpecificOutput"]["hookEventName"], "PostToolBatch");
    reply["hookSpecificOutput"]["additionalContext"].as_str().expect("a text").to_owned()
}

#[test]
fn each_threshold_is_spoken_once() {
    let scene = started();
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").assistant("yes", holding(100_000));
    assert_eq!(batch(&scene, "s1"), "", "below the first threshold nothing is said");
    assert_eq!(scene.state()["trigger"], "manual");
    for (used_tokens, percent) in [(141_000, "70 %"), (181_000, "90 %"), (191_000, "95 %")] {
        transcript.assistant("more", holding(used_tokens));
        let said = context(&batch(&scene, "s1"));
        assert!(said.contains(percent) && said.contains("throughline add decision"), "{said}");
        assert_eq!(batch(&scene, "s1"), "", "{percent} is spoken of once");
        assert_eq!(scene.state()["trigger"], "threshold");
        assert_eq!(scene.state()["git"]["branch"], "main");
    }
}

#[test]
fn a_leap_over_two_thresholds_is_spoken_of_once() {
    let scene = started();
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").assistant("much", holding(185_000));
    assert!(context(&batch(&scene, "s1")).contains("92 %"));
    transcript.assistant("a little less", holding(150_000));
    assert_eq!(batch(&scene, "s1"), "", "70 was passed on the way to 90");
}

#[test]
fn after_a_compaction_the_thresholds_speak_again() {
    let scene = started();
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").assistant("much", holding(145_000));
    assert!(!batch(&scene, "s1").is_empty());
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    transcript.compaction("auto", "what was done");
    scene.hook(&payload::session_start(&scene.home, "s1", "compact"));
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", "what was done"));
    transcript.at(jiff::Timestamp::now()).assistant("small again", holding(30_000));
    assert_eq!(batch(&scene, "s1"), "");
    transcript.assistant("much again", holding(145_000));
    assert!(context(&batch(&scene, "s1")).contains("72 %"));
}

#[test]
fn the_threshold_is_taken_of_the_point_where_the_client_compacts() {
    let mut scene = Scene::with_git();
    scene.home.set_env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "150000");
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").assistant("some", holding(80_000));
    assert_eq!(batch(&scene, "s1"), "", "68 % of 117,000");
    transcript.assistant("more", holding(83_000));
    let said = context(&batch(&scene, "s1"));
    assert!(said.contains("compaction comes at 117,000 tokens") && said.contains("70 %"), "{said}");
}

#[test]
fn tool_calls_of_a_subagent_are_no_turns_of_the_conversation() {
    let scene = started();
    Transcript::new(&scene.home, "s1").user("go").assistant("much", holding(145_000));
    let mut inner = payload::post_tool_use(&scene.home, "s1", "Bash", &json!({}), &json!("x"));
    inner["agent_id"] = json!("a123");
    inner["agent_type"] = json!("Explore");
    assert_eq!(scene.hook(&inner), "");
    assert!(!batch(&scene, "s1").is_empty());
}

#[test]
fn every_tenth_turn_folds_the_spool() {
    let scene = started();
    let receipts = || {
        let rows = scene.archive().last_receipts(&scene.project_key()).unwrap();
        rows.iter().any(|row| row.event == "PostToolBatch")
    };
    for turn in 1..10 {
        assert_eq!(batch(&scene, "s1"), "");
        assert!(!receipts(), "turn {turn} is usual: no database");
    }
    batch(&scene, "s1");
    assert!(receipts(), "the tenth turn folds what the nine before it left");
}

#[test]
fn a_prompt_after_an_hour_of_silence_gets_the_resume_context_once() {
    let scene = started();
    scene.ok(&["save"]);
    let prompt = |text: &str| scene.hook(&payload::user_prompt_submit(&scene.home, "s1", text));
    assert_eq!(prompt("hello"), "");
    scene.home.git(&["commit", "--quiet", "--allow-empty", "--message=made meanwhile"]);
    scene.minutes_pass(59);
    assert_eq!(prompt("still here"), "");
    scene.minutes_pass(61);
    let reply: Value = serde_json::from_str(&prompt("back again")).unwrap();
    assert_eq!(reply["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    let text = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.contains("Back after 1 h") && text.contains("made meanwhile"), "{text}");
    assert_eq!(prompt("and on"), "", "once");
}

#[test]
fn no_prompt_is_ever_kept() {
    let scene = started();
    let secret = "the words of the user are theirs alone";
    scene.hook(&payload::user_prompt_submit(&scene.home, "s1", secret));
    scene.hook(&payload::stop(&scene.home, "s1", secret));
    for file in crate::scene::files_under(scene.home.root()) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{}", file.display());
    }
}

#[test]
fn a_session_that_was_under_way_before_the_install_is_taken_up() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    Transcript::new(&scene.home, "s1").user("go").assistant("much", holding(145_000));
    assert!(context(&batch(&scene, "s1")).contains("The state was saved"));
    assert!(scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None)).contains("use SQLite"));
}

#[test]
fn task_events_are_noted_with_their_subject() {
    let scene = started();
    assert_eq!(scene.hook(&payload::task_created(&scene.home, "s1", "7", "write the parser")), "");
    assert_eq!(scene.hook(&payload::task_completed(&scene.home, "s1", "7", "write the parser")), "");
    let spool = std::fs::read_to_string(scene.session_data("s1").join("spool.jsonl")).unwrap();
    assert!(spool.contains("write the parser") && spool.contains("TaskCompleted"), "{spool}");
}
