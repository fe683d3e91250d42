//! What a status line can show. Everything may be missing; text comes from outside and is cleaned when it is shown.

use throughline_domain::Health;
use throughline_domain::purity::Level;

/// What is known at a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts<'a> {
    /// The model's name.
    pub model: Option<&'a str>,
    /// How hard it thinks.
    pub effort: Option<&'a str>,
    /// Whether the fast mode is on.
    pub is_fast: bool,
    /// What fills the context.
    pub context: Context,
    /// Whether a compaction brought it to this size.
    pub compacted: bool,
    /// Where the client compacts.
    pub compaction: Compaction,
    /// How near that is.
    pub health: Option<Health>,
    /// How clean the context is, from 100 to 0.
    pub purity: Option<(u64, Level)>,
    /// The score at which it was purified, while the user has not begun anew.
    pub purified: Option<u64>,
    /// Seconds until then, at the present pace.
    pub seconds_left: Option<u64>,
    /// What the session has cost, in millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// How long the session lasts.
    pub duration_s: Option<u64>,
    /// Lines added and removed.
    pub lines: Option<(u64, u64)>,
    /// The branch.
    pub branch: Option<&'a str>,
    /// The working folder's name.
    pub folder: Option<&'a str>,
    /// The phase of the work.
    pub phase: Option<&'a str>,
    /// The task in hand.
    pub task: Option<&'a str>,
    /// The limits of the user's plan, by their short names.
    pub limits: Vec<Limit>,
    /// What is saved of the work.
    pub saved: Option<Saved>,
    /// The session's name.
    pub session: Option<&'a str>,
    /// The agent that was chosen.
    pub agent: Option<&'a str>,
    /// The client's own worktree.
    pub worktree: Option<&'a str>,
    /// How the model writes.
    pub style: Option<&'a str>,
    /// The editor's mode.
    pub vim: Option<&'a str>,
    /// The client's version.
    pub version: Option<&'a str>,
}

/// What fills the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Context {
    /// Nobody knows: no response yet, or none since a compaction.
    #[default]
    Unknown,
    /// As the last response reported.
    Known {
        /// Tokens.
        used: u64,
        /// The model's window.
        window: u64,
        /// Of the tokens, read from the cache.
        cached: u64,
    },
}

/// Where the client compacts by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compaction {
    /// Nobody knows.
    #[default]
    Unknown,
    /// At this many tokens.
    At(u64),
    /// It does not.
    Never,
}

/// A limit of the user's plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// `5h`, `7d`.
    pub name: &'static str,
    /// How much of it is used, in per cent.
    pub percent: f64,
    /// Seconds until it begins anew.
    pub resets_in_s: Option<u64>,
}

/// What is saved of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// Entries in the working set.
    pub entries: u64,
    /// Seconds since the last save.
    pub ago_s: Option<u64>,
}
