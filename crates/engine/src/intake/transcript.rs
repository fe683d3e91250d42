//! One transcript: each of its new lines is read once, and given to every store that does not have it yet.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use throughline_store::files::FileError;
use throughline_store::forget::Forgotten;
use throughline_store::known_files::KnownFile;
use throughline_store::transcript_file::{self, Cursor};

use super::discover::{Changed, ReadUpTo};
use super::readers::OfFile;
use super::{Both, Limits, recall, usage};
use crate::source::Source;

/// Bytes read before what they told goes to the writers.
const PIECE_BYTES: Both<u64> = Both { usage: 8 << 20, recall: 4 << 20 };

/// How transcripts are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'r> {
    /// How much of them.
    pub(super) limits: Limits,
    /// What of them is not.
    pub(super) forgotten: &'r Forgotten,
    /// Lines that the index of recall has, by their marks.
    pub(super) seen: &'r Mutex<HashSet<u64>>,
    /// Whose writer gave up.
    pub(super) gone: &'r Both<AtomicBool>,
    pub(super) now: SystemTime,
}

impl Reading<'_> {
    fn is_late(&self) -> bool {
        self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// What a stretch of a transcript tells; `None` for a store that has it already.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) usage: Option<Part<usage::Told>>,
    pub(super) recall: Option<Part<recall::Told>>,
    pub(super) bytes: u64,
    /// Whether more comes of this file.
    more: bool,
}

impl OfFile for Piece {
    fn is_last(&self) -> bool {
        !self.more
    }
}

/// What it tells one of the stores.
#[derive(Debug)]
pub(super) struct Part<T> {
    pub(super) path: PathBuf,
    pub(super) told: T,
    /// How far the file was read with it; `None` when it could not be read.
    pub(super) file: Option<KnownFile>,
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// Bytes of a last line that nobody finished yet: there is nothing to read in them.
    pub(super) unfinished_bytes: u64,
    pub(super) problems: Vec<String>,
    /// Whether nothing more comes of this file now.
    pub(super) is_last: bool,
}

/// Whoever makes something of the lines of one transcript.
pub(super) trait Ear {
    /// What it makes of them.
    type Told;
    /// Takes the line that begins at a byte.
    fn take(&mut self, at: u64, line: &[u8]);
    /// What was told since the last time, and what of it could not be understood.
    fn told(&mut self) -> (Self::Told, Vec<String>);
    /// What it must know to go on another time.
    fn state(&self) -> String;
}

/// An ear, and up to where it has heard.
struct Listener<E> {
    ear: E,
    cursor: Cursor,
}

impl<E: Ear> Listener<E> {
    fn of(read_up_to: Option<&ReadUpTo>, ear: impl FnOnce(&str) -> E) -> Option<Self> {
        read_up_to.map(|it| Self { ear: ear(&it.state), cursor: it.cursor.clone() })
    }

    /// What a stretch told that was just read.
    fn part(&mut self, file: &Changed, read: &Stretch) -> Part<E::Told> {
        let (told, mut problems) = self.ear.told();
        problems.extend(read.problems.iter().cloned());
        if let Some(cursor) = &read.cursor {
            self.cursor.clone_from(cursor);
        }
        let known = read.cursor.as_ref().map(|cursor| KnownFile {
            key: file.key.clone(),
            mark: file.mark,
            is_settled: read.is_settled,
            cursor: cursor.clone(),
            state: self.ear.state(),
        });
        Part {
            path: file.path.clone(),
            told,
            file: known,
            bytes: read.bytes,
            lines: read.lines,
            unfinished_bytes: read.unfinished_bytes,
            problems,
            is_last: read.is_last,
        }
    }
}

/// Reads on in a file; gives piece after piece until `give` says stop or the time is up. Returns whether to go on.
pub(super) fn read(file: &Changed, how: &Reading<'_>, give: &mut dyn FnMut(Piece) -> bool) -> bool {
    let mut usage = Listener::of(file.read_up_to.usage.as_ref(), |state| usage::Lines::of(file, state));
    let mut recall = Listener::of(file.read_up_to.recall.as_ref(), |state| {
        recall::Lines::of(file, state, how.seen, how.forgotten)
    });
    let mut bytes = 0;
    while !how.is_late() {
        usage.take_if(|_| how.gone.usage.load(Ordering::Relaxed));
        recall.take_if(|_| how.gone.recall.load(Ordering::Relaxed));
        let cursors = (usage.as_ref().map(|it| &it.cursor), recall.as_ref().map(|it| &it.cursor));
        let Some(turn) = Turn::of(cursors) else { return give(Piece::default()) };
        let mut hears = Both {
            usage: usage.as_mut().filter(|_| turn.is_for.usage),
            recall: recall.as_mut().filter(|_| turn.is_for.recall),
        };
        let source = Source::of(file.agent, &file.path);
        let read = source.read_on(&turn.from, turn.bytes_max, how.now, |at, line| {
            if let Some(it) = &mut hears.usage {
                it.ear.take(at, line);
            }
            if let Some(it) = &mut hears.recall {
                it.ear.take(at, line);
            }
        });
        let mut stretch = Stretch::of(file, how.now, read);
        bytes += stretch.bytes;
        stretch.is_last |= how.limits.file_bytes.is_some_and(|most| bytes >= most) || how.is_late();
        let mut piece = Piece {
            usage: hears.usage.map(|it| it.part(file, &stretch)),
            recall: hears.recall.map(|it| it.part(file, &stretch)),
            bytes: stretch.bytes,
            more: false,
        };
        usage.take_if(|_| stretch.is_last && turn.is_for.usage);
        recall.take_if(|_| stretch.is_last && turn.is_for.recall);
        let more = usage.is_some() || recall.is_some();
        piece.more = more;
        if !give(piece) {
            return false;
        }
        if !more {
            return true;
        }
    }
    false
}

