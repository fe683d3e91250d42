//! Coverage: what compactions took and what a briefing brings back, measured on transcripts, each read once.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::SystemTime;

use throughline_briefing::session::{self, Kept, Known, Reader};
use throughline_briefing::{Cap, Facts};
use throughline_capture::need::{Replay, Stretch};
use throughline_domain::State;
use throughline_domain::budget::estimate_tokens;
use throughline_domain::ledger::Ledger;
use throughline_domain::need::{NeedKind, Needed, Share};
use throughline_domain::text::fingerprint;
use throughline_store::files::FileError;
use throughline_store::paths::Project;
use throughline_store::transcript_file::Cursor;

use crate::place::Place;
use crate::source::LineReader;
use crate::transcripts::{self, Transcript, TranscriptsError};

/// Compactions of one transcript that are told; the oldest leave first.
const COMPACTIONS_MAX: usize = 500;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    /// There is no transcript.
    #[error(transparent)]
    Transcripts(#[from] TranscriptsError),
    /// One could not be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// All of them. A resumed session copies the history of the one before: a compaction counts once.
pub fn of_all<'t>(
    all: impl IntoIterator<Item = &'t Transcript>,
    settings: &Settings,
) -> Result<Vec<Coverage>, FileError> {
    let mut seen = HashSet::new();
    let mut coverages = Vec::new();
    for one in all {
        let mut coverage = transcript(one, settings)?;
        coverage.compactions.retain(|compaction| seen.insert(compaction.mark));
        coverages.push(coverage);
    }
    Ok(coverages)
}

/// The newest session that was compacted; the newest of all where none was.
pub fn of_newest(
    place: &Place,
    project: &Project,
    settings: &Settings,
) -> Result<Vec<Coverage>, CoverageError> {
    let mut newest = Vec::new();
    for transcript in transcripts::of_project(place, project)?.iter().rev() {
        let coverage = of_all([transcript], settings)?;
        if coverage.iter().any(|it| !it.compactions.is_empty()) {
            return Ok(coverage);
        }
        if newest.is_empty() {
            newest = coverage;
        }
    }
    Ok(newest)
}

/// How to measure.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Tokens that a briefing may have.
    pub tokens: u64,
    /// The same, as the briefing takes it.
    pub cap: Cap,
    /// Responses watched after each compaction.
    pub turns: u64,
}

/// What one transcript told.
#[derive(Debug)]
pub struct Coverage {
    /// Where it is.
    pub transcript: PathBuf,
    /// Its compactions, in their order.
    pub compactions: Vec<Compaction>,
    /// What was passed over.
    pub problems: Vec<String>,
}

impl Coverage {
    /// The session's id: the file's name.
    #[must_use]
    pub fn session(&self) -> String {
        self.transcript.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }
}

/// One compaction, measured.
#[derive(Debug)]
pub struct Compaction {
    /// The same for copies of the same compaction.
    pub mark: u64,
    /// What came before and after it.
    pub stretch: Stretch,
    /// How long the client's summary is, where the transcript has it.
    pub summary_tokens: Option<u64>,
    /// How long the briefing is.
    pub briefing_tokens: u64,
    /// What the need was, and who holds each part of it.
    pub judged: Vec<Judged>,
    /// Word by word: in the summary.
    pub kept_by_summary: Kept,
    /// In the summary or the briefing.
    pub kept_by_both: Kept,
}

/// Something needed, and whether it was at hand.
#[derive(Debug)]
pub struct Judged {
    /// What it is.
    pub needed: Needed,
    /// In the client's summary.
    pub by_summary: bool,
    /// In the briefing.
    pub by_briefing: bool,
    /// By a briefing that does not know the summary.
    pub by_blind: bool,
}

/// Who may hold what was needed.
#[derive(Debug, Clone, Copy)]
pub enum Holder {
    /// The client's summary.
    Summary,
    /// The briefing beside it.
    Briefing,
    /// One of the two.
    Both,
    /// A briefing that does not know the summary.
    Blind,
}

