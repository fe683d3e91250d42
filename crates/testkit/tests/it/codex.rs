//! Codex CLI's life: a prompt, tools in both manners, a compaction, a session taken up again, an editor's messages.

use std::fs;

use serde_json::json;
use throughline_testkit::{CodexLab, Kind, Script, Step, Usage, codex};

const HOOK: &str =
    r#"printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"HOOK SAID"}}'"#;

#[test]
fn a_command_of_codex_runs_to_its_end() {
    let Some(lab) = CodexLab::new(Script::new()) else { return };
    let version = lab.codex(&["--version"]);
    assert_eq!(version.assert_success().stdout.trim(), format!("codex-cli {}", codex::CODEX_VERSION));
    assert_eq!(lab.mock().requests().len(), 0);
}

#[test]
fn a_tool_is_run_the_context_compacted_and_the_session_taken_up_again() {
    let steps = [
        Step::tool("exec_command", json!({"cmd": "echo from-$((40+2))"})).usage(Usage::filling(30_000)),
        Step::text("Done."),
    ];
    let script = Script::new().turn("PROMPT:first", steps).turn("PROMPT:second", [Step::text("Back.")]);
    let Some(lab) = CodexLab::new(script.compact_summary("MOCKED SUMMARY")) else { return };
    let lab = lab.compacting_at(20_000).with_hooks(&[("SessionStart", HOOK)]);
    let run = lab.exec("PROMPT:first go");
    assert_eq!(run.assert_done().text(), "Done.");
    let kinds: Vec<Kind> = lab.mock().requests().iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [Kind::Main, Kind::Compact, Kind::Main]);
    assert!(lab.mock().requests()[1].outputs()[0].contains("from-42"));
    let after = lab.mock().main_after_compaction(1).unwrap();
    assert!(after.contains("MOCKED SUMMARY"));
    assert_eq!(after.developer_texts_with("HOOK SAID").len(), 1);

    let again = lab.exec_resume("PROMPT:second go");
    assert_eq!((again.assert_done().text(), again.thread_id()), ("Back.", run.thread_id()));
    assert_eq!(lab.rollouts().len(), 1);
    assert!(fs::read_to_string(&lab.rollouts()[0]).unwrap().contains("PROMPT:second go"));
    assert_eq!(lab.mock().refused_paths(), Vec::<String>::new());
}

#[test]
fn a_model_that_writes_scripts_calls_its_tools_from_there() {
    let script = "const ran = await tools.exec_command({cmd: \"echo from-$((40+2))\"}); text(ran.output);";
    let steps = [Step::tool("exec", json!(script)), Step::text("Done.")];
    let Some(lab) = CodexLab::new(Script::new().turn("PROMPT", steps)) else { return };
    let lab = lab.with_model(codex::MODEL_WITH_SCRIPTS);
    assert_eq!(lab.exec("PROMPT go").assert_done().text(), "Done.");
    assert!(lab.mock().requests()[1].outputs()[0].contains("from-42"));
}

#[test]
fn hooks_that_nobody_approved_do_not_run_and_trusted_ones_do() {
    let Some(lab) = CodexLab::new(Script::new()) else { return };
    let lab = lab.with_hooks(&[("SessionStart", HOOK)]);
    lab.exec_as_trusted("go").assert_done();
    assert!(!lab.mock().request_contains("HOOK SAID"));
    lab.trust_hooks();
    lab.exec_as_trusted("go").assert_done();
    assert!(lab.mock().request_contains("HOOK SAID"));
}

#[test]
fn an_editor_compacts_by_hand_and_refuses_a_command() {
    let ask =
        json!({"cmd": "touch ran", "sandbox_permissions": "require_escalated", "justification": "to see"});
    let script = Script::new().turn("PROMPT:ask", [Step::tool("exec_command", ask), Step::text("Not then.")]);
    let Some(lab) = CodexLab::new(script.compact_summary("MOCKED SUMMARY")) else { return };
    let mut server = lab.server();
    let how = json!({"approvalPolicy": "on-request", "sandbox": "workspace-write"});
    let thread = server.start_thread(&lab.home().project(), &how);
    server.decide("decline");
    assert_eq!(server.ask(&thread, "PROMPT:ask go")["status"], "completed");
    assert!(!lab.home().project().join("ran").exists());
    assert_eq!(server.compact(&thread)["status"], "completed");
    assert_eq!(server.ask(&thread, "go on")["status"], "completed");
    server.close();
    assert!(lab.mock().main_after_compaction(1).unwrap().contains("MOCKED SUMMARY"));
}

#[test]
fn a_server_of_its_own_gives_a_summary_that_nobody_can_read() {
    let steps = [
        Step::tool("exec_command", json!({"cmd": "true"})).usage(Usage::filling(30_000)),
        Step::text("Done."),
    ];
    let Some(lab) = CodexLab::new(Script::new().turn("PROMPT", steps)) else { return };
    let lab = lab.compacting_at(20_000).with_opaque_summaries();
    assert_eq!(lab.exec("PROMPT go").assert_done().text(), "Done.");
    let kinds: Vec<Kind> = lab.mock().requests().iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [Kind::Main, Kind::Compact, Kind::Main]);
}

#[test]
fn a_long_text_is_cut_by_its_bytes_unless_its_hook_asks_for_more() {
    let text = "\u{5b57}".repeat(9_000);
    let said = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}});
    for (limit, is_whole) in [(json!(7_500), true), (json!(null), false)] {
        let Some(lab) = CodexLab::new(Script::new()) else { return };
        let file = lab.home().write("said.json", &said.to_string());
        let mut hook =
            json!({"type": "command", "command": format!("cat '{}'", file.display()), "timeout": 20});
        if !limit.is_null() {
            hook["additionalContextLimit"] = limit;
        }
        let lab = lab.with_hooks_json(&json!({"hooks": {"SessionStart": [{"hooks": [hook]}]}}));
        lab.exec("go").assert_done();
        let arrived = lab.mock().requests()[0].developer_texts_with("\u{5b57}");
        assert_eq!(arrived == [text.clone()], is_whole);
        // What was cut is left in a file, for anybody to read.
        assert_eq!(lab.home().root().join("tmp/hook_outputs").exists(), !is_whole);
    }
}
