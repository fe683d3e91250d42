//! The client and git: old, missing, slow, hanging.

use std::time::Duration;

use crate::scene::Scene;

#[test]
fn an_old_client_does_not_understand_the_new_form() {
    let scene = Scene::at_work();
    scene.program("claude", "echo '2.0.64 (Claude Code)'");
    let report = scene.doctor();
    report.fails().says(
        "hooks",
        "fail",
        "a form that Claude Code 2.0.64 does not understand",
        "throughline init",
    );
    report.says("client", "warn", "2.0.64 is old: it has no PostToolBatch", "claude update");
    scene.ok(&["init"]);
    scene.doctor().passes().is_fine("hooks").says("client", "warn", "2.0.64 is old", "");
}

#[test]
fn a_client_that_hangs_stops_neither_doctor_nor_init() {
    let scene = Scene::new();
    scene.program("claude", "sleep 600 & wait");
    let output = scene.run(&["init"]);
    output.assert_success();
    assert!(output.took < Duration::from_secs(20), "{:?}", output.took);
    let report = scene.doctor();
    report.passes().says("client", "warn", "did not answer within 3 s", "by hand");
    assert!(report.took < Duration::from_secs(20), "{:?}", report.took);
}

#[test]
fn a_client_that_is_missing_or_odd_is_a_warning() {
    let mut scene = Scene::at_work();
    scene.program("claude", "echo welcome");
    scene.doctor().passes().says("client", "warn", "says `welcome`, which is no version", "by hand");
    scene.program("claude", "exit 3");
    scene.doctor().passes().says("client", "warn", "ended with exit status: 3", "by hand");
    std::fs::remove_file(scene.home.root().join("bin/claude")).expect("a script");
    scene.narrow_path(&["git", "sh"]);
    scene.doctor().passes().says("client", "warn", "not on the path", "install Claude Code");
    let elsewhere = scene.program("claude-elsewhere", "echo '2.1.200 (Claude Code)'");
    scene.home.set_env("CLAUDE_CODE_EXECPATH", elsewhere);
    scene.doctor().passes().says("client", "ok", "2.1.200", "");
}

#[test]
fn a_git_that_is_missing_is_a_warning() {
    let mut scene = Scene::at_work();
    scene.narrow_path(&["sh"]);
    scene.doctor().passes().says("git", "warn", "not found on the path", "install git");
}

#[test]
fn a_git_that_hangs_is_a_warning_in_time() {
    let scene = Scene::at_work();
    scene.program("git", "sleep 600 & wait");
    let report = scene.doctor();
    report.passes().says("git", "warn", "did not answer within 2 s", "by hand");
    assert!(report.took < Duration::from_secs(25), "{:?}", report.took);
}

#[test]
fn a_git_that_is_slow_or_broken_is_a_warning() {
    let scene = Scene::at_work();
    let git = crate::scene::on_path("git").expect("git");
    let slow = format!("case \"$*\" in *status*) sleep 1.3;; esac\nexec {} \"$@\"", git.display());
    scene.program("git", &slow);
    scene.doctor().passes().says("git", "warn", "and a save waits for it", "a sparse checkout");
    scene.program(
        "git",
        "case \"$*\" in *version*) echo git version 2.0.0;; *) echo fatal: bad index >&2; exit 128;; esac",
    );
    scene.doctor().passes().says("git", "warn", "bad index", "`git status` by hand");
    scene.program("git", "exit 1");
    scene.doctor().passes().says("git", "warn", "`git version` fails", "by hand");
}

#[test]
fn a_project_without_a_repository_is_fine() {
    let scene = Scene::at_work();
    std::fs::remove_dir_all(scene.home.project().join(".git")).expect("a repository");
    scene.doctor().says("git", "ok", "no repository", "");
}

#[test]
fn a_model_that_never_compacts_by_itself_is_named_with_the_remedy() {
    let scene = Scene::at_work();
    scene.start_session("startup", "claude-sonnet-4-5");
    let report = scene.doctor();
    report.passes().says(
        "compaction",
        "warn",
        "will never come by itself with claude-sonnet-4-5",
        "autoCompactWindow",
    );
    scene.user_settings(r#"{"autoCompactWindow": 150000}"#);
    scene.doctor().says(
        "compaction",
        "ok",
        "automatic at 117000 tokens with claude-sonnet-4-5, as the settings say",
        "",
    );
    std::fs::write(scene.home.claude_config().join(".claude.json"), r#"{"autoCompactEnabled": false}"#)
        .expect("the client's state");
    scene.doctor().passes().says("compaction", "warn", "\"autoCompactEnabled\" is false", "/compact by hand");
}

#[test]
fn a_model_that_nobody_knows_is_assumed_aloud() {
    let scene = Scene::at_work();
    scene.start_session("startup", "somebody-elses-model");
    scene.doctor().says("compaction", "ok", "a window of 200000 tokens is assumed", "");
}

#[test]
fn transcripts_that_are_deleted_early_are_a_warning() {
    let scene = Scene::at_work();
    for (days, words) in [(0, "keeps none"), (3, "after 3 days")] {
        scene.user_settings(&format!(r#"{{"cleanupPeriodDays": {days}}}"#));
        scene.doctor().passes().says("transcripts", "warn", words, "cleanupPeriodDays");
    }
    scene.user_settings(r#"{"cleanupPeriodDays": 90}"#);
    scene.doctor().says("transcripts", "ok", "90 days", "");
}
