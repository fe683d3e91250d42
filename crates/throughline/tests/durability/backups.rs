//! A kill while a transcript is copied: what was copied before stands, and the new part is whole or not there.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use throughline_testkit::{Transcript, Usage, payload};

use crate::scene::{BINARY, SESSION, Scene, has};

/// So many calls before the first one that touches a backup are met too.
const BEFORE: usize = 10;

#[test]
fn a_backup_is_the_old_one_or_the_new_wherever_its_writer_is_killed() {
    if !has("strace") {
        return;
    }
    let scene = scene();
    let mut transcript = Transcript::new(&scene.home, SESSION);
    let mut tokens = 1_000;
    // Every turn passes a step.
    let mut turn = |transcript: &mut Transcript, words: &str| {
        tokens += 10;
        transcript.user(words).assistant("done", Usage::filling(tokens));
    };
    turn(&mut transcript, "the first");
    scene.hook(&batch(&scene));
    assert_eq!(restored(&scene), fs::read(transcript.path()).expect("a transcript"));
    turn(&mut transcript, "counted");
    let calls = calls_of_a_run(&scene);
    let mut killed = 0;
    for (number, (name, nth)) in calls.into_iter().enumerate() {
        let call = format!("{name} no. {nth}");
        let before = restored(&scene);
        turn(&mut transcript, &format!("turn {number}"));
        let inject = format!("inject={name}:signal=KILL:when={nth}");
        let ended = run_traced(&scene, &["-qq", "-o", "/dev/null", "-e", "trace=all", "-e", &inject]);
        killed += usize::from(!ended);
        let (after, whole) = (restored(&scene), fs::read(transcript.path()).expect("a transcript"));
        assert!(
            after == before || after == whole,
            "killed at {call}: {} of {} bytes",
            after.len(),
            whole.len()
        );
        assert!(!ended || after == whole, "killed at {call}: it ended well without a copy");
    }
    println!("{killed} kills");
    assert!(killed > 20, "{killed}");
    // The next one cuts off what the killed ones left: other programs read the file, too.
    turn(&mut transcript, "the last");
    scene.hook(&batch(&scene));
    let whole = fs::read(transcript.path()).expect("a transcript");
    assert_eq!(restored(&scene), whole);
    let unpacked = Command::new("zcat").arg(data_file(&scene)).output().expect("zcat");
    assert!(unpacked.status.success() && unpacked.stdout == whole, "zcat gives the transcript back");
    assert!(!data_file(&scene).with_file_name(format!("{SESSION}.2.jsonl.gz")).exists(), "one generation");
}

#[test]
fn a_part_is_flushed_before_the_index_names_it() {
    if !has("strace") {
        return;
    }
    let scene = scene();
    Transcript::new(&scene.home, SESSION).user("go").assistant("done", Usage::filling(2_000));
    let log = scene.home.root().join("trace");
    assert!(run_traced(&scene, &["-qq", "-y", "-s", "300", "-o", &log.to_string_lossy()]));
    let text = fs::read_to_string(&log).expect("the trace");
    let position = |what: &str, is_it: &dyn Fn(&str) -> bool| {
        text.lines().position(is_it).unwrap_or_else(|| panic!("{what}: {text}"))
    };
    let written = position("written", &|line| line.starts_with("pwrite64(") && line.contains(".jsonl.gz>"));
    let flushed = position("flushed", &|line| line.starts_with("fsync(") && line.contains(".jsonl.gz>"));
    let index = position("index flushed", &|line| {
        line.starts_with("fsync(") && line.contains("/.0a1b2c3d-durability.json.")
    });
    let renamed = position("renamed", &|line| {
        line.starts_with("rename") && line.contains("\"0a1b2c3d-durability.json\"")
    });
    let folder = text
        .lines()
        .skip(renamed)
        .position(|line| line.starts_with("fsync(") && line.contains("/backups/project-"));
    assert!([written, flushed, index, renamed].is_sorted(), "{text}");
    assert!(folder.is_some(), "the names are flushed, too: {text}");
}

fn scene() -> Scene {
    let scene = Scene::with_git();
    let folder = scene.home.config().join("throughline");
    fs::create_dir_all(&folder).expect("a folder");
    let config =
        "[backup]\ntranscripts = true\nfrom_tokens = 1\nevery_tokens = 1\n[checkpoints]\nautomatic = false\n";
    fs::write(folder.join("throughline.toml"), config).expect("a configuration");
    scene.hook(&payload::session_start(&scene.home, SESSION, "startup"));
    scene
}

fn batch(scene: &Scene) -> Value {
    let calls = [("Bash", json!({"command": "ls"}), json!({"stdout": "x"}))];
    payload::post_tool_batch(&scene.home, SESSION, &calls)
}

fn data_file(scene: &Scene) -> PathBuf {
    let folders = fs::read_dir(scene.home.data().join("backups")).expect("backups").flatten();
    let folder =
        folders.map(|it| it.path()).find(|path| !path.ends_with("locks")).expect("the project's folder");
    folder.join(format!("{SESSION}.jsonl.gz"))
}

#[track_caller]
fn restored(scene: &Scene) -> Vec<u8> {
    let output = scene.verb(&["backups", "restore", SESSION, "--to", "-"]);
    output.assert_success();
    output.stdout.clone().into_bytes()
}

/// Calls of the main thread at which it is killed, each by its name and how often it was made up to then.
fn calls_of_a_run(scene: &Scene) -> Vec<(String, usize)> {
    let log = scene.home.root().join("trace");
    assert!(run_traced(scene, &["-qq", "-s", "300", "-o", &log.to_string_lossy()]));
    let text = fs::read_to_string(&log).expect("the trace");
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut calls: Vec<(String, usize)> = Vec::new();
    let mut touched = None;
    for line in text.lines() {
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let Some((name, rest)) = line.split_once('(').filter(|(name, _)| name.bytes().all(is_name)) else {
            continue;
        };
        let count = counts.entry(name).or_default();
        *count += 1;
        // How often a thread waits differs from run to run.
        if !matches!(name, "futex" | "clock_gettime" | "clock_nanosleep" | "exit_group") {
            calls.push((name.to_owned(), *count));
            if rest.contains("backups/") {
                touched.get_or_insert(calls.len());
            }
        }
    }
    let from = touched.expect("a backup").saturating_sub(BEFORE);
    calls.split_off(from)
}

/// Runs the hook under a tracer that follows the main thread alone.
fn run_traced(scene: &Scene, args: &[&str]) -> bool {
    let path = scene.home.root().join("payload.json");
    fs::write(&path, batch(scene).to_string()).expect("a payload");
    let mut command: Command = scene.home.command("strace".as_ref());
    command.args(args).args([BINARY, "hook"]);
    command.stdin(fs::File::open(&path).expect("a payload")).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("strace").success()
}
