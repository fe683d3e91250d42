//! A writer: a verb or a hook, started to be killed.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use throughline_testkit::payload;

use super::ledger::Ledger;
use super::rng::Rng;
use crate::scene::{SESSION, Scene};

/// How often a writer is looked at: its life is known as exactly as that.
const PAUSE: Duration = Duration::from_micros(150);

/// What a writer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Add,
    Resolve,
    Save,
    PreCompact,
    SessionStart,
    SessionEnd,
    Stop,
}

/// A verb or a hook, and what it would record.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) kind: Kind,
    args: Vec<String>,
    /// The words that are an entry once it has succeeded.
    pub(crate) text: Option<String>,
    /// The question it answers.
    pub(crate) resolves: Option<String>,
}

/// What became of a writer.
#[derive(Debug)]
pub(crate) struct Shot {
    pub(crate) writer: Writer,
    /// Killed before it ended by itself.
    pub(crate) hit: bool,
    /// Its exit code, if it had one.
    pub(crate) code: Option<i32>,
    pub(crate) said: String,
    pub(crate) took: Duration,
    /// At which part of its usual life the kill was aimed.
    pub(crate) part: f64,
    /// Writers at work at that time.
    pub(crate) at_once: usize,
}

impl Writer {
    /// One of the kinds, adding being the most frequent.
    pub(crate) fn any(rng: &mut Rng, ledger: &mut Ledger) -> Self {
        let text = ledger.new_words();
        match rng.between(0, 19) {
            0..=9 => Self::add(rng, text),
            10..=11 => match ledger.open_question() {
                Some(id) => Self::resolve(id, text),
                None => Self::add(rng, text),
            },
            12..=13 => Self::verb(Kind::Save, &["save", "--highlight", &text.clone()], Some(text)),
            14 => Self::verb(Kind::Save, &["save", "--trigger", "checkpoint"], None),
            15..=16 => Self { text: Some(text), ..Self::hook(Kind::PreCompact) },
            17 => Self::hook(Kind::SessionStart),
            18 => Self::hook(Kind::SessionEnd),
            _ => Self::hook(Kind::Stop),
        }
    }

    fn add(rng: &mut Rng, text: String) -> Self {
        let what = ["decision", "constraint", "question", "evidence", "highlight", "action"];
        let what = what[usize::try_from(rng.between(0, 5)).unwrap_or(0)];
        Self::verb(Kind::Add, &["add", what, &text.clone()], Some(text))
    }

    fn resolve(id: String, text: String) -> Self {
        let answered = Self::verb(Kind::Resolve, &["resolve", &id, &text.clone()], Some(text));
        Self { resolves: Some(id), ..answered }
    }

    fn verb(kind: Kind, args: &[&str], text: Option<String>) -> Self {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        Self { kind, args, text, resolves: None }
    }

    fn hook(kind: Kind) -> Self {
        Self::verb(kind, &["hook"], None)
    }

    fn stdin(&self, scene: &Scene) -> String {
        let home = &scene.home;
        match self.kind {
            Kind::Add | Kind::Resolve | Kind::Save => String::new(),
            Kind::PreCompact => {
                payload::pre_compact(home, SESSION, "manual", self.text.as_deref()).to_string()
            }
            Kind::SessionStart => payload::session_start(home, SESSION, "compact").to_string(),
            Kind::SessionEnd => payload::session_end(home, SESSION, "other").to_string(),
            Kind::Stop => payload::stop(home, SESSION, "done").to_string(),
        }
    }

    /// Starts it, and kills it after `delay` unless it has ended by then.
    pub(crate) fn run_and_kill(
        self,
        scene: &Scene,
        delay: Duration,
        part: f64,
        at_once: usize,
    ) -> Result<Shot, String> {
        let io = |error: std::io::Error| format!("{self:?}: {error}");
        let words = self.text.clone().unwrap_or_else(|| format!("{:?}-{:?}", self.kind, delay));
        let heard = scene.home.root().join("tmp").join(format!("{words}.err"));
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let began = Instant::now();
        let mut command = scene.command(&args);
        command.stdin(Stdio::piped()).stderr(fs::File::create(&heard).map_err(io)?);
        let mut child = command.spawn().map_err(io)?;
        if let Some(mut stdin) = child.stdin.take() {
            // It may be gone before it has read anything.
            let _ = stdin.write_all(self.stdin(scene).as_bytes());
        }
        let status = loop {
            match child.try_wait().map_err(io)? {
                Some(status) => break status,
                None if began.elapsed() >= delay => {
                    child.kill().map_err(io)?;
                    break child.wait().map_err(io)?;
                }
                None => thread::sleep(PAUSE.min(delay.saturating_sub(began.elapsed()))),
            }
        };
        let took = began.elapsed();
        let said = fs::read_to_string(&heard).unwrap_or_default();
        let _ = fs::remove_file(&heard);
        Ok(Shot {
            hit: status.signal() == Some(9),
            code: status.code(),
            writer: self,
            said,
            took,
            part,
            at_once,
        })
    }
}
