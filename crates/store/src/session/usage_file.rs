//! A session's usage memory on the disk: two slots in one file, written in turn, so that one of them is always whole.
//!
//! A replacement by rename would do as well, but some file systems make the renamer wait for the disk, and a status line
//! cannot. Each slot is a line of JSON, filled up with spaces to its size.

use std::fs::{File, TryLockError};
use std::os::unix::fs::FileExt;

use throughline_domain::text::{fingerprint, shorten};
use throughline_domain::usage_memory::UsageMemory;

use crate::door::Spot;
use crate::files::{self, AtPath, FileError};

const FILE: &str = "usage.jsonl";
const SLOT_BYTES: usize = 2_048;
/// Longest model's id that is remembered, in UTF-16 units.
const MODEL_UNITS_MAX: usize = 200;

/// What the session's status line remembers; the default where it remembers nothing.
#[must_use]
pub fn read(session_folder: &Spot) -> UsageMemory {
    let Ok(file) = files::open_regular(&session_folder.join(FILE)) else { return UsageMemory::default() };
    newest(&slots_of(&file)).map(|(_, memory)| memory).unwrap_or_default()
}

/// The memory, held by this process alone.
#[derive(Debug)]
pub struct UsageFile {
    file: File,
    path: Spot,
    number: u64,
    /// What was remembered when it was taken hold of.
    pub memory: UsageMemory,
}

impl UsageFile {
    /// Takes hold of the memory unless somebody else has it. Where the file system knows no locks, it goes without.
    #[must_use]
    pub fn hold(session_folder: &Spot) -> Option<Self> {
        let path = session_folder.join(FILE);
        if !session_folder.is_folder() {
            return None;
        }
        let file = files::open_in_place(&path).ok()?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return None;
        }
        let (number, memory) = newest(&slots_of(&file)).unwrap_or_default();
        Some(Self { file, path, number, memory })
    }

    /// Remembers something else. The slot that holds the present memory is left as it is.
    pub fn write(&mut self, memory: &UsageMemory) -> Result<(), FileError> {
        let number = self.number + 1;
        let slot = encode(number, memory).map_err(std::io::Error::other).at("encode", &self.path)?;
        files::room_for(2 * SLOT_BYTES as u64).at("write", &self.path)?;
        self.file.write_all_at(&slot, number % 2 * SLOT_BYTES as u64).at("write", &self.path)?;
        self.number = number;
        self.memory = memory.clone();
        Ok(())
    }
}

/// Both slots as they are; what cannot be read is empty.
fn slots_of(file: &File) -> Vec<u8> {
    let mut bytes = vec![0; 2 * SLOT_BYTES];
    let count = file.read_at(&mut bytes, 0).unwrap_or(0);
    bytes.truncate(count);
    bytes
}

fn newest(slots: &[u8]) -> Option<(u64, UsageMemory)> {
    slots.chunks(SLOT_BYTES).filter_map(decode).max_by_key(|(number, _)| *number)
}

fn encode(number: u64, memory: &UsageMemory) -> serde_json::Result<Vec<u8>> {
    let mut memory = memory.clone();
    memory.model = shorten(&memory.model, MODEL_UNITS_MAX);
    let mut slot = lay_out(number, &memory)?;
    if slot.len() >= SLOT_BYTES {
        memory.points.clear();
        memory.model.clear();
        slot = lay_out(number, &memory)?;
    }
    slot.resize(SLOT_BYTES - 1, b' ');
    slot.push(b'\n');
    Ok(slot)
}

fn lay_out(number: u64, memory: &UsageMemory) -> serde_json::Result<Vec<u8>> {
    let body = serde_json::to_string(memory)?;
    let check = check_of(number, &body);
    Ok(format!("{{\"number\":{number},\"check\":\"{check:016x}\",\"memory\":{body}}}").into_bytes())
}

