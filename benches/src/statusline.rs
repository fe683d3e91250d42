//! The status line: against an empty program, against other people's, with a long history and without.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use throughline_testkit::{TempHome, payload};

use crate::Failure;
use crate::contest::{Contest, Contestant, Standing};
use crate::counts;
use crate::rivals::Rivals;
use crate::stage::{Stage, found};

const SESSION: &str = "33334444-5555-4666-8777-888899990000";
const HISTORY_TRANSCRIPT_BYTES: u64 = 400 << 20;
/// Logs that were rotated away, of 5 MB each.
const HISTORY_LOGS: usize = 20;
const HISTORY_LOG_BYTES: u64 = 5 << 20;
/// The slow ones take half a second a run.
const RIVAL_ROUNDS: usize = 30;
/// Different payloads of the contestant that has something to log in every run.
const CHANGES: u64 = 997;

/// What was measured.
#[derive(Default)]
pub(crate) struct Figures {
    pub(crate) quick: Contest,
    /// Ours first: a ratio is how many times slower than ours.
    pub(crate) rivals: Contest,
    /// Instructions: empty program, ours without a history, ours with one, ours that logs.
    pub(crate) instructions: Vec<(String, u64)>,
    skipped: Vec<String>,
}

const QUIET: &str = "statusline, nothing new";
const LOGGING: &str = "statusline, a change to log";
const OLD: &str = "statusline, 500 MB of history";

pub(crate) fn measure(stage: &Stage, rounds: usize) -> Result<Figures, Failure> {
    // Each has a session of its own: what one is told would be news to the other.
    let [fresh, busy, old] = [(); 3].map(|()| TempHome::new().with_git());
    for home in [&fresh, &busy, &old] {
        begin(stage, home)?;
    }
    let quiet = |home: &TempHome, name: &str| ours(stage, home, name);
    // In the folder that has a history afterwards: masking looks at what the environment names, and a name that looks
    // like a secret, as some temporary folders' do, costs it more than any history may.
    let mut instructions = Vec::new();
    for mut contestant in [stage.empty(), quiet(&old, QUIET)] {
        // Its rules are compiled, and what it is told is no news.
        contestant.run()?;
        contestant.run()?;
        instructions.extend(counted(stage, contestant)?);
    }
    write_history(&old)?;
    let mut logging = ours(stage, &busy, LOGGING);
    logging.others = (0..CHANGES).map(|step| status(&busy, 40_000 + step * 97).to_string()).collect();

    let contestants = vec![stage.empty(), quiet(&fresh, QUIET), logging, quiet(&old, OLD)];
    let quick = Contest::of(contestants, rounds)?;
    let mut figures = Figures { quick, instructions, ..Figures::default() };

    let mut logging = ours(stage, &busy, LOGGING);
    logging.stdin = status(&busy, 150_456).to_string();
    for contestant in [quiet(&old, OLD), logging] {
        figures.instructions.extend(counted(stage, contestant)?);
    }

    let rivals = Rivals::find();
    figures.skipped = rivals.missing();
    figures.rivals = Contest::of(against(stage, &fresh, &rivals)?, RIVAL_ROUNDS)?;
    Ok(figures)
}

/// What a run comes to; nothing where there is no valgrind.
fn counted(stage: &Stage, contestant: Contestant) -> Result<Option<(String, u64)>, Failure> {
    Ok(counts::instructions_of(stage, &contestant)?.map(|count| (contestant.name, count)))
}

/// A session that the hooks have seen, and a transcript for those who read one.
fn begin(stage: &Stage, home: &TempHome) -> Result<(), Failure> {
    let start = payload::session_start(home, SESSION, "startup");
    home.run(stage.binary(), &["hook"], start.to_string()).assert_success();
    let path = home.transcript_path(SESSION);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let answer = json!({
        "type": "assistant", "isSidechain": false, "sessionId": SESSION, "timestamp": "2026-11-16T04:11:42.567Z",
        "uuid": "3c8d2a44-0000-4000-8000-000000000001", "requestId": "req_1",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 12, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 83_000, "output_tokens": 40},
        },
    });
    Ok(fs::write(path, format!("{answer}\n"))?)
}

fn ours(stage: &Stage, home: &TempHome, name: &str) -> Contestant {
    let mut command = home.command(stage.binary());
    command.arg("statusline").env("COLUMNS", "120").env("CLAUDE_PROJECT_DIR", home.project());
    Contestant::new(name, vec![command], status(home, 84_000).to_string())
}

/// What the client sends, with so many tokens in the context.
fn status(home: &TempHome, used: u64) -> Value {
    json!({
        "session_id": SESSION, "transcript_path": home.transcript_path(SESSION), "cwd": home.project(),
        "effort": {"level": "medium"}, "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"},
        "workspace": {"current_dir": home.project(), "project_dir": home.project(), "added_dirs": []},
        "version": "2.1.325", "output_style": {"name": "default"},
        "cost": {"total_cost_usd": 0.42, "total_duration_ms": 90_000, "total_api_duration_ms": 41_000,
                 "total_lines_added": 12, "total_lines_removed": 3},
        "context_window": {
            "total_input_tokens": used, "total_output_tokens": 400, "context_window_size": 200_000,
            "current_usage": {"input_tokens": 1_000, "output_tokens": 400, "cache_creation_input_tokens": 2_000,
                              "cache_read_input_tokens": used - 3_000},
            "used_percentage": used / 2_000, "remaining_percentage": 100 - used / 2_000,
        },
        "exceeds_200k_tokens": false, "fast_mode": false, "thinking": {"enabled": true},
    })
}

