//! The order of system calls: a kill does not test a power cut, so the flushes are shown by a trace.

use std::fs;

use crate::scene::{BINARY, Scene, has};

/// One system call of the trace, reduced to what the order is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Call {
    Write(String),
    Flush(String),
    Rename { from: String, to: String },
    Exit(i32),
}

#[test]
fn an_acknowledged_entry_was_flushed_step_by_step_before_the_exit() {
    if !has("strace") {
        return;
    }
    let scene = Scene::new();
    // The first writer makes the folders and files, the second finds them.
    for text in ["the first", "the second"] {
        let calls = trace(&scene, &["add", "decision", text]);
        let state = "unified-session-state.json";
        let outbox = position(&calls, "the outbox is written", |call| writes(call, "outbox.jsonl"));
        let outbox_flushed = position(&calls, "the outbox is flushed", |call| flushes(call, "outbox.jsonl"));
        let temp = position(&calls, "a temp file is written", |call| writes(call, &format!("/.{state}.")));
        let temp_flushed =
            position(&calls, "the temp file is flushed", |call| flushes(call, &format!("/.{state}.")));
        let renamed = position(
            &calls,
            "it takes the state file's place",
            |call| matches!(call, Call::Rename { from, to } if from.contains(&format!(".{state}.")) && to.ends_with(state)),
        );
        let folder_flushed = position(
            &calls,
            "the folder is flushed",
            |call| matches!(call, Call::Flush(path) if path.ends_with("/.claude")),
        );
        let exit = position(&calls, "it ends with 0", |call| *call == Call::Exit(0));
        let order = [outbox, outbox_flushed, temp, temp_flushed, renamed, folder_flushed, exit];
        assert!(order.is_sorted(), "`{text}`: {order:?}\n{calls:#?}");
    }
}

#[test]
fn new_folders_and_a_new_outbox_are_flushed_into_the_folders_above_them() {
    if !has("strace") {
        return;
    }
    let scene = Scene::new();
    let calls = trace(&scene, &["add", "decision", "the first"]);
    let exit = position(&calls, "it ends with 0", |call| *call == Call::Exit(0));
    let data = scene.data_of_project();
    for folder in
        [scene.home.project(), data.clone(), data.parent().expect("projects").to_owned(), scene.home.data()]
    {
        let name = folder.to_string_lossy().into_owned();
        let flushed =
            position(&calls, &format!("{name} is flushed"), |call| *call == Call::Flush(name.clone()));
        assert!(flushed < exit);
    }
}

fn trace(scene: &Scene, args: &[&str]) -> Vec<Call> {
    let log = scene.home.root().join("trace");
    let log_name = log.to_string_lossy().into_owned();
    let calls = "trace=write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,exit_group";
    let mut whole = vec!["-f", "-y", "-s", "0", "-e", calls, "-o", &log_name, BINARY];
    whole.extend(args);
    scene.run_through("strace", &whole).assert_success();
    let text = fs::read_to_string(&log).expect("the trace");
    text.lines().filter_map(call_in).collect()
}

/// `812 fdatasync(3</data/outbox.jsonl>) = 0` → a flush of the outbox. Failed calls do not count.
fn call_in(line: &str) -> Option<Call> {
    let call = line.split_once(' ').map(|(_, call)| call.trim_start())?;
    let (name, rest) = call.split_once('(')?;
    if name == "exit_group" {
        return Some(Call::Exit(rest.split_once(')')?.0.parse().ok()?));
    }
    if rest.contains(") = -1 ") {
        return None;
    }
    let path_of_descriptor = || Some(rest.split_once('<')?.1.split_once('>')?.0.to_owned());
    let quoted: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
    match name {
        "write" | "pwrite64" | "writev" => Some(Call::Write(path_of_descriptor()?)),
        "fsync" | "fdatasync" => Some(Call::Flush(path_of_descriptor()?)),
        "rename" | "renameat" | "renameat2" => {
            Some(Call::Rename { from: (*quoted.first()?).to_owned(), to: (*quoted.get(1)?).to_owned() })
        }
        _ => None,
    }
}

fn writes(call: &Call, part: &str) -> bool {
    matches!(call, Call::Write(path) if path.contains(part))
}

fn flushes(call: &Call, part: &str) -> bool {
    matches!(call, Call::Flush(path) if path.contains(part))
}

#[track_caller]
fn position(calls: &[Call], what: &str, is_it: impl Fn(&Call) -> bool) -> usize {
    calls.iter().position(is_it).unwrap_or_else(|| panic!("{what}: not in the trace\n{calls:#?}"))
}
