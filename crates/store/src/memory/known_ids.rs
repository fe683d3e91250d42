//! Known ids: the highest ids that were ever given out but are in no state file, because their writer was killed.
//!
//! The archive lists those entries as not committed. An id that is listed is never given to other words.

use std::collections::BTreeMap;

use throughline_domain::{Kind, State};

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};

/// One number per kind.
const BYTES_MAX: u64 = throughline_domain::limits::KNOWN_IDS_BYTES_MAX;

/// Raises a state's counters to the ids that are known to be used.
pub(super) fn raise(folder: &Spot, state: &mut State) {
    for (word, number) in read(folder) {
        if let Some(kind) = Kind::from_word(&word) {
            state.raise_counter(kind, number);
        }
    }
}

/// Remembers the counters of a state that did not become the state file.
pub(super) fn remember(folder: &Spot, state: &State) -> Result<(), FileError> {
    let mut known = read(folder);
    let before = known.clone();
    for kind in Kind::ALL {
        let number = known.entry(kind.word().to_owned()).or_default();
        *number = state.counter(kind).max(*number);
    }
    if known == before {
        return Ok(());
    }
    let path = path(folder);
    let bytes = serde_json::to_vec(&known).map_err(std::io::Error::other).at("encode", &path)?;
    files::replace(&path, &bytes, Durability::Quick)
}

fn read(folder: &Spot) -> BTreeMap<String, u64> {
    let bytes = files::read_limited(&path(folder), BYTES_MAX).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn path(folder: &Spot) -> Spot {
    folder.join("known-ids.json")
}
