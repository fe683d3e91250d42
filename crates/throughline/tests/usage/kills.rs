//! Kills: a backfill that dies at any instant, and several at once, lose no response and count none twice.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::history::{History, Said};

const BINARY: &str = env!("CARGO_BIN_EXE_throughline");
const FILES: u64 = 30;
const RESPONSES: u64 = 60;
const KILLS: u64 = 40;

fn long_history() -> History {
    let mut history = History::new();
    for file in 0..FILES {
        for number in 0..RESPONSES {
            let at = format!("2026-02-{:02}T10:{number:02}:00.000Z", 1 + file % 27);
            history.said(
                &format!("s{file}.jsonl"),
                &Said::new(file * RESPONSES + number, &format!("s{file}"), &at),
            );
        }
    }
    history
}

fn backfill(history: &History) -> Command {
    let mut command = history.home.command(Path::new(BINARY));
    command.arg("backfill").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command
}

#[test]
fn a_killed_backfill_loses_nothing_and_doubles_nothing() {
    let history = long_history();
    let mut killed = 0;
    for kill in 0..KILLS {
        // Every few kills everything is to be read again, so that they do not all meet a finished store.
        if kill % 8 == 0 {
            for name in ["throughline.db", "throughline.db-wal", "throughline.db-shm"] {
                let _ = std::fs::remove_file(history.home.data().join(name));
            }
        }
        let mut child = backfill(&history).spawn().unwrap();
        thread::sleep(Duration::from_micros(500 + kill * 997 % 30_000));
        if child.try_wait().unwrap().is_none() {
            killed += 1;
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(killed > KILLS / 4, "only {killed} of {KILLS} met a living backfill");
    assert_eq!(history.counted(), history.truth());
}

#[test]
fn four_backfills_at_once_count_everything_once() {
    let history = long_history();
    let children: Vec<_> = (0..4).map(|_| backfill(&history).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(history.counted(), history.truth());
}
