//! The usage log: one line a change, every compaction once, whoever else writes, and nothing that was ever written lost.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use throughline_testkit::payload;

use crate::scene::{BINARY, Scene};

const LOG: &str = ".claude/logs/context-usage.jsonl";

/// One call of the status line.
#[track_caller]
fn tell(scene: &Scene, payload: &Value) -> String {
    let output = scene.home.run(Path::new(BINARY), &["statusline"], payload.to_string());
    output.assert_success();
    assert_eq!(output.stderr, "");
    output.stdout
}

/// The same for a size of the context.
#[track_caller]
fn tell_used(scene: &Scene, used: u64) -> String {
    tell(scene, &payload::status_line(&scene.home, "s", 200_000, Some(used), 1_000))
}

/// The lines of every log of a folder; each must be whole.
#[track_caller]
fn lines_in(folder: &Path) -> Vec<Value> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        if entry.path().extension().is_some_and(|extension| extension == "jsonl") {
            let text = fs::read_to_string(entry.path()).unwrap();
            assert!(text.ends_with('\n'), "a torn end: {text}");
            lines.extend(text.lines().map(|line| {
                serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            }));
        }
    }
    lines
}

fn logs(scene: &Scene) -> PathBuf {
    scene.home.project().join(".claude/logs")
}

#[track_caller]
fn lines(scene: &Scene) -> Vec<Value> {
    lines_in(&logs(scene))
}

/// What the lines say: used tokens, and `C` with the signs where there was a compaction.
fn story(scene: &Scene) -> Vec<String> {
    let told = |line: &Value| match line["compaction"].as_bool() {
        Some(true) => format!("{} C {}", line["context_used"], line["signs"]),
        _ => line["context_used"].to_string(),
    };
    lines(scene).iter().map(told).collect()
}

#[test]
fn one_line_a_change_with_everything_in_it() {
    let scene = Scene::new();
    let began = jiff_now();
    for used in [16_000, 16_000, 40_000, 40_000, 40_000] {
        tell_used(&scene, used);
    }
    let lines = lines(&scene);
    assert_eq!(lines.len(), 2);
    let mut first = lines[0].clone();
    let at = first["ts"].take();
    assert!(at.as_str().unwrap() >= began.as_str() && at.as_str().unwrap().len() == 24, "{at}");
    let project = fs::canonicalize(scene.home.project()).unwrap();
    let expected = json!({
        "ts": null, "session": "s", "model": "claude-opus-5-5", "context_used": 16_000, "context_size": 200_000,
        "percent": 8, "input": 4_000, "output": 42, "cache_create": 0, "cache_read": 12_000, "status": "HEALTHY",
        "compaction": false, "cwd": scene.home.project(), "compacts_at": 167_000, "cost_micros": 20_460,
        "project": project,
    });
    assert_eq!(first, expected);
}

fn jiff_now() -> String {
    throughline_domain::time::iso(throughline_domain::Timestamp::now())
}

