//! Context: the moments in a context's life, as a transcript tells them.

use crate::time::Timestamp;

/// Something that changed how full the context is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    /// The model answered, and the server reported what it had read.
    Responded(Fill),
    /// The context was compacted: nothing is known until the next answer.
    Compacted,
}

/// How full the context was at one answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fill {
    /// When, where the line says so.
    pub at: Option<Timestamp>,
    /// Tokens in the context: input, cache writes and cache reads.
    pub used_tokens: u64,
    /// Of those, read from the cache.
    pub cache_read_tokens: u64,
    /// The model that answered.
    pub model: Option<String>,
}
