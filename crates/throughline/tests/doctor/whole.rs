//! The whole answer: a healthy project, the form of the lines, and the environment.

use std::fs;
use std::path::Path;

use throughline_testkit::payload;

use crate::scene::{BINARY, SESSION, Scene};

#[test]
fn a_healthy_project_has_neither_warnings_nor_failures() {
    let scene = Scene::at_work();
    scene.start_session("startup", "claude-opus-5-5");
    scene.hook(&payload::stop(&scene.home, SESSION, "done"));
    let report = scene.doctor();
    report.passes();
    assert_eq!(report.value["warnings"], 0, "{:#}", report.value);
    report
        .says("hooks", "ok", "11 events registered", "")
        .says("hook runs", "ok", "SessionStart", "")
        .says("last restore", "ok", "bytes were given back", "")
        .says("compaction", "ok", "967000 tokens with claude-opus-5-5", "")
        .says("transcripts", "ok", "30 days", "")
        .says("state", "ok", "1 entry", "")
        .says("archive", "ok", "1 entry of this project (1 live)", "")
        .says("client", "ok", "2.1.325", "");
}

#[test]
fn every_trouble_has_a_remedy_and_the_last_line_counts() {
    let scene = Scene::new();
    let output = scene.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!output.stdout.contains('\u{1b}'), "no colours into a pipe");
    assert_eq!(output.stderr, "");
    let lines: Vec<&str> = output.stdout.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("✗ ") || line.starts_with("! ") {
            assert!(lines[at + 1].starts_with("    → "), "{line}");
        }
    }
    let count = |mark: &str| lines.iter().filter(|line| line.starts_with(mark)).count();
    let closing = format!("{} ok, 0 warnings, 1 failure", count("✓ "));
    assert_eq!(lines.last(), Some(&closing.as_str()), "{}", output.stdout);
}

#[test]
fn a_project_where_nothing_happened_yet_stays_untouched() {
    let scene = Scene::new();
    scene.doctor().says("archive", "ok", "nothing is archived yet", "").says(
        "state",
        "ok",
        "nothing is recorded",
        "",
    );
    assert!(!scene.archive().exists());
    assert!(!scene.home.project().join(".claude").exists());
}

#[test]
fn a_slip_in_the_configuration_is_named() {
    let scene = Scene::at_work();
    scene.home.configure("[briefing]\ntoken = 900\n");
    let output = scene.run(&["doctor"]);
    output.assert_success();
    assert_eq!(output.stdout.matches("there is no key `briefing.token`").count(), 1, "{}", output.stdout);
    assert_eq!(output.stderr, "", "the configuration is a check of its own");
}

#[test]
fn variables_that_mean_nothing_are_named() {
    let mut scene = Scene::at_work();
    scene.home.set_env("THROUGHLINE_BRIEFING_TOKENS", "many");
    scene.home.set_env("CLAUDE_PROJECT_DIR", "/nowhere/at/all");
    scene.home.set_env("XDG_DATA_HOME", "share");
    scene
        .doctor()
        .passes()
        .says("environment", "warn", "`many`, no number", "number of tokens")
        .says("environment", "warn", "/nowhere/at/all", "unset it")
        .says("environment", "warn", "XDG_DATA_HOME is `share`", "full path");
}

#[test]
fn without_a_home_the_data_folder_is_enough() {
    let mut scene = Scene::at_work();
    scene.home.remove_env("HOME");
    scene.home.remove_env("CLAUDE_CONFIG_DIR");
    scene.doctor().passes().says("environment", "warn", "HOME is not set", "set HOME");
    scene.home.remove_env("THROUGHLINE_HOME");
    let output = scene.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.contains("set THROUGHLINE_HOME"), "{}", output.stderr);
}

#[test]
fn names_from_outside_cannot_move_the_cursor() {
    let scene = Scene::new();
    let project = scene.home.root().join("odd\u{1b}[2Jname");
    fs::create_dir(&project).expect("a folder");
    let project = project.to_str().expect("UTF-8");
    let output = scene.home.run(Path::new(BINARY), &["doctor", "--project", project], "");
    assert!(!output.stdout.contains('\u{1b}'), "{:?}", output.stdout);
}
