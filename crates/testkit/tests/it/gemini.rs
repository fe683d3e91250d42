//! The Gemini CLI against the mock: what our adapter takes for granted, seen in the real client.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::{Value, json};
use throughline_testkit::{GeminiLab, GeminiRequest, Kind, Script, Step, Usage};

const SUMMARY: &str = "<state_snapshot>MOCKED SUMMARY</state_snapshot>";
const EVENTS: [&str; 5] = ["SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"];

/// A hook that keeps its payload and says its event's name to the model.
fn saying(lab: &GeminiLab) -> String {
    let log = lab.home().root().join("payloads.jsonl");
    format!(
        "p=$(cat); printf '%s\\n' \"$p\" >> '{}'; e=$(printf '%s' \"$p\" | sed 's/.*\"hook_event_name\":\"\\([A-Za-z]*\\)\".*/\\1/'); \
         printf '{{\"hookSpecificOutput\":{{\"hookEventName\":\"%s\",\"additionalContext\":\"MARK %s\"}}}}' $e $e",
        log.display()
    )
}

fn with_hooks(lab: GeminiLab, events: &[&str]) -> GeminiLab {
    let command = saying(&lab);
    let hooks: Vec<(&str, &str)> = events.iter().map(|event| (*event, command.as_str())).collect();
    lab.with_hooks(&hooks, 20_000)
}

fn payloads(lab: &GeminiLab) -> Vec<Value> {
    let text = fs::read_to_string(lab.home().root().join("payloads.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn shell(command: &str) -> Step {
    Step::tool("run_shell_command", json!({"command": command, "description": "try"}))
}

fn last_main(lab: &GeminiLab) -> GeminiRequest {
    lab.api().requests_of(Kind::Main).pop().expect("a request")
}

#[test]
fn a_turn_with_a_tool_calls_every_hook_in_order_and_three_of_them_reach_the_model() {
    let script = Script::new().turn("go", [shell("echo hi; false"), Step::text("done")]);
    let Some(lab) = GeminiLab::new(script) else { return };
    let lab = with_hooks(lab, &EVENTS);
    lab.ask("please go").assert_success();
    let events: Vec<Value> =
        payloads(&lab).iter().map(|payload| payload["hook_event_name"].clone()).collect();
    assert_eq!(events, EVENTS.map(Value::from));
    assert_eq!(last_main(&lab).hook_texts(), ["MARK SessionStart", "MARK BeforeAgent", "MARK AfterTool"]);
    // The client calls it a success; how the command ended stands in its text alone.
    let session = fs::read_to_string(&lab.sessions()[0]).unwrap();
    let mut calls =
        session.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["toolCalls"][0].clone());
    let call = calls.rfind(|call| !call.is_null()).unwrap();
    assert_eq!(call["status"], "success");
    let output = call["result"][0]["functionResponse"]["response"]["output"].as_str().unwrap();
    assert!(output.contains("Output: hi\nExit Code: 1\nProcess Group PGID: "), "{output}");
    assert!(lab.api().refused_paths().is_empty(), "{:?}", lab.api().refused_paths());
}

#[test]
fn a_compression_is_one_more_line_of_the_same_file() {
    // The client cuts before a prompt of the user's: a session's first turn is never compressed.
    let script = Script::new()
        .turn("first", [Step::text("one")])
        .turn("second", [shell("echo 1").usage(Usage::filling(30_000)), shell("echo 2"), Step::text("done")])
        .compact_summary(SUMMARY);
    let Some(lab) = GeminiLab::new(script) else { return };
    // What the file is like before and after: copied by a hook that runs between the two.
    let copy = "p=$(cat); f=$(printf '%s' \"$p\" | sed 's/.*\"transcript_path\":\"\\([^\"]*\\)\".*/\\1/'); cp \"$f\" \"$HOME/copy.$(date +%s%N)\"; stat -c %i \"$f\" >> \"$HOME/inodes\"";
    let lab = lab.with_low_threshold().with_hooks(&[("AfterTool", copy)], 20_000);
    lab.ask(&format!("the first words {}", "word ".repeat(2_000))).assert_success();
    lab.resume("the second words").assert_success();
    assert_eq!(lab.api().requests_of(Kind::Compact).len(), 2, "a draft and its own critique");
    let after = last_main(&lab);
    assert!(after.contains("MOCKED SUMMARY") && after.contains("the second words"));
    assert!(!after.contains("the first words"));
    let path = &lab.sessions()[0];
    let whole = fs::read(path).unwrap();
    let mut copies: Vec<_> =
        fs::read_dir(lab.home().user()).unwrap().flatten().map(|entry| entry.path()).collect();
    copies.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("copy.")));
    copies.sort();
    let [before, behind] = copies.as_slice() else { panic!("{copies:?}") };
    let (before, behind) = (fs::read(before).unwrap(), fs::read(behind).unwrap());
    assert!(whole.starts_with(&behind) && behind.starts_with(&before), "only appended");
    let inodes = fs::read_to_string(lab.home().user().join("inodes")).unwrap();
    assert!(
        inodes.lines().all(|inode| inode == fs::metadata(path).unwrap().ino().to_string()),
        "never replaced"
    );
    let new = String::from_utf8(behind[before.len()..].to_vec()).unwrap();
    let list = new.lines().find(|line| line.starts_with("{\"$set\":{\"messages\":[")).unwrap();
    let list: Value = serde_json::from_str(list).unwrap();
    let texts: Vec<&Value> =
        list["$set"]["messages"].as_array().unwrap().iter().map(|it| &it["content"][0]["text"]).collect();
    assert_eq!((texts[1], texts[2]), (&json!(SUMMARY), &json!("Got it. Thanks for the additional context!")));
}

