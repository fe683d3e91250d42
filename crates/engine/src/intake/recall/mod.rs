//! Intake: brings the index of recall up to date with what the agent wrote since the last time.
//!
//! Two threads read and pack, one writes. Passages go in together with how far their transcript was read: a kill at
//! any instant loses nothing and takes nothing twice.

mod reading;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Instant, SystemTime};

use throughline_domain::Timestamp;
use throughline_store::config::Recall as Rules;
use throughline_store::door::outside;
use throughline_store::forget::Forgotten;
use throughline_store::known_files::{FileMark, KnownFile};
use throughline_store::paths::Home;
use throughline_store::recall::{Added, Batch, Recall, RecallError, Retention, Writing};

use self::reading::Piece;
use super::discover::{Changed, Discovered, config_folders, discover};
use super::{Silent, Watch, readers};
use crate::place::Place;

/// Text of one transaction.
const BATCH_BYTES: u64 = 4 << 20;
/// Files of one transaction.
const BATCH_FILES: usize = 256;
/// Problems that are told one by one.
const PROBLEMS_MAX: usize = 20;
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

/// How much is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Until then; what is left waits for the next time. The newest transcripts come first then.
    pub deadline: Option<Instant>,
    /// So much of one transcript.
    pub file_bytes: Option<u64>,
}

/// How it is read: how much, and what not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'f> {
    pub(super) limits: Limits,
    pub(super) forgotten: &'f Forgotten,
}

/// Reads what is new in all transcripts.
pub fn catch_up(
    place: &Place,
    store: &mut Recall,
    writing: &Writing,
    rules: &Rules,
    limits: Limits,
    progress: &mut dyn Watch,
) -> Result<Intake, RecallError> {
    let began = Instant::now();
    let mut intake = Intake::default();
    let known = store.known_files()?;
    let forgotten = Forgotten::read(&place.home)?;
    let Discovered { mut changed, files, unreadable } = discover(&config_folders(place), &known, &forgotten);
    intake.files = files;
    for (path, what) in unreadable {
        intake.problem(path, what);
    }
    if limits.deadline.is_some() {
        changed.reverse();
    }
    read_all(changed, store, writing, Reading { limits, forgotten: &forgotten }, progress, &mut intake)?;
    settle(store, writing, rules, &mut intake)?;
    intake.ms = began.elapsed().as_millis();
    Ok(intake)
}

/// Reads what is new in one transcript.
pub fn catch_up_one(
    home: &Home,
    path: &Path,
    store: &mut Recall,
    writing: &Writing,
    rules: &Rules,
    limits: Limits,
) -> Result<Intake, RecallError> {
    let mut intake = Intake::default();
    let Ok(meta) = outside::metadata(path) else { return Ok(intake) };
    let forgotten = Forgotten::read(home)?;
    let path = crate::place::real(path);
    let key = path.to_string_lossy().into_owned();
    let known = store.known_files()?.remove(&key);
    let folder = path.parent().and_then(Path::file_name);
    let project_folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let changed = Changed { path, key, mark: FileMark::of(&meta), project_folder, known };
    intake.files = 1;
    let reading = Reading { limits, forgotten: &forgotten };
    read_all(vec![changed], store, writing, reading, &mut Silent, &mut intake)?;
    settle(store, writing, rules, &mut intake)?;
    Ok(intake)
}

fn settle(
    store: &mut Recall,
    writing: &Writing,
    rules: &Rules,
    intake: &mut Intake,
) -> Result<(), RecallError> {
    if intake.added.text_bytes >= TIDY_BYTES {
        store.tidy(writing)?;
    }
    if intake.added.passages > 0 {
        intake.sessions_removed = store.keep_within(writing, retention(rules))?.sessions_removed;
    }
    Ok(())
}

fn retention(rules: &Rules) -> Retention {
    let age_s = i64::try_from(rules.keep_days.saturating_mul(86_400)).unwrap_or(i64::MAX);
    let oldest_s =
        if rules.keep_days == 0 { i64::MIN } else { Timestamp::now().as_second().saturating_sub(age_s) };
    Retention { bytes_max: rules.max_bytes, oldest_s }
}

fn read_all(
    changed: Vec<Changed>,
    store: &mut Recall,
    writing: &Writing,
    how: Reading<'_>,
    progress: &mut dyn Watch,
    intake: &mut Intake,
) -> Result<(), RecallError> {
    if changed.is_empty() {
        return Ok(());
    }
    let bytes = changed.iter().map(Changed::bytes_new).sum();
    progress.begin(bytes);
    let seen = Mutex::new(store.known_lines()?);
    let now = SystemTime::now();
    let mut writer = Writer { store, writing, batch: Batch::default(), text_bytes: 0, intake, progress };
    readers::in_order(
        changed,
        |file, give| reading::read(file, now, how, &seen, give),
        |piece| writer.take(piece),
    )?;
    writer.flush()?;
    intake.bytes_left = bytes.saturating_sub(intake.bytes + intake.bytes_unfinished);
    progress.end();
    Ok(())
}

struct Writer<'w> {
    store: &'w mut Recall,
    writing: &'w Writing,
    batch: Batch,
    text_bytes: u64,
    intake: &'w mut Intake,
    progress: &'w mut dyn Watch,
}

impl Writer<'_> {
    fn take(&mut self, piece: Piece) -> Result<(), RecallError> {
        self.progress.step(piece.bytes);
        self.intake.bytes += piece.bytes;
        self.intake.bytes_unfinished += piece.unfinished_bytes;
        self.intake.files_read += u64::from(piece.is_last && piece.file.is_some());
        for what in piece.problems {
            self.intake.problem(piece.path.clone(), what);
        }
        self.text_bytes += piece.blocks.iter().map(|block| block.text_bytes).sum::<u64>();
        self.batch.blocks.extend(piece.blocks);
        if let Some(file) = piece.file {
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

    fn flush(&mut self) -> Result<(), RecallError> {
        if !self.batch.files.is_empty() {
            let added = self.store.add(self.writing, &self.batch)?;
            self.intake.added.add(added);
            self.batch = Batch::default();
            self.text_bytes = 0;
        }
        Ok(())
    }
}