/// Everything that piles up over the months: the session's own transcript, and logs that were rotated away.
fn write_history(home: &TempHome) -> Result<(), Failure> {
    let line = fs::read(home.transcript_path(SESSION))?;
    repeat(&line, &home.transcript_path(SESSION), HISTORY_TRANSCRIPT_BYTES)?;
    let sample = json!({
        "ts": "2026-11-16T04:11:42.567Z", "session": "an-older-session", "model": "claude-sonnet-4-5",
        "context_used": 84_000, "context_size": 200_000, "percent": 42, "input": 1_000, "output": 400,
        "cache_create": 2_000, "cache_read": 81_000, "status": "HEALTHY", "compaction": false, "cwd": home.project(),
    });
    for number in 0..HISTORY_LOGS {
        let path = home.project().join(format!(".claude/logs/context-usage.20261001T0000{number:02}Z.jsonl"));
        repeat(format!("{sample}\n").as_bytes(), &path, HISTORY_LOG_BYTES)?;
    }
    Ok(())
}

fn repeat(piece: &[u8], path: &Path, bytes: u64) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let pieces = piece.repeat((1 << 20) / piece.len().max(1) + 1);
    let mut file = File::create(path)?;
    let mut written = 0;
    while written < bytes {
        file.write_all(&pieces)?;
        written += pieces.len() as u64;
    }
    Ok(())
}

/// Ours first, then everybody who is there.
fn against(stage: &Stage, home: &TempHome, rivals: &Rivals) -> Result<Vec<Contestant>, Failure> {
    let mut all = vec![ours(stage, home, "statusline")];
    let with = |name: &str, program: &Path, args: &[&Path]| {
        let mut command = home.command(program);
        command.args(args).env("COLUMNS", "120");
        Contestant::new(name, vec![command], status(home, 84_000).to_string())
    };
    if let Some(ccline) = &rivals.ccline {
        all.push(with("CCometixLine 1.1.2", ccline, &[]));
    }
    if let (Some(script), Some(node)) = (&rivals.ccstatusline, found("node")) {
        all.push(with("ccstatusline 2.2.30", &node, &[script]));
    }
    if let (Some(bash), Some(_)) = (found("bash"), found("jq")) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/statusline.sh");
        let folder = home.root().join("tmp/script");
        fs::create_dir_all(&folder)?;
        all.push(with("shell script (bash, jq, date, git)", &bash, &[&script, &folder]));
    }
    Ok(all)
}

impl Figures {
    pub(crate) fn table(&self) -> Vec<String> {
        let verdict = |is_met: bool| if is_met { "yes" } else { "NO" };
        let mut lines = vec![format!(
            "status line, {} interleaved rounds; × is the median ratio to the empty program",
            self.quick.rounds
        )];
        lines.extend(self.quick.results.iter().map(|standing| {
            let target = standing
                .name
                .starts_with("statusline")
                .then(|| format!("  at most 3.0 ×: {}", verdict(standing.ratio <= 3.0)));
            line(standing, &target.unwrap_or_default())
        }));
        lines.push(format!(
            "against others, {} interleaved rounds; × is how many times our time",
            self.rivals.rounds
        ));
        lines.extend(self.rivals.results.iter().map(|standing| {
            let target = rival_target(&standing.name)
                .map(|least| format!("  at least {least:.0} ×: {}", verdict(standing.ratio >= least)));
            line(standing, &target.unwrap_or_default())
        }));
        lines.extend(self.skipped.iter().map(|skipped| format!("  {skipped}")));
        lines.push("instructions in user space (callgrind)".to_owned());
        lines.extend(self.instructions.iter().map(|(name, count)| format!("  {name:<38} {count:>12}")));
        if let Some(ratio) = self.history_ratio() {
            lines.push(format!(
                "  {:<38} {ratio:>12.3} ×  at most 1.05: {}",
                "history against none",
                verdict(ratio <= 1.05)
            ));
        }
        lines
    }

    #[expect(clippy::cast_precision_loss, reason = "a ratio for reading")]
    fn history_ratio(&self) -> Option<f64> {
        let count = |wanted: &str| {
            self.instructions.iter().find(|(name, _)| name == wanted).map(|(_, count)| *count as f64)
        };
        Some(count(OLD)? / count(QUIET)?)
    }

    pub(crate) fn json(&self) -> Value {
        let standings =
            |contest: &Contest| -> Vec<Value> { contest.results.iter().map(Standing::json).collect() };
        json!({
            "quick": standings(&self.quick), "rivals": standings(&self.rivals),
            "instructions": self.instructions.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "history_ratio": self.history_ratio(), "skipped": self.skipped,
        })
    }
}

/// How many times our time the others are to take at least.
fn rival_target(name: &str) -> Option<f64> {
    match name {
        name if name.starts_with("CCometixLine") => Some(10.0),
        name if name.starts_with("ccstatusline") => Some(300.0),
        name if name.starts_with("shell script") => Some(30.0),
        _ => None,
    }
}

fn line(standing: &Standing, target: &str) -> String {
    let Standing { name, median_us, ratio, quartiles: (low, high) } = standing;
    format!("  {name:<38} {median_us:>9.0} µs  {ratio:>7.2} ×  ({low:.2} to {high:.2}){target}")
}
