//! Versions: hashes of state files that bring nothing new, because we wrote them or somebody took them over.
//!
//! A branch that is switched to and back brings such a file again: what is in force stays, and nobody is asked.

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};

use super::Memory;

/// A list of this length is cut to its newer half.
const LIST_BYTES_MAX: u64 = throughline_domain::limits::VERSIONS_BYTES_MAX;

/// A list of hashes, newest last, that forgets the oldest.
pub(super) struct Versions {
    path: Spot,
}

impl Versions {
    /// Those that we wrote or that a person took over.
    pub(super) fn known(memory: &Memory) -> Self {
        Self { path: memory.folder().join("own-versions") }
    }

    /// Those of which a person was told that they wait.
    pub(super) fn told(memory: &Memory) -> Self {
        Self { path: memory.folder().join("told-versions") }
    }

    pub(super) fn has(&self, hash: &str) -> bool {
        self.text().lines().any(|known| known == hash)
    }

    pub(super) fn note(&self, hash: &str) -> Result<(), FileError> {
        let text = self.text();
        if text.lines().next_back() == Some(hash) {
            return Ok(());
        }
        if text.len() as u64 > LIST_BYTES_MAX {
            let lines: Vec<&str> = text.lines().collect();
            let newer: String = lines[lines.len() / 2..].iter().flat_map(|line| [*line, "\n"]).collect();
            files::replace(&self.path, newer.as_bytes(), Durability::Quick)?;
        }
        let mut file = files::open_append(&self.path)?;
        let (_, ends_line) = files::read_tail(&mut file, 1).at("read", &self.path)?;
        files::append_line(&mut file, hash.as_bytes(), ends_line).at("append to", &self.path)
    }

    fn text(&self) -> String {
        let bytes = files::read_limited(&self.path, LIST_BYTES_MAX * 2).ok().flatten();
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
    }
}
