//! A broken program behind OpenCode's plugin: the turn goes on, the compaction succeeds, and nobody waits long.

use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

use throughline_testkit::{Kind, OpenCodeLab, Script, Step};

use crate::opencode_scene::{SUMMARY, Scene, full, holds_ours, shell};

/// Longer than the plugin waits in all, with room for a busy machine: a client that waited for a program without end would
/// still be there.
const HANGS: &str = "sleep 120";

/// Puts a script in the program's place.
fn broken(scene: &Scene, script: &str) {
    fs::remove_file(&scene.binary).unwrap();
    fs::write(&scene.binary, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&scene.binary, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A session with a tool and a compaction; what the client was told by its plugin is nothing.
#[track_caller]
fn goes_on(scene: &Scene) -> Duration {
    scene.plays(Script::new().turn("PROMPT:one", [shell("echo one"), full("Much."), Step::text("Went on.")]));
    let output = scene.lab.run("PROMPT:one go");
    assert!(output.assert_success().stdout.contains("Went on."), "{output:?}");
    let mock = scene.lab.mock();
    assert_eq!(mock.requests_of(Kind::Compact).len(), 1);
    assert!(mock.main_after_compaction(1).unwrap().contains(SUMMARY));
    assert!(!mock.requests().iter().any(holds_ours));
    output.took
}

#[test]
fn a_program_that_is_missing_costs_nothing() {
    let Some(scene) = Scene::installed() else { return };
    fs::remove_file(&scene.binary).unwrap();
    goes_on(&scene);
}

#[test]
fn a_program_that_fails_or_talks_nonsense_is_not_listened_to() {
    for script in [
        "exit 1",
        "echo '{\"text\":\"[throughline:briefing] half\"}'; exit 1",
        "echo 'all is well'",
        "head -c 3000000 /dev/urandom",
        "echo '{\"text\":{\"a\":1},\"toast\":7}'",
        "kill -9 $$",
        "exec 0<&-; exec 1>&-",
    ] {
        let Some(scene) = Scene::installed() else { return };
        broken(&scene, script);
        goes_on(&scene);
    }
}

#[test]
fn a_program_that_hangs_is_ended_and_left_alone_for_a_while() {
    let Some(scene) = Scene::installed() else { return };
    broken(&scene, HANGS);
    let took = goes_on(&scene);
    assert!(took < Duration::from_mins(1), "{took:?}");
}

#[test]
fn a_program_whose_children_keep_its_output_open_is_not_waited_for() {
    let Some(scene) = Scene::installed() else { return };
    broken(&scene, &format!("{HANGS} & {HANGS}"));
    let took = goes_on(&scene);
    assert!(took < Duration::from_mins(1), "{took:?}");
}

#[test]
fn installed_twice_it_works_once() {
    let Some(scene) = Scene::installed() else { return };
    let text = scene.lab.home().read(".opencode/plugin/throughline.js");
    let scene = scene.with(|lab: OpenCodeLab| {
        let folder = lab.config_folder().join("plugin");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("throughline.js"), &text).unwrap();
        lab
    });
    scene.run(&["add", "decision", "The parser must not allocate", "--rationale", "interrupts"]);
    scene.plays(Script::new().turn("PROMPT:one", [Step::text("Done.")]));
    scene.lab.run("PROMPT:one go").assert_success();
    let texts = scene.asked()[0].texts();
    assert_eq!(texts.iter().filter(|text| text.contains("The parser must not allocate")).count(), 1);
}

#[test]
fn a_compaction_that_fails_is_told_of_by_nobody() {
    let Some(scene) = Scene::installed() else { return };
    let script = Script::new()
        .turn("PROMPT:one", [full("Much."), Step::text("Went on.")])
        .turn("PROMPT:two", [Step::text("Two.")])
        .compact_step(Step::failure(400, "invalid_request_error", "the summary is refused"));
    scene.lab.set_script(script);
    scene.lab.run("PROMPT:one go");
    assert_eq!(scene.lab.mock().requests_of(Kind::Compact).len(), 1);
    let events: Vec<String> = scene.receipts().into_iter().map(|receipt| receipt.event).collect();
    assert!(events.iter().any(|event| event == "PreCompact"), "{events:?}");
    assert!(!events.iter().any(|event| event == "PostCompact"), "{events:?}");
    assert_eq!(scene.logged(), "");
}
