//! Coming back to OpenCode: after an hour, after a crash, in a subagent.

use std::time::Duration;

use serde_json::json;
use throughline_testkit::{Kind, Script, Step, process, script::SUBAGENT_MARK};

use crate::opencode_scene::{Scene, fragments, full, holds_ours, shell};

/// Every pause is a long one.
const NO_PATIENCE: &str = "[restore]\nbanner_minutes = 0\nbriefing_minutes = 0\nidle_minutes = 0\n";
const WAIT: Duration = Duration::from_mins(2);

#[test]
fn a_session_that_is_taken_up_after_a_long_pause_is_told_what_changed_meanwhile() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.home().configure(NO_PATIENCE);
    scene.run(&[
        "anchor",
        "add",
        "Never touch the generated files",
        "--type",
        "decision",
        "--priority",
        "critical",
    ]);
    let script = Script::new()
        .turn("PROMPT:one", [shell("echo one"), Step::text("Done.")])
        .turn("PROMPT:two", [Step::text("Two.")]);
    scene.plays(script);
    scene.lab.run("PROMPT:one Fix the parser").assert_success();
    scene.lab.home().write("src/new.rs", "fn new() {}\n");
    scene.lab.home().git(&["add", "--all"]);
    scene.lab.home().git(&["commit", "--quiet", "--message=somebody went on"]);
    scene.lab.run_on("PROMPT:two where were we?").assert_success();
    let last = scene.asked().pop().unwrap();
    let resumed = fragments(&last, "resume");
    assert_eq!(resumed.len(), 1, "{:?}", last.texts());
    assert!(resumed[0].contains("somebody went on"), "{}", resumed[0]);
    assert!(last.texts().join("\n").contains("Never touch the generated files"));
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_compacted_session_that_is_taken_up_after_a_long_pause_is_told_both() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.home().configure(NO_PATIENCE);
    scene.run(&["add", "decision", "The parser must not allocate", "--rationale", "interrupts"]);
    let script = Script::new()
        .turn("PROMPT:one", [full("Much."), Step::text("Went on.")])
        .turn("PROMPT:two", [Step::text("Two.")]);
    scene.plays(script);
    scene.lab.run("PROMPT:one Fix the parser").assert_success();
    scene.lab.home().git(&["commit", "--quiet", "--allow-empty", "--message=somebody went on"]);
    scene.lab.run_on("PROMPT:two where were we?").assert_success();
    let last = scene.asked().pop().unwrap();
    let (resumed, given) = (fragments(&last, "resume"), fragments(&last, "briefing"));
    assert_eq!((resumed.len(), given.len()), (1, 1), "{:?}", last.texts());
    assert!(resumed[0].contains("somebody went on"), "{}", resumed[0]);
    assert!(
        given[0].contains("The parser must not allocate") && given[0].contains("Fix the parser"),
        "{}",
        given[0]
    );
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_session_that_goes_on_at_once_is_given_again_what_its_process_forgot() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["add", "decision", "The parser must not allocate", "--rationale", "interrupts"]);
    let script =
        Script::new().turn("PROMPT:one", [Step::text("Done.")]).turn("PROMPT:two", [Step::text("Two.")]);
    scene.plays(script);
    scene.lab.run("PROMPT:one go").assert_success();
    scene.lab.run_on("PROMPT:two go").assert_success();
    for request in scene.asked() {
        let ours = request.texts().into_iter().filter(|text| text.contains("The parser must not allocate"));
        assert_eq!(ours.count(), 1);
    }
}

#[test]
fn a_killed_client_leaves_a_session_that_the_next_one_knows_of() {
    let Some(scene) = Scene::installed() else { return };
    let script = Script::new()
        .turn(
            "PROMPT:one",
            [shell("echo built > out.txt"), Step::text("Late.").delay(Duration::from_mins(5))],
        )
        .turn("PROMPT:two", [Step::text("Two.")]);
    scene.plays(script);
    let mut client = scene.lab.start(&["run", "PROMPT:one Build the thing"]);
    scene.lab.mock().wait_for(Kind::Main, 2, WAIT);
    process::kill_group(&mut client);
    scene.lab.run("PROMPT:two go").assert_success();
    let given = scene.asked().pop().unwrap().texts().join("\n");
    assert!(given.contains("Build the thing"), "{given}");
    assert!(given.contains("out.txt"), "{given}");
}

#[test]
fn a_subagent_is_given_nothing_and_counts_as_no_session() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["add", "decision", "The parser must not allocate", "--rationale", "interrupts"]);
    let task = json!({"description": "Look around", "prompt": format!("{SUBAGENT_MARK} look"), "subagent_type": "general"});
    let script = Script::new()
        .turn("PROMPT:one", [Step::tool("task", task), Step::text("Done.")])
        .subagent([shell("echo seen"), Step::text("Seen.")]);
    scene.plays(script);
    scene.lab.run("PROMPT:one go").assert_success();
    let subagent = scene.lab.mock().requests_of(Kind::Subagent);
    assert_eq!(subagent.len(), 2);
    assert!(!subagent.iter().any(holds_ours));
    let sessions = scene.run(&["sessions", "list", "--json"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&sessions).unwrap();
    let count = sessions.matches("\"ses_").count();
    assert_eq!(count, 1, "{listed:#}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_notice_at_a_threshold_comes_with_a_tools_output() {
    let Some(scene) = Scene::installed() else { return };
    let filled =
        |tokens: u64, command: &str| shell(command).usage(throughline_testkit::Usage::filling(tokens));
    let script = Script::new().turn(
        "PROMPT:one",
        [
            filled(20_000, "echo a"),
            filled(31_000, "echo b"),
            filled(31_500, "sleep 2"),
            filled(31_600, "echo c"),
            Step::text("Done."),
        ],
    );
    scene.plays(script);
    scene.lab.run("PROMPT:one go").assert_success();
    let last = scene.asked().pop().unwrap();
    let notices = fragments(&last, "notice");
    assert_eq!(notices.len(), 1, "{:?}", last.texts());
    assert!(notices[0].contains("36,000"), "{}", notices[0]);
    assert_eq!(scene.logged(), "");
}
