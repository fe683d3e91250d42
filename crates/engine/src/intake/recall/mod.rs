//! The index of recall: passages of transcripts go in by batches, and what is too old makes room.

mod lines;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use throughline_domain::Timestamp;
use throughline_store::config::Recall as Rules;
use throughline_store::door::outside;
use throughline_store::forget::Forgotten;
use throughline_store::known_files::{FileMark, KnownFile};
use throughline_store::paths::Home;
use throughline_store::recall::{Added, Batch, Recall, RecallError, Retention, Writing};

pub use super::Limits;
use super::discover::{Changed, Discovered};
use super::transcript::Part;
use super::{PROBLEMS_MAX, Side, Sides, Silent, Stores, Watch, read_all};
use crate::place::Place;
use crate::source::Source;
pub(super) use lines::{Lines, Told};

/// Text of one transaction.
const BATCH_BYTES: u64 = 4 << 20;
/// Files of one transaction.
const BATCH_FILES: usize = 256;
/// After so much new text the index is put in order.
const TIDY_BYTES: u64 = 2 << 20;

/// What an intake did.
#[derive(Debug, Default)]
pub struct Intake {
    /// Transcripts that are there.
    pub files: u64,
    /// Those that were read.
    pub files_read: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Bytes of last lines that are not finished.
    pub bytes_unfinished: u64,
    /// Bytes that the time did not suffice for.
    pub bytes_left: u64,
    /// What is new.
    pub added: Added,
    /// Sessions that were too old, or had no more room.
    pub sessions_removed: u64,
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

/// The index, with the right to write to it.
#[derive(Debug)]
pub struct Index<'i> {
    /// The index itself.
    pub store: &'i mut Recall,
    /// The right to write.
    pub writing: &'i Writing,
    /// How long and how much is kept.
    pub rules: &'i Rules,
}

/// Reads what is new in all transcripts for this index alone.
pub fn catch_up(
    place: &Place,
    index: Index<'_>,
    limits: Limits,
    progress: &mut dyn Watch,
) -> Result<Intake, RecallError> {
    let stores = Stores { usage: None, recall: Some(index) };
    super::catch_up(place, stores, limits, progress).recall.unwrap_or_else(|| Ok(Intake::default()))
}

/// Reads what is new in one transcript.
pub fn catch_up_one(
    home: &Home,
    source: Source<'_>,
    store: &mut Recall,
    writing: &Writing,
    rules: &Rules,
    limits: Limits,
) -> Result<Intake, RecallError> {
    if !source.exists() {
        return Ok(Intake::default());
    }
    // A row has no such mark: it is looked at again with the others.
    let mark = outside::metadata(source.path).map(|meta| FileMark::of(&meta)).unwrap_or_default();
    let began = Instant::now();
    let forgotten = Forgotten::read(home)?;
    let path = crate::place::real(source.path);
    let key = path.to_string_lossy().into_owned();
    let mut writer = Writer::begin(Index { store, writing, rules })?;
    let changed = Changed::for_recall(source.agent, path, key, mark, &writer.known);
    writer.intake.files = 1;
    let mut sides = Sides { usage: Side::Absent, recall: Side::Going(writer) };
    read_all(vec![changed], &forgotten, limits, &mut sides, &mut Silent);
    sides.recall.end(|writer| writer.finish(began)).unwrap_or_else(|| Ok(Intake::default()))
}

fn retention(rules: &Rules) -> Retention {
    let age_s = i64::try_from(rules.keep_days.saturating_mul(86_400)).unwrap_or(i64::MAX);
    let oldest_s =
        if rules.keep_days == 0 { i64::MIN } else { Timestamp::now().as_second().saturating_sub(age_s) };
    Retention { bytes_max: rules.max_bytes, oldest_s }
}

/// What writes to the index.
#[derive(Debug)]
pub(super) struct Writer<'w> {
    index: Index<'w>,
    /// What was read before.
    pub(super) known: BTreeMap<String, KnownFile>,
    batch: Batch,
    text_bytes: u64,
    /// Bytes that there are to read.
    bytes_new: u64,
    intake: Intake,
}

impl<'w> Writer<'w> {
    pub(super) fn begin(index: Index<'w>) -> Result<Self, RecallError> {
        let known = index.store.known_files()?;
        let intake = Intake::default();
        Ok(Self { index, known, batch: Batch::default(), text_bytes: 0, bytes_new: 0, intake })
    }

    pub(super) fn found(&mut self, found: &Discovered) {
        self.intake.files = found.files;
        for (path, what) in &found.unreadable {
            self.intake.problem(path.clone(), what.clone());
        }
    }

    /// The lines that the index has, by their marks; not asked for where nothing is to be read.
    pub(super) fn seen(&mut self, changed: &[Changed]) -> Result<Mutex<HashSet<u64>>, RecallError> {
        self.bytes_new = changed.iter().map(Changed::bytes_new_to_recall).sum();
        if changed.iter().all(|file| file.read_up_to.recall.is_none()) {
            return Ok(Mutex::default());
        }
        Ok(Mutex::new(self.index.store.known_lines()?))
    }

    pub(super) fn take(&mut self, part: Part<Told>) -> Result<(), RecallError> {
        self.intake.bytes += part.bytes;
        self.intake.bytes_unfinished += part.unfinished_bytes;
        self.intake.files_read += u64::from(part.is_last && part.file.is_some());
        for what in part.problems {
            self.intake.problem(part.path.clone(), what);
        }
        self.text_bytes += part.told.iter().map(|block| block.text_bytes).sum::<u64>();
        self.batch.blocks.extend(part.told);
        if let Some(file) = part.file {
            self.keep(file);
        }
        if self.text_bytes >= BATCH_BYTES || self.batch.files.len() >= BATCH_FILES {
            self.flush()?;
        }
        Ok(())
    }

    fn keep(&mut self, file: KnownFile) {
        // Of several pieces of one file the last tells how far it was read.
        self.batch.files.retain(|known| known.key != file.key);
        self.batch.files.push(file);
    }

    pub(super) fn flush(&mut self) -> Result<(), RecallError> {
        if !self.batch.files.is_empty() {
            let added = self.index.store.add(self.index.writing, &self.batch)?;
            self.intake.added.add(added);
            self.batch = Batch::default();
            self.text_bytes = 0;
        }
        Ok(())
    }

    /// After the transcripts: the index is put in order, and what is too old makes room.
    pub(super) fn finish(self, began: Instant) -> Result<Intake, RecallError> {
        let Self { index: Index { store, writing, rules }, mut intake, .. } = self;
        intake.bytes_left = self.bytes_new.saturating_sub(intake.bytes + intake.bytes_unfinished);
        if intake.added.text_bytes >= TIDY_BYTES {
            store.tidy(writing)?;
        }
        if intake.added.passages > 0 {
            intake.sessions_removed = store.keep_within(writing, retention(rules))?.sessions_removed;
        }
        intake.ms = began.elapsed().as_millis();
        Ok(intake)
    }
}
