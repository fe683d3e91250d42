//! Intake: what the agent wrote since the last time goes into the store of usage, into the index of recall, or into both.
//!
//! Transcripts are looked for once and each is read once, by two threads, whoever wants it; one thread writes. What they
//! tell goes in together with how far its file was read: a kill at any instant, or a second intake beside this one, loses
//! nothing and counts nothing twice. Each store keeps its own cursors, and what fails for one goes on for the other.

pub mod discover;
mod readers;
pub mod recall;
mod transcript;
pub mod usage;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use throughline_store::archive::ArchiveError;
use throughline_store::files::FileError;
use throughline_store::forget::Forgotten;
use throughline_store::recall::RecallError;
use throughline_store::usage::UsageStore;

use self::discover::{Changed, Discovered, KnownFiles, discover};
use self::transcript::{Piece, Reading};
use crate::place::Place;

/// Problems that are told one by one.
const PROBLEMS_MAX: usize = 20;

/// Whoever wants to know how far a long reading is.
pub trait Watch {
    /// So many bytes are to be read.
    fn begin(&mut self, bytes: u64);
    /// So many more were read.
    fn step(&mut self, bytes: u64);
    /// Everything was read.
    fn end(&mut self);
}

/// Nobody does.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Watch for Silent {
    fn begin(&mut self, _: u64) {}
    fn step(&mut self, _: u64) {}
    fn end(&mut self) {}
}

/// One of something for the store of usage, and one for the index of recall.
#[derive(Debug, Clone, Copy, Default)]
pub struct Both<U, R = U> {
    /// For the store of usage.
    pub usage: U,
    /// For the index of recall.
    pub recall: R,
}

/// The stores that are to be brought up to date; `None` for one that is left alone.
pub type Stores<'s> = Both<Option<&'s mut UsageStore>, Option<recall::Index<'s>>>;

/// What became of each of them; `None` for one that was left alone.
pub type Done =
    Both<Option<Result<usage::Intake, ArchiveError>>, Option<Result<recall::Intake, RecallError>>>;

/// How much is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Until then; what is left waits for the next time. The newest transcripts come first then.
    pub deadline: Option<Instant>,
    /// So much of one transcript.
    pub file_bytes: Option<u64>,
}

/// Reads what is new in all transcripts into the stores, and in the usage logs of the projects they name.
pub fn catch_up(place: &Place, stores: Stores<'_>, limits: Limits, progress: &mut dyn Watch) -> Done {
    let began = Instant::now();
    let forgotten = match Forgotten::read(&place.home) {
        Ok(forgotten) => forgotten,
        Err(error) => {
            return Done {
                usage: stores.usage.map(|_| Err(unread(&error))),
                recall: stores.recall.map(|_| Err(unread(&error).into())),
            };
        }
    };
    let mut sides = Sides {
        usage: Side::begin(stores.usage, |store| usage::Writer::begin(store, &forgotten)),
        recall: Side::begin(stores.recall, recall::Writer::begin),
    };
    let found = {
        let known = KnownFiles {
            usage: sides.usage.going().map(|writer| &writer.known),
            recall: sides.recall.going().map(|writer| &writer.known),
        };
        discover(place, known, &forgotten)
    };
    sides.usage.go(|writer| {
        writer.found(&found);
        Ok(())
    });
    sides.recall.go(|writer| {
        writer.found(&found);
        Ok(())
    });
    let Discovered { mut changed, .. } = found;
    if limits.deadline.is_some() {
        changed.reverse();
    }
    read_all(changed, &forgotten, limits, &mut sides, progress);
    Done {
        usage: sides.usage.end(|writer| writer.finish(place, began)),
        recall: sides.recall.end(|writer| writer.finish(began)),
    }
}

fn unread(error: &FileError) -> ArchiveError {
    ArchiveError::Io { path: error.path.clone(), what: error.source.to_string() }
}

fn read_all(
    changed: Vec<Changed>,
    forgotten: &Forgotten,
    limits: Limits,
    sides: &mut Sides<'_>,
    progress: &mut dyn Watch,
) {
    if changed.is_empty() {
        return;
    }
    progress.begin(changed.iter().map(Changed::bytes_new).sum());
    let seen = sides.recall.go(|writer| writer.seen(&changed)).unwrap_or_default();
    let gone = Both { usage: AtomicBool::new(false), recall: AtomicBool::new(false) };
    let how = Reading { limits, forgotten, seen: &seen, gone: &gone, now: SystemTime::now() };
    let take = |piece: Piece| {
        progress.step(piece.bytes);
        if let Some(part) = piece.usage {
            sides.usage.go(|writer| writer.take(part));
        }
        if let Some(part) = piece.recall {
            sides.recall.go(|writer| writer.take(part));
        }
        let is_wanted = Both { usage: sides.usage.going().is_some(), recall: sides.recall.going().is_some() };
        gone.usage.store(!is_wanted.usage, Ordering::Relaxed);
        gone.recall.store(!is_wanted.recall, Ordering::Relaxed);
        is_wanted.usage || is_wanted.recall
    };
    readers::in_order(changed, |file, give| transcript::read(file, &how, give), take);
    sides.usage.go(usage::Writer::flush);
    sides.recall.go(recall::Writer::flush);
    progress.end();
}

/// The work for both stores.
type Sides<'s> = Both<Side<usage::Writer<'s>, ArchiveError>, Side<recall::Writer<'s>, RecallError>>;

/// The work for one store.
#[derive(Debug)]
enum Side<W, E> {
    /// Nobody asked for it.
    Absent,
    Going(W),
    /// It goes on no more; the other one does.
    Failed(E),
}

impl<W, E> Side<W, E> {
    fn begin<S>(store: Option<S>, begin: impl FnOnce(S) -> Result<W, E>) -> Self {
        match store.map(begin) {
            None => Self::Absent,
            Some(Ok(work)) => Self::Going(work),
            Some(Err(error)) => Self::Failed(error),
        }
    }

    fn going(&self) -> Option<&W> {
        if let Self::Going(work) = self { Some(work) } else { None }
    }

    /// Takes a step, if it still goes on.
    fn go<T>(&mut self, step: impl FnOnce(&mut W) -> Result<T, E>) -> Option<T> {
        let Self::Going(work) = self else { return None };
        match step(work) {
            Ok(done) => Some(done),
            Err(error) => {
                *self = Self::Failed(error);
                None
            }
        }
    }

    fn end<T>(self, last: impl FnOnce(W) -> Result<T, E>) -> Option<Result<T, E>> {
        match self {
            Self::Absent => None,
            Self::Going(work) => Some(last(work)),
            Self::Failed(error) => Some(Err(error)),
        }
    }
}
