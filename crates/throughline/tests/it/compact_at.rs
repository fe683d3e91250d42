//! `init --compact-at`: the window that is worked out, told, and taken back.

use serde_json::Value;
use throughline_testkit::{Transcript, payload};

use crate::gauges::status_line;
use crate::scene::{Scene, holding};

const LOCAL: &str = ".claude/settings.local.json";

fn window(scene: &Scene) -> Value {
    let settings: Value =
        serde_json::from_str(scene.home.read(LOCAL).trim_start_matches("\u{feff}")).unwrap();
    settings["autoCompactWindow"].clone()
}

#[test]
fn a_percentage_is_of_the_models_window_and_health_and_doctor_know_the_point() {
    let scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let said = scene.ok(&["init", "--compact-at", "70%"]);
    assert!(said.contains("compaction comes at 140,000 tokens: 70 % of a window of 200,000"), "{said}");
    assert!(said.contains("\"autoCompactWindow\" is 173000"), "{said}");
    assert_eq!(window(&scene), 173_000);
    Transcript::new(&scene.home, "s1").user("go").assistant("yes", holding(70_000));
    let json = scene.json(&["health", "--json"]);
    assert_eq!((&json["compactsAtTokens"], &json["percentOfWay"]), (&140_000.into(), &50.into()));
    assert!(scene.run(&["doctor"]).stdout.contains("automatic at 140000 tokens"));
}

#[test]
fn the_status_line_tells_the_window_and_the_session_the_model() {
    let scene = Scene::with_git();
    let said = scene.ok(&["init", "--compact-at", "70%", "--window", "1m"]);
    assert!(said.contains("700,000 tokens") && said.contains("as you say"), "{said}");
    assert_eq!(window(&scene), 733_000);
    scene.home.write(".claude/settings.json", "{\"model\": \"claude-opus-5-5\"}");
    let said = scene.ok(&["init", "--compact-at", "50%"]);
    assert!(
        said.contains("500,000 tokens") && said.contains("claude-opus-5-5, as the settings say"),
        "{said}"
    );
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    status_line(&scene, "s1", 500_000, r#"{"input_tokens":1000}"#);
    let said = scene.ok(&["init", "--compact-at", "50%"]);
    assert!(said.contains("250,000 tokens") && said.contains("status line was told"), "{said}");
}

#[test]
fn uninstall_and_off_give_the_settings_back_byte_for_byte() {
    for original in [
        None,
        Some("{}"),
        Some("{\n\t\"model\": \"opus\"\n}"),
        Some("{\"autoCompactWindow\": 200000, \"z\": 1}\n"),
        Some("\u{feff}{\r\n  \"autoCompactWindow\":   1.5e5\r\n}\r\n"),
    ] {
        let scene = Scene::with_git();
        if let Some(text) = original {
            scene.home.write(LOCAL, text);
        }
        scene.ok(&["init"]);
        let plain = scene.home.read(LOCAL);
        scene.ok(&["init", "--compact-at", "140k"]);
        scene.ok(&["init", "--compact-at", "120000"]);
        assert_eq!(window(&scene), 153_000);
        scene.ok(&["init"]);
        assert_eq!(window(&scene), 153_000, "init alone leaves the window");
        scene.ok(&["init", "--compact-at", "off"]);
        assert_eq!(scene.home.read(LOCAL), plain);
        scene.ok(&["init", "--compact-at", "140k"]);
        scene.ok(&["uninstall"]);
        let path = scene.home.project().join(LOCAL);
        assert_eq!(std::fs::read_to_string(path).ok().as_deref(), original);
    }
}

#[test]
fn a_file_that_was_changed_since_gets_the_old_window_back_too() {
    let scene = Scene::with_git();
    scene.home.write(LOCAL, "{\"autoCompactWindow\": 200000, \"z\": 1}\n");
    scene.ok(&["init", "--compact-at", "140k"]);
    let edited = scene.home.read(LOCAL).replace("\"z\": 1", "\"z\": 2");
    scene.home.write(LOCAL, &edited);
    scene.ok(&["uninstall"]);
    assert_eq!(scene.home.read(LOCAL), "{\"autoCompactWindow\": 200000, \"z\": 2}\n");
}

#[test]
fn a_window_that_somebody_else_set_since_stays() {
    let scene = Scene::with_git();
    scene.ok(&["init", "--compact-at", "140k"]);
    let edited = scene.home.read(LOCAL).replace("173000", "180000");
    scene.home.write(LOCAL, &edited);
    assert!(scene.ok(&["init", "--compact-at", "off"]).contains("nothing to put back"));
    assert_eq!(window(&scene), 180_000);
    scene.ok(&["uninstall"]);
    assert_eq!(scene.home.read(LOCAL).trim(), "{\n  \"autoCompactWindow\": 180000\n}");
}

#[test]
fn a_dry_run_shows_the_window_and_the_reason_and_writes_nothing() {
    let scene = Scene::with_git();
    let said = scene.ok(&["init", "--compact-at", "70%", "--dry-run"]);
    assert!(said.contains("+  \"autoCompactWindow\": 173000"), "{said}");
    assert!(said.contains("compaction comes at 140,000 tokens"), "{said}");
    assert!(!scene.home.project().join(LOCAL).exists());
}

#[test]
fn a_point_out_of_reach_is_refused_with_what_can_be_had() {
    let scene = Scene::with_git();
    let said = scene.fails(1, &["init", "--compact-at", "90%"]);
    assert!(said.contains("cannot be had at 180,000 tokens"), "{said}");
    assert!(said.contains("67,000 to 167,000 tokens works (34 % to 83 %)"), "{said}");
    let said = scene.fails(1, &["init", "--compact-at", "20%"]);
    assert!(said.contains("no window below 100,000"), "{said}");
    assert!(scene.fails(1, &["init", "--compact-at", "20%", "--window", "20k"]).contains("too small"));
    assert!(scene.fails(2, &["init", "--compact-at", "lots"]).contains("a percentage (70%)"));
    scene.fails(2, &["init", "--window", "1m"]);
    assert!(!scene.home.project().join(LOCAL).exists());
}

#[test]
fn what_overrules_the_window_is_told() {
    let mut scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene.home.set_env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "150k");
    let output = scene.run(&["init", "--compact-at", "70%"]);
    output.assert_success();
    assert!(output.stderr.contains("it comes at 117,000 tokens"), "{}", output.stderr);
    scene.home.set_env("DISABLE_AUTO_COMPACT", "1");
    let output = scene.run(&["init", "--compact-at", "70%"]);
    assert!(output.stderr.contains("it will not come all the same"), "{}", output.stderr);
    scene.home.remove_env("DISABLE_AUTO_COMPACT");
    scene.home.remove_env("CLAUDE_CODE_AUTO_COMPACT_WINDOW");
    scene.home.set_env("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "80");
    let said = scene.ok(&["init", "--compact-at", "120k"]);
    assert!(said.contains("PCT_OVERRIDE=80"), "{said}");
    assert_eq!(window(&scene), 170_000, "80 % of 170,000 − 20,000");
}
