//! Transcript file: reads a growing file on from where the last reading ended, line by line, each line once.
//!
//! A file is known again by its bytes (its first ones, and those just before the cursor), not by its inode: one that
//! was copied or replaced with the same content goes on, one that was cut, rotated or rewritten begins anew.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::SystemTime;

use memchr::memchr_iter;
use serde::{Deserialize, Serialize};
use throughline_domain::Problem;
use throughline_domain::text::fingerprint;

use crate::files::{AtPath, FileError, Readable};
use crate::known_files::FileMark;

/// A longer line is no entry of a session that anybody reads: it is passed over, and noted as a problem.
pub const LINE_BYTES_MAX: usize = throughline_domain::limits::TRANSCRIPT_LINE_BYTES_MAX;
/// Bytes read at once. The buffer grows only for longer lines.
const CHUNK_BYTES: usize = 1 << 20;
/// Bytes read at once in search of a line's end: what is behind it is read again by whoever goes on from there.
const SEARCH_BYTES: u64 = 32 << 10;
/// Bytes by which a file is known again: its first ones, and those before the cursor (a line's end, with its id).
const HEAD_BYTES: usize = 1_024;
const TAIL_BYTES: usize = 512;
/// Problems of one reading that are told one by one.
const PROBLEMS_MAX: usize = 16;

/// How far a file was read. Kept between two readings, together with what was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cursor {
    /// The first byte that was not read yet.
    pub offset: u64,
    /// Whether that byte stands inside of a line that is passed over.
    inside_skipped_line: bool,
    /// The part before the first reading that was left out; 0 when there is none.
    front_bytes: u64,
    /// Read from the beginning, however long the file is.
    from_start: bool,
    /// Fingerprints of the file's first bytes and of those before `offset`.
    head_mark: u64,
    tail_mark: u64,
    /// What lines before it said and later ones rest on, in the words of whoever reads them.
    pub carried: String,
}

impl Cursor {
    /// A cursor that begins at the file's first byte, however long it is: for catching up, slice by slice.
    #[must_use]
    pub fn at_start() -> Self {
        Self { from_start: true, ..Self::default() }
    }

    /// Bytes at the file's beginning that the first sight of a long file left out; a cursor [`at_start`] reads them.
    ///
    /// [`at_start`]: Cursor::at_start
    #[must_use]
    pub fn front_bytes(&self) -> u64 {
        self.front_bytes
    }

    /// Whether both stand at the same place of the same file, whatever their readers carry.
    #[must_use]
    pub fn is_beside(&self, other: &Self) -> bool {
        let place = |it: &Self| {
            let marks = (it.head_mark, it.tail_mark);
            (it.offset, it.inside_skipped_line, it.front_bytes, it.from_start, marks)
        };
        place(self) == place(other)
    }
}

/// What a reading found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Lines given to the caller.
    pub lines: u64,
    /// Bytes read on.
    pub bytes: u64,
    /// Whether the limit was reached before the end.
    pub more: bool,
    /// The file is not the one that the cursor was made for: everything that was read from that one is void.
    pub restarted: bool,
    /// What was passed over, and why reading stopped early.
    pub problems: Vec<Problem>,
}

/// Reads on from the cursor to the last complete line, or until `bytes_max` are read.
///
/// At the first sight of a file longer than `bytes_max` its end is read, and the front is left out ([`Cursor::front_bytes`]).
/// `each_line` gets the line's place and its bytes without the line end; blank lines are passed over. A file that is
/// not there has nothing to read. `now` tells whether the file is quiet.
pub fn read_on(
    path: &(impl Readable + ?Sized),
    cursor: &Cursor,
    bytes_max: u64,
    now: SystemTime,
    mut each_line: impl FnMut(u64, &[u8]),
) -> Result<(Cursor, Reading), FileError> {
    let Some((file, bytes, is_quiet)) = open(path, now)? else {
        return Ok((cursor.clone(), Reading::default()));
    };
    let mut reading = Reading::default();
    let mut next = cursor.clone();
    if cursor.offset > 0 && !is_same(&file, bytes, cursor).at("read", path)? {
        next = Cursor { from_start: cursor.from_start, ..Cursor::default() };
        reading.restarted = true;
    }
    let mut walk = Walk::over(&file, next.offset, bytes);
    walk.inside_skipped_line = next.inside_skipped_line;
    if next == Cursor::default() && bytes > bytes_max {
        walk = first_sight(&file, bytes, bytes_max, &mut next.front_bytes);
    }
    let start = walk.at;
    walk.run(bytes_max, &mut each_line, &mut reading);
    if is_quiet && walk.at + walk.filled as u64 == bytes && walk.take_last_line(&mut each_line) {
        reading.lines += 1;
    }
    next.offset = walk.at;
    next.inside_skipped_line = walk.inside_skipped_line;
    reading.bytes = walk.at - start;
    (next.head_mark, next.tail_mark) = marks(&file, next.offset).at("read", path)?;
    Ok((next, reading))
}

/// The file, its length, and whether it is quiet; `None` when there is none.
fn open(path: &(impl Readable + ?Sized), now: SystemTime) -> Result<Option<(File, u64, bool)>, FileError> {
    let file = match path.open_to_read() {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).at("open", path),
    };
    let meta = file.metadata().at("read", path)?;
    let is_quiet = FileMark::of(&meta).is_quiet(now);
    Ok(Some((file, meta.len(), is_quiet)))
}

/// Whether the file still holds what was read from it, as far as the marks tell.
fn is_same(file: &File, bytes: u64, cursor: &Cursor) -> io::Result<bool> {
    Ok(bytes >= cursor.offset && marks(file, cursor.offset)? == (cursor.head_mark, cursor.tail_mark))
}

