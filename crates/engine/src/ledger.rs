//! A session's ledger, brought up to date: the transcript is read on from where the last gate stopped.

use std::path::Path;
use std::time::SystemTime;

use throughline_agents::agent::Agent;
use throughline_capture::{absorb, recent_part};
use throughline_domain::ledger::Ledger;
use throughline_domain::time;
use throughline_domain::transcript::Line;
use throughline_redact as redact;
use throughline_store::door::Spot;
use throughline_store::files::FileError;
use throughline_store::forget::Forgotten;
use throughline_store::ledger_file::{self, LedgerFile, RECENT, Track};
use throughline_store::paths::Home;
use throughline_store::session::SessionFacts;
use throughline_store::transcript_file::Cursor;

use crate::failures::Failures;
use crate::late;
use crate::source::{LineReader, Source};

/// What a usual gate reads at most: some tens of milliseconds.
pub const SLICE_BYTES: u64 = 8 << 20;
/// What the gates around a compaction and a start read at most.
pub const LARGE_SLICE_BYTES: u64 = 64 << 20;

/// A session's own transcript.
#[derive(Debug, Clone, Copy)]
pub struct SessionTranscript<'s> {
    /// The data folder.
    pub home: &'s Home,
    /// The session.
    pub session: &'s str,
    /// Where its transcript is, as the client says.
    pub transcript: &'s str,
    /// Whose it is.
    pub agent: &'static Agent,
}

impl SessionTranscript<'_> {
    fn folder(&self) -> Spot {
        self.home.session(self.session)
    }

    /// Where it is read from.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source::of(self.agent, Path::new(self.transcript))
    }

    /// What it told up to the last gate.
    #[must_use]
    pub fn read_so_far(&self) -> Ledger {
        LedgerFile::read(&self.folder(), self.transcript).main.ledger
    }
}

/// Reads a session's transcript on and keeps what it tells. A failure costs only what is new.
pub fn catch_up(source: &SessionTranscript<'_>, bytes_max: u64, failures: &Failures) -> Ledger {
    let &SessionTranscript { home, session, transcript, .. } = source;
    let folder = source.folder();
    let before = LedgerFile::read(&folder, transcript);
    let mut file = before.clone();
    let source = source.source();
    if transcript.is_empty() || !source.path.is_absolute() {
        return file.main.ledger;
    }
    // At the first sight of a huge one its end is enough for now: the rest is read from the beginning, once.
    let is_huge = || source.bytes().is_some_and(|bytes| bytes > bytes_max);
    let main_max = if file.main.cursor.offset == 0 && is_huge() { SLICE_BYTES } else { bytes_max };
    let Some(until) = forgotten_until(home, session, failures) else { return before.main.ledger };
    advance(&mut file.main, &before.main, &Reading { source, bytes_max: main_max, until }, failures);
    if file.main.cursor.front_bytes() > 0 && file.behind.is_none() {
        file.behind = Some(Track { cursor: Cursor::at_start(), ..Track::default() });
    }
    if let Some(behind) = &mut file.behind {
        let fresh = Track { cursor: Cursor::at_start(), ..Track::default() };
        let reading = Reading { source, bytes_max, until };
        advance(behind, before.behind.as_ref().unwrap_or(&fresh), &reading, failures);
        if behind.cursor.offset >= file.main.cursor.offset {
            let stretch = std::mem::take(&mut file.main.ledger.stretch);
            // Reading from the beginning cannot tell that the context was purified meanwhile.
            if stretch.is_purified {
                behind.ledger.stretch = stretch.counted_from(file.main.ledger.turn, behind.ledger.turn);
            }
            file.main = std::mem::take(behind);
            file.behind = None;
        }
    }
    if file != before {
        match file.write(&folder, before) {
            Ok(true) => keep_recent(&folder, &file, failures),
            Ok(false) => {}
            Err(error) => failures.add(error),
        }
    }
    late::supply(&folder, &mut file.main.ledger);
    file.main.ledger
}

/// A full ledger is not read at every gate: the small part of it that tells where the work stands is kept beside it.
fn keep_recent(folder: &Spot, file: &LedgerFile, failures: &Failures) {
    let main = Track { cursor: file.main.cursor.clone(), ledger: recent_part(&file.main.ledger) };
    let before = LedgerFile { transcript: file.transcript.clone(), main, behind: None };
    let mut recent = before.clone();
    failures.keep(recent.write(&folder.join(RECENT), before));
}

