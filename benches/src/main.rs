//! Measures what the binary costs: interleaved with an empty program, with git and with scripts, in one run.
//!
//! `cargo xtask bench` builds the release binary and calls this. Nothing here is asserted: figures are there to be
//! read, beside what they ought to be. Ratios are medians over rounds in which every contestant ran once.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a measurement is there to be read")]

mod backfill;
mod contest;
mod counts;
mod pauses;
mod report;
mod rivals;
mod stage;
mod statusline;
mod transcripts;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use contest::Contest;
use report::Report;
use stage::Stage;

/// Any failure: the measurement stops, and says why.
type Failure = Box<dyn std::error::Error>;

struct Arguments {
    binary: PathBuf,
    rounds: usize,
    save_rounds: usize,
    json: bool,
    only: Option<Group>,
    install_rivals: bool,
}

/// A part that can be measured alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Transcripts,
    Statusline,
    Backfill,
    Pauses,
}

impl Group {
    fn named(word: &str) -> Result<Self, Failure> {
        match word {
            "transcripts" => Ok(Self::Transcripts),
            "statusline" => Ok(Self::Statusline),
            "backfill" => Ok(Self::Backfill),
            "pauses" => Ok(Self::Pauses),
            other => Err(format!("`{other}` is none of transcripts, statusline, backfill, pauses").into()),
        }
    }
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| measure(&arguments)) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<String, Failure> {
    if arguments.install_rivals {
        rivals::install()?;
    }
    let stage = Stage::build(&arguments.binary)?;
    let mut report =
        Report { binary_bytes: std::fs::metadata(&arguments.binary)?.len(), ..Report::default() };
    if let Some(group) = arguments.only {
        return only(group, &stage, arguments);
    }
    report.transcripts = transcripts::measure(&stage)?;
    report.statusline = statusline::measure(&stage, arguments.rounds)?;
    report.backfill = backfill::measure(&stage)?;
    report.pauses = pauses::measure(&stage)?;
    report.quick = Contest::of(stage.quick(), arguments.rounds)?;
    report.save = Contest::of(stage.save()?, arguments.save_rounds)?;
    report.instructions = counts::instructions(&stage)?;
    report.peaks = counts::peaks(&stage)?;
    Ok(if arguments.json { report.json() } else { report.table() })
}

fn only(group: Group, stage: &Stage, arguments: &Arguments) -> Result<String, Failure> {
    let (lines, json) = match group {
        Group::Transcripts => {
            let figures = transcripts::measure(stage)?;
            (figures.table(), figures.json())
        }
        Group::Statusline => {
            let figures = statusline::measure(stage, arguments.rounds)?;
            (figures.table(), figures.json())
        }
        Group::Backfill => {
            let figures = backfill::measure(stage)?;
            (figures.table(), figures.json())
        }
        Group::Pauses => {
            let figures = pauses::measure(stage)?;
            (figures.table(), figures.json())
        }
    };
    Ok(if arguments.json { format!("{json:#}") } else { lines.join("\n") })
}

fn arguments() -> Result<Arguments, Failure> {
    let mut binary = None;
    let mut arguments = Arguments {
        binary: PathBuf::new(),
        rounds: 200,
        save_rounds: 40,
        json: false,
        only: None,
        install_rivals: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut next = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--json" => arguments.json = true,
            "--only" => arguments.only = Some(Group::named(&next()?)?),
            "--install-rivals" => arguments.install_rivals = true,
            "--rounds" => arguments.rounds = next()?.parse()?,
            "--save-rounds" => arguments.save_rounds = next()?.parse()?,
            "--binary" => binary = Some(PathBuf::from(next()?)),
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    arguments.binary = binary.ok_or("--binary names the program to measure")?.canonicalize()?;
    arguments.rounds = arguments.rounds.max(1);
    arguments.save_rounds = arguments.save_rounds.max(1);
    Ok(arguments)
}
