//! What a session's status line goes by: configuration and the client's settings, compiled once, read at every call.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Statusline;
use crate::door::{Spot, outside};
use crate::files::{self, AtPath, Durability, FileError};

/// Largest file that is read.
const RULES_BYTES_MAX: u64 = throughline_domain::limits::STATUSLINE_RULES_BYTES_MAX;
const FILE: &str = "statusline.json";
/// The form of the file; one of another form is compiled anew.
const VERSION: u32 = 1;

/// The rules of one session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatuslineRules {
    /// The form of the file.
    pub version: u32,
    /// Fingerprint of everything that these rules were compiled from.
    pub stamp: u64,
    /// When (ms since 1970).
    pub compiled_at_ms: i64,
    /// The project: pinned for the session.
    pub project_root: PathBuf,
    /// Whether usage is logged.
    pub log: bool,
    /// Fewest milliseconds between two lines of the log.
    pub min_interval_ms: i64,
    /// The log's size at which another is begun.
    pub rotate_bytes: u64,
    /// Percentages of the compaction point: warning, critical, emergency.
    pub thresholds: [u64; 3],
    /// The model that they were compiled for: settings may name one.
    pub model: Option<String>,
    /// What decides where the client compacts, but for the window.
    pub compaction: CompactionRules,
    /// What is shown.
    pub look: Statusline,
}

/// What decides where the client compacts, but for the window: that may change with every call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompactionRules {
    /// The window that the settings give.
    pub window_setting: Option<u64>,
    /// The window that the environment gives.
    pub env_window: Option<u64>,
    /// The percentage that the environment gives.
    pub pct_override: Option<f64>,
    /// Whether the settings allow it.
    pub auto_enabled: Option<bool>,
    /// Whether the environment forbids it.
    pub disabled_by_env: bool,
    /// Where it comes, when the user knows better.
    pub observed: Option<u64>,
}

impl StatuslineRules {
    /// The rules of a session; `None` when there are none yet, or of another form.
    #[must_use]
    pub fn read(folder: &Spot) -> Option<Self> {
        let bytes = files::read_limited(&folder.join(FILE), RULES_BYTES_MAX).ok()??;
        let rules: Self = serde_json::from_slice(&bytes).ok()?;
        (rules.version == VERSION).then_some(rules)
    }

    /// Keeps them.
    pub fn write(&mut self, folder: &Spot) -> Result<(), FileError> {
        self.version = VERSION;
        let path = folder.join(FILE);
        let bytes = serde_json::to_vec(self).map_err(std::io::Error::other).at("encode", &path)?;
        files::create_folder(folder)?;
        files::replace(&path, &bytes, Durability::Quick)
    }
}

/// A file whose state a fingerprint takes in.
#[derive(Debug, Clone, Copy)]
pub enum Watched<'a> {
    /// One of the user's or of the client's; links are followed.
    Theirs(&'a Path),
    /// One of ours.
    Ours(&'a Spot),
}

impl Watched<'_> {
    /// When it was written, its length, its number.
    fn state(self) -> Option<[i64; 3]> {
        use std::os::unix::fs::MetadataExt;
        match self {
            Self::Theirs(path) => outside::metadata(path).ok().map(|meta| {
                let ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
                [ns, meta.len().cast_signed(), meta.ino().cast_signed()]
            }),
            Self::Ours(spot) => {
                spot.meta().ok().map(|meta| [meta.mtime_ns, meta.len.cast_signed(), meta.inode.cast_signed()])
            }
        }
    }
}

/// A fingerprint of files as they are on the disk, whether they exist or not; nothing is read.
#[must_use]
pub fn stamp_of<'a>(files: impl IntoIterator<Item = Watched<'a>>, words: &[Option<String>]) -> u64 {
    let mut bytes = Vec::with_capacity(256);
    for file in files {
        for number in file.state().into_iter().flatten() {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.push(0);
    }
    for word in words {
        bytes.extend_from_slice(word.as_deref().unwrap_or("\u{1}").as_bytes());
        bytes.push(0);
    }
    throughline_domain::text::fingerprint(&bytes)
}
