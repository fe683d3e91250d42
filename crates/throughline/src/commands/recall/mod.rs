//! `recall`: finds again what was said, run, broken and decided, in every session of every project.

mod agent;
mod ask;
mod entries;
mod file;
mod fix;
mod page;
mod pick;
mod picker;
mod results;
mod show;
mod typed;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use throughline_domain::Timestamp;
use throughline_engine::intake::recall::{self as intake, Index};
use throughline_engine::intake::{Limits, Silent};
use throughline_engine::place::Place;
use throughline_recall::Taste;
use throughline_store::config::Recall as Rules;
use throughline_store::door::Spot;
use throughline_store::recall::{Recall, RecallError, Writing};

pub(crate) use self::agent::{found, opened};
pub(crate) use self::typed::with_words_apart;
use crate::failure::Failure;
use crate::output;

/// How long a query lets the index catch up first.
const CATCH_UP: Duration = Duration::from_secs(1);
/// How long a verb waits for another process.
const STORE_WAIT: Duration = Duration::from_secs(5);

const EXAMPLES: &str = "\
Examples:
  throughline recall why did we drop redis        what was said, decided or tried, the best first
  throughline recall '\"no such table\"' -fixture   a phrase, and a word that must not stand there
  throughline recall parseLine --kind error --since 30d
  throughline recall show p1204                   what stands around a result
  throughline recall fix \"error[E0425]: cannot find value\"   how that error was solved before
  throughline recall file src/parser.rs           a file's story: who changed it, when and why

Words find their other forms, the parts of names (parseLine, parse_line, src/parser.rs) and common synonyms. Everything
in the client's transcripts is searched, also what the client has deleted since; `throughline backfill` reads it all,
a query only what is new. To search for the words show, fix or file alone, put them in quotes with another one.";

/// Search all sessions of all projects: what was said, run, broken, decided
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<RecallVerb>,
    #[command(flatten)]
    search: ask::SearchArgs,
}

#[derive(Debug, clap::Subcommand)]
enum RecallVerb {
    Show(show::Args),
    Fix(fix::Args),
    File(file::Args),
}

pub(crate) fn run(place: &Place, folder: Option<&Path>, args: &Args) -> Result<(), Failure> {
    let desk = Desk::open(place, folder)?;
    match &args.verb {
        None => results::run(&desk, &args.search),
        Some(RecallVerb::Show(args)) => show::run(&desk, args),
        Some(RecallVerb::Fix(args)) => fix::run(&desk, args),
        Some(RecallVerb::File(args)) => file::run(&desk, args),
    }
}

/// The index, up to date, and from where it is asked.
struct Desk<'p> {
    place: &'p Place,
    store: Recall,
    rules: Rules,
    now: Timestamp,
    /// The project at hand.
    at_hand: Option<PathBuf>,
    /// The project that was named on the command line, as it was typed.
    named: Option<PathBuf>,
    /// Bytes of transcripts that are not in the index yet.
    bytes_left: u64,
}

impl<'p> Desk<'p> {
    fn open(place: &'p Place, named: Option<&Path>) -> Result<Self, Failure> {
        let at_hand = (place.around.current_folder)().and_then(|folder| place.project_around(&folder));
        Self::at(place, at_hand, named.map(Path::to_owned))
    }

    /// The same for somebody who is in another folder than this process.
    fn at(place: &'p Place, at_hand: Option<PathBuf>, named: Option<PathBuf>) -> Result<Self, Failure> {
        let rules = rules(place, at_hand.as_deref());
        if !rules.enabled {
            return Err(Failure::new("recall is switched off")
                .hint("`[recall] enabled = true` in your throughline.toml switches it on"));
        }
        let now = Timestamp::now();
        let (mut store, aside) = open_store(place, now)?;
        if let Some(aside) = aside {
            output::warn(&format!(
                "the index was damaged and is being made again; the old one is at {}",
                aside.display()
            ));
        }
        let bytes_left = look_for_news(place, &mut store, &rules);
        store.begin_reading()?;
        Ok(Self { place, store, rules, now, at_hand, named, bytes_left })
    }

    fn taste(&self) -> Taste {
        Taste {
            now_s: self.now.as_second(),
            half_life_days: self.rules.half_life_days,
            project: self.at_hand.as_ref().map(|root| root.to_string_lossy().into_owned()),
        }
    }

    /// What the answer may lack.
    fn lacks(&self) -> Option<String> {
        let size = match self.bytes_left {
            0 => return None,
            bytes if bytes < 1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
            bytes => format!("{} MB", bytes.div_ceil(1_000_000)),
        };
        Some(format!("{size} of transcripts are not indexed yet; `throughline backfill` reads them"))
    }

    fn remark_left(&self) {
        if let Some(lack) = self.lacks() {
            output::remark(&lack);
        }
    }
}

/// The rules for the index.
pub(crate) fn rules(place: &Place, root: Option<&Path>) -> Rules {
    let root = root.or(place.user_home.as_deref()).unwrap_or(Path::new("/"));
    place.config(&place.project_at(root)).0.recall
}

/// Opens the index; a damaged one is set aside, and the name of it given.
pub(crate) fn open_store(place: &Place, now: Timestamp) -> Result<(Recall, Option<Spot>), RecallError> {
    let stamp = now.as_second().to_string();
    Recall::open_or_renew(&place.home.recall(), STORE_WAIT, &stamp)
}

/// Reads what is new, for a moment. An answer from what is there is better than none; gives what is left, in bytes.
fn look_for_news(place: &Place, store: &mut Recall, rules: &Rules) -> u64 {
    let Some(writing) = Recall::writing_now(store.path()) else { return 0 };
    let limits = Limits { deadline: Some(Instant::now() + CATCH_UP), ..Limits::default() };
    match intake::catch_up(place, Index { store, writing: &writing, rules }, limits, &mut Silent) {
        Ok(done) => done.bytes_left,
        Err(error) => {
            output::warn(&format!("what is new is not searched: {error}"));
            0
        }
    }
}

/// What `backfill` brings up to date.
pub(crate) struct Opened {
    store: Recall,
    writing: Writing,
    rules: Rules,
}

impl Opened {
    /// Opens the index and waits for the right to write to it; `None` where recall is switched off.
    pub(crate) fn to_write(place: &Place) -> Result<Option<Self>, RecallError> {
        let at_hand = (place.around.current_folder)().and_then(|folder| place.project_around(&folder));
        let rules = rules(place, at_hand.as_deref());
        if !rules.enabled {
            return Ok(None);
        }
        let (store, _) = open_store(place, Timestamp::now())?;
        let writing = Recall::writing(store.path(), throughline_store::lock::Patience::Person)?;
        Ok(Some(Self { store, writing, rules }))
    }

    pub(crate) fn index(&mut self) -> Index<'_> {
        Index { store: &mut self.store, writing: &self.writing, rules: &self.rules }
    }
}

impl From<RecallError> for Failure {
    fn from(error: RecallError) -> Self {
        let hint = match &error {
            RecallError::Busy { .. } => "try again in a moment",
            RecallError::Corrupt { .. } => {
                "run the command again: a damaged index is set aside and made anew"
            }
            RecallError::Newer { .. } => "the index is left as it is",
            RecallError::Failed { .. } => "THROUGHLINE_HOME names another folder for all data",
        };
        Self::new(error.to_string()).hint(hint)
    }
}
