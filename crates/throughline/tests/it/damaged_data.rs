//! A data folder in which anything may be garbage, a folder or gone: hooks go on, verbs work or say why, nothing is lost.

use std::fs;
use std::path::Path;

use throughline_testkit::payload;

use crate::scene::{Scene, files_under};

/// A project with a past: entries, a session that ended, one that is at work, a compaction.
fn with_a_past() -> Scene {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite"]);
    scene.ok(&["add", "action", "ship"]);
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    scene.hook(&payload::pre_compact(&scene.home, "s1", "auto", None));
    scene.hook(&payload::post_compact(&scene.home, "s1", "auto", "the summary"));
    scene.hook(&payload::session_end(&scene.home, "s1", "other"));
    scene.hook(&payload::session_start(&scene.home, "s2", "startup"));
    scene
}

fn hooks_go_on(scene: &Scene, what: &str) {
    for payload in [
        payload::session_start(&scene.home, "s2", "compact"),
        payload::post_tool_batch(&scene.home, "s2", &[]),
        payload::pre_compact(&scene.home, "s2", "auto", Some("names")),
        payload::subagent_stop(&scene.home, "s2", "", "summary"),
        payload::post_compact(&scene.home, "s2", "auto", "summary"),
        payload::session_end(&scene.home, "s2", "other"),
        payload::session_start(&scene.home, "s3", "startup"),
    ] {
        let output = scene.hook_run(payload.to_string());
        assert!(output.took.as_secs() < 5, "{what}: {:?}", output.took);
        if payload["source"] == "compact" {
            assert!(output.stdout.contains("use SQLite"), "{what}: {}", output.stdout);
        }
    }
}

/// Damages each file of the data folder in turn.
fn damage_each(damage: impl Fn(&Path)) {
    let count = files_under(&with_a_past().home.data()).len();
    assert!(count >= 8, "{count}");
    for at in 0..count {
        let scene = with_a_past();
        let files = files_under(&scene.home.data());
        let Some(file) = files.get(at) else { continue };
        let what = file.strip_prefix(scene.home.root()).unwrap().display().to_string();
        damage(file);
        hooks_go_on(&scene, &what);
        let output = scene.run(&["list"]);
        assert!(
            output.stdout.contains("D1 use SQLite") && output.stdout.contains("P1 ship"),
            "{what}: {} {}",
            output.stdout,
            output.stderr
        );
        let output = scene.run(&["add", "decision", "after the damage"]);
        match output.status.code() {
            Some(0) => assert!(output.stdout.starts_with("D2 recorded"), "{what}: {}", output.stdout),
            _ => assert!(
                output.stderr.contains("error:") && output.stderr.contains("hint:"),
                "{what}: {}",
                output.stderr
            ),
        }
        assert_eq!(scene.state()["decisions"][0]["decision"], "use SQLite", "{what}");
        assert_eq!(scene.ok(&["trust", "--list"]), "", "{what}: what is ours stays ours");
    }
}

#[test]
fn any_file_may_be_garbage() {
    damage_each(|file| fs::write(file, b"\x00garbage\xff{\n\n[").unwrap());
}

#[test]
fn any_file_may_be_empty() {
    damage_each(|file| fs::write(file, b"").unwrap());
}

#[test]
fn any_file_may_be_gone() {
    damage_each(|file| fs::remove_file(file).unwrap());
}

#[test]
fn any_file_may_be_a_folder() {
    damage_each(|file| {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
    });
}

#[test]
fn the_whole_data_folder_may_be_gone() {
    let scene = with_a_past();
    fs::remove_dir_all(scene.home.data()).unwrap();
    let text = scene.hook(&payload::session_start(&scene.home, "s9", "compact"));
    assert!(text.contains("use SQLite"), "quoted, for nobody here remembers having written it: {text}");
    scene.ok(&["trust", "--yes"]);
    assert!(scene.ok(&["list"]).contains("use SQLite"));
    assert_eq!(scene.ok(&["add", "decision", "next"]), "D2 recorded\n");
    assert!(scene.ok(&["list", "--all"]).contains("use SQLite"));
}

#[test]
fn a_database_that_was_set_aside_before_the_rules_is_named_as_unmasked() {
    let scene = with_a_past();
    let kept = scene.home.data().join("recall.db.corrupt-1");
    fs::write(&kept, b"SQLite format 3\0\xff").unwrap();
    // As an earlier version leaves it.
    let _ = fs::remove_file(scene.home.data().join("masked.json"));
    let unmasked = "kept unmasked, since damaged databases cannot be masked: ";
    for args in [&["doctor"][..], &["doctor"], &["doctor", "--mask"], &["doctor", "--mask"]] {
        let output = scene.run(args);
        let said = output.stdout + &output.stderr;
        assert!(said.contains(unmasked) && said.contains("recall.db.corrupt-1"), "{args:?}: {said}");
        assert!(said.contains("then delete it"), "{args:?}: {said}");
    }
    fs::remove_file(&kept).unwrap();
    assert!(!scene.run(&["doctor"]).stdout.contains(unmasked));
}