#[test]
fn a_large_drop_is_a_compaction_and_a_small_one_is_not() {
    let scene = Scene::new();
    for used in [150_000, 149_999, 140_000, 24_000, 25_000] {
        tell_used(&scene, used);
    }
    assert_eq!(story(&scene), ["150000", "149999", "140000", r#"24000 C ["drop"]"#, "25000"]);
    assert_eq!(lines(&scene)[3]["previous_percent"], 70);
}

#[test]
fn zeros_show_that_it_was_compacted_and_the_next_response_is_logged_once() {
    let scene = Scene::new();
    assert_eq!(tell_used(&scene, 20_000), "[Opus 5.5] 10% (20,000t) 📦75% · 147k to compaction\n");
    for _ in 0..3 {
        assert_eq!(tell_used(&scene, 0), "[Opus 5.5] – ♻️\n");
    }
    for _ in 0..2 {
        assert_eq!(tell_used(&scene, 16_000), "[Opus 5.5] 8% (16,000t) 📦75% ♻️ · 151k to compaction\n");
    }
    assert_eq!(tell_used(&scene, 17_000), "[Opus 5.5] 8% (17,000t) 📦75% · 150k to compaction\n");
    assert_eq!(story(&scene), ["20000", r#"16000 C ["reset"]"#, "17000"]);
}

#[test]
fn another_session_null_usage_a_model_switch_and_a_clear_are_no_compaction() {
    let scene = Scene::new();
    let of =
        |session: &str, used: Option<u64>| payload::status_line(&scene.home, session, 200_000, used, 1_000);
    tell(&scene, &of("a", Some(150_000)));
    tell(&scene, &of("b", Some(20_000)));
    tell(&scene, &of("b", None));
    tell(&scene, &of("a", None));
    // A client that cleared and kept its session's name.
    tell(&scene, &of("a", Some(21_000)));
    tell(&scene, &of("a", Some(150_001)));
    let mut switched = of("a", Some(60_000));
    switched["model"] = json!({ "id": "claude-haiku-4-5", "display_name": "Haiku 4.5" });
    assert_eq!(tell(&scene, &switched), "[Haiku 4.5] 30% (60,000t) 📦75% · no auto-compaction\n");
    assert_eq!(story(&scene), ["150000", "20000", "21000", "150001", "60000"]);
}

#[test]
fn hooks_outvote_a_conversation_that_was_wound_back_and_confirm_a_compaction() {
    let scene = Scene::new();
    scene.hook(&payload::session_start(&scene.home, "s", "startup"));
    tell_used(&scene, 150_000);
    scene.hook(&payload::user_prompt_submit(&scene.home, "s", "again from there"));
    assert!(!tell_used(&scene, 30_000).contains("♻️"));
    tell_used(&scene, 31_000);
    scene.hook(&payload::pre_compact(&scene.home, "s", "manual", None));
    tell_used(&scene, 31_500);
    scene.hook(&payload::post_compact(&scene.home, "s", "manual", "What we did."));
    assert!(tell_used(&scene, 29_000).contains("♻️"));
    tell_used(&scene, 28_000);
    assert_eq!(story(&scene), ["150000", "30000", "31000", "31500", r#"29000 C ["hook"]"#, "28000"]);
    assert_eq!(lines(&scene)[1]["signs"], json!(["drop"]), "the disagreement is in the log");
}

#[test]
fn a_throttle_that_throttles_but_neither_a_compaction_nor_a_new_status() {
    let scene = Scene::new();
    scene.home.configure("[usage]\nmin_interval_s = 3600\n");
    for used in [10_000, 11_000, 12_000, 120_000, 121_000, 24_000, 25_000] {
        tell_used(&scene, used);
    }
    assert_eq!(story(&scene), ["10000", "120000", r#"24000 C ["drop"]"#]);
}

#[test]
fn the_log_can_be_switched_off_in_mid_session_and_is_silent_while_paused() {
    let scene = Scene::new();
    tell_used(&scene, 10_000);
    scene.home.configure("[usage]\nlog = false\n");
    tell_used(&scene, 11_000);
    scene.home.configure("[usage]\nlog = true\n");
    tell_used(&scene, 12_000);
    scene.ok(&["pause"]);
    tell_used(&scene, 13_000);
    scene.ok(&["unpause"]);
    tell_used(&scene, 14_000);
    assert_eq!(story(&scene), ["10000", "12000", "14000"]);
}

#[test]
fn quotes_and_escapes_in_a_path_stay_json() {
    let scene = Scene::new();
    let mut odd = payload::status_line(&scene.home, "a \"quoted\" session", 200_000, Some(10_000), 1_000);
    odd["workspace"]["current_dir"] = json!("/tmp/a\"b\\c\n\u{1b}[31md");
    tell(&scene, &odd);
    let lines = lines(&scene);
    assert_eq!(lines[0]["session"], "a \"quoted\" session");
    assert_eq!(lines[0]["cwd"], "/tmp/a\"b\\c\nd");
}

#[test]
fn the_log_is_the_owners_alone_and_not_gits() {
    let scene = Scene::with_git();
    tell_used(&scene, 10_000);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&logs(&scene)), mode(&scene.home.project().join(LOG))), (0o700, 0o600));
    assert_eq!(scene.home.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_home_folder_is_not_littered() {
    let scene = Scene::new();
    let mut at_home = payload::status_line(&scene.home, "s", 200_000, Some(10_000), 1_000);
    at_home["workspace"] = json!({ "current_dir": scene.home.user(), "project_dir": scene.home.user() });
    tell(&scene, &at_home);
    assert!(!scene.home.user().join(".claude/logs").exists());
    assert_eq!(lines_in(&scene.project_data().join("files/logs")).len(), 1);
}

#[test]
fn a_log_that_leaves_the_project_or_cannot_be_written_costs_nobody_the_line() {
    let scene = Scene::new();
    let elsewhere = scene.home.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("context-usage.jsonl"), "not yours\n").unwrap();
    fs::create_dir_all(scene.home.project().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, logs(&scene)).unwrap();
    for used in [10_000, 10_000, 11_000] {
        assert!(tell_used(&scene, used).starts_with("[Opus 5.5] 5% ("));
    }
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(elsewhere.join("context-usage.jsonl")).unwrap(), "not yours\n");
    assert_eq!(scene.log().matches("a link is in the way").count(), 1, "said once: {}", scene.log());
    fs::remove_file(logs(&scene)).unwrap();
    tell_used(&scene, 12_000);
    assert_eq!(story(&scene), ["12000"]);
    // The log itself as a link.
    fs::remove_file(scene.home.project().join(LOG)).unwrap();
    std::os::unix::fs::symlink(elsewhere.join("target"), scene.home.project().join(LOG)).unwrap();
    tell_used(&scene, 13_000);
    assert!(!elsewhere.join("target").exists());
}

#[test]
fn a_torn_line_costs_itself_only() {
    let scene = Scene::new();
    tell_used(&scene, 10_000);
    let mut text = scene.home.read(LOG);
    text.push_str(r#"{"ts":"2026-01-"#);
    scene.home.write(LOG, &text);
    tell_used(&scene, 11_000);
    let text = scene.home.read(LOG);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[2].contains(r#""context_used":11000"#));
}

/// Calls at once; each gets its payload.
fn at_once(scene: &Scene, payloads: &[Value]) {
    let children: Vec<_> = payloads
        .iter()
        .map(|payload| {
            let mut child = scene
                .home
                .command(Path::new(BINARY))
                .arg("statusline")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes())
                .unwrap();
            child
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert!(output.stdout.starts_with(b"[Opus 5.5] "), "{:?}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn many_status_lines_at_once_tear_nothing_and_see_no_compaction() {
    let scene = Scene::new();
    let mut told = BTreeSet::new();
    for round in 0..10 {
        let payloads: Vec<Value> = (0..8_u64)
            .map(|n| {
                let call = round * 8 + n;
                let used = 10_000 + call * 2_000;
                told.insert(used);
                payload::status_line(&scene.home, "s", 200_000, Some(used), 100_000 + call * 1_000)
            })
            .collect();
        at_once(&scene, &payloads);
        let payload = payloads.last().unwrap();
        tell(&scene, payload);
    }
    let lines = lines(&scene);
    let mut logged: Vec<u64> = lines.iter().map(|line| line["context_used"].as_u64().unwrap()).collect();
    let distinct: BTreeSet<u64> = logged.iter().copied().collect();
    assert_eq!(distinct.len(), logged.len(), "a line was written twice: {logged:?}");
    assert!(distinct.is_subset(&told));
    assert!(logged.len() >= 10, "{logged:?}");
    logged.sort_unstable();
    assert_eq!(logged.last(), told.last());
    assert!(lines.iter().all(|line| line["compaction"] == false), "{:?}", story(&scene));
    let memory =
        throughline_store::usage_file::read(&throughline_store::door::outside::at(&scene.session_data("s")));
    assert_eq!(Some(&memory.size.used()), told.last());
}

#[test]
fn the_same_news_told_by_many_at_once_is_one_line() {
    let scene = Scene::new();
    for round in 1..=10 {
        let payload = payload::status_line(&scene.home, "s", 200_000, Some(round * 1_000), round * 1_000);
        at_once(&scene, &vec![payload; 8]);
    }
    assert_eq!(lines(&scene).len(), 10, "{:?}", story(&scene));
}

#[test]
fn rotation_with_writers_at_work_loses_nothing() {
    let scene = Scene::new();
    scene.home.configure("[usage]\nrotate_bytes = 5000\n");
    let mut told = BTreeSet::new();
    for round in 0..12_u64 {
        // Sessions of their own: each has its memory, all share the log.
        let payloads: Vec<Value> = (0..8_u64)
            .map(|n| {
                let used = 10_000 + round * 100 + n;
                told.insert(used);
                payload::status_line(&scene.home, &format!("s{n}"), 200_000, Some(used), round * 1_000)
            })
            .collect();
        at_once(&scene, &payloads);
    }
    let logged: Vec<u64> = lines(&scene).iter().map(|line| line["context_used"].as_u64().unwrap()).collect();
    assert_eq!(logged.iter().copied().collect::<BTreeSet<u64>>(), told);
    assert_eq!(logged.len(), told.len());
    let names: Vec<String> = fs::read_dir(logs(&scene))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !name.ends_with("lock"))
        .collect();
    assert!(names.len() >= 4, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("context-usage.")), "{names:?}");
}

#[test]
fn what_a_status_line_without_hooks_left_of_old_sessions_goes() {
    let scene = Scene::new();
    let of = |session: &str| payload::status_line(&scene.home, session, 200_000, Some(10_000), 1_000);
    scene.hook(&payload::session_start(&scene.home, "hooked", "startup"));
    for session in ["old", "young", "hooked"] {
        tell(&scene, &of(session));
    }
    let month_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(24 * 30);
    for session in ["old", "hooked"] {
        let file = fs::File::options()
            .append(true)
            .open(scene.session_data(session).join("statusline.json"))
            .unwrap();
        file.set_modified(month_ago).unwrap();
    }
    tell(&scene, &of("new"));
    let stands = ["old", "young", "hooked", "new"].map(|session| scene.session_data(session).exists());
    assert_eq!(stands, [false, true, true, true]);
}

#[test]
fn decision_27_the_manual_test_payload_is_logged_like_any_other() {
    let scene = Scene::new();
    // As the seed's page has people try it out: no session, no folder, no cache.
    let by_hand = r#"{"model":{"display_name":"Test"},"context_window":{"current_usage":{"input_tokens":1000},"context_window_size":200000}}"#;
    let shown = tell(&scene, &serde_json::from_str(by_hand).unwrap());
    assert!(shown.starts_with("[Test] 0% (1,000t)"), "{shown}");
    let logged = lines(&scene);
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert_eq!((&logged[0]["context_used"], &logged[0]["session"]), (&json!(1_000), &json!("unknown")));
}
