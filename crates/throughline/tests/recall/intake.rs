//! Intake: only what is new, each line once, whoever is killed and however many look at once.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use throughline_testkit::{Transcript, payload};

use crate::scene::{BINARY, Scene};

fn passages(scene: &Scene) -> u64 {
    let done = scene.json(&["backfill", "--json"]);
    done["recall"]["passages_new"].as_u64().unwrap()
}

#[test]
fn only_what_is_new_is_read_and_a_command_may_be_answered_later() {
    let mut scene = Scene::new();
    scene.user("s1", "the first heron");
    assert_eq!(passages(&scene), 1);
    assert_eq!(passages(&scene), 0);
    let call = serde_json::json!({"type": "assistant", "message": {"id": "m1", "model": "m", "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cargo test heron"}}]}});
    scene.line("s1", &call);
    assert_eq!(passages(&scene), 0, "nobody knows yet how it ended");
    let answer = serde_json::json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "Exit code 1\nerror: heron is ill", "is_error": true}]}});
    scene.line("s1", &answer);
    assert_eq!(passages(&scene), 1);
    let found = scene.json(&["recall", "--json", "heron ill"]);
    assert_eq!(found["results"][0]["text"], "cargo test heron\n> error: heron is ill");
    assert_eq!(found["results"][0]["asked"]["text"], "the first heron");
}

/// The client writes queued words down before any line that names a folder.
#[test]
fn words_that_were_queued_belong_to_the_project_of_their_session() {
    let mut scene = Scene::new();
    let queued = |session: &str, text: &str| {
        let line = serde_json::json!({"type": "queue-operation", "operation": "enqueue", "sessionId": session,
            "timestamp": "2026-02-01T00:00:00.000Z", "content": text});
        format!("{line}\n")
    };
    scene.append("s1", &queued("s1", "count the ibises"));
    scene.user("s1", "count the ibises");
    scene.agent("s1", "Seven ibises.");
    let found = scene.json(&["recall", "--json", "count ibises", "--project", "app"]);
    assert_eq!(found["results"][0]["project"], "/home/me/app", "{found}");
    assert_eq!(found["results"][0]["concluded"]["text"], "Seven ibises.");
    scene.append("s1", &queued("s1", "and the flamingos"));
    let found = scene.json(&["recall", "--json", "flamingos"]);
    assert_eq!(
        found["results"][0]["project"], "/home/me/app",
        "what was read before says where it was: {found}"
    );
}

#[test]
fn a_query_takes_in_what_came_since() {
    let mut scene = Scene::told();
    scene.ok(&["backfill"]);
    scene.user("s9", "the newest ibis");
    assert_eq!(scene.texts("ibis"), ["the newest ibis"]);
}

#[test]
fn forks_and_resumed_sessions_repeat_nothing() {
    let mut scene = Scene::told();
    let lines = fs::read_to_string(scene.file("s1")).unwrap();
    scene.append("fork", &lines.replace("\"sessionId\":\"s1\"", "\"sessionId\":\"fork\""));
    scene.user("fork", "and now the ostrich");
    let new = passages(&scene);
    assert_eq!(
        scene.texts("umlauts drop rows").iter().filter(|text| text.starts_with("Why does")).count(),
        1
    );
    assert_eq!(scene.texts("ostrich").len(), 1);
    let alone = Scene::told();
    assert_eq!(new, passages(&alone) + 1);
}

#[test]
fn a_file_that_was_replaced_is_read_anew_and_nothing_stands_twice() {
    let mut scene = Scene::told();
    let before = passages(&scene);
    assert!(before > 5);
    let text = fs::read_to_string(scene.file("s1")).unwrap();
    let half: Vec<&str> = text.lines().take(3).collect();
    fs::write(scene.file("s1"), half.join("\n") + "\n").unwrap();
    scene.user("s1", "after the cut");
    assert_eq!(passages(&scene), 1);
}

#[test]
fn a_project_that_moved_keeps_its_sessions_apart_by_folder() {
    let mut scene = Scene::new();
    scene.line(
        "s1",
        &serde_json::json!({"type": "user", "cwd": "/home/me/app/deep/below",
        "message": {"role": "user", "content": "the deep stork"}}),
    );
    let found = scene.json(&["recall", "--json", "stork"]);
    assert_eq!(
        found["results"][0]["project"], "/home/me/app",
        "the folder after which the client named its own"
    );
}

