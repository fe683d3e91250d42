//! Intake: brings the store of usage up to date with what the agent wrote since the last time.
//!
//! Two threads read transcripts, one writes rows. Batches go in together with how far their files were read: a kill
//! at any instant, or a second intake beside this one, loses nothing and counts nothing twice.

mod disagreements;
mod logs;
mod transcript;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use throughline_domain::Timestamp;
use throughline_store::archive::ArchiveError;
use throughline_store::forget::Forgotten;
use throughline_store::known_files::KnownFile;
use throughline_store::usage::{Added, Batch, UsageStore};

use super::discover::{Changed, Discovered, config_folders, discover};
use super::{Watch, readers};
use crate::place::Place;
use transcript::Piece;
pub(super) use transcript::project_of;

/// Rows of one transaction: enough to be quick, few enough that others who write need not wait long.
const BATCH_ROWS: usize = 8_192;
/// Files of one transaction.
const BATCH_FILES: usize = 512;
/// Problems that are told one by one.
const PROBLEMS_MAX: usize = 20;

/// What an intake did.
#[derive(Debug, Default)]
pub struct Intake {
    /// Transcripts that are there.
    pub files: u64,
    /// Those that were read, because they were new or had changed.
    pub files_read: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Lines read.
    pub lines: u64,
    /// What is new in the store.
    pub added: Added,
    /// What was passed over, and why; the first ones.
    pub problems: Vec<(PathBuf, String)>,
    /// How many were passed over in all.
    pub problems_count: u64,
    /// How long it took.
    pub ms: u128,
}

impl Intake {
    fn problem(&mut self, path: PathBuf, what: String) {
        self.problems_count += 1;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push((path, what));
        }
    }
}

/// Reads what is new: in the client's transcripts, then in the usage logs of the projects they name.
pub fn catch_up(
    place: &Place,
    store: &mut UsageStore,
    progress: &mut dyn Watch,
) -> Result<Intake, ArchiveError> {
    let began = Instant::now();
    let mut intake = Intake::default();
    let known = store.known_files()?;
    let forgotten = Forgotten::read(&place.home)
        .map_err(|error| ArchiveError::Io { path: error.path.clone(), what: error.source.to_string() })?;
    let seen = Seen { known: &known, forgotten: &forgotten };
    transcripts(&config_folders(place), &seen, store, &mut intake, progress)?;
    logs::read(place, &seen, store, &mut intake)?;
    if intake.added != Added::default() {
        disagreements::log(place, store)?;
    }
    intake.ms = began.elapsed().as_millis();
    Ok(intake)
}

/// What was read before, and what is not to be read again.
struct Seen<'s> {
    known: &'s BTreeMap<String, KnownFile>,
    forgotten: &'s Forgotten,
}

fn transcripts(
    config_folders: &[PathBuf],
    seen: &Seen<'_>,
    store: &mut UsageStore,
    intake: &mut Intake,
    progress: &mut dyn Watch,
) -> Result<(), ArchiveError> {
    let Discovered { changed, files, unreadable } = discover(config_folders, seen.known, seen.forgotten);
    intake.files = files;
    for (path, what) in unreadable {
        intake.problem(path, what);
    }
    let bytes = changed.iter().map(Changed::bytes_new).sum();
    progress.begin(bytes);
    let forgotten = seen.forgotten;
    let mut writer = Writer { store, batch: Batch::default(), forgotten, intake, progress };
    let now = SystemTime::now();
    readers::in_order(changed, |file, give| transcript::read(file, now, give), |piece| writer.take(piece))?;
    writer.flush()?;
    progress.end();
    Ok(())
}

struct Writer<'w> {
    store: &'w mut UsageStore,
    batch: Batch,
    forgotten: &'w Forgotten,
    intake: &'w mut Intake,
    progress: &'w mut dyn Watch,
}

impl Writer<'_> {
    fn take(&mut self, piece: Piece) -> Result<(), ArchiveError> {
        self.progress.step(piece.bytes);
        self.intake.bytes += piece.bytes;
        self.intake.lines += piece.lines;
        self.intake.files_read += u64::from(piece.is_last);
        for what in piece.problems {
            self.intake.problem(piece.path.clone(), what);
        }
        let is_kept = |session: &str, project: &str, at: Timestamp| {
            !self.forgotten.covers(session, project, at.as_millisecond())
        };
        let responses = piece.responses.into_iter();
        self.batch.responses.extend(responses.filter(|it| is_kept(&it.session, &it.project, it.at)));
        let boundaries = piece.boundaries.into_iter();
        self.batch.boundaries.extend(boundaries.filter(|it| is_kept(&it.session, &it.project, it.at)));
        self.batch.files.extend(piece.file);
        if self.batch.responses.len() >= BATCH_ROWS || self.batch.files.len() >= BATCH_FILES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ArchiveError> {
        if !self.batch.files.is_empty() {
            let batch = std::mem::take(&mut self.batch);
            self.intake.added.add(self.store.add(&batch)?);
        }
        Ok(())
    }
}
