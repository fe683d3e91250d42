//! Sessions of the Gemini CLI: begun, resumed, ended; what each request carries of ours.

use throughline_testkit::{Script, Step};

use crate::gemini_scene::{Scene, fragments, shell};

const RULE: &str = "No new runtime dependencies";

#[test]
fn a_session_is_given_its_briefing_once_with_the_first_prompt() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["add", "constraint", RULE, "--source", "user", "--blocking"]);
    scene.lab.set_script(Script::new().turn("go", [shell("echo one"), shell("false"), Step::text("done")]));
    scene.lab.ask("please go").assert_success();
    let asked = scene.asked();
    assert_eq!(asked.len(), 3);
    for request in &asked {
        let briefings = fragments(request, "briefing");
        assert_eq!(briefings.len(), 1, "{:?}", request.hook_texts());
        assert!(briefings[0].contains(RULE), "{briefings:?}");
    }
    // Behind the prompt: before it, the client would drop both when the session is resumed.
    let first = asked[0].texts();
    let at = |wanted: &str| first.iter().position(|text| text.contains(wanted)).unwrap();
    assert!(at("please go") < at("[throughline:briefing]"));
    assert_eq!(scene.logged(), "");
    let mut events: Vec<String> = scene.receipts().into_iter().map(|receipt| receipt.event).collect();
    events.sort();
    assert_eq!(events, ["AfterAgent", "AfterTool", "BeforeAgent", "SessionEnd", "SessionStart"]);
}

#[test]
fn a_resumed_session_still_has_its_users_words_and_its_rules() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["add", "constraint", RULE, "--source", "user", "--blocking"]);
    scene.lab.ask("the first words").assert_success();
    scene.lab.resume("the second words").assert_success();
    let last = scene.asked().pop().unwrap();
    assert!(last.contains("the first words") && last.contains("the second words"));
    let briefings = fragments(&last, "briefing");
    assert!(briefings.len() == 1 && briefings[0].contains(RULE), "{:?}", last.hook_texts());
    assert_eq!(scene.logged(), "");
}

#[test]
fn what_the_session_did_is_remembered_as_it_happened() {
    let Some(scene) = Scene::installed() else { return };
    let script = Script::new().turn(
        "tests",
        [
            shell("cargo test --quiet; exit 3"),
            Step::tool(
                "write_todos",
                serde_json::json!({"todos": [{"description": "Fix the parser", "status": "in_progress"}]}),
            ),
            Step::tool(
                "write_file",
                serde_json::json!({"file_path": "parser.rs", "content": "fn parse() {}\n"}),
            ),
            Step::text("The parser is next."),
        ],
    );
    scene.lab.set_script(script);
    scene.lab.ask("run the tests of the parser").assert_success();
    assert_eq!(scene.logged(), "");
    scene.lab.set_script(Script::new());
    scene.lab.ask("what was done?").assert_success();
    let last = scene.asked().pop().unwrap();
    let said = last.hook_texts().join("\n");
    for known in ["run the tests of the parser", "Fix the parser", "parser.rs", "cargo test"] {
        assert!(said.contains(known), "{known}: {said}");
    }
}

/// The clock is moved by the configuration: every pause is a long one.
#[test]
fn a_session_that_is_resumed_after_a_pause_is_told_what_happened_meanwhile() {
    let Some(scene) = Scene::installed() else { return };
    scene.lab.home().configure("[restore]\nbanner_minutes = 0\nbriefing_minutes = 0\nidle_minutes = 0\n");
    scene.lab.ask("the first words").assert_success();
    scene.lab.home().git(&["commit", "--quiet", "--allow-empty", "--message=made at night"]);
    scene.lab.resume("the second words").assert_success();
    let last = scene.asked().pop().unwrap();
    assert!(last.contains("the first words") && last.contains("the second words"));
    assert!(
        last.hook_texts().last().is_some_and(|text| text.contains("made at night")),
        "{:?}",
        last.hook_texts()
    );
    assert_eq!(scene.logged(), "");
}