/// Who hears the next stretch, from where, and how much.
#[derive(Debug)]
struct Turn {
    is_for: Both<bool>,
    from: Cursor,
    bytes_max: u64,
}

impl Turn {
    /// Whoever is behind reads up to where the other one stands; from there on they read together.
    ///
    /// A cursor is believed when it is read from: one of a file that was replaced begins anew then, and is behind.
    fn of(cursors: (Option<&Cursor>, Option<&Cursor>)) -> Option<Self> {
        let alone = |is_for: Both<bool>, from: &Cursor, bytes_max: u64, other: Option<&Cursor>| {
            let ahead = other.map(|it| it.offset.saturating_sub(from.offset)).filter(|ahead| *ahead > 0);
            let bytes_max = ahead.map_or(bytes_max, |ahead| ahead.min(bytes_max));
            Some(Self { is_for, from: from.clone(), bytes_max })
        };
        let (for_usage, for_recall) =
            (Both { usage: true, recall: false }, Both { usage: false, recall: true });
        match cursors {
            (None, None) => None,
            (Some(usage), Some(recall)) if usage.is_beside(recall) => {
                let is_for = Both { usage: true, recall: true };
                Some(Self {
                    is_for,
                    from: usage.clone(),
                    bytes_max: PIECE_BYTES.usage.min(PIECE_BYTES.recall),
                })
            }
            (Some(usage), Some(recall)) if recall.offset < usage.offset => {
                alone(for_recall, recall, PIECE_BYTES.recall, Some(usage))
            }
            (Some(usage), other) => alone(for_usage, usage, PIECE_BYTES.usage, other),
            (None, Some(recall)) => alone(for_recall, recall, PIECE_BYTES.recall, None),
        }
    }
}

/// A stretch of a file that was read.
struct Stretch {
    /// Where it ends; `None` when it could not be read.
    cursor: Option<Cursor>,
    bytes: u64,
    lines: u64,
    unfinished_bytes: u64,
    problems: Vec<String>,
    is_settled: bool,
    is_last: bool,
}

impl Stretch {
    fn of(
        file: &Changed,
        now: SystemTime,
        read: Result<(Cursor, transcript_file::Reading), FileError>,
    ) -> Self {
        match read {
            Ok((cursor, reading)) => {
                let left = file.mark.size_bytes.saturating_sub(cursor.offset);
                let is_last = !reading.more;
                Self {
                    bytes: reading.bytes,
                    lines: reading.lines,
                    unfinished_bytes: if is_last { left } else { 0 },
                    problems: reading.problems.into_iter().map(|problem| problem.what).collect(),
                    is_settled: is_last && (left == 0 || file.mark.is_quiet(now)),
                    is_last,
                    cursor: Some(cursor),
                }
            }
            Err(error) => Self {
                cursor: None,
                bytes: 0,
                lines: 0,
                unfinished_bytes: 0,
                problems: vec![error.source.to_string()],
                is_settled: false,
                is_last: true,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(offset: u64) -> Cursor {
        let mut cursor = Cursor::at_start();
        cursor.offset = offset;
        cursor
    }

    fn turn(usage: Option<u64>, recall: Option<u64>) -> Option<(&'static str, u64, u64)> {
        let (usage, recall) = (usage.map(cursor), recall.map(cursor));
        let turn = Turn::of((usage.as_ref(), recall.as_ref()))?;
        let whose = match turn.is_for {
            Both { usage: true, recall: true } => "both",
            Both { usage: true, recall: false } => "usage",
            Both { usage: false, recall: true } => "recall",
            Both { usage: false, recall: false } => "nobody",
        };
        Some((whose, turn.from.offset, turn.bytes_max))
    }

    #[test]
    fn whoever_is_behind_catches_up_and_then_both_hear_the_same_reading() {
        assert_eq!(turn(Some(700), Some(700)), Some(("both", 700, PIECE_BYTES.recall)));
        assert_eq!(turn(Some(0), Some(700)), Some(("usage", 0, 700)));
        assert_eq!(turn(Some(700), Some(100)), Some(("recall", 100, 600)));
        assert_eq!(turn(Some(700), None), Some(("usage", 700, PIECE_BYTES.usage)));
        assert_eq!(turn(None, Some(700)), Some(("recall", 700, PIECE_BYTES.recall)));
        assert_eq!(turn(None, None), None);
    }
}
