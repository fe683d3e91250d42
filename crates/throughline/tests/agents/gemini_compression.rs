//! A compression: no hook is told of it; the next prompt or tool carries the briefing, whole, once.

use serde_json::Value;
use throughline_testkit::{Kind, Script, Step, Usage};

use crate::gemini_scene::{SUMMARY, Scene, fragments, shell};

const DECISION: &str = "Parser works without recursion";

/// Tokens at which the client compresses before its next request.
fn full(step: Step) -> Step {
    step.usage(Usage::filling(30_000))
}

/// A first turn that is the larger part of the conversation: only what stands before a prompt is compressed.
fn prepared() -> Option<Scene> {
    let scene = Scene::installed()?.with(throughline_testkit::GeminiLab::with_low_threshold);
    scene.run(&["add", "decision", DECISION, "--rationale", "deep input overflowed the stack"]);
    scene.lab.set_script(Script::new().turn("first", [Step::text("one")]));
    scene.lab.ask(&format!("the first words {}", "word ".repeat(8_000))).assert_success();
    assert_eq!(fragments(&scene.asked()[0], "briefing").len(), 1);
    Some(scene)
}

#[test]
fn the_tool_after_a_compression_brings_the_briefing_whole_and_once() {
    let Some(scene) = prepared() else { return };
    let steps = [full(shell("echo 1")), shell("echo 2"), shell("echo 3"), Step::text("done")];
    scene.lab.set_script(Script::new().turn("second", steps).compact_summary(SUMMARY));
    scene.lab.resume("the second words").assert_success();
    assert_eq!(scene.lab.api().requests_of(Kind::Compact).len(), 2);
    let asked = scene.asked();
    let [.., compressed, told, last] = asked.as_slice() else { panic!("{}", asked.len()) };
    assert!(compressed.contains(SUMMARY) && !compressed.contains("the first words"));
    assert!(compressed.last_results()[0].contains("Output: 1"));
    assert!(told.last_results()[0].contains("Output: 2"));
    let briefing = fragments(told, "briefing");
    let briefing = briefing.last().expect("a briefing after the compression");
    assert!(briefing.contains(DECISION) && briefing.contains("You were just compacted"), "{briefing}");
    assert!(told.last_results()[0].contains(briefing.as_str()), "with the tool's result");
    assert_eq!(fragments(last, "briefing"), fragments(told, "briefing"), "once");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_compression_before_the_last_answer_of_a_turn_is_made_up_for_with_the_next_prompt() {
    let Some(scene) = prepared() else { return };
    let steps = [full(shell("echo 1")), Step::text("done")];
    scene.lab.set_script(Script::new().turn("second", steps).compact_summary(SUMMARY));
    scene.lab.resume("the second words").assert_success();
    let before = scene.asked();
    assert!(before.last().unwrap().contains(SUMMARY));
    scene.lab.set_script(Script::new());
    scene.lab.resume("the third words").assert_success();
    scene.lab.resume("the fourth words").assert_success();
    let asked = scene.asked();
    let [.., third, fourth] = asked.as_slice() else { panic!("{}", asked.len()) };
    assert!(third.contains(SUMMARY) && third.contains("the third words"));
    let briefings = fragments(third, "briefing");
    assert!(briefings.last().is_some_and(|text| text.contains(DECISION)), "{:?}", third.hook_texts());
    let restored =
        |texts: &[String]| texts.iter().filter(|text| text.contains("You were just compacted")).count();
    assert_eq!(
        restored(&fragments(fourth, "briefing")),
        restored(&briefings),
        "the same compression is told once"
    );
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_compression_is_in_the_reports() {
    let Some(scene) = prepared() else { return };
    let steps = [full(shell("echo 1")), shell("echo 2"), Step::text("done")];
    scene.lab.set_script(Script::new().turn("second", steps).compact_summary(SUMMARY));
    scene.lab.resume("the second words").assert_success();
    let sessions: Value = serde_json::from_str(&scene.run(&["sessions", "list", "--json"]).stdout).unwrap();
    let sessions = sessions.as_array().unwrap_or_else(|| panic!("{sessions}"));
    assert_eq!(sessions.len(), 1, "two files, one session: {sessions:?}");
    assert_eq!(sessions[0]["agent"], "gemini");
    let usage = scene.run(&["usage", "agents", "--json"]).stdout;
    assert!(usage.contains("gemini"), "{usage}");
}
