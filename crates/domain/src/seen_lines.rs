//! Seen lines: which of a transcript's newest lines were taken already.

use std::collections::{HashSet, VecDeque};

use serde::{Deserialize, Serialize};

/// Copies stand near their originals (messages preserved by a compaction); a copied history is a file of its own.
const SEEN_LINES_MAX: usize = 1_024;

/// Fingerprints of the newest lines' ids, bounded. Written as a list, oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "VecDeque<u64>", into = "VecDeque<u64>")]
pub struct SeenLines {
    order: VecDeque<u64>,
    /// The same, for finding one: every line asks.
    known: HashSet<u64>,
}

impl SeenLines {
    /// Remembers a line; says whether it is a new one.
    ///
    /// ```
    /// let mut seen = throughline_domain::seen_lines::SeenLines::default();
    /// assert!(seen.insert(7) && !seen.insert(7));
    /// ```
    pub fn insert(&mut self, mark: u64) -> bool {
        if !self.known.insert(mark) {
            return false;
        }
        self.order.push_back(mark);
        self.keep_newest();
        true
    }

    /// Whether a line was taken already.
    #[must_use]
    pub fn contains(&self, mark: u64) -> bool {
        self.known.contains(&mark)
    }

    fn keep_newest(&mut self) {
        while self.order.len() > SEEN_LINES_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.known.remove(&oldest);
            }
        }
    }
}

impl PartialEq for SeenLines {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl From<VecDeque<u64>> for SeenLines {
    fn from(marks: VecDeque<u64>) -> Self {
        let mut seen = Self::default();
        for mark in marks {
            seen.insert(mark);
        }
        seen
    }
}

impl From<SeenLines> for VecDeque<u64> {
    fn from(seen: SeenLines) -> Self {
        seen.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_are_known_and_older_ones_forgotten() {
        let mut seen = SeenLines::default();
        for mark in 0..3_000 {
            assert!(seen.insert(mark), "{mark}");
        }
        assert!(!seen.insert(2_999) && !seen.insert(3_000 - 1_024));
        assert!(seen.insert(3_000 - 1_025), "one too old");
        let written = serde_json::to_string(&seen).unwrap();
        let read: SeenLines = serde_json::from_str(&written).unwrap();
        assert_eq!(read, seen);
        assert!(!{ read }.insert(2_999));
        assert_eq!(
            serde_json::from_str::<SeenLines>("[1,2,1]").unwrap(),
            SeenLines::from(VecDeque::from([1, 2]))
        );
    }
}