/// The marks of a file that was read up to `offset`; zeros where nothing was read.
fn marks(file: &File, offset: u64) -> io::Result<(u64, u64)> {
    if offset == 0 {
        return Ok((0, 0));
    }
    let tail = offset.min(TAIL_BYTES as u64);
    Ok((mark(file, 0, offset.min(HEAD_BYTES as u64))?, mark(file, offset - tail, tail)?))
}

/// The fingerprint of some bytes of a file. Fewer of them, when the file became shorter, give another one.
fn mark(file: &File, from: u64, bytes: u64) -> io::Result<u64> {
    let mut buffer = [0; HEAD_BYTES];
    let wanted = &mut buffer[..usize::try_from(bytes).unwrap_or(HEAD_BYTES).min(HEAD_BYTES)];
    let mut filled = 0;
    while filled < wanted.len() {
        match file.read_at(&mut wanted[filled..], from + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(fingerprint(&wanted[..filled]))
}

/// Where to begin in a long file that nobody has read: at the first line of its last `bytes_max`.
fn first_sight<'f>(file: &'f File, bytes: u64, bytes_max: u64, front_bytes: &mut u64) -> Walk<'f> {
    // One byte more: a line that begins exactly there is whole.
    let mut search = Walk::over(file, bytes.saturating_sub(bytes_max.saturating_add(1)), bytes);
    match search.next_line_start() {
        Some(start) if start < bytes => {
            *front_bytes = start;
            Walk::over(file, start, bytes)
        }
        // One endless line: no part of it makes sense by itself.
        _ => Walk::over(file, 0, bytes),
    }
}

/// A walk over the lines of a part of a file, with a bounded buffer.
struct Walk<'f> {
    file: &'f File,
    /// Where the buffer begins: the first byte that is not read yet.
    at: u64,
    /// Where the part ends.
    end: u64,
    buffer: Vec<u8>,
    filled: usize,
    inside_skipped_line: bool,
}

impl<'f> Walk<'f> {
    fn over(file: &'f File, at: u64, end: u64) -> Self {
        Self { file, at, end, buffer: Vec::new(), filled: 0, inside_skipped_line: false }
    }

    /// Reads lines until the end of the part, or until `bytes_max` are read and a line ends.
    fn run(&mut self, bytes_max: u64, each_line: &mut impl FnMut(u64, &[u8]), reading: &mut Reading) {
        let stop = self.at.saturating_add(bytes_max.max(1));
        loop {
            let old = self.filled;
            match self.fill(stop) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => {
                    reading
                        .problems
                        .push(Problem::new("transcript", format!("could not be read on: {error}")));
                    return;
                }
            }
            let mut start = 0;
            for newline in memchr_iter(b'\n', &self.buffer[old..self.filled]).map(|newline| old + newline) {
                let line = &self.buffer[start..newline];
                if !std::mem::take(&mut self.inside_skipped_line) && !line.trim_ascii().is_empty() {
                    each_line(self.at + start as u64, line);
                    reading.lines += 1;
                }
                start = newline + 1;
                if self.at + start as u64 >= stop {
                    break;
                }
            }
            self.drop_front(start);
            let is_too_long = self.filled >= LINE_BYTES_MAX;
            if is_too_long && reading.problems.len() < PROBLEMS_MAX {
                let what = format!("a line of more than {LINE_BYTES_MAX} bytes is passed over");
                reading.problems.push(Problem::new(format!("transcript byte {}", self.at), what));
            }
            if is_too_long || (self.inside_skipped_line && self.at < stop) {
                self.inside_skipped_line = true;
                self.drop_front(self.filled);
            }
            if self.at >= stop {
                self.filled = 0;
                reading.more = self.at < self.end;
                return;
            }
        }
    }

    /// Where the first line begins that begins behind the walk's own beginning.
    fn next_line_start(&mut self) -> Option<u64> {
        while self.fill(self.at).ok()? > 0 {
            if let Some(newline) = memchr_iter(b'\n', &self.buffer[..self.filled]).next() {
                return Some(self.at + newline as u64 + 1);
            }
            self.drop_front(self.filled);
        }
        None
    }

    /// Gives the last line, which has no line end, if it is a whole object.
    fn take_last_line(&mut self, each_line: &mut impl FnMut(u64, &[u8])) -> bool {
        let line = &self.buffer[..self.filled];
        let is_whole = !self.inside_skipped_line
            && line.trim_ascii().starts_with(b"{")
            && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
        if is_whole {
            each_line(self.at, line);
            // Its line end, when it comes, is a blank line's.
            self.drop_front(self.filled);
        }
        is_whole
    }

    /// Reads some more, up to `stop` first and behind it a little at a time, the longer the line the more; 0 at the end
    /// of the part, or of the file if it became shorter.
    fn fill(&mut self, stop: u64) -> io::Result<usize> {
        let from = self.at + self.filled as u64;
        let until = if from < stop { stop } else { from + SEARCH_BYTES.max(self.filled as u64) };
        let left = usize::try_from(until.min(self.end).saturating_sub(from)).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(0);
        }
        if self.filled == self.buffer.len() {
            let wanted = (self.buffer.len() * 2).clamp(CHUNK_BYTES, LINE_BYTES_MAX + CHUNK_BYTES);
            self.buffer.resize(wanted.min(self.filled.saturating_add(left)), 0);
        }
        loop {
            let room = self.buffer.len().min(self.filled.saturating_add(left));
            match self.file.read_at(&mut self.buffer[self.filled..room], from) {
                Ok(read) => {
                    self.filled += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Forgets the buffer's first bytes: they are read.
    fn drop_front(&mut self, bytes: usize) {
        self.buffer.copy_within(bytes..self.filled, 0);
        self.filled -= bytes;
        self.at += bytes as u64;
    }
}
