//! Pauses: what it costs to be told what changed meanwhile, and to keep notes of a session at every Stop.

use std::fs::File;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use throughline_testkit::{TempHome, Transcript, Usage, payload};

use crate::Failure;
use crate::contest::Contest;
use crate::counts;
use crate::stage::{Stage, USUAL};

const SESSION: &str = "paused";
const ROUNDS: usize = 60;
/// Files that the session used; a third of them are others now.
const FILES: usize = 90;
const TURNS: usize = 3;

/// What was measured.
#[derive(Default)]
pub(crate) struct Figures {
    /// Median of SessionStart(resume) with a full resume context, and of the empty program.
    resume_us: f64,
    empty_us: f64,
    context_tokens: usize,
    /// Instructions of a Stop after one more turn, with notes and without; nothing where there is no valgrind.
    with_notes: Vec<u64>,
    without_notes: Vec<u64>,
}

pub(crate) fn measure(stage: &Stage) -> Result<Figures, Failure> {
    let mut figures = Figures::default();
    // The clock is moved by the configuration: every pause is a long one.
    stage.home().configure(&format!("{USUAL}[restore]\nbriefing_minutes = 0\n"));
    come_back(stage, &mut figures)?;
    for (notes, name) in [("enabled = false", "silent"), ("enabled = true", "noted")] {
        stage.home().configure(&format!("{USUAL}[notes]\n{notes}\n"));
        let counted = stops(stage, name)?;
        if name == "noted" { figures.with_notes = counted } else { figures.without_notes = counted }
    }
    stage.home().configure(USUAL);
    Ok(figures)
}

/// A session that has everything a resume context can tell, taken up again.
fn come_back(stage: &Stage, figures: &mut Figures) -> Result<(), Failure> {
    let home = stage.home();
    for number in 0..20 {
        let text = format!("Rule {number}: what the importer promised to part {number} stays as it is");
        home.run(stage.binary(), &["anchor", "add", &text, "--priority", "high"], "").assert_success();
    }
    home.run(stage.binary(), &["set", "work", "--id", "IMP-1", "--phase", "EXEC"], "").assert_success();
    let mut transcript = begin(stage, SESSION);
    for number in 0..FILES {
        let path = home.write(&format!("src/part{number}.rs"), "fn part() {}\n");
        transcript.tool("Read", &json!({"file_path": path}), "fn part() {}", Usage::filling(20_000));
        let file = File::options().append(true).open(path)?;
        let later = Duration::from_hours(1);
        let now = SystemTime::now();
        file.set_modified(if number % 3 == 0 { now + later } else { now - later })?;
    }
    for number in 0..8 {
        task(&mut transcript, number);
    }
    transcript.assistant("All parts are read. Next I'll write the footer.", Usage::filling(21_000));
    stage.hook("Stop", &payload::stop(home, SESSION, "x")).run()?;
    let start = payload::session_start(home, SESSION, "resume");
    let said = home.run(stage.binary(), &["hook"], start.to_string()).stdout;
    for told in
        ["Back after", "IMP-1", "Next, as it was left", "Task, open", ": Rule 19: ", "read them again"]
    {
        if !said.contains(told) {
            return Err(format!("the resume context lacks `{told}`: {said}").into());
        }
    }
    figures.context_tokens = said.encode_utf16().count().div_ceil(4);
    let contest = Contest::of(vec![stage.empty(), stage.hook("SessionStart(resume)", &start)], ROUNDS)?;
    figures.empty_us = contest.results[0].median_us;
    figures.resume_us = contest.results[1].median_us;
    Ok(())
}

/// Instructions of each Stop of a session that goes on turn by turn.
fn stops(stage: &Stage, session: &str) -> Result<Vec<u64>, Failure> {
    let home = stage.home();
    let mut transcript = begin(stage, session);
    for number in 0..40 {
        task(&mut transcript, number);
        transcript.user(&format!("Now part {number}, with its tests, please."));
    }
    let stop = stage.hook("Stop", &payload::stop(home, session, "The part is done."));
    stage.hook("Stop", &payload::stop(home, session, "The part is done.")).run()?;
    let mut counted = Vec::new();
    for number in 0..TURNS {
        transcript.user(&format!("Go on with step {number} of the importer, please."));
        transcript.tool(
            "Bash",
            &json!({"command": format!("cargo test --package step{number}")}),
            &"test result: ok. 12 passed\n".repeat(40),
            Usage::filling(20_000),
        );
        counted.extend(counts::instructions_of(stage, &stop)?);
    }
    Ok(counted)
}

fn begin(stage: &Stage, session: &str) -> Transcript {
    let home: &TempHome = stage.home();
    let start = payload::session_start(home, session, "startup");
    home.run(stage.binary(), &["hook"], start.to_string()).assert_success();
    let mut transcript = Transcript::new(home, session);
    transcript.user("Write the importer and keep the public API as it is.");
    transcript
}

fn task(transcript: &mut Transcript, number: usize) {
    let subject = format!("Write part {number} of the importer");
    transcript.tool(
        "TaskCreate",
        &json!({"subject": subject, "description": "x"}),
        &format!("Task #{} created successfully: {subject}", number + 1),
        Usage::filling(20_000),
    );
}

impl Figures {
    pub(crate) fn table(&self) -> Vec<String> {
        let verdict = |is_met: bool| if is_met { "yes" } else { "NO" };
        let above_ms = (self.resume_us - self.empty_us) / 1e3;
        let mut lines = vec![
            "pauses".to_owned(),
            format!(
                "  {:<38} {above_ms:>9.2} ms above the empty program ({} tokens told)  at most 15: {}",
                "SessionStart(resume), no git",
                self.context_tokens,
                verdict(above_ms <= 15.0)
            ),
        ];
        if let Some(ratio) = self.notes_ratio() {
            lines.push(format!(
                "  {:<38} {ratio:>9.3} × in instructions ({:?} and {:?})  at most 1.1: {}",
                "Stop after a turn, notes or none",
                self.with_notes,
                self.without_notes,
                verdict(ratio <= 1.1)
            ));
        }
        lines
    }

    /// All Stops together; `None` where nothing was counted.
    fn notes_ratio(&self) -> Option<f64> {
        let sum = |counts: &[u64]| counts.iter().sum::<u64>();
        #[expect(clippy::cast_precision_loss, reason = "a ratio for reading")]
        let ratio = |left: u64, right: u64| left as f64 / right as f64;
        let without = sum(&self.without_notes);
        (without > 0).then(|| ratio(sum(&self.with_notes), without))
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "start_resume_us": self.resume_us, "empty_us": self.empty_us, "context_tokens": self.context_tokens,
            "stop_instructions": {"with_notes": self.with_notes, "without_notes": self.without_notes},
        })
    }
}
