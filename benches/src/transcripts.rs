//! Transcripts: how fast one is caught up with, and whether a gate's work depends on how long it is.
//!
//! `THROUGHLINE_BENCH_TRANSCRIPTS` names a folder of real ones; without it one is made up.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use throughline_testkit::{TempHome, Transcript, Usage, payload};

use crate::Failure;
use crate::contest::Contest;
use crate::counts;
use crate::stage::Stage;

const CATCH_UP_BYTES: u64 = 200 << 20;
const LONG_BYTES: u64 = 500 << 20;
const SHORT_BYTES: u64 = 1 << 20;
/// The catch-up is measured so often; the best counts, since everything else is somebody else's work.
const CATCH_UPS: usize = 3;
const START_ROUNDS: usize = 60;
/// More gates than any of these files needs.
const GATES_MAX: usize = 100;
/// As many as the longest of them needs, and a few more.
const GATES_BEFORE_STOP: usize = 20;
/// Stops that are not counted.
const STOPS_BEFORE: usize = 3;

/// What was measured.
#[derive(Default)]
pub(crate) struct Figures {
    /// Bytes of the transcript over the time of all gates that it took to read them.
    pub(crate) catch_up_gb_per_s: f64,
    pub(crate) catch_up_gates: usize,
    pub(crate) first_sight_peak_kib: u64,
    /// Instructions of Stop with nothing new and after one more turn; zeros where there is no valgrind.
    pub(crate) stop_short: [u64; 2],
    pub(crate) stop_long: [u64; 2],
    /// Median of SessionStart(compact) after a PreCompact, and of the empty program.
    pub(crate) start_us: f64,
    pub(crate) empty_us: f64,
}

pub(crate) fn measure(stage: &Stage) -> Result<Figures, Failure> {
    let home = stage.home();
    let block = block(home)?;
    let mut figures = Figures::default();
    repeat(&block, &home.transcript_path("caught-up"), CATCH_UP_BYTES)?;
    for _ in 0..CATCH_UPS {
        let (took, gates) = catch_up(stage, "caught-up")?;
        let bytes = fs::metadata(home.transcript_path("caught-up"))?.len();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred millions")]
        let rate = bytes as f64 / took.as_secs_f64() / 1e9;
        figures.catch_up_gb_per_s = rate.max(figures.catch_up_gb_per_s);
        figures.catch_up_gates = gates;
    }
    let before = payload::pre_compact(home, "caught-up", "auto", None);
    let start = payload::session_start(home, "caught-up", "compact");
    stage.hook("PreCompact", &before).run()?;
    let contest =
        Contest::of(vec![stage.empty(), stage.hook("SessionStart(compact)", &start)], START_ROUNDS)?;
    figures.empty_us = contest.results[0].median_us;
    figures.start_us = contest.results[1].median_us;

    repeat(&block, &home.transcript_path("long"), LONG_BYTES)?;
    repeat(&block, &home.transcript_path("short"), SHORT_BYTES)?;
    forget(home, "long")?;
    figures.first_sight_peak_kib =
        counts::peak_of(&mut stage.hook("PreCompact", &payload::pre_compact(home, "long", "auto", None)))?;
    figures.stop_short = warm_stop(stage, "short")?;
    figures.stop_long = warm_stop(stage, "long")?;
    Ok(figures)
}

/// Lets gates read a transcript that nobody has seen until nothing is left, and adds up their time.
fn catch_up(stage: &Stage, session: &str) -> Result<(Duration, usize), Failure> {
    forget(stage.home(), session)?;
    let mut gate = stage.hook("PreCompact", &payload::pre_compact(stage.home(), session, "auto", None));
    let mut took = Duration::ZERO;
    for gates in 1..=GATES_MAX {
        took += gate.run()?;
        let kept: Value = serde_json::from_slice(&fs::read(ledger(stage.home(), session))?)?;
        let length = fs::metadata(stage.home().transcript_path(session))?.len();
        // By place: the transcript, what is in use (its cursor, which begins with the offset), what is behind.
        if kept[2].is_null() && kept[1][0][0] == length {
            return Ok((took, gates));
        }
    }
    Err(format!("{session} was not caught up with after {GATES_MAX} gates").into())
}

