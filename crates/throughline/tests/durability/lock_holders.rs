//! Holders of the project's lock that die or hang: the dead block nobody, the hanging are waited for, not for ever.

use std::fs::File;
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use throughline_domain::Trigger;
use throughline_testkit::payload;

use crate::scene::{SESSION, Scene, words_of};

/// Tries to stop a writer while it holds the lock; it holds it for a good part of its life.
const TRIES: u64 = 500;

#[test]
fn a_holder_that_was_killed_blocks_nobody() {
    let scene = Scene::new();
    let mut holder = Holder::stopped_in(&scene);
    holder.send(Signal::KILL);
    holder.child.wait().expect("a dead holder");
    let next = scene.verb(&["add", "decision", "the next"]);
    next.assert_success();
    assert!(next.took < Duration::from_secs(2), "{:?}", next.took);
    scene.check().expect("everything in order");
}

#[test]
fn a_holder_that_hangs_makes_a_verb_fail_and_a_hook_leave() {
    let scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, SESSION, "startup"));
    let mut holder = Holder::stopped_in(&scene);

    // A hook tries for a moment, leaves, and remembers what it owes.
    let hook = scene.hook(&payload::pre_compact(&scene.home, SESSION, "manual", Some("keep the parser")));
    assert!(hook.took < Duration::from_secs(2), "the hook took {:?}", hook.took);
    assert_eq!(session_progress(&scene)["save_waits"], "precompact");
    let usual = scene.hook(&payload::post_tool_batch(&scene.home, SESSION, &[]));
    assert!(usual.took < Duration::from_millis(500), "a usual hook needs no lock: {:?}", usual.took);
    let end = scene.hook(&payload::session_end(&scene.home, SESSION, "other"));
    assert!(end.took < Duration::from_millis(1_500), "the session's end took {:?}", end.took);

    // A person waits ten seconds and is told.
    let verb = scene.verb(&["add", "decision", "too late"]);
    assert_eq!(verb.status.code(), Some(1), "{}", verb.stderr);
    assert!(verb.took > Duration::from_secs(9) && verb.took < Duration::from_secs(15), "{:?}", verb.took);
    assert!(
        verb.stderr.contains("another process holds") && verb.stderr.contains("hint:"),
        "{}",
        verb.stderr
    );

    // It goes on, and nothing of its own is lost; the next gate makes up for the save.
    holder.send(Signal::CONT);
    assert!(holder.child.wait().expect("the holder").success());
    scene.hook(&payload::stop(&scene.home, SESSION, "done"));
    assert_eq!(session_progress(&scene)["save_waits"], Value::Null);
    let rows = scene.check().expect("everything in order");
    assert!(rows.iter().any(|row| words_of(row) == holder.text), "{rows:#?}");
    assert!(!rows.iter().any(|row| words_of(row) == "too late"), "a failed verb records nothing");
    let state = scene.state().expect("a valid state").expect("a state");
    assert_ne!(state.trigger, Trigger::Manual, "the save was made up for");
    assert!(state.git.branch.is_some(), "with the working tree as it is");
}

/// A writer that was stopped while it held the lock.
struct Holder {
    child: Child,
    text: String,
}

impl Holder {
    fn stopped_in(scene: &Scene) -> Self {
        scene.verb(&["add", "action", "makes the folders"]).assert_success();
        let lock =
            File::options().append(true).open(scene.data_of_project().join("lock")).expect("a lock file");
        for attempt in 0..TRIES {
            let text = format!("held {attempt}");
            let mut child = scene.command(&["add", "decision", &text]).spawn().expect("a writer");
            std::thread::sleep(Duration::from_micros(attempt * 137 % 12_000));
            let mut holder = Self { child, text };
            holder.send(Signal::STOP);
            std::thread::sleep(Duration::from_millis(5));
            if lock.try_lock().is_err() {
                return holder;
            }
            lock.unlock().expect("a lock that was taken");
            holder.send(Signal::CONT);
            child = holder.child;
            assert!(child.wait().expect("a writer").success());
        }
        panic!("no writer could be stopped while it held the lock");
    }

    fn send(&mut self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).expect("a process id");
        kill_process(pid, signal).expect("a signal that can be sent");
    }
}

fn session_progress(scene: &Scene) -> Value {
    let path = scene.home.data().join("sessions").join(SESSION).join("progress.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("a session's progress")).expect("JSON")
}
