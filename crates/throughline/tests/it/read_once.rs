//! A gate reads each of its files once: what its steps need they share.

use std::path::Path;
use std::time::Duration;

use throughline_testkit::{payload, process};

use crate::scene::{BINARY, Scene};

/// How often files of this name are read by a hook.
fn reads(trace: &str, name: &str) -> usize {
    let is_read = |line: &&str| {
        line.contains(&format!("{name}\""))
            && !line.contains("= -1")
            && !line.contains("O_WRONLY")
            && !line.contains("O_CREAT")
    };
    trace.lines().filter(is_read).count()
}

/// Runs a hook and gives the files that it opened.
fn traced(scene: &Scene, payload: &serde_json::Value) -> String {
    let file = scene.home.root().join("opened");
    let mut command = scene.home.command(Path::new("strace"));
    command.args(["-f", "-qq", "-e", "trace=openat,openat2", "-o"]).arg(&file).args([BINARY, "hook"]);
    process::run(&mut command, payload.to_string().as_bytes(), Duration::from_secs(30)).assert_success();
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn a_compactions_hooks_read_each_file_once() {
    let scene = Scene::with_git();
    scene.ok(&["add", "decision", "use SQLite", "--rationale", "one file"]);
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let summary =
        "The importer works.\n\n## Hand-over\n- rule: never push to main\n- value: the port is 8080";
    // The second one finds everything that the first one left.
    for _ in 0..2 {
        let before = traced(&scene, &payload::pre_compact(&scene.home, "s1", "auto", None));
        let start = traced(&scene, &payload::session_start(&scene.home, "s1", "compact"));
        let after = traced(&scene, &payload::post_compact(&scene.home, "s1", "auto", summary));
        assert_eq!(reads(&before, "unified-session-state.json"), 1, "{before}");
        for (event, trace) in [("PreCompact", &before), ("SessionStart", &start), ("PostCompact", &after)] {
            for name in ["session.json", "compaction.json", "ledger.json"] {
                assert!(reads(trace, name) <= 1, "{event} reads {name} again:\n{trace}");
            }
        }
    }
}
