//! The gauges: health and preflight, from what the server reported.

use serde_json::{Value, json};
use throughline_testkit::{Transcript, payload};

use crate::scene::{Scene, Sleeper, holding};

/// A project where the client compacts at 117,000 tokens, and a session in it.
fn session() -> Scene {
    let scene = Scene::with_git();
    scene.home.write(".claude/settings.json", "{\"autoCompactWindow\": 150000}\n");
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene
}

fn at(second: i64) -> jiff::Timestamp {
    jiff::Timestamp::now() + jiff::SignedDuration::from_secs(second)
}

#[test]
fn health_prints_the_block_for_a_hand_over_and_the_way_to_the_compaction() {
    let scene = session();
    let mut transcript = Transcript::new(&scene.home, "s1");
    // Exactly a minute apart, however long the lines here take.
    let first = at(-120);
    transcript.user("go").at(first).assistant("one", holding(60_000));
    transcript.at(first + jiff::SignedDuration::from_mins(1)).assistant("two", holding(80_000));
    let said = scene.ok(&["health"]);
    let block: Vec<&str> = said.lines().take(6).collect();
    assert_eq!(
        block,
        [
            "## Context Health",
            "**Current Usage**: 80,000 tokens (40% of 200K budget)",
            "**Status**: HEALTHY",
            "**Cache Efficiency**: 98% (cache reads / tokens in the context)",
            "**Compactions This Session**: 0",
            "**Next Compaction**: in 37,000 tokens, at 117,000",
        ]
    );
    assert!(said.contains("68 % of the way to the compaction"), "{said}");
    assert!(said.contains("20,000 tokens a minute"), "{said}");
    assert!(said.contains("compaction in about 1 minutes"), "{said}");
    let json = scene.json(&["health", "--json"]);
    assert_eq!(json["usedTokens"], 80_000);
    assert_eq!(json["compactsAtTokens"], 117_000);
    assert_eq!(json["tokensLeft"], 37_000);
    assert_eq!(json["status"], "HEALTHY");
    assert_eq!(json["minutesLeft"], 1);
    assert_eq!(json["neverCompacts"], Value::Null);
}

#[test]
fn health_of_a_client_that_never_compacts_says_so_and_names_the_way_out() {
    let scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(150_000));
    let said = scene.ok(&["health"]);
    assert!(said.contains("**Next Compaction**: never by itself"), "{said}");
    assert!(said.contains("75 % of the window"), "{said}");
    assert!(said.contains("throughline init --compact-at"), "{said}");
    assert!(scene.json(&["health", "--json"])["neverCompacts"]["remedy"].is_string());
}

#[test]
fn after_a_compaction_the_present_is_unknown_and_the_peak_is_kept() {
    let scene = session();
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").assistant("yes", holding(116_000)).compaction("auto", "A summary.");
    let said = scene.ok(&["health"]);
    assert!(said.contains("unknown until the next answer"), "{said}");
    let json = scene.json(&["health", "--json"]);
    assert_eq!((&json["usedTokens"], &json["compactions"]), (&Value::Null, &Value::from(1)));
    assert_eq!(json["peakTokens"], 116_000);
    transcript.assistant("again", holding(20_000));
    let json = scene.json(&["health", "--json"]);
    assert_eq!((&json["usedTokens"], &json["peakTokens"]), (&Value::from(20_000), &Value::from(116_000)));
}

#[test]
fn a_subagents_answer_is_not_the_context() {
    let scene = session();
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").assistant("yes", holding(30_000));
    let line = scene_line(&scene, "s1").replace("\"isSidechain\":false", "\"isSidechain\":true");
    transcript.raw(&line.replace("29000", "114000"));
    assert_eq!(scene.json(&["health", "--json"])["usedTokens"], 30_000);
    assert_eq!(scene.json(&["health", "--json"])["peakTokens"], 30_000);
}

fn scene_line(scene: &Scene, session: &str) -> String {
    let text = std::fs::read_to_string(scene.home.transcript_path(session)).unwrap();
    text.lines().last().unwrap().to_owned()
}

#[test]
fn health_needs_no_database_no_hooks_and_no_session_of_ours() {
    let scene = Scene::with_git();
    assert!(scene.ok(&["health"]).contains("**Current Usage**: unknown"));
    assert_eq!(scene.json(&["health", "--json"])["usedTokens"], Value::Null);
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(30_000));
    Transcript::new(&scene.home, "s0").user("go").assistant("yes", holding(20_000));
    assert_eq!(scene.json(&["health", "--session", "s1", "--json"])["usedTokens"], 30_000);
    assert!(scene.json(&["health", "--json"])["usedTokens"].is_u64());
    assert!(!scene.home.data().join("throughline.db").exists());
    let said = scene.fails(1, &["health", "--session", "../../etc/passwd"]);
    assert!(said.contains("there is no session"), "{said}");
}

