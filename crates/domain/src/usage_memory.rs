//! What a session's status line remembers between two calls: the size last seen, and what of it was logged.

use serde::{Deserialize, Serialize};

/// The memory of one session. Everything in it can be lost without harm: then the next sample is the first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageMemory {
    /// When the context last changed (ms since 1970).
    pub seen_at_ms: i64,
    /// The client's own clock at that moment: how long it had been running.
    pub duration_ms: Option<u64>,
    /// The model's id.
    pub model: String,
    /// The model's window, in tokens.
    pub window: Option<u64>,
    /// The size last known.
    pub size: ContextSize,
    /// What the client said since then.
    pub gap: Gap,
    /// Whether a compaction brought the context to this size.
    pub compacted: bool,
    /// The compaction mark of the hooks that was last taken into account (ms since 1970).
    pub mark_at_ms: i64,
    /// The newest sizes since the last compaction, for the burn rate: when (ms since 1970), and how many tokens.
    pub points: Vec<(i64, u64)>,
    /// Fingerprint of what was last logged.
    pub logged: u64,
    /// When (ms since 1970).
    pub logged_at_ms: i64,
    /// The word of its health.
    pub logged_status: String,
    /// Whether the log could not be written: said once.
    pub log_failed: bool,
}

/// What the last response reported of the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextSize {
    /// Read, not from the cache.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Written into the cache.
    pub cache_create: u64,
    /// Read from the cache.
    pub cache_read: u64,
}

impl ContextSize {
    /// Tokens in the context: everything that was read.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.input.saturating_add(self.cache_create).saturating_add(self.cache_read)
    }
}

/// What the client said of the context since the last known size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gap {
    /// Nothing.
    #[default]
    None,
    /// All zeros: it compacted, and does not know the size until the next response.
    Zeros,
    /// No usage at all: the conversation was cleared, or the session resumed.
    Null,
}
