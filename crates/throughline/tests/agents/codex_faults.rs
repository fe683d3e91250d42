//! A hook never breaks Codex CLI: binaries that are gone, die, hang or talk nonsense; turn and compaction go on each time.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use throughline_testkit::{CodexRun, Kind, Script, Step, process};

use crate::codex_scene::{SUMMARY, Scene, fills_the_window, fragments, shell};

/// A turn with tools and a compaction, and the session's end: all of our usual events.
#[track_caller]
fn turn_goes_on(scene: &Scene) -> CodexRun {
    scene
        .plays(Script::new().turn("PROMPT:go", [shell("echo one"), fills_the_window(), Step::text("Done.")]));
    let run = scene.lab.exec("PROMPT:go on");
    assert_eq!(run.assert_done().text(), "Done.");
    assert_eq!(scene.lab.mock().requests_of(Kind::Compact).len(), 1);
    assert!(scene.after_compaction(1).contains(SUMMARY));
    run
}

fn replace_binary(scene: &Scene, script: &str) {
    fs::remove_file(&scene.binary).unwrap();
    fs::write(&scene.binary, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&scene.binary, fs::Permissions::from_mode(0o755)).unwrap();
}

fn scene(seconds: Option<u32>) -> Option<Scene> {
    let scene = Scene::with_seconds(seconds)?;
    scene.run(&["add", "decision", "Parser works without recursion"]);
    Some(scene)
}

fn nothing_was_said(scene: &Scene) {
    for request in scene.lab.mock().requests() {
        assert!(fragments(&request).is_empty());
        assert!(!request.contains("NONSENSE"));
    }
}

#[test]
fn a_binary_that_is_gone_is_survived() {
    let Some(scene) = scene(None) else { return };
    fs::remove_file(&scene.binary).unwrap();
    turn_goes_on(&scene);
    nothing_was_said(&scene);
}

#[test]
fn a_binary_that_is_killed_is_survived() {
    let Some(scene) = scene(None) else { return };
    replace_binary(&scene, "cat > /dev/null; kill -9 $$");
    turn_goes_on(&scene);
    nothing_was_said(&scene);
}

#[test]
fn a_binary_that_only_fails_is_survived() {
    let Some(scene) = scene(None) else { return };
    replace_binary(&scene, "exit 1");
    turn_goes_on(&scene);
    nothing_was_said(&scene);
}

#[test]
fn a_binary_that_talks_nonsense_and_fails_is_survived() {
    let Some(scene) = scene(None) else { return };
    replace_binary(&scene, r#"echo '{"hookSpecificOutput": NONSENSE'; echo NONSENSE >&2; exit 3"#);
    turn_goes_on(&scene);
    nothing_was_said(&scene);
}

#[test]
fn a_binary_that_answers_with_keys_that_nobody_knows_is_survived() {
    let Some(scene) = scene(None) else { return };
    replace_binary(
        &scene,
        r#"cat > /dev/null; echo '{"hookSpecificOutput": {"hookEventName": "PreCompact", "NONSENSE": 1}, "more": "NONSENSE"}'"#,
    );
    turn_goes_on(&scene);
    nothing_was_said(&scene);
}

#[test]
fn a_binary_that_hangs_is_stopped_by_its_seconds() {
    let Some(scene) = scene(Some(1)) else { return };
    replace_binary(&scene, r#"cat > /dev/null; echo x >> "$THROUGHLINE_HOME/hung"; sleep 60"#);
    let run = turn_goes_on(&scene);
    let hung = fs::read_to_string(scene.lab.home().data().join("hung")).unwrap();
    assert!(hung.lines().count() >= 7, "{hung}");
    assert!(run.output.took < Duration::from_secs(40), "{:?}", run.output.took);
    nothing_was_said(&scene);
}

#[test]
fn a_panic_is_logged_and_the_client_hears_nothing_of_it() {
    let binary = Path::new(env!("CARGO_BIN_EXE_throughline"));
    if !process::fails_on_request(binary, cfg!(feature = "fault")) {
        return;
    }
    let Some(scene) = scene(None) else { return };
    let scene = scene.with(|lab| lab.with_env("THROUGHLINE_FAULT", "panic"));
    turn_goes_on(&scene);
    nothing_was_said(&scene);
    let log = scene.logged();
    assert!(log.lines().filter(|line| line.contains("panic at")).count() >= 7, "{log}");
}
