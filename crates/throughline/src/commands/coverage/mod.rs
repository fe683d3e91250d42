//! `coverage`: what each compaction took, what the briefing brings back, what the agent then really used.

mod as_json;
mod measure;
mod plot;
mod table;
pub(crate) mod transcripts;

use std::collections::HashSet;
use std::path::Path;

use throughline_briefing::Cap;

use super::App;
use crate::failure::Failure;
use crate::output;
use measure::{Coverage, Settings};

/// Show what compactions took and what the briefing brings back, measured on transcripts
///
/// Reads transcripts that the client keeps, also those from before the installation, and writes nothing. For each
/// compaction: which files, commands and searched names, known before it, the agent's own calls used in the turns
/// after it; how many of them the client's summary holds word by word, how many with the briefing; and which files it
/// read again. The briefing is made from the transcript alone, as the hook would have made it. What Throughline itself
/// does not take for a file, a command or a name is not counted.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Sessions by their id, or paths of .jsonl files; the newest compacted session when left out
    #[arg(value_name = "SESSION", conflicts_with_all = ["last", "all"])]
    sessions: Vec<String>,
    /// The newest session of this project that was compacted
    #[arg(long, conflicts_with = "all")]
    last: bool,
    /// All sessions of this project
    #[arg(long)]
    all: bool,
    /// Another budget than the configured one, in tokens
    #[arg(long, value_name = "N")]
    tokens: Option<u64>,
    /// Turns that are looked at after each compaction
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    turns: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(app: &App, args: &Args) -> Result<(), Failure> {
    let tokens = args.tokens.unwrap_or(app.config.briefing.tokens);
    let settings = Settings { tokens, cap: Cap::tokens(tokens), turns: args.turns };
    let coverages = if args.sessions.is_empty() && !args.all {
        vec![newest_compacted(app, &settings)?]
    } else if args.all {
        measure_all(&transcripts::of_project(app)?, &settings)?
    } else {
        let paths = args.sessions.iter().map(|session| transcripts::named(app, session));
        measure_all(&paths.collect::<Result<Vec<_>, _>>()?, &settings)?
    };
    for coverage in &coverages {
        for problem in &coverage.problems {
            output::warn(&format!("{}: {problem}", coverage.transcript.display()));
        }
    }
    if args.json {
        return output::say_json(&as_json::report(&coverages, &settings));
    }
    table::show(&coverages, &settings)?;
    plot::show(&coverages)
}

/// All of them. A resumed session copies the history of the one before: a compaction counts once.
fn measure_all(paths: &[impl AsRef<Path>], settings: &Settings) -> Result<Vec<Coverage>, Failure> {
    let mut seen = HashSet::new();
    let mut coverages = Vec::new();
    for path in paths {
        let mut coverage = measure::transcript(path.as_ref(), settings)?;
        coverage.compactions.retain(|compaction| seen.insert(compaction.mark));
        coverages.push(coverage);
    }
    Ok(coverages)
}

/// The newest session that was compacted; the newest of all where none was.
fn newest_compacted(app: &App, settings: &Settings) -> Result<Coverage, Failure> {
    let mut newest = None;
    for path in transcripts::of_project(app)?.iter().rev() {
        let Some(coverage) = measure_all(&[path], settings)?.pop() else { continue };
        if !coverage.compactions.is_empty() {
            return Ok(coverage);
        }
        newest.get_or_insert(coverage);
    }
    newest.ok_or_else(|| transcripts::none(app))
}
