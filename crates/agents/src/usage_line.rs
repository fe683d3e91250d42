//! Use: what a line of any agent's transcript says about tokens that were used.

use std::borrow::Cow;

use throughline_domain::Timestamp;
use throughline_domain::usage::{RecordId, Tier, Tokens};

/// What a line says about use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UsageLine<'a> {
    /// A response of the API, as far as it was known when the line was written.
    Used(UsedTokens<'a>),
    /// The context was compacted.
    Compacted(Compacted<'a>),
}

/// The part of a response that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedTokens<'a> {
    /// The same in every line and copy of the response.
    pub id: RecordId,
    /// Where its line comes from.
    pub origin: LineOrigin<'a>,
    /// The model's id; empty where the line has none.
    pub model: &'a str,
    /// What the price depends on.
    pub tier: Tier,
    /// Whether a subagent asked.
    pub is_sidechain: bool,
    /// What it took.
    pub tokens: Tokens,
    /// How much it read at once.
    pub context: u64,
}

/// A compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compacted<'a> {
    /// The same in every copy.
    pub id: RecordId,
    /// Where its line comes from.
    pub origin: LineOrigin<'a>,
    /// Whether the client decided it, and not the user.
    pub is_auto: bool,
    /// Tokens before, where the client said so; old ones do not.
    pub tokens_before: Option<u64>,
    /// Tokens after, where the client said so.
    pub tokens_after: Option<u64>,
}

/// Where a line comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineOrigin<'a> {
    /// When, where the line says so.
    pub at: Option<Timestamp>,
    /// The session, where the line says so.
    pub session: Option<&'a str>,
    /// The folder the agent worked in.
    pub cwd: Option<Cow<'a, str>>,
}
