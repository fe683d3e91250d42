//! How calls ended: refused is not run, failed is not passed.

use serde_json::json;
use throughline_domain::transcript::What;

use super::super::read_line;
use super::{Rollout, custom, event, function, old, output, ran};

fn answered(text: &str) -> String {
    let told = Rollout::of(&[output("c", text)]);
    assert_eq!(told.len(), 1, "{told:?}");
    told.into_iter().next().unwrap_or_default()
}

#[test]
fn a_commands_code_decides_and_what_the_client_wrote_above_is_left_out() {
    let above = |code: &str| {
        format!(
            "Chunk ID: 7380f5\nWall time: 0.0000 seconds\nProcess exited with code {code}\nOriginal token count: 7\nOutput:\none\ntwo\n"
        )
    };
    assert_eq!(answered(&above("0")), "done c: one\ntwo\n");
    assert_eq!(answered(&above("3")), "failed c: one\ntwo\n");
    assert_eq!(answered(&above("101")), "failed c: one\ntwo\n");
    assert_eq!(answered("Exit code: 10\nWall time: 1 seconds\nOutput:\nboom"), "failed c: boom");
    let patch = "Wall time: 0.0 seconds\nOutput:\nExit code: 1\nWall time: 0 seconds\nOutput:\nno such file";
    assert_eq!(answered(patch), "failed c: no such file");
    assert_eq!(answered("Output:\nan answer that begins so"), "done c: Output:\nan answer that begins so");
}

#[test]
fn what_older_clients_wrap_in_an_object_is_read() {
    let text =
        json!({"output": "one\ntwo", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}).to_string();
    assert_eq!(Rollout::of(&[old(output("c", text))]), ["failed c: one\ntwo"]);
    let text = json!({"output": "fine\n", "metadata": {"exit_code": 0}}).to_string();
    assert_eq!(Rollout::of(&[old(output("c", text))]), ["done c: fine"]);
}

#[test]
fn a_refusal_an_interruption_and_what_could_not_run_are_told_by_the_words_that_all_share() {
    let refused = "exec_command failed: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }";
    assert!(answered(refused).starts_with("failed c: User rejected this call\n"));
    let forbidden = "exec_command failed: CreateProcess { message: \"Rejected(\\\"policy\\\")\" }";
    assert!(answered(forbidden).starts_with("failed c: Blocked by the client\n"));
    assert!(
        answered("Wall time: 2.4 seconds\naborted by user")
            .starts_with("done c: Command was aborted by the user\n")
    );
    assert!(answered("aborted by user after 5.5s").starts_with("done c: Command was aborted by the user\n"));
    assert!(answered("unsupported call: shell").starts_with("failed c: <tool_use_error>\n"));
    assert!(answered("exec_command failed: no such shell").starts_with("failed c: exec_command failed"));
    let printed = "Chunk ID: 1\nProcess exited with code 0\nOutput:\nthe patch was rejected by user bob";
    assert_eq!(answered(printed), "done c: the patch was rejected by user bob");
}

#[test]
fn a_command_in_the_background_is_answered_when_it_ends() {
    let told = Rollout::of(&[
        function("c1", "exec_command", &json!({"cmd": "make"})),
        output("c1", "Chunk ID: 1\nWall time: 0.5 seconds\nProcess running with session ID 80253\nOutput:\n"),
        ran("c2", "other", 0, "told by its own answer"),
        ran("c1", "make", 2, "boom"),
        ran("c1", "make", 2, "boom"),
    ]);
    assert_eq!(told, ["shell c1: make", "failed c1: boom"]);
}

#[test]
fn a_command_that_was_stopped_neither_passed_nor_failed() {
    let told = Rollout::of(&[
        ran("exec-1", "sleep 30", -1, ""),
        event(json!({"type": "turn_aborted", "reason": "interrupted"})),
    ]);
    assert_eq!(
        told,
        ["shell exec-1: sleep 30", "done exec-1: Command was aborted by the user", "interrupted"]
    );
}

const ASKS: &str = "try { await tools.exec_command({cmd: \"git push\", sandbox_permissions: \"require_escalated\"}); } catch (e) { text(e) }";

#[test]
fn a_command_of_a_script_that_the_user_refuses_is_named() {
    let refused = json!([{"type": "input_text", "text": "Script completed\nOutput:\n"},
                         {"type": "input_text", "text": "exec_command failed: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }"}]);
    let told = Rollout::of(&[custom("call_1", "exec", ASKS), output("call_1", refused)]);
    assert_eq!(told[0], "shell call_1: git push");
    assert!(told[1].starts_with("failed call_1: User rejected this call\n"), "{told:?}");
    assert_eq!(told.len(), 2);
}

#[test]
fn one_that_the_user_allows_is_told_once() {
    let told = Rollout::of(&[
        custom("call_1", "exec", ASKS),
        ran("exec-1", "git push", 0, "done"),
        output("call_1", "Script completed\nOutput:\nrejected by user is what a log says"),
    ]);
    assert_eq!(told, ["shell call_1: git push", "done call_1: done"]);
}

#[test]
fn one_that_never_came_to_it_was_not_run() {
    let told = Rollout::of(&[custom("call_1", "exec", ASKS), output("call_1", "aborted by user after 5.5s")]);
    assert!(told[1].starts_with("done call_1: Command was aborted"), "{told:?}");
    let told =
        Rollout::of(&[custom("call_1", "exec", ASKS), output("call_1", "Script completed\nOutput:\n")]);
    assert!(told[1].starts_with("failed call_1: <tool_use_error>"), "{told:?}");
}

#[test]
fn a_script_that_fails_by_itself_is_told() {
    let failed = json!([{"type": "input_text", "text": "Script failed\nWall time 0.0 seconds\nOutput:\n"},
                        {"type": "input_text", "text": "Script error:\nError: boom"}]);
    let told = Rollout::of(&[custom("call_1", "exec", "throw 1"), output("call_1", failed)]);
    assert_eq!(told, ["other call_1: ", "failed call_1: Script error:\nError: boom"]);
}

#[test]
fn our_own_words_in_an_answer_are_left_out() {
    let text = "Process\n[throughline:briefing]\nGoal\n[/throughline]\nafter";
    assert_eq!(answered(text), "done c: Process\n\n\nafter");
}

#[test]
fn what_the_user_answered_is_told_as_the_users_words() {
    let line = output(
        "c",
        json!({"answers": {"port": {"answers": ["8080"]}, "why": {"answers": ["it is free"]}}}).to_string(),
    );
    let text = line.to_string();
    let mut carried = Rollout::begun().carried;
    let mut seen = None;
    read_line(text.as_bytes(), &mut carried, &mut |line| {
        if let What::ToolsAnswered(answers) = line.what {
            seen = answers[0].answers.clone().map(std::borrow::Cow::into_owned);
        }
    });
    assert_eq!(seen.as_deref(), Some("8080\nit is free"));
}
