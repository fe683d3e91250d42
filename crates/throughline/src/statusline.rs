//! `throughline statusline`: one line about the context. Never blocks, never fails, reads no state and no database.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use throughline_agents::claude_code::statusline_payload::{self, StatuslinePayload};
use throughline_briefing::handoff::thousands;
use throughline_domain::Health;
use throughline_domain::text::one_line;
use throughline_store::session::{self, SessionCache};

use crate::hook::{input, usual};
use crate::place::Place;

/// How long a wrapped status line may take.
const WRAPPED_DEADLINE: Duration = Duration::from_secs(2);
/// Most bytes of it that are shown.
const WRAPPED_BYTES_MAX: usize = 16 << 10;

pub(crate) fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let bytes = input::read();
    let wrapped = args.into_iter().find_map(|arg| wrapped_command(&arg.to_string_lossy()));
    let mut lines = Vec::new();
    if let Some(command) = wrapped {
        lines.extend(run_wrapped(&command, &bytes));
    }
    lines.push(line(&bytes));
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(lines.join("\n").as_bytes()).and_then(|()| stdout.write_all(b"\n"));
    ExitCode::SUCCESS
}

/// The foreign command that an argument of ours carries.
fn wrapped_command(arg: &str) -> Option<String> {
    match arg.split_once('=')? {
        ("--wrap", command) => Some(command.to_owned()),
        ("--wrap-json", literal) => serde_json::from_str(literal).ok(),
        _ => None,
    }
}

fn line(bytes: &[u8]) -> String {
    let Some(payload) = statusline_payload::parse(bytes) else { return "[throughline] no data".to_owned() };
    let cache = remember_window(&payload);
    let name = one_line(payload.model_name.as_deref().unwrap_or("?"), 40);
    let Some(used) = payload.used_tokens else { return format!("[{name}] –") };
    let window = payload.window_tokens.unwrap_or(200_000);
    let mut text = format!("[{name}] {}% ({}t)", used.saturating_mul(100) / window, thousands(used));
    let cached = payload.cache_read_tokens.saturating_mul(100) / used;
    if cached > 0 {
        text.push_str(&format!(" 📦{cached}%"));
    }
    let limit_percent = cache
        .as_ref()
        .map_or(used.saturating_mul(100) / window, |cache| usual::percent_of_limit(cache, used));
    let thresholds = cache.as_ref().map_or_else(|| vec![70, 90, 95], |cache| cache.thresholds.clone());
    if let [warning, critical, emergency] = thresholds[..] {
        text.push_str(match Health::at(limit_percent, warning, critical, emergency) {
            Health::Healthy => "",
            Health::Warning => " ⚠️",
            Health::Critical => " 🔴",
            Health::Emergency => " 🚨",
        });
    }
    text
}

/// Hooks carry no window: the one told here is kept for them, written only when it changed.
fn remember_window(payload: &StatuslinePayload) -> Option<SessionCache> {
    let place = Place::from_env()?;
    let folder = place.home.session(&payload.session_id);
    let cache = SessionCache::read(&folder)?;
    if let Some(window) = payload.window_tokens
        && session::told_window(&folder) != Some(window)
    {
        let _ = session::keep_told_window(&folder, window);
    }
    Some(cache)
}

/// Runs the status line that was there before us, with the same payload; what it prints by the deadline is shown.
fn run_wrapped(command: &str, payload: &[u8]) -> Option<String> {
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
        let _ = stdout.by_ref().take(WRAPPED_BYTES_MAX as u64).read_to_end(&mut bytes);
        sender.send(bytes)
    });
    let bytes = receiver.recv_timeout(WRAPPED_DEADLINE.saturating_sub(began.elapsed())).ok();
    if bytes.is_none() {
        let _ = child.kill();
    }
    let _ = child.wait();
    let text = String::from_utf8_lossy(&bytes?).trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}