const FILES: u64 = 12;
const LINES: u64 = 40;
const KILLS: u64 = 30;

fn many() -> Scene {
    let mut scene = Scene::new();
    for file in 0..FILES {
        for line in 0..LINES {
            scene.user(&format!("s{file}"), &format!("passage{file}x{line} about the common crane"));
        }
    }
    scene
}

fn backfill(scene: &Scene) -> Command {
    let mut command = scene.home.command(Path::new(BINARY));
    command.arg("backfill").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command
}

/// Every passage is there, once.
fn assert_whole(scene: &Scene) {
    scene.ok(&["backfill"]);
    let found = scene.json(&["recall", "--json", "crane", "--limit", "200"]);
    let mut ids: Vec<&Value> = found["results"].as_array().unwrap().iter().map(|it| &it["text"]).collect();
    ids.sort_by_key(|text| text.as_str());
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count, "none twice");
    for file in 0..FILES {
        let words = format!("passage{file}x{}", file * 3);
        assert_eq!(scene.texts(&words).len(), 1, "{words}");
    }
}

#[test]
fn a_killed_backfill_loses_nothing_and_doubles_nothing() {
    let scene = many();
    let began = Instant::now();
    backfill(&scene).status().unwrap();
    // As long as one takes here: a release is many times as fast as the tests' own build.
    let mut whole_us = u64::try_from(began.elapsed().as_micros()).unwrap();
    let mut killed = 0;
    for kill in 0..KILLS {
        if kill % 3 == 0 {
            for name in ["recall.db", "recall.db-wal", "recall.db-shm"] {
                let _ = fs::remove_file(scene.home.data().join(name));
            }
        }
        let mut child = backfill(&scene).spawn().unwrap();
        thread::sleep(Duration::from_micros(whole_us * (kill * 37 % 100) / 100));
        let lives = child.try_wait().unwrap().is_none();
        killed += u64::from(lives);
        if !lives && kill % 3 == 0 {
            // The machine was busier when it was timed: it is hurried from now on.
            whole_us = whole_us * 3 / 4;
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(killed > KILLS / 4, "only {killed} of {KILLS} met a living backfill");
    assert_whole(&scene);
    assert_eq!(total(&scene), FILES * LINES);
}

#[test]
fn several_at_once_take_everything_once() {
    let scene = many();
    let children: Vec<_> = (0..4).map(|_| backfill(&scene).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_whole(&scene);
    assert_eq!(total(&scene), FILES * LINES);
}

/// How many passages there are: around the first of each session stand all of it.
fn total(scene: &Scene) -> u64 {
    let mut ids = std::collections::BTreeSet::new();
    for file in 0..FILES {
        let words = format!("passage{file}x0");
        let first = &scene.json(&["recall", "--json", &words])["results"][0]["id"];
        let near = scene.json(&["recall", "show", first.as_str().unwrap(), "--around", "200", "--json"]);
        let passages = near["passages"].as_array().unwrap();
        ids.extend(passages.iter().map(|it| it["id"].as_str().unwrap().to_owned()));
    }
    ids.len() as u64
}

#[test]
fn a_session_s_end_indexes_the_last_of_it() {
    let scene = Scene::new();
    let mut transcript = Transcript::new(&scene.home, "s1");
    transcript.user("the last kingfisher");
    let end = payload::session_end(&scene.home, "s1", "other").to_string();
    let output = scene.home.run(Path::new(BINARY), &["hook"], end);
    assert_eq!((output.status.code(), output.stderr.as_str()), (Some(0), ""));
    assert!(scene.home.data().join("recall.db").exists());
    // What the client deletes at once is there all the same.
    fs::remove_file(transcript.path()).unwrap();
    assert_eq!(scene.texts("kingfisher"), ["the last kingfisher"]);
}

/// The client died in the middle of a line: there is nothing in it that anybody could read.
#[test]
fn a_last_line_that_nobody_finished_is_not_missed() {
    let mut scene = Scene::told();
    scene.append("s2", "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"half a");
    scene.ok(&["backfill"]);
    let found = scene.run(&["recall", "postgres"]);
    found.assert_success();
    assert_eq!(found.stderr, "");
    assert_eq!(scene.json(&["recall", "postgres", "--json"])["bytes_not_indexed"], 0);
    scene.user("s3", "Postgres again.");
    assert!(scene.texts("postgres").iter().any(|text| text == "Postgres again."));
}
