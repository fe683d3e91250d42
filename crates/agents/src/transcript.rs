//! Transcripts: what a line of any agent's comes to.

use throughline_domain::transcript::Line;
use throughline_domain::{Problem, Timestamp};

/// What a line turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed<'a> {
    /// It says something.
    Line(Line<'a>),
    /// It is sound, and means nothing to us.
    Nothing,
    /// It could not be understood; only this line is lost.
    Problem(Problem),
}

/// What the server reported with one response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastUsage {
    /// Tokens in the context: input, cache writes and cache reads.
    pub context_tokens: u64,
    /// The model that answered.
    pub model: Option<String>,
    /// When it answered, where the line says so.
    pub at: Option<Timestamp>,
}
