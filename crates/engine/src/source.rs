//! A transcript, wherever its client keeps it: a file of lines, or a session in the client's database.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use throughline_agents::agent::{Agent, Kept, RowFormat};
use throughline_agents::transcript::Carried;
use throughline_domain::Problem;
use throughline_domain::transcript::Line;
use throughline_store::door::outside;
use throughline_store::files::FileError;
use throughline_store::transcript_file::{self, Cursor, Reading};
use throughline_store::transcript_rows;

/// So much of a transcript's beginning is read for what it is about.
const HEAD_BYTES: u64 = 128 << 10;

/// A transcript, by the name that it is known by: the path of a file, or that of a database with the session behind it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    /// Whose it is.
    pub agent: &'static Agent,
    /// Its name.
    pub path: &'s Path,
}

/// A session in a client's database.
struct Rows<'s> {
    format: &'static RowFormat,
    database: &'s Path,
    session: &'s str,
}

impl<'s> Source<'s> {
    /// A transcript by its name.
    #[must_use]
    pub fn of(agent: &'static Agent, path: &'s Path) -> Self {
        Self { agent, path }
    }

    fn rows(&self) -> Option<Rows<'s>> {
        let Kept::Rows(format) = self.agent.transcripts.kept else { return None };
        let (database, session) = (self.path.parent()?, self.path.file_name()?.to_str()?);
        Some(Rows { format, database, session })
    }

    /// Whether there is anything by this name.
    #[must_use]
    pub fn exists(&self) -> bool {
        match self.rows() {
            Some(rows) => rows.database.is_file(),
            None => self.path.is_file(),
        }
    }

    /// How long it is; `None` where that is not told without looking into it.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        outside::metadata(self.path).ok().map(|meta| meta.len())
    }

    /// Its first lines, as far as a small part of it holds them whole: what it is about stands there.
    #[must_use]
    pub fn first_lines(&self) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        if self.rows().is_some() {
            let take = |_: u64, line: &[u8]| lines.push(line.to_vec());
            let _ = self.read_on(&Cursor::at_start(), HEAD_BYTES, SystemTime::UNIX_EPOCH, take);
            return lines;
        }
        let Ok(file) = outside::open(self.path) else { return lines };
        let mut head = Vec::new();
        if file.take(HEAD_BYTES).read_to_end(&mut head).is_err() {
            return lines;
        }
        let is_whole = (head.len() as u64) < HEAD_BYTES;
        lines.extend(head.split(|byte| *byte == b'\n').map(<[u8]>::to_vec));
        if !is_whole {
            lines.pop();
        }
        lines
    }

    /// The line at a place that a reading named; `None` where it is longer than that, or there is none.
    #[must_use]
    pub fn line_at(&self, place: u64, bytes_max: u64) -> Option<Vec<u8>> {
        if let Some(Rows { format, database, session }) = self.rows() {
            let mut cursor = Cursor::at_start();
            cursor.offset = place.checked_sub(1)?;
            let mut found = None;
            let take = |at: u64, line: &[u8]| found = (at == place).then(|| line.to_vec());
            transcript_rows::read_on(database, format.lines, session, &cursor, 1, take).ok()?;
            return found.filter(|line: &Vec<u8>| line.len() as u64 <= bytes_max);
        }
        let mut file = outside::open(self.path).ok()?;
        file.seek(SeekFrom::Start(place)).ok()?;
        let mut bytes = Vec::new();
        let mut chunk = [0; 16 << 10];
        while (bytes.len() as u64) < bytes_max {
            let read = file.read(&mut chunk).ok().filter(|read| *read > 0)?;
            if let Some(end) = chunk[..read].iter().position(|byte| *byte == b'\n') {
                bytes.extend_from_slice(&chunk[..end]);
                return Some(bytes);
            }
            bytes.extend_from_slice(&chunk[..read]);
        }
        None
    }

    /// Reads on from the cursor, as [`transcript_file::read_on`] does.
    pub fn read_on(
        &self,
        cursor: &Cursor,
        bytes_max: u64,
        now: SystemTime,
        each_line: impl FnMut(u64, &[u8]),
    ) -> Result<(Cursor, Reading), FileError> {
        match self.rows() {
            Some(Rows { format, database, session }) => {
                transcript_rows::read_on(database, format.lines, session, cursor, bytes_max, each_line)
            }
            None => transcript_file::read_on(self.path, cursor, bytes_max, now, each_line),
        }
    }
}

/// The name of a session's transcript where its client tells none: that of its row.
#[must_use]
pub fn row_name(agent: &Agent, folder: &Path, session: &str) -> Option<PathBuf> {
    let Kept::Rows(format) = agent.transcripts.kept else { return None };
    Some(folder.join(format.database).join(session))
}

/// Reads a transcript's lines one after the other, with what earlier ones said.
#[derive(Debug)]
pub struct LineReader {
    agent: &'static Agent,
    carried: Carried,
}

impl LineReader {
    /// One that goes on at a cursor.
    #[must_use]
    pub fn at(agent: &'static Agent, cursor: &Cursor) -> Self {
        Self { agent, carried: Carried::from_text(&cursor.carried) }
    }

    /// One for a transcript's beginning, or for a part of it that is read by itself.
    #[must_use]
    pub fn afresh(agent: &'static Agent) -> Self {
        Self { agent, carried: Carried::default() }
    }

    /// Gives what a line tells.
    pub fn each(&mut self, bytes: &[u8], mut take: impl FnMut(Line<'_>)) -> Option<Problem> {
        (self.agent.transcripts.read_line)(bytes, &mut self.carried, &mut |line| take(line))
    }

    /// What the lines so far said that later ones rest on.
    #[must_use]
    pub fn so_far(&self) -> &Carried {
        &self.carried
    }

    /// What its later lines rest on, for the cursor behind the last one that was read.
    #[must_use]
    pub fn carried(&self) -> String {
        self.carried.text()
    }
}