/// Instructions of a Stop that finds nothing new in a transcript that was caught up with, and of one that finds a turn.
fn warm_stop(stage: &Stage, session: &str) -> Result<[u64; 2], Failure> {
    let (_, gates) = catch_up(stage, session)?;
    // A gate's notes of itself (spool, archive) cost the next one something: both sessions have had as many.
    let gate = payload::pre_compact(stage.home(), session, "auto", None);
    for _ in gates..GATES_BEFORE_STOP {
        stage.hook("PreCompact", &gate).run()?;
    }
    let mut stop = stage.hook("Stop", &payload::stop(stage.home(), session, "done"));
    // What a new data folder has to be looked through for once, by rules of masking, is no part of a usual Stop.
    for _ in 0..STOPS_BEFORE {
        stop.run()?;
    }
    let quiet = counts::instructions_of(stage, &stop)?.unwrap_or(0);
    Transcript::new(stage.home(), session).tool(
        "Bash",
        &json!({"command": "cargo test --workspace"}),
        &"test result: ok. 12 passed\n".repeat(40),
        Usage::filling(20_000),
    );
    Ok([quiet, counts::instructions_of(stage, &stop)?.unwrap_or(0)])
}

fn ledger(home: &TempHome, session: &str) -> PathBuf {
    home.data().join("sessions").join(session).join("ledger.json")
}

fn forget(home: &TempHome, session: &str) -> Result<(), Failure> {
    match fs::remove_file(ledger(home, session)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn repeat(block: &[u8], path: &Path, bytes: u64) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    let mut written = 0;
    for line in block.split_inclusive(|byte| *byte == b'\n').cycle() {
        file.write_all(line)?;
        written += line.len() as u64;
        if written >= bytes {
            return Ok(());
        }
    }
    Err("there is no transcript to repeat".into())
}

/// Real transcripts one after the other, or a made-up one.
fn block(home: &TempHome) -> Result<Vec<u8>, Failure> {
    let Some(folder) = std::env::var_os("THROUGHLINE_BENCH_TRANSCRIPTS") else { return made_up(home) };
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    let mut block = Vec::new();
    for path in paths {
        block.extend(fs::read(path)?);
        if !block.ends_with(b"\n") {
            block.push(b'\n');
        }
    }
    Ok(block)
}

fn made_up(home: &TempHome) -> Result<Vec<u8>, Failure> {
    let mut transcript = Transcript::new(home, "made-up");
    let usage = Usage::filling(50_000);
    for number in 0..400 {
        let path = home.project().join(format!("src/part{}/file{number}.rs", number % 9));
        let source =
            "    1\tfn parse(text: &str) -> Option<Token> { text.split('\\t').next() }\n".repeat(120);
        transcript.tool("Read", &json!({"file_path": path}), &source, usage);
        let edit = json!({"file_path": path, "old_string": "next()", "new_string": "next_back()"});
        transcript.tool("Edit", &edit, "The file has been updated.", usage);
        let command = json!({"command": format!("cargo test --package part{}", number % 9)});
        transcript.tool("Bash", &command, &"test parse::empty ... ok\n".repeat(60), usage);
        transcript
            .assistant("I'll keep the tokens borrowed, because copies cost a third of the time.", usage);
        if number % 10 == 0 {
            transcript.user("Now the next part. Never change the public API, and run the tests each time.");
        }
    }
    Ok(fs::read(transcript.path())?)
}

impl Figures {
    pub(crate) fn table(&self) -> Vec<String> {
        let verdict = |is_met: bool| if is_met { "yes" } else { "NO" };
        let above_ms = (self.start_us - self.empty_us) / 1e3;
        let mut lines = vec![
            "transcripts".to_owned(),
            format!(
                "  {:<38} {:>9.2} GB/s in {} gates  at least 0.3: {}",
                "catch-up of 200 MB",
                self.catch_up_gb_per_s,
                self.catch_up_gates,
                verdict(self.catch_up_gb_per_s >= 0.3)
            ),
            format!(
                "  {:<38} {above_ms:>9.2} ms above the empty program  at most 15: {}",
                "SessionStart(compact)",
                verdict(above_ms <= 15.0)
            ),
            format!(
                "  {:<38} {:>9} KiB  at most {}: {}",
                "PreCompact at first sight of 500 MB",
                self.first_sight_peak_kib,
                64 << 10,
                verdict(self.first_sight_peak_kib <= 64 << 10)
            ),
        ];
        let names = ["Stop, 500 MB against 1 MB, nothing new", "Stop, 500 MB against 1 MB, a turn more"];
        for ((name, long), short) in names.iter().zip(self.stop_long).zip(self.stop_short) {
            if short > 0 {
                #[expect(clippy::cast_precision_loss, reason = "a ratio for reading")]
                let ratio = long as f64 / short as f64;
                lines.push(format!(
                    "  {name:<38} {ratio:>9.3} × in instructions ({long} and {short})  at most 1.2: {}",
                    verdict(ratio <= 1.2)
                ));
            }
        }
        lines
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "catch_up_gb_per_s": self.catch_up_gb_per_s, "catch_up_gates": self.catch_up_gates,
            "start_compact_us": self.start_us, "empty_us": self.empty_us,
            "first_sight_peak_kib": self.first_sight_peak_kib,
            "stop_instructions": {"short": self.stop_short, "long": self.stop_long},
        })
    }
}
