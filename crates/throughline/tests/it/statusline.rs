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
    let memory = std::fs::read_to_string(scene.session_data("s").join("usage.jsonl")).unwrap();
    assert!(memory.contains(r#""window":1000000"#), "{memory}");
}

/// A scene whose terminal is told by the environment.
fn scene_with(config: &str, env: &[(&str, &str)]) -> Scene {
    let mut scene = Scene::with_git();
    for (name, value) in env {
        scene.home.set_env(name, value);
    }
    scene.home.configure(config);
    scene
}

#[test]
fn presets_and_segments_come_from_the_configuration() {
    let scene = scene_with("[statusline]\npreset = \"plain\"\n", &[]);
    let told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000).to_string();
    let shown = line(&scene, &["statusline"], &told);
    assert_eq!(shown, "Opus 5.5 | 42% 84,000t cache 75% | 83k to compaction | $0.02 | main\n");
    let config = "[statusline]\nsegments = [\"percent\", \"newline\", \"directory\", \"odd\", \"lines\"]\n";
    scene.home.configure(config);
    assert_eq!(line(&scene, &["statusline"], &told), "42%\n📁 project · +1 −1\n");
    scene.home.configure("[statusline]\npreset = \"no such preset\"\n");
    assert!(line(&scene, &["statusline"], &told).starts_with("[Opus 5.5] 42% (84,000t)"));
    scene.home.configure("not toml at all");
    assert!(line(&scene, &["statusline"], &told).starts_with("[Opus 5.5] 42% (84,000t)"));
}

#[test]
fn colours_only_where_they_are_wanted() {
    let compact = "[statusline]\npreset = \"compact\"\n";
    let is_coloured = |config: &str, env: &[(&str, &str)]| {
        let scene = scene_with(config, env);
        let told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000).to_string();
        line(&scene, &["statusline"], &told).contains('\u{1b}')
    };
    assert!(is_coloured(compact, &[("TERM", "xterm-256color")]));
    assert!(is_coloured(compact, &[("NO_COLOR", "")]));
    assert!(!is_coloured(compact, &[("NO_COLOR", "1")]));
    assert!(!is_coloured(compact, &[("TERM", "dumb")]));
    assert!(!is_coloured(&format!("{compact}color = \"never\"\n"), &[]));
    assert!(is_coloured(&format!("{compact}color = \"always\"\n"), &[("NO_COLOR", "1")]));
    assert!(!is_coloured("", &[("TERM", "xterm-256color")]));
}

#[test]
fn as_wide_as_the_terminal_and_no_wider() {
    for columns in [20_usize, 30, 40, 60] {
        let scene = scene_with("", &[("COLUMNS", &columns.to_string())]);
        let told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000).to_string();
        let shown = line(&scene, &["statusline"], &told);
        assert!(throughline_statusline::width(shown.trim_end()) <= columns - 4, "{columns}: {shown}");
        assert!(shown.contains("42%"), "{columns}: {shown}");
    }
    let scene = scene_with("[statusline]\nwidth = 14\n", &[("COLUMNS", "200")]);
    let told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000).to_string();
    assert_eq!(line(&scene, &["statusline"], &told), "[Opus 5.5] 42%\n");
    for odd in ["", "0", "-3", "many", "99999999999999999999999"] {
        let scene = scene_with("", &[("COLUMNS", odd)]);
        let told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000).to_string();
        let shown = line(&scene, &["statusline"], &told);
        assert!(shown.contains("83k to compaction"), "{odd:?}: {shown}");
    }
}

#[test]
fn names_from_outside_cannot_move_the_cursor() {
    let scene = scene_with("[statusline]\npreset = \"full\"\ncolor = \"never\"\n", &[]);
    let mut told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000);
    told["model"]["display_name"] = json!("Op\u{1b}[2Jus\u{7}\n\u{202e}");
    told["session_name"] = json!("\u{1b}]0;title\u{7}");
    std::fs::write(scene.home.project().join(".git/HEAD"), "ref: refs/heads/\u{9b}31mred\n").unwrap();
    let shown = line(&scene, &["statusline"], &told.to_string());
    assert!(shown.starts_with("Opus medium"), "{shown:?}");
    assert!(!shown.trim_end().replace('\n', "").contains(char::is_control), "{shown:?}");
}

#[test]
fn the_work_at_a_glance_as_the_hooks_left_it() {
    let scene = scene_with("[statusline]\nsegments = [\"phase\", \"task\", \"memory\", \"branch\"]\n", &[]);
    scene.home.git(&["checkout", "-q", "-b", "feature/glance"]);
    scene.hook(&payload::session_start(&scene.home, "s", "startup"));
    scene.ok(&["add", "decision", "Use one file"]);
    scene.ok(&["add", "action", "Write it"]);
    scene.ok(&["set", "work", "--phase", "EXEC"]);
    let told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000).to_string();
    scene.hook(&payload::stop(&scene.home, "s", "Done."));
    let shown = line(&scene, &["statusline"], &told);
    let (work, rest) = shown.split_once(" saved ").unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(work, "EXEC · 🧠 2");
    assert!(rest.ends_with("s ago · ⎇ feature/glance\n"), "{shown}");
}

