//! A hook never breaks the client: binaries that are gone, die, hang or talk nonsense; turn and compression go on each time.

use std::{fs, os::unix::fs::PermissionsExt};

use throughline_testkit::{Kind, Script, Step, Usage};

use crate::gemini_scene::{SUMMARY, Scene, shell};

/// So long a hook may hang here: the client waits for each.
const TIMEOUT_MS: u32 = 1_000;

/// Two turns with every event of ours and a compression between them, whatever the binary does.
fn turns_go_on(scene: &Scene) {
    let script = Script::new()
        .turn("first", [Step::text("one")])
        .turn(
            "second",
            [shell("echo 1").usage(Usage::filling(30_000)), shell("echo 2"), Step::text("All done.")],
        )
        .compact_summary(SUMMARY);
    scene.lab.set_script(script);
    scene.lab.ask(&format!("the first words {}", "word ".repeat(2_000))).assert_success();
    let output = scene.lab.resume("the second words");
    output.assert_success();
    assert!(output.stdout.contains("All done."), "{}\n{}", output.stdout, output.stderr);
    assert_eq!(scene.lab.api().requests_of(Kind::Compact).len(), 2);
    for request in scene.asked() {
        assert!(request.hook_texts().is_empty(), "{:?}", request.hook_texts());
        assert!(!request.contains("NONSENSE"));
    }
}

fn scene() -> Option<Scene> {
    Some(Scene::with_timeouts(Some(TIMEOUT_MS))?.with(throughline_testkit::GeminiLab::with_low_threshold))
}

#[expect(clippy::disallowed_methods, reason = "a test breaks what it has set up")]
fn replace_binary(scene: &Scene, script: &str) {
    fs::remove_file(&scene.binary).unwrap();
    fs::write(&scene.binary, format!("#!/bin/bash\n{script}\n")).unwrap();
    fs::set_permissions(&scene.binary, fs::Permissions::from_mode(0o755)).unwrap();
}

/// With the program's path alone as its command, the client would take this for a refusal of every prompt.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test breaks what it has set up")]
fn a_binary_that_is_gone_is_survived() {
    let Some(scene) = scene() else { return };
    fs::remove_file(&scene.binary).unwrap();
    turns_go_on(&scene);
}

#[test]
fn a_binary_that_is_killed_is_survived() {
    let Some(scene) = scene() else { return };
    replace_binary(&scene, "cat > /dev/null; kill -9 $$");
    turns_go_on(&scene);
}

#[test]
fn a_binary_that_fails_is_survived() {
    let Some(scene) = scene() else { return };
    replace_binary(&scene, "exit 1");
    turns_go_on(&scene);
}

#[test]
fn a_binary_that_talks_nonsense_and_fails_is_survived() {
    let Some(scene) = scene() else { return };
    replace_binary(&scene, r#"echo '{"hookSpecificOutput": NONSENSE'; echo NONSENSE >&2; exit 3"#);
    turns_go_on(&scene);
}

/// It does not hear the client, and neither does what it began: both would keep the client waiting for ever.
#[test]
fn a_binary_that_hangs_is_stopped() {
    let Some(scene) = scene() else { return };
    replace_binary(&scene, "trap '' TERM; sleep 600 & while :; do sleep 1; done");
    turns_go_on(&scene);
}
