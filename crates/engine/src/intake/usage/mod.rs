//! The store of usage: responses and compactions of transcripts, and samples of usage logs, go in by batches.

mod disagreements;
mod lines;
mod logs;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use throughline_domain::Timestamp;
use throughline_store::archive::ArchiveError;
use throughline_store::forget::Forgotten;
use throughline_store::known_files::KnownFile;
use throughline_store::usage::{Added, Batch, UsageStore};

use super::discover::Discovered;
use super::transcript::Part;
use super::{Limits, PROBLEMS_MAX, Stores, Watch};
use crate::place::Place;
pub(super) use lines::{Lines, Told, project_of};

/// Rows of one transaction: enough to be quick, few enough that others who write need not wait long.
const BATCH_ROWS: usize = 8_192;
/// Files of one transaction.
const BATCH_FILES: usize = 512;

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

/// Reads what is new for this store alone.
pub fn catch_up(
    place: &Place,
    store: &mut UsageStore,
    progress: &mut dyn Watch,
) -> Result<Intake, ArchiveError> {
    let stores = Stores { usage: Some(store), recall: None };
    super::catch_up(place, stores, Limits::default(), progress).usage.unwrap_or_else(|| Ok(Intake::default()))
}

/// What writes to the store.
#[derive(Debug)]
pub(super) struct Writer<'w> {
    store: &'w mut UsageStore,
    /// What was read before.
    pub(super) known: BTreeMap<String, KnownFile>,
    forgotten: &'w Forgotten,
    batch: Batch,
    intake: Intake,
}

impl<'w> Writer<'w> {
    pub(super) fn begin(store: &'w mut UsageStore, forgotten: &'w Forgotten) -> Result<Self, ArchiveError> {
        let known = store.known_files()?;
        Ok(Self { store, known, forgotten, batch: Batch::default(), intake: Intake::default() })
    }

    pub(super) fn found(&mut self, found: &Discovered) {
        self.intake.files = found.files;
        for (path, what) in &found.unreadable {
            self.intake.problem(path.clone(), what.clone());
        }
    }

    pub(super) fn take(&mut self, part: Part<Told>) -> Result<(), ArchiveError> {
        self.intake.bytes += part.bytes;
        self.intake.lines += part.lines;
        self.intake.files_read += u64::from(part.is_last);
        for what in part.problems {
            self.intake.problem(part.path.clone(), what);
        }
        let is_kept = |session: &str, project: &str, at: Timestamp| {
            !self.forgotten.covers(session, project, at.as_millisecond())
        };
        let responses = part.told.responses.into_iter();
        self.batch.responses.extend(responses.filter(|it| is_kept(&it.session, &it.project, it.at)));
        let boundaries = part.told.boundaries.into_iter();
        self.batch.boundaries.extend(boundaries.filter(|it| is_kept(&it.session, &it.project, it.at)));
        self.batch.agents.extend(part.told.agents);
        self.batch.files.extend(part.file);
        if self.batch.responses.len() >= BATCH_ROWS || self.batch.files.len() >= BATCH_FILES {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), ArchiveError> {
        if !self.batch.files.is_empty() {
            let batch = std::mem::take(&mut self.batch);
            self.intake.added.add(self.store.add(&batch)?);
        }
        Ok(())
    }

    /// After the transcripts: the usage logs of the projects that they name.
    pub(super) fn finish(mut self, place: &Place, began: Instant) -> Result<Intake, ArchiveError> {
        let seen = Seen { known: &self.known, forgotten: self.forgotten };
        logs::read(place, &seen, self.store, &mut self.intake)?;
        if self.intake.added != Added::default() {
            disagreements::log(place, self.store)?;
        }
        self.intake.ms = began.elapsed().as_millis();
        Ok(self.intake)
    }
}

/// What was read before, and what is not to be read again.
struct Seen<'s> {
    known: &'s BTreeMap<String, KnownFile>,
    forgotten: &'s Forgotten,
}
