//! The compaction mark: a summary that was asked for, and the compaction that may come of it, now or much later.
//!
//! A client may have its summary made long before it compacts, and may never use it: what asks for one is no compaction.
//! One is told by what follows it ([`CompactionMark::happened_at`]).

use serde::{Deserialize, Serialize};
use throughline_domain::Timestamp;
use throughline_redact as redact;

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};

const MARK_BYTES_MAX: u64 = throughline_domain::limits::SESSION_CACHE_BYTES_MAX;
/// A summary that has not come after this long was cancelled.
const SUMMARY_EXPIRES_MS: i64 = 15 * 60 * 1_000;
/// The hooks of one compaction come within this time, in whatever order.
const SAME_MS: i64 = 60 * 1_000;
/// Longest summary kept, in bytes.
const SUMMARY_BYTES_MAX: usize = 200 << 10;

/// A summary asked for, the compaction that came of it, or neither yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompactionMark {
    /// When the summary was asked for (ms since 1970).
    pub at: i64,
    /// `auto` or `manual`.
    pub trigger: String,
    /// What the user wrote after `/compact`.
    pub focus: Option<String>,
    /// The client's summary, redacted.
    pub summary: Option<String>,
    /// Whether it has reached the spool.
    pub noted: bool,
    /// The briefing that was given while the summary was not known.
    pub blind: Option<String>,
    /// How long the transcript was when the summary was asked for: what came later is not in it.
    pub asked_bytes: u64,
    /// The same of the summary that is kept, which may be that of an earlier question.
    pub summary_bytes: u64,
    /// When the context was compacted (ms since 1970); 0 while nothing tells so.
    pub happened_at: i64,
    /// The response after which the summary was asked for, and the same of the summary that is kept.
    pub asked_turn: u64,
    /// See above.
    pub summary_turn: u64,
}

impl CompactionMark {
    /// The mark of a session, if its client makes a summary at `now`.
    #[must_use]
    pub fn current(folder: &Spot, now: Timestamp) -> Option<Self> {
        let mark = Self::last(folder)?;
        let age_ms = now.as_millisecond().saturating_sub(mark.at);
        (0..SUMMARY_EXPIRES_MS).contains(&age_ms).then_some(mark)
    }

    /// The mark of a session's last summary, however long ago.
    #[must_use]
    pub fn last(folder: &Spot) -> Option<Self> {
        let bytes = files::read_limited(&mark_path(folder), MARK_BYTES_MAX).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// The mark whose summary no compaction has used yet.
    #[must_use]
    pub fn unused(folder: &Spot) -> Option<Self> {
        Self::last(folder).filter(|mark| mark.happened_at == 0 && !mark.noted)
    }

    /// The mark of the compaction that a hook tells of at `now`: one that it told of before, one whose summary waits, or
    /// a new one where nobody asked for a summary.
    #[must_use]
    pub fn of_compaction(folder: &Spot, now: Timestamp) -> Self {
        let now_ms = now.as_millisecond();
        let is_this = |mark: &Self| {
            (mark.happened_at == 0 && !mark.noted)
                || (0..SAME_MS).contains(&now_ms.saturating_sub(mark.happened_at))
        };
        Self::last(folder).filter(is_this).unwrap_or_else(|| Self { at: now_ms, ..Self::default() })
    }

    /// Whether a summary is kept that was made for the last question.
    #[must_use]
    pub fn has_own_summary(&self) -> bool {
        self.summary.is_some() && self.summary_bytes == self.asked_bytes
    }

    /// Writes the mark.
    pub fn write(&self, folder: &Spot) -> Result<(), FileError> {
        let path = mark_path(folder);
        let bytes = serde_json::to_vec(self).map_err(std::io::Error::other).at("encode", &path)?;
        files::create_folder(folder)?;
        files::replace(&path, &bytes, Durability::Quick)
    }

    /// Keeps a summary, redacted and bounded.
    pub fn keep_summary(&mut self, summary: &str) {
        let masked = redact::text(summary);
        self.summary = Some(masked[..masked.floor_char_boundary(SUMMARY_BYTES_MAX)].to_owned());
        self.summary_bytes = self.asked_bytes;
        self.summary_turn = self.asked_turn;
    }
}

fn mark_path(folder: &Spot) -> Spot {
    folder.join("compaction.json")
}
