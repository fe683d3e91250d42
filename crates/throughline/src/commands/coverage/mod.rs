//! `coverage`: what each compaction took, what the briefing brings back, what the agent then really used.

mod as_json;
mod plot;
mod table;

use throughline_briefing::Cap;
use throughline_domain::text::one_line;
use throughline_engine::coverage::{self, CoverageError, Settings};
use throughline_engine::transcripts::{self, TranscriptsError};

use super::App;
use crate::failure::Failure;
use crate::output;

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
    let (place, project) = (&app.place, &app.memory.project);
    let tokens = args.tokens.unwrap_or(app.config.briefing.tokens);
    let settings = Settings { tokens, cap: Cap::tokens(tokens), turns: args.turns };
    let coverages = if args.sessions.is_empty() && !args.all {
        coverage::of_newest(place, project, &settings)?
    } else if args.all {
        coverage::of_all(&transcripts::of_project(place, project)?, &settings)?
    } else {
        let named = args.sessions.iter().map(|session| transcripts::named(place, project, session));
        coverage::of_all(&named.collect::<Result<Vec<_>, _>>()?, &settings)?
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

impl From<CoverageError> for Failure {
    fn from(error: CoverageError) -> Self {
        match error {
            CoverageError::Transcripts(error) => error.into(),
            CoverageError::File(error) => error.into(),
        }
    }
}

impl From<TranscriptsError> for Failure {
    fn from(error: TranscriptsError) -> Self {
        let hint = match &error {
            TranscriptsError::NoFolder => "give the path of a .jsonl file".to_owned(),
            TranscriptsError::None { .. } => {
                "`--project` names another project; a path of a .jsonl file is taken too".to_owned()
            }
            TranscriptsError::Neither { .. } => {
                "`throughline coverage --all` shows all sessions of this project".to_owned()
            }
            TranscriptsError::Several { ids, .. } => {
                format!("name more of it: {}", one_line(&ids.join(", "), 400))
            }
            TranscriptsError::Unknown { .. } => {
                "`throughline coverage --all` shows all sessions of this project; a path of a .jsonl file is taken too"
                    .to_owned()
            }
        };
        Self::new(error.to_string()).hint(hint)
    }
}
