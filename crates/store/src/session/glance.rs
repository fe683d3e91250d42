//! A glance at the work: the few words of it that a status line shows, left by the hooks in the session's folder.

use serde::{Deserialize, Serialize};
use throughline_domain::purity::Level;
use throughline_domain::text::one_line;
use throughline_redact as redact;

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};

/// Largest file that is read.
const GLANCE_BYTES_MAX: u64 = throughline_domain::limits::GLANCE_BYTES_MAX;
const FILE: &str = "glance.json";
/// Longest text in it.
const TEXT_UNITS_MAX: usize = 200;

/// What a status line shows of the work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Glance {
    /// The phase.
    pub phase: Option<String>,
    /// The task in hand.
    pub task: Option<String>,
    /// Entries in the working set.
    pub entries: u64,
    /// When the state was last saved (ms since 1970).
    pub saved_at_ms: Option<i64>,
    /// Fingerprint of the state file that this was read from.
    pub state_stamp: u64,
    /// How clean the context is, and what that means; `None` until it is known.
    pub purity: Option<(u64, Level)>,
    /// The score at which this session's context was purified, until the next start has what was kept.
    pub purified: Option<u64>,
}

impl Glance {
    /// What was left; `None` when nothing was.
    #[must_use]
    pub fn read(folder: &Spot) -> Option<Self> {
        let bytes = files::read_limited(&folder.join(FILE), GLANCE_BYTES_MAX).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Leaves it, redacted and short, if it is another than the one that is there.
    pub fn keep(mut self, folder: &Spot) -> Result<(), FileError> {
        for text in [&mut self.phase, &mut self.task].into_iter().flatten() {
            *text = one_line(&redact::text(text), TEXT_UNITS_MAX);
        }
        if Self::read(folder).as_ref() == Some(&self) {
            return Ok(());
        }
        let path = folder.join(FILE);
        let bytes = serde_json::to_vec(&self).map_err(std::io::Error::other).at("encode", &path)?;
        files::create_folder(folder)?;
        files::replace(&path, &bytes, Durability::Quick)
    }
}
