//! The hand-over file: what a session handed over last, and what earlier hand-overs said that lasts.

use std::borrow::Cow;

use throughline_domain::hand_over::{HandOver, HandOvers};
use throughline_redact as redact;

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};
use crate::lock::{Lock, LockError, Patience};

/// Largest file that is read: the last one and what is carried, with room to spare.
const HAND_OVER_BYTES_MAX: u64 = throughline_domain::limits::HAND_OVER_BYTES_MAX;
const FILE: &str = "hand-over.json";
const LOCK: &str = "hand-over.lock";

/// Why one was not kept.
#[derive(Debug, thiserror::Error)]
pub enum HandOverError {
    /// Somebody else writes it at this moment.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The disk.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What a session handed over; nothing where it never did.
#[must_use]
pub fn read(session_folder: &Spot) -> HandOvers {
    let bytes = files::read_limited(&session_folder.join(FILE), HAND_OVER_BYTES_MAX).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Takes a hand-over in, masked; says whether it is new. The same one twice adds nothing.
pub fn take(session_folder: &Spot, new: HandOver, patience: Patience) -> Result<bool, HandOverError> {
    let mut new = new;
    for line in &mut new.lines {
        mask(&mut line.text);
    }
    change(session_folder, patience, |all| all.take(new))
}

/// A session goes on from another: what lasts of that one's hand-overs is carried here.
pub fn go_on_from(
    session_folder: &Spot,
    other: &HandOvers,
    patience: Patience,
) -> Result<bool, HandOverError> {
    change(session_folder, patience, |all| {
        let before = all.clone();
        all.go_on_from(other);
        *all != before
    })
}

/// Changes the file as a whole or not at all: whoever is killed in between leaves the old one.
fn change(
    session_folder: &Spot,
    patience: Patience,
    change: impl FnOnce(&mut HandOvers) -> bool,
) -> Result<bool, HandOverError> {
    files::create_folder(session_folder)?;
    let _lock = Lock::acquire(&session_folder.join(LOCK), patience)?;
    let mut all = read(session_folder);
    if !change(&mut all) {
        return Ok(false);
    }
    let path = session_folder.join(FILE);
    let bytes = serde_json::to_vec(&all).map_err(std::io::Error::other).at("encode", &path)?;
    // Nothing else on this machine has the words of an agent that wrote it by a call: they are flushed.
    files::replace(&path, &bytes, Durability::Flushed)?;
    Ok(true)
}

fn mask(text: &mut String) {
    if let Cow::Owned(masked) = redact::text(text) {
        *text = masked;
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at files behind the door's back")]
mod tests {
    use throughline_domain::hand_over::{HandOverLine, LineKind, Writer};

    use super::*;

    fn handed(at: i64, text: &str) -> HandOver {
        let line = HandOverLine::new(LineKind::Value, text);
        HandOver::new(at, Writer::Agent, 1, vec![line])
    }

    #[test]
    fn what_was_handed_over_comes_back_masked_and_twice_is_once() {
        let folder = tempfile::tempdir().unwrap();
        let spot = crate::door::outside::at(folder.path());
        assert!(read(&spot).is_empty());
        let secret = "token ghp_abcdefghijklmnopqrstuvwxyz0123456789 of the build";
        assert!(take(&spot, handed(1, secret), Patience::Hook).unwrap());
        assert!(!take(&spot, handed(2, secret), Patience::Hook).unwrap());
        assert!(take(&spot, handed(3, "port 5433"), Patience::Hook).unwrap());
        let all = read(&spot);
        assert_eq!(all.last.unwrap().lines[0].text, "port 5433");
        assert_eq!(all.carried.len(), 1);
        let written = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(!written.contains("ghp_") && written.contains(redact::OPENING), "{written}");
    }

    #[test]
    fn a_damaged_file_costs_what_was_in_it_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let spot = crate::door::outside::at(folder.path());
        std::fs::write(folder.path().join(FILE), "{\"last\": [").unwrap();
        assert!(read(&spot).is_empty());
        assert!(take(&spot, handed(1, "port 5433"), Patience::Hook).unwrap());
        assert!(!read(&spot).is_empty());
    }
}