impl Compaction {
    /// How much of the need a holder holds; of nothing where the transcript has no summary to ask.
    #[must_use]
    pub fn share(&self, holder: Holder) -> Share {
        if matches!(holder, Holder::Summary) && self.summary_tokens.is_none() {
            return Share::default();
        }
        Share::count(self.judged.iter().map(|it| match holder {
            Holder::Summary => it.by_summary,
            Holder::Briefing => it.by_briefing,
            Holder::Both => it.by_summary || it.by_briefing,
            Holder::Blind => it.by_blind,
        }))
    }

    /// How many things of a kind were needed.
    #[must_use]
    pub fn needed_of(&self, kind: NeedKind) -> usize {
        self.judged.iter().filter(|it| it.needed.kind == kind).count()
    }

    /// What was needed and not in the summary.
    pub fn lost(&self) -> impl Iterator<Item = &Judged> {
        self.judged.iter().filter(|it| !it.by_summary)
    }
}

/// Reads a transcript and measures its compactions.
fn transcript(transcript: &Transcript, settings: &Settings) -> Result<Coverage, FileError> {
    let path = transcript.path.clone();
    let mut coverage = Coverage { transcript: path, compactions: Vec::new(), problems: Vec::new() };
    let mut replay = Replay::watching(settings.turns);
    let mut left_out = 0_usize;
    let mut keep = |finished: Option<Box<Stretch>>| {
        let Some(stretch) = finished else { return };
        if coverage.compactions.len() >= COMPACTIONS_MAX {
            coverage.compactions.remove(0);
            left_out += 1;
        }
        coverage.compactions.push(compaction(*stretch, settings));
    };
    let mut reader = LineReader::afresh(transcript.agent);
    let each_line = |offset: u64, bytes: &[u8]| {
        reader.each(bytes, |line| keep(replay.take(&line, offset)));
    };
    let (_, reading) =
        transcript.source().read_on(&Cursor::at_start(), u64::MAX, SystemTime::now(), each_line)?;
    keep(replay.finish());
    coverage.problems.extend(reading.problems.iter().map(ToString::to_string));
    if left_out > 0 {
        coverage.problems.push(format!("the oldest {left_out} compactions are left out"));
    }
    Ok(coverage)
}

fn compaction(stretch: Stretch, settings: &Settings) -> Compaction {
    let summary = stretch.summary.as_deref().map_or_else(Known::nothing, Known::summary);
    let brief = |known: &Known| {
        // What was recorded by hand is not known for a moment in the past: the transcript's part stands alone.
        let (state, facts) = (State::default(), Facts::default());
        session::render(&state, &facts, &stretch.before, known, Reader::Compacted, settings.cap)
            .map_or_else(String::new, |chosen| chosen.text)
    };
    let text = brief(&summary);
    let (briefing, blind) = (Known::summary(&text), Known::summary(&brief(&Known::nothing())));
    let held = |known: &Known| session::holds(known, &stretch.needed, &stretch.namesakes);
    let by = held(&summary).into_iter().zip(held(&briefing)).zip(held(&blind));
    let judged = stretch.needed.iter().zip(by).map(|(needed, ((by_summary, by_briefing), by_blind))| {
        Judged { needed: needed.clone(), by_summary, by_briefing, by_blind }
    });
    // Without a time, only its place tells two compactions apart.
    let seen = &stretch.compaction;
    let at = if seen.timestamp.is_empty() { seen.place.offset.to_string() } else { seen.timestamp.clone() };
    let told = format!("{at}\n{}", stretch.summary.as_deref().unwrap_or_default());
    Compaction {
        mark: fingerprint(told.as_bytes()),
        summary_tokens: stretch.summary.as_deref().map(estimate_tokens),
        briefing_tokens: estimate_tokens(&text),
        judged: judged.collect(),
        kept_by_summary: Kept::of(&stretch.before, &[&summary]),
        kept_by_both: Kept::of(&stretch.before, &[&summary, &briefing]),
        stretch: Stretch { before: Ledger::default(), summary: None, ..stretch },
    }
}