/// The status line is not there to say how large the window is; that more was in it than the usual one holds, says it.
#[test]
fn a_transcript_from_elsewhere_has_its_own_project_and_the_window_that_held_it() {
    let scene = Scene::with_git();
    let line = |number: u64, tokens: u64| {
        json!({"type": "assistant", "uuid": format!("a{number}"), "cwd": "/home/dev/their-app/src", "sessionId": "t",
            "timestamp": format!("2026-02-01T00:0{number}:00.000Z"), "isSidechain": false,
            "message": {"id": format!("m{number}"), "role": "assistant", "model": "claude-opus-4-6", "content": [],
                "usage": {"input_tokens": 10, "cache_read_input_tokens": tokens - 10, "output_tokens": 5}}})
    };
    scene.home.write("theirs.jsonl", &format!("{}\n{}\n", line(1, 333_000), line(2, 95_000)));
    let health = scene.json(&["health", "--session", "./theirs.jsonl", "--json"]);
    assert_eq!(health["project"], "/home/dev/their-app/src", "{health}");
    assert_eq!(
        (&health["windowTokens"], &health["peakTokens"]),
        (&json!(1_000_000), &json!(333_000)),
        "{health}"
    );
    assert!(health["percentOfWay"].as_u64().unwrap() < 15, "{health}");
    let told = scene.ok(&["health", "--session", "./theirs.jsonl"]);
    assert!(told.contains("(9% of 1M budget)"), "{told}");
}

#[test]
fn all_live_sessions_are_shown_and_no_other() {
    let mut scene = session();
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(110_000));
    let client = Sleeper::start();
    scene.home.set_env("CLAUDE_PID", client.pid());
    scene.hook(&payload::session_start(&scene.home, "s2", "startup"));
    Transcript::new(&scene.home, "s2").user("go").assistant("yes", holding(40_000));
    scene.home.remove_env("CLAUDE_PID");
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    let all = scene.json(&["health", "--all", "--json"]);
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
    assert_eq!((&all[0]["session"], &all[0]["usedTokens"]), (&Value::from("s2"), &Value::from(40_000)));
    assert!(scene.ok(&["health", "--all"]).contains("34 %     40,000 tokens  HEALTHY"));
    drop(client);
    assert_eq!(scene.ok(&["health", "--all"]), "no session is at work\n");
}

#[test]
fn preflight_warns_and_ends_with_1_and_2_as_the_context_fills() {
    let cases =
        [(50_000, 0, "HEALTHY"), (83_000, 0, "WARNING"), (106_000, 1, "CRITICAL"), (112_000, 2, "EMERGENCY")];
    for (tokens, code, word) in cases {
        let scene = session();
        Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(tokens));
        let output = scene.run(&["preflight"]);
        assert_eq!(output.status.code(), Some(code), "{}", output.stdout);
        assert!(output.stdout.contains(word), "{}", output.stdout);
        assert_eq!(output.stdout.contains("/compact"), word != "HEALTHY", "{}", output.stdout);
        assert_eq!(output.stderr, "");
        let json: Value = serde_json::from_str(&scene.run(&["preflight", "--json"]).stdout).unwrap();
        assert_eq!(json["exitCode"], code);
    }
}

#[test]
fn preflight_refuses_what_is_over_the_most_that_was_given() {
    let scene = session();
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(60_000));
    scene.ok(&["preflight", "--max", "51%"]);
    assert_eq!(scene.run(&["preflight", "--max", "50"]).status.code(), Some(1));
    assert_eq!(scene.run(&["preflight", "--max", "0"]).status.code(), Some(2), "no such percentage");
}

#[test]
fn preflight_warns_of_an_earlier_peak_and_passes() {
    let scene = session();
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").assistant("yes", holding(116_000)).compaction("auto", "A summary.");
    transcript.assistant("again", holding(20_000));
    let said = scene.ok(&["preflight"]);
    assert!(said.contains("its peak was 116,000 tokens, 99 %"), "{said}");
    assert_eq!(scene.json(&["preflight", "--json"])["verdict"], "warn");
}

#[test]
fn preflight_passes_when_nobody_knows_and_says_so() {
    let scene = Scene::with_git();
    assert!(scene.ok(&["preflight"]).contains("is not known: no session"));
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    assert!(scene.ok(&["preflight"]).contains("is not known: no answer"));
    assert_eq!(scene.json(&["preflight", "--json"])["verdict"], "unknown");
}

/// The client's call of the status line, a moment after an answer.
pub(crate) fn status_line(scene: &Scene, session: &str, window: u64, usage: &str) {
    let payload = format!(
        r#"{{"session_id":"{session}","cwd":"{}","model":{{"id":"claude-sonnet-4-5","display_name":"Sonnet"}},
            "context_window":{{"context_window_size":{window},"current_usage":{usage}}}}}"#,
        scene.home.project().display()
    );
    scene.home.run(std::path::Path::new(crate::scene::BINARY), &["statusline"], payload).assert_success();
}

#[test]
fn what_the_status_line_was_told_counts_where_the_transcript_is_behind_or_gone() {
    let scene = session();
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("go").at(at(-60)).assistant("yes", holding(30_000));
    status_line(&scene, "s1", 200_000, r#"{"input_tokens":1000,"cache_read_input_tokens":63000}"#);
    let said = scene.ok(&["health"]);
    assert!(said.contains("64,000 tokens (32% of 200K budget)"), "{said}");
    assert!(said.contains("as its status line was told"), "{said}");
    transcript.at(at(5)).assistant("more", holding(70_000));
    assert_eq!(scene.json(&["health", "--json"])["usedTokens"], 70_000);
    std::fs::remove_file(scene.home.transcript_path("s1")).unwrap();
    assert_eq!(scene.json(&["health", "--json"])["usedTokens"], 64_000);
    let zeros = r#"{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}"#;
    status_line(&scene, "s1", 200_000, zeros);
    assert_eq!(scene.json(&["health", "--json"])["usedTokens"], Value::Null);
    assert!(scene.ok(&["health"]).contains("unknown until the next answer"));
}
