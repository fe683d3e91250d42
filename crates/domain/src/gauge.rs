//! Gauges: what samples tell together, whichever store holds them: how full a session was, what a compaction took.

use crate::time::Timestamp;
use crate::usage::Signs;

/// How full a session's context was, as its samples tell.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionGauge {
    /// The session.
    pub session: String,
    /// The project's root.
    pub project: String,
    /// The fullest, in percent of the window.
    pub peak_percent: u16,
    /// The average of the samples, in percent of the window.
    pub average_percent: f64,
    /// The last.
    pub last_percent: u16,
    /// The window at the last sample.
    pub context_size: u64,
    /// How many samples.
    pub samples: u64,
    /// Compactions that the samples show.
    pub compactions: u64,
    /// What the client says the session cost, in millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// The last sample's moment.
    pub last: Timestamp,
}

/// A compaction as two neighbouring samples of a session show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledCompaction {
    /// The session.
    pub session: String,
    /// The project's root.
    pub project: String,
    /// The model.
    pub model: String,
    /// When the first sample after it came.
    pub at: Timestamp,
    /// Percent of the window in the sample before; `None` where the compaction is the first that is known.
    pub before_percent: Option<u16>,
    /// Percent of the window in the sample after.
    pub after_percent: u16,
    /// Tokens in the sample before.
    pub before_tokens: Option<u64>,
    /// Tokens in the sample after.
    pub after_tokens: u64,
    /// What told of it, where the log says so.
    pub signs: Signs,
}
