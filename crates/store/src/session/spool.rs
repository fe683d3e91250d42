//! The spool: one append-only file per session with what the transcript lacks; folded into the archive at the gates.

use std::cell::OnceCell;
use std::fs::File;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_redact as redact;

use crate::door::Spot;
use crate::files::{self, AtPath, FileError};

/// How much of a spool's end is looked at to find the last records.
const TAIL_BYTES: u64 = 2_048;
/// Most bytes of a spool that one fold reads; the rest waits for the next gate.
pub const FOLD_BYTES_MAX: u64 = throughline_domain::limits::SPOOL_FOLD_BYTES_MAX;
/// The outcome of a record that only carries a note; the run's own record follows it.
pub const NOTE_ONLY: &str = "note";
/// The outcomes that are one word: `ok`, `claim`, `yield`, `note`.
const WORD_BYTES_MAX: usize = 8;
/// A longer note gets a record of its own, so that the tail always holds the run's whole record.
const NOTE_BYTES_MAX: usize = 512;

/// One hook run: when, what, how long, how it ended, and what it noted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpoolRecord {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The agent's event name.
    pub ev: String,
    /// Microseconds the run took; 0 in a claim.
    #[serde(default)]
    pub us: u64,
    /// `ok`, `claim` (a gate began), `yield` (another installation did it), or what failed.
    pub out: String,
    /// Bytes given back to the agent.
    #[serde(default)]
    pub said: u64,
    /// Which installation ran: `s` settings, `p` plugin.
    pub via: String,
    /// Fingerprint of the payload: the same event seen by two installations has the same.
    pub claim: String,
    /// Assistant turns since the last gate, this run included.
    #[serde(default)]
    pub turn: u64,
    /// Tool calls of the session so far.
    #[serde(default)]
    pub tools: u64,
    /// What the transcript lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Value>,
    /// How command lines ended, as the event told it: four numbers each, needed until the transcript tells it. Numbers alone:
    /// there is nothing to mask in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<[u64; 4]>,
    /// How long the transcript was; 0 where nobody asks for that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub length: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl SpoolRecord {
    /// Whether somebody did something: the user, or the agent at his word. The hooks around a compaction run by themselves.
    #[must_use]
    pub fn is_activity(&self) -> bool {
        let is_start_after_compaction = || {
            let how = self.note.as_ref().and_then(|note| note.get("start")?.as_str());
            self.ev == "SessionStart" && how == Some("compact")
        };
        let is_around_compaction = matches!(self.ev.as_str(), "PreCompact" | "PostCompact" | "SubagentStop");
        self.out != "claim" && !is_around_compaction && !is_start_after_compaction()
    }
}

/// A session's spool, open for appending.
#[derive(Debug)]
pub struct Spool {
    file: File,
    path: Spot,
    tail: Vec<u8>,
    ends_line: bool,
    /// The newest of it, once it was asked for: every run asks twice.
    newest: OnceCell<Option<SpoolRecord>>,
}

impl Spool {
    /// Opens (or creates) the spool in a session's folder and reads its tail.
    pub fn open(session_folder: &Spot) -> Result<Self, FileError> {
        let path = session_folder.join("spool.jsonl");
        let mut file = files::open_append(&path)?;
        let (tail, ends_line) = files::read_tail(&mut file, TAIL_BYTES).at("read", &path)?;
        Ok(Self { file, path, tail, ends_line, newest: OnceCell::new() })
    }

    /// The newest record.
    pub fn last(&self) -> Option<&SpoolRecord> {
        self.newest.get_or_init(|| self.last_records().next()).as_ref()
    }

