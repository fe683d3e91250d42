//! Killed at one system call after the other: which calls a verb makes, and a run that ends at one of them.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::process::{Command, Stdio};

use crate::scene::{BINARY, Scene};

/// Before the files that matter are touched, a kill at every so many calls is enough.
const STRIDE: usize = 12;
/// So many calls before the first one that touches them are met one by one too.
const BEFORE: usize = 40;

/// A system call, by its name and how often it was made up to then.
pub(crate) struct Call {
    name: String,
    nth: usize,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} no. {}", self.name, self.nth)
    }
}

/// Calls of the main thread at which a verb is to be killed: around the first one that names `touched` all of them.
pub(crate) fn calls(scene: &Scene, verb: &[&str], touched: &str) -> Vec<Call> {
    let log = scene.home.root().join("trace");
    assert!(run(scene, &["-qq", "-s", "200", "-o", &log.to_string_lossy()], verb));
    let text = fs::read_to_string(&log).expect("the trace");
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut calls: Vec<Call> = Vec::new();
    let mut first = None;
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
            calls.push(Call { name: name.to_owned(), nth: *count });
            if rest.contains(touched) {
                first.get_or_insert(calls.len());
            }
        }
    }
    let from = first.unwrap_or_else(|| panic!("no call names {touched}")).saturating_sub(BEFORE);
    let all = calls.into_iter().enumerate();
    all.filter(|(at, _)| *at >= from || at.is_multiple_of(STRIDE)).map(|(_, call)| call).collect()
}

/// Runs a verb that is killed at a call; says whether it ended by itself, in good order.
pub(crate) fn run_killed(scene: &Scene, verb: &[&str], call: &Call) -> bool {
    // The count is one of each system call by its name.
    let inject = format!("inject={}:signal=KILL:when={}", call.name, call.nth);
    run(scene, &["-qq", "-o", "/dev/null", "-e", "trace=all", "-e", &inject], verb)
}

fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Traces the main thread alone: the programs that it starts end by themselves.
fn run(scene: &Scene, options: &[&str], verb: &[&str]) -> bool {
    let mut command: Command = scene.home.command("strace".as_ref());
    command.args(options).arg(BINARY).args(verb);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("strace").success()
}
