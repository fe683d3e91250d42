//! The client's life: one-shot commands, a crash in the middle of a turn, a session taken up again, subagents.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use serde_json::json;
use throughline_testkit::{ClientLab, Kind, Script, Step, client};

const WAIT: Duration = Duration::from_secs(30);

#[test]
fn a_command_of_the_client_runs_to_its_end() {
    let Some(lab) = ClientLab::new(Script::new()) else { return };
    let version = lab.claude(&["--version"]);
    assert!(version.assert_success().stdout.starts_with(client::CLIENT_VERSION), "{version:?}");
    lab.home().write("plug/.claude-plugin/plugin.json", r#"{"name": "plug", "version": "1.0.0"}"#);
    lab.claude(&["plugin", "validate", "plug"]).assert_success();
    lab.home().write("plug/.claude-plugin/plugin.json", "{");
    assert!(!lab.claude(&["plugin", "validate", "plug"]).status.success());
    assert_eq!(lab.mock().requests().len(), 0);
}

#[test]
fn a_killed_client_leaves_a_session_that_another_one_takes_up() {
    let steps = [Step::bash("echo one"), Step::text("Too late.").delay(Duration::from_mins(1))];
    let script = Script::new().turn("PROMPT:first", steps).turn("PROMPT:second", [Step::text("Back again.")]);
    let Some(lab) = ClientLab::new(script) else { return };
    let mut crashing = lab.live(&[]);
    crashing.send("PROMPT:first go");
    lab.mock().wait_for(Kind::Main, 2, WAIT);
    crashing.kill();
    let transcript = &lab.transcripts()[0];
    assert!(fs::read_to_string(transcript).unwrap().contains("PROMPT:first go"));
    let session_id = transcript.file_stem().unwrap().to_str().unwrap();
    assert_eq!(lab.home().transcript_path(session_id), *transcript);

    let mut second = lab.live(&["--resume", session_id]);
    let turn = second.ask("PROMPT:second go");
    assert_eq!((turn.text(), turn.session_id()), ("Back again.", session_id));
    second.close();
    assert!(
        lab.mock().requests().last().unwrap().contains("PROMPT:first go"),
        "the history is in the context"
    );

    let mut third = lab.live(&["--continue"]);
    assert_eq!(third.ask("anything").session_id(), session_id);
}

#[test]
fn nothing_that_the_client_started_outlives_the_lab() {
    // The hook leaves the client's process group, as all of its hooks do, and would sleep on after a crash.
    let hook = r#"echo $$ > "$THROUGHLINE_HOME/pid.part"; mv "$THROUGHLINE_HOME/pid.part" "$THROUGHLINE_HOME/pid"; sleep 300"#;
    let Some(lab) = ClientLab::new(Script::new()) else { return };
    let lab = lab.with_hooks(&[("UserPromptSubmit", hook)]);
    let mut client = lab.live(&[]);
    client.send("go");
    let pid_file = lab.home().data().join("pid");
    let until = Instant::now() + WAIT;
    while !pid_file.exists() {
        assert!(Instant::now() < until, "the hook never ran");
        thread::sleep(Duration::from_millis(20));
    }
    let hook_process = format!("/proc/{}/environ", fs::read_to_string(pid_file).unwrap().trim());
    let root = lab.home().root().to_owned();
    client.kill();
    drop(lab);
    assert!(!root.exists());
    if cfg!(target_os = "linux") {
        let until = Instant::now() + WAIT;
        while fs::read(&hook_process).is_ok_and(|environment| !environment.is_empty()) {
            assert!(Instant::now() < until, "the hook is still running");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_subagents_requests_are_told_from_the_main_ones() {
    let input =
        json!({"description": "Look", "prompt": "SUBAGENT-MARK look", "subagent_type": "general-purpose"});
    let script = Script::new()
        .turn("PROMPT:ask", [Step::tool("Agent", input), Step::text("Done.")])
        .subagent([Step::bash("cat @PROJECT@/CLAUDE.md"), Step::text("Seen.")]);
    let Some(lab) = ClientLab::new(script) else { return };
    let mut client = lab.live(&[]);
    assert!(!client.ask("PROMPT:ask go").is_error());
    lab.mock().wait_for(Kind::Subagent, 2, WAIT);
    let subagent = lab.mock().requests_of(Kind::Subagent);
    assert!(subagent[1].contains("# Test project"), "the subagent read the project's file");
    assert!(!subagent[0].contains("PROMPT:ask go"));
}
