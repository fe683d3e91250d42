//! Reading usage logs: each file on from where it was left, under whatever name it has by now.
//!
//! A log is renamed when it has grown long, and somebody who still holds it writes into the renamed one. So a file is
//! known by its device and number, not by its name: the renamed one is read to its end, the new one from its start.

use std::collections::BTreeMap;
use std::time::SystemTime;

use throughline_domain::usage::Sample;

use super::parse;
use crate::door::{Meta, Spot};
use crate::files::FileError;
use crate::known_files::{FileMark, KnownFile};
use crate::transcript_file::{Cursor, read_on};

/// Most files of one folder that are looked at.
const FILES_MAX: usize = 10_000;
/// Bytes read before the samples are handed over.
const PIECE_BYTES: u64 = 4 << 20;

/// A stretch of a log.
#[derive(Debug, Default)]
pub struct LogPiece {
    /// Its samples.
    pub samples: Vec<Sample>,
    /// How far the file was read with them.
    pub file: Option<KnownFile>,
    /// Lines that hold no sample.
    pub lines_lost: u64,
    /// Bytes read.
    pub bytes: u64,
}

/// A log that is new or has changed since it was read.
#[derive(Debug)]
pub struct ChangedLog {
    /// Where it is now.
    pub path: Spot,
    mark: FileMark,
    known: Option<KnownFile>,
}

/// The usage logs of a folder that are new or have changed: ours, renamed ones, and those of the older tool.
#[must_use]
pub fn changed(folder: &Spot, known: &BTreeMap<String, KnownFile>) -> Vec<ChangedLog> {
    let names = folder.list(FILES_MAX).into_iter().filter(|listed| is_log(&listed.text()));
    let mut found: Vec<ChangedLog> = names
        .filter_map(|listed| {
            let path = folder.join(&listed.name);
            let meta = path.meta().ok().filter(Meta::is_file)?;
            let mark = FileMark::of_meta(&meta);
            let known = known.get(&key(&mark));
            let is_new = known.is_none_or(|known| !known.is_settled || known.mark != mark);
            is_new.then(|| ChangedLog { path, mark, known: known.cloned() })
        })
        .collect();
    found.sort_by(|left, right| (left.mark.mtime_ns, &left.path).cmp(&(right.mark.mtime_ns, &right.path)));
    found
}

/// Reads a log on to its end; gives piece after piece until `give` says stop.
pub fn read(
    log: &ChangedLog,
    now: SystemTime,
    mut give: impl FnMut(LogPiece) -> bool,
) -> Result<(), FileError> {
    let mut cursor = log.known.as_ref().map_or_else(Cursor::at_start, |known| known.cursor.clone());
    loop {
        let mut piece = LogPiece::default();
        let (next, reading) = read_on(&log.path, &cursor, PIECE_BYTES, now, |_, line| match parse(line) {
            Some(sample) => piece.samples.push(sample),
            None => piece.lines_lost += u64::from(!line.trim_ascii().is_empty()),
        })?;
        cursor = next;
        piece.bytes = reading.bytes;
        let is_settled = !reading.more && (cursor.offset >= log.mark.size_bytes || log.mark.is_quiet(now));
        piece.file = Some(KnownFile {
            key: key(&log.mark),
            mark: log.mark,
            is_settled,
            cursor: cursor.clone(),
            state: String::new(),
        });
        if !give(piece) || !reading.more {
            return Ok(());
        }
    }
}

fn is_log(name: &str) -> bool {
    let end = name.rsplit('.').next().unwrap_or_default();
    name.starts_with("context-usage.") && matches!(end, "jsonl" | "bak")
}

fn key(mark: &FileMark) -> String {
    format!("log {} {}", mark.device, mark.inode)
}
