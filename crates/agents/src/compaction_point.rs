//! The compaction point: where a context's end is, for any agent.

/// Where the end is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionPoint {
    /// The window that counts, in tokens.
    pub window: u64,
    /// When the client compacts.
    pub at: At,
    /// What the answer rests on.
    pub source: PointSource,
}

/// When the client compacts by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// At this many used tokens.
    Compacts(u64),
    /// Never by usage.
    Never {
        /// Why.
        reason: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The model is not known to us.
    Unknown,
}

/// What an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointSource {
    /// The environment sets or forbids it.
    Environment,
    /// The settings set or forbid it.
    Settings,
    /// It was seen to happen there.
    Observed,
    /// The model is known to behave so.
    Model,
    /// Only the payload's window is known.
    Payload,
    /// Nothing is known: 200,000 tokens are assumed.
    Assumed,
}

impl CompactionPoint {
    /// What a "how close is the end" percentage is taken of: the compaction if it will come, else the window.
    #[must_use]
    pub fn limit_tokens(&self) -> u64 {
        if let At::Compacts(tokens) = self.at { tokens } else { self.window }
    }
}
