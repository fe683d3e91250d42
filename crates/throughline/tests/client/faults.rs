//! A hook never breaks the client: binaries that are gone, die, hang or talk nonsense; the turn goes on each time.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration, time::Instant};

use throughline_testkit::{Kind, Script, Step, TurnResult, client::MODEL_WITH_REMINDERS};

use crate::{
    compaction::{SUMMARY, fills_the_window},
    scene::{Scene, fragments},
};

/// A turn with tools and a compaction, and the session's end: all of our usual events.
fn turn_goes_on(scene: &Scene) -> TurnResult {
    let script = Script::new()
        .compact_summary(SUMMARY)
        .turn("PROMPT:go", [Step::bash("echo one"), fills_the_window(), Step::text("Done.")]);
    scene.lab.set_script(script);
    let mut client = scene.lab.live(&[]);
    let turn = client.ask("PROMPT:go on");
    assert_eq!((turn.text(), turn.is_error(), turn.compactions()), ("Done.", false, 1));
    assert!(client.close().success());
    assert!(scene.lab.mock().main_after_compaction(1).unwrap().contains("1. The parser was written."));
    turn
}

/// Installed, then the binary is replaced by something else.
fn scene() -> Option<Scene> {
    let scene = Scene::installed()?;
    scene.run(&["add", "decision", "Parser works without recursion"]);
    Some(scene.with(|lab| lab.with_model(MODEL_WITH_REMINDERS).with_small_window()))
}

#[expect(clippy::disallowed_methods, reason = "a test breaks what it has set up")]
fn replace_binary(scene: &Scene, script: &str) {
    fs::remove_file(&scene.binary).unwrap();
    fs::write(&scene.binary, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&scene.binary, fs::Permissions::from_mode(0o755)).unwrap();
}

fn nothing_was_said(scene: &Scene) {
    for request in scene.lab.mock().requests() {
        assert!(fragments(&request).is_empty());
        assert!(!request.contains("NONSENSE"));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test breaks what it has set up")]
fn a_binary_that_is_gone_is_survived() {
    let Some(scene) = scene() else { return };
    fs::remove_file(&scene.binary).unwrap();
    turn_goes_on(&scene);
    nothing_was_said(&scene);
}

#[test]
fn a_binary_that_is_killed_is_survived() {
    let Some(scene) = scene() else { return };
    replace_binary(&scene, "cat > /dev/null; kill -9 $$");
    turn_goes_on(&scene);
    nothing_was_said(&scene);
}

#[test]
fn a_binary_that_talks_nonsense_and_fails_is_survived() {
    let Some(scene) = scene() else { return };
    replace_binary(&scene, r#"echo '{"hookSpecificOutput": NONSENSE'; echo NONSENSE >&2; exit 3"#);
    turn_goes_on(&scene);
    nothing_was_said(&scene);
}

#[test]
fn a_binary_that_hangs_is_stopped_by_the_timeouts_that_init_wrote() {
    let Some(scene) = scene() else { return };
    let hangs = r#"case "$(cat)" in *'"hook_event_name":"UserPromptSubmit"'*|*'"hook_event_name":"SessionEnd"'*)
        echo x >> "$THROUGHLINE_HOME/hung"; sleep 60 ;;
    esac"#;
    replace_binary(&scene, hangs);
    let began = Instant::now();
    turn_goes_on(&scene);
    let took = began.elapsed();
    assert!(took > Duration::from_secs(5) && took < Duration::from_secs(25), "{took:?}");
    assert_eq!(fs::read_to_string(scene.lab.home().data().join("hung")).unwrap(), "x\nx\n");
}

#[test]
fn a_panic_is_logged_and_the_client_hears_nothing_of_it() {
    let binary = Path::new(env!("CARGO_BIN_EXE_throughline"));
    if !throughline_testkit::process::fails_on_request(binary, cfg!(feature = "fault")) {
        return;
    }
    let Some(scene) = scene() else { return };
    let scene = scene.with(|lab| lab.with_env("THROUGHLINE_FAULT", "panic"));
    let turn = turn_goes_on(&scene);
    nothing_was_said(&scene);
    let responses: Vec<_> = turn.events_of("hook_response").collect();
    assert!(!responses.is_empty());
    for response in responses {
        assert_eq!(response["exit_code"], 0, "{response}");
        assert_eq!((&response["stdout"], &response["stderr"]), (&"".into(), &"".into()), "{response}");
    }
    let log = scene.logged();
    // SessionStart twice, the prompt, two batches, three around the compaction, Stop, SessionEnd.
    assert!(log.lines().filter(|line| line.contains("panic at")).count() >= 9, "{log}");
    assert_eq!(scene.lab.mock().requests_of(Kind::Compact).len(), 1);
}
