//! A foreign status line: the one that was there before ours, run with the same payload, under a deadline.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long it may take.
const DEADLINE: Duration = Duration::from_secs(2);
/// Most bytes of it that are shown.
const BYTES_MAX: u64 = throughline_domain::limits::WRAPPED_LINE_BYTES_MAX;

/// The foreign command that an argument of ours carries.
pub(super) fn command_in(arg: &str) -> Option<String> {
    match arg.split_once('=')? {
        ("--wrap", command) => Some(command.to_owned()),
        ("--wrap-json", literal) => serde_json::from_str(literal).ok(),
        _ => None,
    }
}

/// Runs it; what it prints by the deadline is shown.
pub(super) fn run(command: &str, payload: &[u8]) -> Option<String> {
    let began = Instant::now();
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let payload = payload.to_vec();
    std::thread::spawn(move || stdin.write_all(&payload));
    let mut stdout = child.stdout.take()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.by_ref().take(BYTES_MAX).read_to_end(&mut bytes);
        sender.send(bytes)
    });
    let bytes = receiver.recv_timeout(DEADLINE.saturating_sub(began.elapsed())).ok();
    if bytes.is_none() {
        let _ = child.kill();
    }
    let _ = child.wait();
    let text = String::from_utf8_lossy(&bytes?).trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}
