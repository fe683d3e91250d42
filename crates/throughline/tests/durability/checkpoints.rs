//! A kill while a checkpoint is made: the old ones stand, and the new one is whole or not there.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::scene::{BINARY, Scene, has};

/// Before the checkpoint's own files are touched, a kill at every so many calls is enough.
const STRIDE: usize = 12;
/// So many calls before the first one that touches them are met one by one too.
const BEFORE: usize = 40;

#[test]
fn a_checkpoint_is_whole_or_not_there_wherever_its_writer_is_killed() {
    if !has("strace") {
        return;
    }
    let scene = Scene::with_git();
    scene.home.write(".claude/throughline.toml", "[checkpoints]\nmax = 5000\n");
    scene.home.write("a.txt", "the first");
    scene.verb(&["checkpoint", "create"]).assert_success();
    let first = ids(&scene);
    let mut killed = 0;
    for (number, (name, nth)) in calls_of_a_run(&scene).into_iter().enumerate() {
        let call = format!("{name} no. {nth}");
        scene.home.write("a.txt", &format!("version {number}"));
        let before = ids(&scene);
        // The count is one of each system call by its name.
        let inject = format!("inject={name}:signal=KILL:when={nth}");
        let ended = run_traced(&scene, &["-qq", "-o", "/dev/null", "-e", "trace=all", "-e", &inject]);
        killed += usize::from(!ended);
        let after = ids(&scene);
        assert!(before.iter().all(|id| after.contains(id)), "killed at {call}: an old one is gone");
        assert!(after.contains(&first[0]));
        assert!(!ended || after.len() == before.len() + 1, "killed at {call}: acknowledged and not there");
        for id in &after {
            let path = scene.home.project().join(format!(".claude/checkpoints/{id}.json"));
            let read: Value = serde_json::from_slice(&fs::read(&path).unwrap_or_default())
                .unwrap_or_else(|error| panic!("killed at {call}: {id} is torn: {error}"));
            let tree = read["git"]["tree"].as_str().expect("its files were kept");
            let kept = scene.home.git(&["rev-parse", &format!("refs/throughline/checkpoints/{id}")]);
            assert_eq!(kept.trim(), tree, "killed at {call}: git may collect what {id} promises");
        }
    }
    println!("{killed} kills");
    assert!(killed > 80, "{killed}");
    // The next one finds its way through what the killed ones left.
    scene.home.write("a.txt", "the last");
    scene.verb(&["checkpoint", "create"]).assert_success();
    scene.verb(&["checkpoint", "prune"]).assert_success();
    let names = scene.home.git(&["for-each-ref", "--format=%(refname:lstrip=3)", "refs/throughline"]);
    let mut names: Vec<&str> = names.lines().collect();
    names.sort_unstable();
    assert_eq!(names, ids(&scene), "one reference for each");
    assert!(!scene.data_of_project().join("checkpoint-scratch").exists());
    scene.age_temps();
    scene.verb(&["checkpoint", "prune"]).assert_success();
    assert_eq!(scene.temps(), Vec::<std::path::PathBuf>::new());
}

fn ids(scene: &Scene) -> Vec<String> {
    let folder = scene.home.project().join(".claude/checkpoints");
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut ids: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect();
    ids.retain(|id| !id.starts_with('.'));
    ids.sort_unstable();
    ids
}

/// Calls of the main thread at which it is killed, each by its name and how often it was made up to then.
fn calls_of_a_run(scene: &Scene) -> Vec<(String, usize)> {
    let log = scene.home.root().join("trace");
    scene.home.write("a.txt", "counted");
    assert!(run_traced(scene, &["-qq", "-s", "200", "-o", &log.to_string_lossy()]));
    let text = fs::read_to_string(&log).expect("the trace");
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut calls: Vec<(String, usize)> = Vec::new();
    let mut touched = None;
    for line in text.lines() {
        let Some((name, rest)) = line.split_once('(').filter(|(name, _)| name.bytes().all(is_of_a_name))
        else {
            continue;
        };
        let count = counts.entry(name).or_default();
        *count += 1;
        // How often a thread waits differs from run to run.
        if !matches!(name, "futex" | "clock_gettime" | "clock_nanosleep" | "wait4" | "waitid" | "exit_group")
        {
            calls.push((name.to_owned(), *count));
            if rest.contains(".claude/checkpoints/.2") {
                touched.get_or_insert(calls.len());
            }
        }
    }
    let from = touched.expect("a temp file").saturating_sub(BEFORE);
    let is_met = |at: &usize| *at >= from || at.is_multiple_of(STRIDE);
    (0..calls.len()).filter(is_met).map(|at| calls[at].clone()).collect()
}

fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Traces the main thread alone: the git programs that it starts end by themselves.
fn run_traced(scene: &Scene, args: &[&str]) -> bool {
    let mut command: Command = scene.home.command("strace".as_ref());
    command.args(args).args([BINARY, "checkpoint", "create"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("strace").success()
}