    /// The last whole records, newest first; the tail may begin in the middle of one.
    pub fn last_records(&self) -> impl Iterator<Item = SpoolRecord> {
        self.tail.rsplit(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
    }

    /// Reads the tail again: what others appended meanwhile is in it.
    pub fn refresh(&mut self) -> Result<(), FileError> {
        (self.tail, self.ends_line) = files::read_tail(&mut self.file, TAIL_BYTES).at("read", &self.path)?;
        self.newest = OnceCell::new();
        Ok(())
    }

    /// Appends a record: one write, no flush. The transcript is the write-ahead log of the work.
    pub fn append(&mut self, record: &SpoolRecord) -> Result<(), FileError> {
        let clean = Self::masked(record);
        let record = clean.as_ref().unwrap_or(record);
        let note_bytes = record.note.as_ref().map_or(0, |note| note.to_string().len());
        if note_bytes > NOTE_BYTES_MAX && record.out != NOTE_ONLY {
            let note = SpoolRecord { out: NOTE_ONLY.to_owned(), ran: Vec::new(), ..record.clone() };
            self.append_line(&note)?;
            return self.append_line(&SpoolRecord { note: None, ..record.clone() });
        }
        self.append_line(record)
    }

    /// The record without secrets; `None` where it says no more than that all went well.
    fn masked(record: &SpoolRecord) -> Option<SpoolRecord> {
        if record.note.is_none() && record.out.len() <= WORD_BYTES_MAX {
            return None;
        }
        let mut note = record.note.clone();
        note.iter_mut().for_each(redact::json);
        Some(SpoolRecord { out: redact::text(&record.out).into_owned(), note, ..record.clone() })
    }

    fn append_line(&mut self, record: &SpoolRecord) -> Result<(), FileError> {
        let line = serde_json::to_vec(record).map_err(std::io::Error::other).at("encode", &self.path)?;
        files::append_line(&mut self.file, &line, self.ends_line).at("append to", &self.path)?;
        self.ends_line = true;
        Ok(())
    }
}

/// A slice of a spool, as a fold reads it.
#[derive(Debug)]
pub struct Slice {
    /// The whole records in it.
    pub records: Vec<SpoolRecord>,
    /// Where the next fold begins: after the last whole line.
    pub end: u64,
    /// Lines that were no records (torn, or not ours).
    pub skipped: u64,
}

/// Reads the records after `from`, at most [`FOLD_BYTES_MAX`]; a torn last line waits.
pub fn read_from(session_folder: &Spot, from: u64) -> Result<Slice, FileError> {
    use std::io::{Read, Seek, SeekFrom};
    let path = session_folder.join("spool.jsonl");
    let mut slice = Slice { records: Vec::new(), end: from, skipped: 0 };
    let mut file = match files::open_regular(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(slice),
        Err(error) => return Err(error).at("open", &path),
    };
    let bytes_now = file.seek(SeekFrom::End(0)).at("read", &path)?;
    // A spool that became shorter was replaced; what it holds now was not folded yet.
    let from = if from > bytes_now { 0 } else { from };
    slice.end = from;
    file.seek(SeekFrom::Start(from)).at("read", &path)?;
    let mut bytes = Vec::new();
    file.take(FOLD_BYTES_MAX).read_to_end(&mut bytes).at("read", &path)?;
    let Some(whole) = bytes.iter().rposition(|byte| *byte == b'\n') else { return Ok(slice) };
    for line in bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(record) => slice.records.push(record),
            Err(_) => slice.skipped += 1,
        }
    }
    slice.end = from + whole as u64 + 1;
    Ok(slice)
}

/// How much of a spool's end is looked through for subagents: some 1,500 runs.
const SUBAGENT_TAIL_BYTES: u64 = 256 << 10;

/// The subagents that began and have not ended, oldest first: type and id.
#[must_use]
pub fn subagents_at_work(session_folder: &Spot) -> Vec<(String, String)> {
    let read = || -> Option<Vec<u8>> {
        let mut file = files::open_regular(&session_folder.join("spool.jsonl")).ok()?;
        files::read_tail(&mut file, SUBAGENT_TAIL_BYTES).ok().map(|(tail, _)| tail)
    };
    let mut at_work: Vec<(String, String)> = Vec::new();
    for line in read().unwrap_or_default().split(|byte| *byte == b'\n') {
        // Nearly all lines end here: decoding them would cost more than everything else.
        let holds = |event: &[u8]| memchr::memmem::find(line, event).is_some();
        if !holds(b"\"ev\":\"Subagent") && !holds(b"\"ev\":\"SessionStart\"") {
            continue;
        }
        let Ok(record) = serde_json::from_slice::<SpoolRecord>(line) else { continue };
        if record.ev == "SessionStart" {
            // A client that came back has none of its former ones; a compaction takes none away.
            let how = record.note.as_ref().and_then(|note| note.get("start")?.as_str());
            if how.is_some_and(|how| how != "compact") {
                at_work.clear();
            }
            continue;
        }
        let text = |key: &str| Some(record.note.as_ref()?.get(key)?.as_str()?.to_owned());
        // The client's own summariser has no type.
        let (Some(id), Some(kind)) = (text("agent"), text("type").filter(|kind| !kind.is_empty())) else {
            continue;
        };
        at_work.retain(|(_, known)| *known != id);
        if record.ev == "SubagentStart" {
            at_work.push((kind, id));
        }
    }
    at_work
}

/// How much of a spool's end is looked through for runs whose answers the transcript lacks: the last few hundred.
const RUNS_TAIL_BYTES: u64 = 64 << 10;

/// How the last command lines ended, as the hooks were told: four numbers each, oldest first.
#[must_use]
pub fn runs_told(session_folder: &Spot) -> Vec<[u64; 4]> {
    let read = || -> Option<Vec<u8>> {
        let mut file = files::open_regular(&session_folder.join("spool.jsonl")).ok()?;
        files::read_tail(&mut file, RUNS_TAIL_BYTES).ok().map(|(tail, _)| tail)
    };
    let mut told = Vec::new();
    for line in read().unwrap_or_default().split(|byte| *byte == b'\n') {
        if memchr::memmem::find(line, b"\"ran\":[").is_none() {
            continue;
        }
        let Ok(record) = serde_json::from_slice::<SpoolRecord>(line) else { continue };
        told.extend(record.ran);
    }
    told
}
