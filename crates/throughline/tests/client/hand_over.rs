//! The hand-over in the real client: asked of the summariser and of the agent, taken in, given to the next compaction.

use serde_json::json;
use throughline_testkit::{ClientLab, Kind, Script, Step, Usage, client::MODEL_WITH_REMINDERS};

use crate::compaction::fills_the_window;
use crate::scene::{Scene, fragments};

const TOOL: &str = "mcp__throughline__hand_over";
const SUMMARY: &str = "<analysis>short</analysis>\n<summary>\n1. Primary Request and Intent:\n   The parser.\n\n10. Hand-over:\n\
    - tried: recursion overflows at depth 900; an own stack works\n- value: port is 5433\n- open: next: the error texts\n</summary>";

/// Our fragments of a kind in the requests of a kind, by request.
fn said(scene: &Scene, kind: Kind, mark: &str) -> Vec<Vec<String>> {
    let requests = scene.lab.mock().requests_of(kind);
    let of = |text: &String| text.starts_with(mark);
    requests.iter().map(|request| fragments(request).into_iter().filter(of).collect()).collect()
}

#[test]
fn what_a_summary_hands_over_is_given_to_the_next_compaction() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(ClientLab::with_small_window);
    let small = || Step::bash("echo step").usage(Usage::filling(20_000));
    let turn = || [small(), fills_the_window(), small(), Step::text("Done.")];
    let script = Script::new().compact_summary(SUMMARY).turn("PROMPT:one", turn()).turn("PROMPT:two", turn());
    scene.lab.set_script(script);
    let mut client = scene.lab.live(&[]);
    assert_eq!(client.ask("PROMPT:one begin").compactions(), 1);
    assert_eq!(client.ask("PROMPT:two go on").compactions(), 1);
    assert!(client.close().success());
    let blocks = said(&scene, Kind::Compact, "[throughline:preserve]");
    assert_eq!(blocks.len(), 2);
    assert!(blocks[0][0].contains("headed \"Hand-over\"") && !blocks[0][0].contains("5433"), "{blocks:?}");
    for fact in ["- tried: recursion overflows at depth 900", "- value: port is 5433"] {
        assert!(blocks[1][0].contains(fact), "{fact}: {blocks:?}");
    }
    let page = scene.run(&["handover"]).stdout;
    assert!(page.contains("in the compaction's summary") && page.contains("next: the error texts"), "{page}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn the_agent_is_asked_once_near_the_compaction_and_answers_in_one_call() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(ClientLab::with_small_window);
    let binary = scene.binary.to_str().unwrap().to_owned();
    scene
        .lab
        .claude(&["mcp", "add", "--scope", "local", "throughline", "--", &binary, "mcp"])
        .assert_success();
    let at = |tokens| Step::bash("sleep 0.4").usage(Usage::filling(tokens));
    let handed = json!({ "text": "rule: never push\ntried: recursion overflows; an own stack works\nopen: next: errors" });
    let call = Step::tool(TOOL, handed).usage(Usage::filling(102_000));
    let steps = [at(80_000), at(101_000), call, at(103_000), Step::text("Done.")];
    scene.lab.set_script(Script::new().turn("PROMPT:fill", steps));
    let mut client = scene.lab.live(&[]);
    assert_eq!(client.ask("PROMPT:fill it").text(), "Done.");
    assert!(client.close().success());
    let notices = said(&scene, Kind::Main, "[throughline:notice]");
    let last = notices.last().unwrap();
    assert_eq!(notices.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 1, 1, 1], "{notices:?}");
    assert!(last[0].contains(TOOL) && last[0].contains("86 %"), "{last:?}");
    let answered = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
    assert!(answered.contains("handed over: 3 facts kept"), "the agent is told what was kept");
    let page = scene.run(&["handover"]).stdout;
    assert!(page.contains("by the agent") && page.contains("an own stack works"), "{page}");
    let found = scene.run(&["recall", "recursion overflows", "--no-pick"]).stdout;
    assert!(found.contains("an own stack works"), "{found}");
    assert_eq!(scene.logged(), "");
}

/// The rule that `init --allow` writes lets the call through as the notice spells it, and nothing else does.
#[test]
fn the_call_through_a_shell_needs_the_rule_that_is_offered() {
    let Some(scene) = Scene::installed() else { return };
    let folder = scene.binary.parent().unwrap().to_owned();
    let scene = scene.with(|lab| lab.with_path_dir(&folder));
    let call = "throughline handover - <<'END'\nrule: never push to `main`\nopen: next: the \"errors\" of $PATH\nEND";
    let ask = |rules: &[&str]| {
        scene.lab.set_script(Script::new().turn("PROMPT:hand", [Step::bash(call), Step::text("Done.")]));
        let plain = ["-p", "PROMPT:hand over", "--model", MODEL_WITH_REMINDERS];
        scene.lab.claude(&[&plain, rules].concat()).assert_success();
        let last = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
        last.body["messages"].as_array().unwrap().last().unwrap().to_string()
    };
    let refused = ask(&[]);
    assert!(refused.contains("is_error\":true"), "{refused}");
    let allowed = ask(&["--allowedTools", "Bash(throughline handover:*)"]);
    assert!(allowed.contains("handed over: 2 facts kept"), "{allowed}");
}
