//! Masking: what was stored before today's rules is masked in passing, by the check, and when somebody asks for it.

use std::fs;

use throughline_testkit::payload;

use crate::scene::{SESSION, Scene};

/// Put together here: no scanner of this repository should find one.
fn secret() -> String {
    ["ghp_", "q7Zr4TnYw8LkVb2McXdP9sHfGj3uAe6RtK1o"].concat()
}

/// A log as an earlier version wrote it; nothing says that it was masked.
fn stored_before(scene: &Scene) -> std::path::PathBuf {
    let log = scene.home.data().join("throughline.log");
    fs::write(&log, format!("{{\"at\":1,\"during\":\"x\",\"what\":\"use {}\"}}\n", secret())).expect("a log");
    let _ = fs::remove_file(scene.home.data().join("masked.json"));
    log
}

#[test]
fn what_was_stored_before_the_rules_is_masked_and_said() {
    let scene = Scene::at_work();
    scene.start_session("startup", "claude-opus-5-5");
    let log = stored_before(&scene);
    scene.doctor().says("masking", "ok", "1 file or row held secrets", "");
    assert!(!fs::read_to_string(&log).unwrap().contains(&secret()));
    scene.doctor().says("masking", "ok", "was masked by rules v", "");
}

#[test]
fn a_turns_end_masks_it_in_passing() {
    let scene = Scene::at_work();
    scene.start_session("startup", "claude-opus-5-5");
    let log = stored_before(&scene);
    for _ in 0..50 {
        scene.hook(&payload::stop(&scene.home, SESSION, "done"));
        if scene.home.data().join("masked.json").exists()
            && !fs::read_to_string(&log).unwrap().contains(&secret())
        {
            break;
        }
    }
    assert!(!fs::read_to_string(&log).unwrap().contains(&secret()));
}

#[test]
fn what_cannot_be_masked_is_named_until_it_can() {
    let scene = Scene::at_work();
    scene.start_session("startup", "claude-opus-5-5");
    let log = stored_before(&scene);
    let recall = scene.home.data().join("recall.db");
    fs::write(&recall, "no database at all, but long enough to be looked at").unwrap();
    scene.doctor().says("masking", "warn", "stored before masking rules v", "throughline doctor --mask");
    let output = scene.run(&["doctor", "--mask"]);
    assert_eq!(output.status.code(), Some(1), "{}", output.stderr);
    assert!(
        output.stderr.contains("recall.db") && output.stderr.contains("stored before"),
        "{}",
        output.stderr
    );
    assert!(!fs::read_to_string(&log).unwrap().contains(&secret()), "the rest was masked all the same");
    fs::remove_file(&recall).unwrap();
    let output = scene.run(&["doctor", "--mask"]);
    assert!(output.stderr.contains("masked by rules v"), "{}", output.stderr);
    scene.doctor().says("masking", "ok", "was masked by rules v", "");
}