/// Where the work stands, read on from the recent part of a full ledger; `None` when nothing is new, or nothing is full.
pub fn recent(source: &SessionTranscript<'_>, failures: &Failures) -> Option<Ledger> {
    let &SessionTranscript { home, session, transcript, .. } = source;
    let folder = source.folder().join(RECENT);
    if !folder.is_folder() || LedgerFile::may_wait(&folder, transcript) {
        return None;
    }
    let before = LedgerFile::read(&folder, transcript);
    if before.main.cursor.offset == 0 {
        return None;
    }
    let mut file = before.clone();
    let until = forgotten_until(home, session, failures)?;
    let reading = Reading { source: source.source(), bytes_max: SLICE_BYTES, until };
    advance(&mut file.main, &before.main, &reading, failures);
    file.main.ledger = recent_part(&file.main.ledger);
    failures.keep(file.write(&folder, before));
    late::supply(&source.folder(), &mut file.main.ledger);
    Some(file.main.ledger)
}

/// What a session's transcript tells up to now; nothing is kept of it.
#[must_use]
pub fn look(source: &SessionTranscript<'_>) -> Ledger {
    let &SessionTranscript { home, session, transcript, .. } = source;
    let mut track = LedgerFile::read(&source.folder(), transcript).main;
    let before = track.clone();
    let Some(until) = forgotten_until(home, session, &Failures::none()) else { return track.ledger };
    let reading = Reading { source: source.source(), bytes_max: LARGE_SLICE_BYTES, until };
    advance(&mut track, &before, &reading, &Failures::none());
    ledger_file::mask(&mut track.ledger);
    late::supply(&source.folder(), &mut track.ledger);
    track.ledger
}

/// Begins another stretch after what was read: no line of a transcript tells of a purification.
pub fn begin_stretch(source: &SessionTranscript<'_>) -> Result<Ledger, FileError> {
    let folder = source.folder();
    let before = LedgerFile::read(&folder, source.transcript);
    let mut file = before.clone();
    let ledger = &mut file.main.ledger;
    ledger.stretch.purify(ledger.turn);
    file.write(&folder, before)?;
    Ok(file.main.ledger)
}

/// What is read, how much of it, and from which moment on (ms since 1970): what is older was forgotten.
struct Reading<'r> {
    source: Source<'r>,
    bytes_max: u64,
    until: i64,
}

/// The moment before which a session is forgotten; the beginning of time where it is not. `None` when that cannot be told:
/// then nothing is read.
fn forgotten_until(home: &Home, session_id: &str, failures: &Failures) -> Option<i64> {
    let forgotten = match Forgotten::read(home) {
        Ok(forgotten) if forgotten.is_empty() => return Some(i64::MIN),
        Ok(forgotten) => forgotten,
        Err(error) => {
            failures.add(error);
            return None;
        }
    };
    let project = SessionFacts::read(&home.session(session_id)).map(|cache| cache.project_root);
    let project = project.unwrap_or_default();
    Some(forgotten.until_ms(session_id, &project.to_string_lossy()).unwrap_or(i64::MIN))
}

/// Reads one track on, which is still as `before`. A file that is not the one that was read before is read anew; where
/// that fails, too, everything stays as it was.
fn advance(track: &mut Track, before: &Track, reading: &Reading<'_>, failures: &Failures) {
    let was_begun = track.cursor.offset > 0;
    let mut outcome = read_into(track, reading, failures);
    if outcome == Some(true) && was_begun {
        *track = Track::default();
        outcome = read_into(track, reading, failures);
    }
    if outcome.is_none() {
        *track = before.clone();
    }
}

/// Whether the file turned out to be another one; `None` when it could not be read.
fn read_into(track: &mut Track, reading: &Reading<'_>, failures: &Failures) -> Option<bool> {
    let ledger = &mut track.ledger;
    // A line without a time is as old as the one before it.
    let mut is_forgotten = reading.until > i64::MIN && track.cursor.offset == 0;
    let mut reader = LineReader::at(reading.source.agent, &track.cursor);
    let each_line = |offset: u64, bytes: &[u8]| {
        each(&mut reader, bytes, |line| {
            if reading.until > i64::MIN
                && let Some(at) = line.timestamp.and_then(time::parse)
            {
                is_forgotten = at.as_millisecond() < reading.until;
            }
            if !is_forgotten {
                absorb(ledger, line, offset);
            }
        });
    };
    match reading.source.read_on(&track.cursor, reading.bytes_max, SystemTime::now(), each_line) {
        Ok((cursor, reading)) => {
            track.cursor = cursor;
            track.cursor.carried = reader.carried();
            if let Some(problem) = reading.problems.first() {
                failures.add(problem);
            }
            Some(reading.restarted)
        }
        Err(error) => {
            failures.add(error);
            None
        }
    }
}

/// What a transcript's line tells, as the ledger takes it.
pub fn each(reader: &mut LineReader, bytes: &[u8], mut take: impl FnMut(&Line<'_>)) {
    reader.each(bytes, |mut line| {
        redact::line(&mut line);
        take(&line);
    });
}
