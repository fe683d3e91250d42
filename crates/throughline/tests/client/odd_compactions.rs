//! Compactions that come twice or fail, and subagents, which are none although they stop in the same way.

use serde_json::json;
use throughline_testkit::{Kind, Script, Step, Usage};

use crate::{
    compaction::{briefings, fills_the_window},
    scene::{Scene, fragments},
};

const DECISION: &str = "Parser works without recursion";

fn summary(what: &str) -> Step {
    Step::text(format!("<analysis>short</analysis>\n<summary>\n{what}\n</summary>"))
}

#[test]
fn a_second_compaction_is_served_like_the_first() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    let small = || Step::bash("echo one");
    let steps = [small(), fills_the_window(), scene.decides(DECISION, "it overflowed")];
    let steps = steps.into_iter().chain([small(), fills_the_window(), small(), Step::text("Done.")]);
    scene.lab.set_script(Script::new().turn("PROMPT:go", steps).compact_step(summary("The same each time.")));
    let mut client = scene.lab.live(&[]);
    let turn = client.ask("PROMPT:go on");
    assert_eq!((turn.text(), turn.compactions()), ("Done.", 2));
    assert!(client.close().success());

    let compacts = scene.lab.mock().requests_of(Kind::Compact);
    assert!(!compacts[0].contains(DECISION), "it was not recorded yet");
    assert!(fragments(&compacts[1]).iter().any(|text| text.contains(DECISION)));
    let after = scene.lab.mock().main_after_compaction(2).unwrap();
    let briefing = briefings(&fragments(&after));
    assert_eq!(briefing.len(), 1, "{briefing:?}");
    assert!(briefing[0].contains(DECISION), "{briefing:?}");
    let rows = scene.compactions();
    assert_eq!(rows.len(), 2, "{rows:?}");
    for row in &rows {
        assert!(row.summary.as_ref().unwrap().contains("The same each time."), "{row:?}");
    }
    let log = format!(".claude/sessions/{}/compaction-log.txt", turn.session_id());
    assert_eq!(scene.lab.home().read(&log).lines().count(), 2);
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_compaction_that_fails_leaves_everything_in_place() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["add", "decision", DECISION]);
    let refusal = Step::failure(400, "invalid_request_error", "the mock refuses to summarise");
    let script = || Script::new().turn("PROMPT:go", [Step::bash("echo one"), Step::text("Done.")]);
    scene.lab.set_script(script().compact_step(refusal));
    let mut client = scene.lab.live(&[]);
    assert_eq!(client.ask("PROMPT:go on").text(), "Done.");
    assert_eq!(client.ask("/compact").compactions(), 0);
    client.ask("and now?");
    assert_eq!(scene.compactions(), []);
    let last = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
    assert!(last.contains("PROMPT:go on"), "the history is still there");

    scene.lab.set_script(script().compact_step(summary("It worked.")));
    assert_eq!(client.ask("/compact").compactions(), 1);
    client.ask("and now?");
    assert!(client.close().success());
    let last = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
    let briefing = briefings(&fragments(&last));
    assert_eq!(briefing.len(), 1, "{briefing:?}");
    assert!(briefing[0].contains(DECISION), "{briefing:?}");
    let rows = scene.compactions();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(rows[0].summary.as_ref().unwrap().contains("It worked."), "{rows:?}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_subagent_is_noted_and_its_size_is_not_the_sessions() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    scene.run(&["add", "decision", DECISION]);
    let input =
        json!({"description": "Look", "prompt": "SUBAGENT-MARK look", "subagent_type": "general-purpose"});
    let large = || Step::bash("sleep 0.4").usage(Usage::filling(110_000));
    let steps = [Step::tool("Agent", input), Step::bash("sleep 0.4"), Step::text("Done.")];
    let script = Script::new().turn("PROMPT:go", steps);
    scene.lab.set_script(script.subagent([
        large(),
        large(),
        Step::text("Seen.").usage(Usage::filling(110_000)),
    ]));
    let mut client = scene.lab.live(&[]);
    client.ask("PROMPT:go on");
    scene.lab.mock().wait_for(Kind::Subagent, 3, std::time::Duration::from_secs(30));
    assert!(client.close().success());
    for request in scene.lab.mock().requests() {
        let said = fragments(&request);
        assert!(said.iter().all(|text| !text.starts_with("[throughline:notice]")), "{said:?}");
    }
    for event in ["SubagentStart", "SubagentStop"] {
        assert_eq!(scene.receipt(event).outcome, "ok", "{event}");
    }
    assert_eq!(scene.compactions(), []);
    assert_eq!(scene.logged(), "");
}