/// The memory of a slot; `None` when it was never written, or a kill tore it.
fn decode(slot: &[u8]) -> Option<(u64, UsageMemory)> {
    let text = std::str::from_utf8(slot).ok()?.trim_end();
    let rest = text.strip_prefix("{\"number\":")?;
    let (number, rest) = rest.split_once(",\"check\":\"")?;
    let (check, rest) = rest.split_once("\",\"memory\":")?;
    let body = rest.strip_suffix('}')?;
    let number = number.parse().ok()?;
    if u64::from_str_radix(check, 16).ok()? != check_of(number, body) {
        return None;
    }
    Some((number, serde_json::from_str(body).ok()?))
}

/// Of number and body: a new number over an old body is torn too.
fn check_of(number: u64, body: &str) -> u64 {
    fingerprint(body.as_bytes()) ^ fingerprint(&number.to_le_bytes())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files behind the door's back")]
mod tests {
    use super::*;

    fn memory(seen_at_ms: i64) -> UsageMemory {
        UsageMemory { seen_at_ms, model: "claude-opus-5-5".to_owned(), ..UsageMemory::default() }
    }

    #[test]
    fn what_was_written_last_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(&crate::door::outside::at(folder.path())), UsageMemory::default());
        for turn in 1..=5 {
            let mut file = UsageFile::hold(&crate::door::outside::at(folder.path())).unwrap();
            assert_eq!(file.memory.seen_at_ms, turn - 1);
            file.write(&memory(turn)).unwrap();
            assert_eq!(read(&crate::door::outside::at(folder.path())), memory(turn));
        }
        let text = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert_eq!(text.len(), 2 * SLOT_BYTES);
        assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{text}");
    }

    #[test]
    fn a_write_that_was_torn_anywhere_leaves_the_memory_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let mut file = UsageFile::hold(&crate::door::outside::at(folder.path())).unwrap();
        file.write(&memory(1)).unwrap();
        file.write(&memory(2)).unwrap();
        let before = std::fs::read(&path).unwrap();
        let slot = encode(3, &memory(3)).unwrap();
        let at = SLOT_BYTES;
        for torn in 0..SLOT_BYTES {
            let mut bytes = before.clone();
            bytes[at..at + torn].copy_from_slice(&slot[..torn]);
            std::fs::write(&path, &bytes).unwrap();
            let seen = read(&crate::door::outside::at(folder.path())).seen_at_ms;
            // What follows may be the same in both.
            let is_whole = bytes[at..] == slot;
            assert_eq!(seen, if is_whole { 3 } else { 2 }, "torn at {torn}");
        }
    }

    #[test]
    fn one_holds_it_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = UsageFile::hold(&crate::door::outside::at(folder.path())).unwrap();
        assert!(UsageFile::hold(&crate::door::outside::at(folder.path())).is_none());
        drop(first);
        assert!(UsageFile::hold(&crate::door::outside::at(folder.path())).is_some());
    }

    #[test]
    fn nonsense_is_no_memory_and_a_long_one_fits() {
        let folder = tempfile::tempdir().unwrap();
        for nonsense in [&b""[..], b"{}", b"\xff\xfe", &[b'x'; 9_000]] {
            std::fs::write(folder.path().join(FILE), nonsense).unwrap();
            assert_eq!(read(&crate::door::outside::at(folder.path())), UsageMemory::default());
            let mut file = UsageFile::hold(&crate::door::outside::at(folder.path())).unwrap();
            file.write(&memory(7)).unwrap();
            assert_eq!(read(&crate::door::outside::at(folder.path())), memory(7));
        }
        let long = UsageMemory {
            model: "\u{1}".repeat(9_000),
            points: vec![(i64::MIN, u64::MAX); 16],
            logged_status: "EMERGENCY".to_owned(),
            window: Some(u64::MAX),
            ..memory(i64::MIN)
        };
        let mut file = UsageFile::hold(&crate::door::outside::at(folder.path())).unwrap();
        file.write(&long).unwrap();
        assert_eq!(read(&crate::door::outside::at(folder.path())).window, Some(u64::MAX));
    }
}
