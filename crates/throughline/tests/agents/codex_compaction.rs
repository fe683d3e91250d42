//! Compactions in Codex CLI: the briefing comes after each, whole, once; before it nobody listens.

use serde_json::json;
use throughline_testkit::{Kind, Script, Step, Usage};

use crate::codex_scene::{SUMMARY, Scene, fills_the_window, fragment, fragments, shell};

const DECISION: &str = "Parser works without recursion";

fn scene() -> Option<Scene> {
    let scene = Scene::installed()?;
    scene.run(&["add", "decision", DECISION, "--rationale", "deep files overflow the stack"]);
    Some(scene)
}

#[test]
fn after_a_compaction_in_the_middle_of_a_turn_the_briefing_is_there_once() {
    let Some(scene) = scene() else { return };
    let steps = [shell("echo one"), fills_the_window(), shell("echo two"), Step::text("Done.")];
    scene.plays(Script::new().turn("PROMPT:go", steps));
    assert_eq!(scene.lab.exec("PROMPT:go write the parser, please").assert_done().text(), "Done.");
    let summariser = &scene.lab.mock().requests_of(Kind::Compact)[0];
    assert_eq!(fragments(summariser).len(), 1, "what was said at the start, nothing else");
    let request = scene.after_compaction(1);
    let said = fragment(&request);
    for part in
        ["[throughline:briefing]", "You were just compacted", DECISION, "PROMPT:go write the parser, please"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let (summary, ours) =
        (request.place_of("user", SUMMARY), request.place_of("developer", "You were just compacted"));
    assert!(summary.is_some() && summary < ours, "behind the summary: {summary:?} {ours:?}");
    let last = scene.asked().pop().unwrap();
    assert_eq!(fragment(&last), said, "it stays, and does not come again");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_compaction_by_hand_gives_it_with_the_next_prompt() {
    let Some(scene) = scene() else { return };
    scene.lab.trust_hooks();
    let mut server = scene.lab.server();
    let thread = server.start_thread(&scene.lab.home().project(), &json!({}));
    server.ask(&thread, "write the parser, please");
    assert_eq!(server.compact(&thread)["status"], "completed");
    server.ask(&thread, "and now its tests");
    server.close();
    let said = fragment(&scene.after_compaction(1));
    for part in ["You were just compacted", DECISION, "write the parser, please"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_summary_that_only_the_server_can_read_changes_nothing() {
    let Some(scene) = scene() else { return };
    let scene = scene.with(throughline_testkit::CodexLab::with_opaque_summaries);
    scene.plays(Script::new().turn("PROMPT:go", [fills_the_window(), Step::text("Done.")]));
    assert_eq!(scene.lab.exec("PROMPT:go on").assert_done().text(), "Done.");
    let said = fragment(&scene.after_compaction(1));
    assert!(said.contains("You were just compacted") && said.contains(DECISION), "{said}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_session_that_is_resumed_and_compacted_at_once_is_told_once() {
    let Some(scene) = scene() else { return };
    scene.plays(Script::new().turn("PROMPT:go", [Step::text("Done.").usage(Usage::filling(30_000))]));
    scene.lab.exec("PROMPT:go on").assert_done();
    assert_eq!(scene.lab.mock().requests_of(Kind::Compact).len(), 0);
    // The client compacts before the prompt, then starts the session twice: as resumed, as compacted.
    scene.lab.exec_resume("PROMPT:next thing").assert_done();
    let said = fragment(&scene.after_compaction(1));
    assert!(said.contains("You were just compacted") && said.contains(DECISION), "{said}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn two_compactions_are_two_and_the_second_knows_what_came_between() {
    let Some(scene) = scene() else { return };
    let steps = [fills_the_window(), shell("echo between"), fills_the_window(), Step::text("Done.")];
    scene.plays(Script::new().turn("PROMPT:go", steps));
    scene.lab.exec("PROMPT:go on").assert_done();
    assert_eq!(scene.lab.mock().requests_of(Kind::Compact).len(), 2);
    assert_eq!(fragments(&scene.after_compaction(2)).len(), 1);
    let rows = scene.compactions();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(row.trigger.as_deref(), Some("auto"));
        assert!(row.summary.as_deref().is_some_and(|summary| summary.contains(SUMMARY)), "{row:?}");
    }
    assert_eq!(scene.logged(), "");
}
