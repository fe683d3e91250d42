//! `statusline`: right at every window, harmless on nonsense, and never instead of somebody else's.

use std::path::Path;

use serde_json::{Value, json};
use throughline_testkit::payload;

use crate::scene::{BINARY, Scene};

fn told(session: &str, window: u64, usage: &Value) -> String {
    json!({
        "session_id": session,
        "model": { "id": "claude-opus-5-5", "display_name": "Opus 5.5" },
        "context_window": { "context_window_size": window, "current_usage": usage },
    })
    .to_string()
}

fn usage(input: u64, cache_creation: u64, cache_read: u64) -> Value {
    json!({
        "input_tokens": input, "output_tokens": 9_999,
        "cache_creation_input_tokens": cache_creation, "cache_read_input_tokens": cache_read,
    })
}

#[track_caller]
fn line(scene: &Scene, args: &[&str], stdin: &str) -> String {
    let output = scene.home.run(Path::new(BINARY), args, stdin);
    output.assert_success();
    assert_eq!(output.stderr, "");
    output.stdout
}

#[test]
fn the_used_share_of_the_window_that_the_payload_names() {
    let scene = Scene::new();
    let small = told("s", 200_000, &usage(70_000, 1_400, 12_600));
    assert_eq!(line(&scene, &["statusline"], &small), "[Opus 5.5] 42% (84,000t) 📦15% · 83k to compaction\n");
    let large = told("s", 1_000_000, &usage(84_000, 0, 0));
    assert_eq!(line(&scene, &["statusline"], &large), "[Opus 5.5] 8% (84,000t) · 883k to compaction\n");
}

#[test]
fn before_the_first_response_and_after_a_compaction_nothing_is_claimed() {
    let scene = Scene::new();
    let shown = |usage: &Value| line(&scene, &["statusline"], &told("s", 200_000, usage));
    assert_eq!(shown(&Value::Null), "[Opus 5.5] –\n");
    assert_eq!(shown(&usage(0, 0, 0)), "[Opus 5.5] – ♻️\n");
}

#[test]
fn the_icon_tells_how_near_the_compaction_is_not_the_window() {
    let scene = Scene::new();
    let mut start = payload::session_start(&scene.home, "s", "startup");
    start["model"] = json!("claude-opus-5-5");
    scene.home.write(".claude/settings.json", r#"{"autoCompactWindow": 150000}"#);
    scene.hook(&start);
    // 117,000 tokens is where a window of 150,000 compacts: 100,000 of 1,000,000 is a tenth, and 85 % of the way.
    let near = told("s", 1_000_000, &usage(100_000, 0, 0));
    assert_eq!(line(&scene, &["statusline"], &near), "[Opus 5.5] 10% (100,000t) ⚠️ · 17k to compaction\n");
}

#[test]
fn nonsense_prints_a_harmless_line() {
    let scene = Scene::new();
    for nonsense in ["", "{", "[]", "null", "\u{0}", r#"{"model": 7}"#] {
        assert_eq!(line(&scene, &["statusline"], nonsense), "[throughline] no data\n", "{nonsense:?}");
    }
    let odd_session = told("../../x", 200_000, &usage(10, 0, 0));
    assert_eq!(line(&scene, &["statusline"], &odd_session), "[Opus 5.5] 0% (10t) · 166k to compaction\n");
}

#[test]
fn a_foreign_status_line_is_shown_above_ours_with_the_same_payload() {
    let scene = Scene::new();
    let payload = told("s", 200_000, &usage(10, 0, 0));
    let shown = line(&scene, &["statusline", "--wrap=wc -c; echo 'it''s mine'"], &payload);
    assert_eq!(shown, format!("{}\nits mine\n[Opus 5.5] 0% (10t) · 166k to compaction\n", payload.len()));
    let shown = line(&scene, &["statusline", r#"--wrap-json="printf '\u0061'""#], &payload);
    assert_eq!(shown, "a\n[Opus 5.5] 0% (10t) · 166k to compaction\n");
}

#[test]
fn a_foreign_status_line_that_hangs_costs_two_seconds_and_not_ours() {
    let scene = Scene::new();
    let began = std::time::Instant::now();
    let shown = line(&scene, &["statusline", "--wrap=sleep 60"], &told("s", 200_000, &usage(10, 0, 0)));
    assert_eq!(shown, "[Opus 5.5] 0% (10t) · 166k to compaction\n");
    assert!(began.elapsed().as_secs() < 20);
}

#[test]
fn the_window_it_is_told_reaches_the_hooks() {
    let scene = Scene::new();
    scene.hook(&payload::session_start(&scene.home, "s", "startup"));
    line(&scene, &["statusline"], &told("s", 1_000_000, &usage(10, 0, 0)));
    let memory = std::fs::read_to_string(scene.session_data("s").join("usage.json")).unwrap();
    assert!(memory.contains(r#""window":1000000"#), "{memory}");
}
