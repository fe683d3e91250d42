//! Hooks that really run, or do not; and why the last session was given nothing.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::time::{Duration, SystemTime};

use throughline_testkit::{Transcript, payload};

use crate::scene::{SESSION, Scene};

const MODEL: &str = "claude-opus-5-5";

fn hours_ago(hours: u64) -> SystemTime {
    SystemTime::now() - Duration::from_secs(hours * 3_600)
}

fn now_ms() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock after 1970").as_millis()
}

#[test]
fn hooks_that_never_run_are_noticed_by_the_transcripts() {
    let scene = Scene::at_work();
    Transcript::new(&scene.home, SESSION).user("hello");
    scene.doctor().says("hook runs", "skip", "none has run here yet", "");
    let settings = File::options().write(true).open(scene.local_settings()).expect("settings");
    settings.set_modified(hours_ago(5)).expect("an older file");
    let report = scene.doctor();
    report.passes().says(
        "hook runs",
        "warn",
        "none has ever run, although the client worked here",
        "claude --debug",
    );
}

#[test]
fn hooks_that_stopped_running_are_noticed_too() {
    let scene = Scene::at_work();
    scene.start_session("startup", MODEL);
    let mut transcript = Transcript::new(&scene.home, SESSION);
    transcript.user("hello");
    scene.doctor().is_fine("hook runs");
    let file = File::options().write(true).open(transcript.path()).expect("the transcript");
    file.set_modified(SystemTime::now() + Duration::from_hours(1)).expect("a newer file");
    scene.doctor().passes().says("hook runs", "warn", "although the client worked here", "new session");
}

#[test]
fn a_run_that_began_and_never_ended_is_named() {
    let scene = Scene::at_work();
    scene.start_session("startup", MODEL);
    let spool = scene.home.data().join("sessions").join(SESSION).join("spool.jsonl");
    let mut spool = OpenOptions::new().append(true).open(spool).expect("the spool");
    let at = now_ms() - 300_000;
    let record = format!(
        r#"{{"at":{at},"ev":"PreCompact","us":0,"out":"claim","said":0,"via":"s","claim":"c0ffee"}}"#
    );
    writeln!(spool, "{record}").expect("a record");
    let report = scene.doctor();
    report.passes().says(
        "hook runs",
        "warn",
        "1 began in the last 24 h and never finished: PreCompact 5 min ago",
        "killed",
    );
    report.says("hook runs", "ok", "PreCompact 5 min ago (not finished)", "");
}

#[test]
fn failures_of_the_last_day_are_shown_the_latest_three() {
    let scene = Scene::at_work();
    scene.doctor().passes();
    for _ in 0..5 {
        scene.home.run(std::path::Path::new(crate::scene::BINARY), &["hook"], "{").assert_success();
    }
    let report = scene.doctor();
    report.passes().says("failures", "warn", "5 failures in the last 24 h", "throughline.log");
    let what =
        report.value["checks"].as_array().expect("checks").iter().find(|check| check["name"] == "failures");
    let what = what.expect("failures")["what"].as_str().expect("words");
    assert_eq!(what.matches(" ago, hook").count(), 3, "{what}");
}

#[test]
fn failures_of_last_week_are_history() {
    let scene = Scene::at_work();
    let line = r#"{"at":"2020-01-01T00:00:00.000Z","during":"hook Stop","what":"long ago"}"#;
    fs::write(scene.home.data().join("throughline.log"), format!("{line}\n")).expect("a log");
    let report = scene.doctor();
    let names: Vec<_> =
        report.value["checks"].as_array().expect("checks").iter().map(|check| &check["name"]).collect();
    assert!(!names.iter().any(|name| **name == "failures"), "{:#}", report.value);
}

#[test]
fn why_nothing_was_restored_is_explained() {
    let scene = Scene::new();
    scene.ok(&["init"]);
    scene.doctor().says("last restore", "skip", "no session has started here yet", "");
    scene.start_session("startup", MODEL);
    scene.doctor().says("last restore", "ok", "nothing is recorded yet", "");
    scene.ok(&["add", "decision", "later than the start"]);
    scene.doctor().says("last restore", "ok", "recorded later", "");
    scene.start_session("resume", MODEL);
    scene.doctor().says("last restore", "ok", "has its history in the context", "");
    scene.ok(&["pause"]);
    scene.start_session("startup", MODEL);
    let report = scene.doctor();
    report.passes().says("last restore", "warn", "paused", "throughline unpause");
    report.says("paused", "warn", "switched off", "throughline unpause");
    scene.ok(&["unpause"]);
    scene.start_session("startup", MODEL);
    scene.doctor().says("last restore", "ok", "bytes were given back", "");
}

#[test]
fn what_waits_in_the_spools_is_folded_in() {
    let scene = Scene::at_work();
    scene.start_session("startup", MODEL);
    for prompt in ["one", "two", "three"] {
        scene.hook(&payload::user_prompt_submit(&scene.home, SESSION, prompt));
    }
    scene.doctor().says("archive", "ok", "hook runs waited and were folded in", "");
    scene.doctor().says("hook runs", "ok", "UserPromptSubmit", "").says("archive", "ok", "4 hook runs", "");
}