#[test]
fn the_branch_of_a_linked_worktree() {
    let scene = scene_with("[statusline]\nsegments = [\"branch\"]\n", &[]);
    scene.home.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let mut told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000);
    told["workspace"]["current_dir"] = json!(scene.home.project().parent().unwrap().join("side"));
    assert_eq!(line(&scene, &["statusline"], &told.to_string()), "⎇ side\n");
}

#[test]
fn settings_that_change_in_mid_session_and_a_model_switch_are_seen_at_once() {
    let scene = Scene::new();
    let mut told = payload::status_line(&scene.home, "s", 1_000_000, Some(84_000), 1_000);
    let shown = |told: &Value| line(&scene, &["statusline"], &told.to_string());
    assert!(shown(&told).ends_with("· 883k to compaction\n"));
    scene.home.write(".claude/settings.json", r#"{"autoCompactWindow": 150000}"#);
    assert!(shown(&told).ends_with("⚠️ · 33k to compaction\n"));
    scene.home.write(".claude/settings.json", r#"{"autoCompactEnabled": false}"#);
    assert!(shown(&told).ends_with("· no auto-compaction\n"));
    scene.home.write(".claude/settings.json", "{}");
    told["model"] = json!({ "id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5" });
    told["context_window"]["context_window_size"] = json!(200_000);
    assert!(shown(&told).ends_with("· no auto-compaction\n"));
    told["model"] = json!({ "id": "a-model-of-tomorrow", "display_name": "Tomorrow" });
    assert_eq!(shown(&told), "[Tomorrow] 42% (84,000t) 📦75%\n");
}

#[test]
fn the_limits_of_a_plan_and_the_pace_of_the_work() {
    let scene = Scene::new();
    scene.home.configure("[statusline]\nsegments = [\"limits\", \"eta\"]\n");
    let mut told = payload::status_line(&scene.home, "s", 200_000, Some(84_000), 1_000);
    told["rate_limits"] = json!({
        "five_hour": { "used_percentage": 23.5, "resets_at": 0 }, "seven_day": { "used_percentage": 91 },
    });
    assert_eq!(line(&scene, &["statusline"], &told.to_string()), "5h 24% 7d 91%\n");
    // Ten minutes of work at 6,000 tokens a minute, as the calls of that time would have left it.
    let mut file = throughline_store::usage_file::UsageFile::hold(&throughline_store::door::outside::at(
        &scene.session_data("s"),
    ))
    .unwrap();
    let mut kept = file.memory.clone();
    kept.points =
        (0..10).map(|n| (kept.seen_at_ms - (10 - n) * 60_000, 24_000 + n.unsigned_abs() * 6_000)).collect();
    file.write(&kept).unwrap();
    drop(file);
    told["context_window"]["current_usage"] = usage(84_001, 0, 0);
    assert_eq!(line(&scene, &["statusline"], &told.to_string()), "5h 24% 7d 91% · ~13m left\n");
}

#[test]
fn the_demo_has_no_colours_in_a_pipe_unless_they_are_forced() {
    let is_coloured =
        |env: &[(&str, &str)]| line(&scene_with("", env), &["statusline", "--demo"], "").contains('\u{1b}');
    assert!(!is_coloured(&[("TERM", "xterm-256color")]));
    assert!(is_coloured(&[("TERM", "xterm-256color"), ("CLICOLOR_FORCE", "1")]));
    assert!(is_coloured(&[("TERM", "xterm-256color"), ("FORCE_COLOR", "1")]));
    assert!(!is_coloured(&[("TERM", "xterm-256color"), ("FORCE_COLOR", "0")]));
    assert!(!is_coloured(&[("NO_COLOR", "1"), ("FORCE_COLOR", "1")]));
}

#[test]
fn the_demo_shows_every_preset_and_segment() {
    let scene = Scene::new();
    let shown = line(&scene, &["statusline", "--demo"], "");
    for preset in throughline_statusline::Preset::ALL {
        assert!(shown.contains(&format!("preset = \"{}\"", preset.name())), "{shown}");
    }
    for segment in throughline_statusline::Segment::ALL.iter().filter(|it| it.name() != "newline") {
        let row = shown.lines().find(|row| row.split_whitespace().next() == Some(segment.name()));
        assert!(
            row.is_some_and(|row| row.split_whitespace().count() > 1) || segment.name() == "health",
            "{shown}"
        );
    }
}