/// Why our briefing comes with the prompt, and not with the start.
#[test]
fn a_prompt_that_a_start_hook_spoke_before_is_lost_at_a_resume_and_one_that_a_prompt_hook_spoke_behind_is_not()
 {
    for (event, is_kept) in [("SessionStart", false), ("BeforeAgent", true)] {
        let Some(lab) = GeminiLab::new(Script::new()) else { return };
        let lab = with_hooks(lab, &[event]);
        lab.ask("the first words").assert_success();
        lab.resume("the second words").assert_success();
        let last = last_main(&lab);
        assert!(last.contains("the second words"));
        assert_eq!(last.contains("the first words"), is_kept, "{event}");
        assert_eq!(last.hook_texts().len(), if is_kept { 2 } else { 1 }, "{event}");
    }
}

#[test]
fn a_hooks_text_of_any_size_arrives_whole_with_its_angle_brackets_written_otherwise() {
    let Some(lab) = GeminiLab::new(Script::new()) else { return };
    let text = format!("{}<b> & \"c\"\u{e9}", "word ".repeat(400_000));
    let reply = json!({"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": text}});
    let file = lab.home().write("reply.json", &reply.to_string());
    let command = format!("cat '{}'", file.display());
    let lab = lab.with_hooks(&[("BeforeAgent", &command)], 20_000);
    lab.ask("go").assert_success();
    assert_eq!(last_main(&lab).hook_texts(), [text.replace('<', "&lt;").replace('>', "&gt;")]);
}

#[test]
fn in_a_folder_that_nobody_trusts_no_hook_runs() {
    let folders = |lab: &GeminiLab, level: &str| {
        let list = json!({lab.home().project().to_str().unwrap(): level});
        fs::write(lab.gemini_folder().join("trustedFolders.json"), list.to_string()).unwrap();
    };
    for (level, runs) in [(None, false), (Some("DO_NOT_TRUST"), false), (Some("TRUST_FOLDER"), true)] {
        let Some(lab) = GeminiLab::new(Script::new()) else { return };
        let lab = with_hooks(lab.without_trust(), &EVENTS);
        if let Some(level) = level {
            folders(&lab, level);
        }
        // Without a terminal the client does not even start there.
        let output = lab.gemini(&["--prompt", "go"]);
        assert_eq!(!payloads(&lab).is_empty(), runs, "{level:?}: {}", output.stderr);
        assert_eq!(output.status.success(), runs, "{level:?}: {}", output.stderr);
    }
}
