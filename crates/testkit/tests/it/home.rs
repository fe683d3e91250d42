//! The temp home: what programs see in it, and the files that look like the client's.

use std::{fs, path::Path};

use serde_json::{Value, json};
use throughline_testkit::{TempHome, Transcript, Usage, payload};

#[test]
fn a_program_sees_the_environment_of_the_home_and_nothing_else() {
    let home = TempHome::new().with_project_env().with_env("EXTRA", "1");
    let output = home.run(Path::new("/usr/bin/env"), &[], "ignored");
    let mut names: Vec<&str> =
        output.assert_success().stdout.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    let expected = [
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_PROJECT_DIR",
        "EXTRA",
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_NOSYSTEM",
        "HOME",
        "LANG",
        "PATH",
        "THROUGHLINE_HOME",
        "THROUGHLINE_TESTKIT_ROOT",
        "TMPDIR",
        "XDG_CONFIG_HOME",
    ];
    assert_eq!(names, expected);
    let shown = home.run(Path::new("/bin/sh"), &["-c", "pwd; cat; echo oops >&2; exit 3"], "from stdin");
    assert_eq!(shown.stdout, format!("{}\nfrom stdin", home.project().display()));
    assert_eq!((shown.stderr.as_str(), shown.status.code()), ("oops\n", Some(3)));
}

#[test]
fn the_project_has_git_only_when_asked_for() {
    let home = TempHome::new();
    assert!(!home.run(Path::new("git"), &["status"], "").status.success());
    let home = home.with_git();
    assert_eq!(home.git(&["log", "--format=%s", "main"]), "start\n");
    assert_eq!(home.git(&["status", "--porcelain"]), "");
    let root = home.root().to_owned();
    drop(home);
    assert!(!root.exists());
}

#[test]
fn payloads_carry_the_fields_of_their_event() {
    let home = TempHome::new();
    let none = json!({});
    let all = [
        payload::session_start(&home, "s1", "resume"),
        payload::user_prompt_submit(&home, "s1", "go"),
        payload::pre_tool_use(&home, "s1", "Bash", &none),
        payload::post_tool_use(&home, "s1", "Bash", &none, &none),
        payload::post_tool_use_failure(&home, "s1", "Bash", &none, "Exit code 1"),
        payload::post_tool_batch(&home, "s1", &[("Bash", none.clone(), none.clone())]),
        payload::pre_compact(&home, "s1", "manual", Some("the parser")),
        payload::subagent_start(&home, "s1", "Explore"),
        payload::subagent_stop(&home, "s1", "", "the summary"),
        payload::post_compact(&home, "s1", "manual", "the summary"),
        payload::stop(&home, "s1", "done"),
        payload::task_created(&home, "s1", "1", "Write the parser"),
        payload::task_completed(&home, "s1", "1", "Write the parser"),
        payload::notification(&home, "s1", "waiting"),
        payload::session_end(&home, "s1", "other"),
    ];
    for payload in &all {
        assert_eq!(payload["session_id"], "s1");
        assert_eq!(payload["cwd"], home.project().to_str().unwrap());
        assert_eq!(payload["transcript_path"], home.transcript_path("s1").to_str().unwrap());
        assert!(payload["hook_event_name"].is_string());
    }
    assert_eq!(all[6]["custom_instructions"], "the parser");
    assert_eq!(all[8]["last_assistant_message"], "the summary");
    let expected = home.transcript_path("s1").with_extension("");
    assert!(Path::new(all[8]["agent_transcript_path"].as_str().unwrap()).starts_with(expected));
}

#[test]
fn a_transcript_is_a_chain_that_a_compaction_cuts() {
    let home = TempHome::new();
    let mut transcript = Transcript::new(&home, "s1");
    transcript
        .at("2026-01-15T10:00:00Z".parse().unwrap())
        .user("go")
        .tool("Bash", &json!({"command": "ls"}), "a.rs", Usage::filling(20_000))
        .assistant("done", Usage::filling(150_000))
        .compaction("auto", "1. It was done.")
        .raw("{broken");
    let text = fs::read_to_string(transcript.path()).unwrap();
    let entries: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!((text.lines().count(), entries.len()), (7, 6));
    for (earlier, later) in entries.iter().zip(&entries[1..]) {
        let cut = later["subtype"] == "compact_boundary";
        let link = if cut { &later["logicalParentUuid"] } else { &later["parentUuid"] };
        assert_eq!(link, &earlier["uuid"]);
        assert_eq!(cut, later["parentUuid"].is_null());
    }
    assert_eq!(entries[0]["timestamp"], "2026-01-15T10:00:00.000Z");
    assert_eq!(entries[2]["message"]["content"][0]["tool_use_id"], entries[1]["message"]["content"][0]["id"]);
    assert_eq!(entries[4]["compactMetadata"]["preTokens"], 150_000);
    assert_eq!(entries[5]["isCompactSummary"], true);
}
