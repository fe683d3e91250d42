//! The status line: what an agent tells about the context, the model, the session and its limits.

use throughline_domain::Timestamp;
use throughline_domain::usage_memory::ContextSize;

/// What one call of the status line says. A field that is missing or of another type is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatuslinePayload {
    /// The session; empty when the payload names none.
    pub session_id: String,
    /// The name that the user gave it.
    pub session_name: Option<String>,
    /// The session's transcript.
    pub transcript_path: Option<String>,
    /// The client's working folder.
    pub cwd: Option<String>,
    /// The folder in which the client was started.
    pub project_folder: Option<String>,
    /// The client's version.
    pub version: Option<String>,
    /// The model's id.
    pub model_id: Option<String>,
    /// The model's name for people.
    pub model_name: Option<String>,
    /// How hard the model thinks: `low` to `max`.
    pub effort: Option<String>,
    /// Whether the model thinks before it answers.
    pub is_thinking: Option<bool>,
    /// Whether the fast mode is on.
    pub is_fast: Option<bool>,
    /// How the model writes.
    pub output_style: Option<String>,
    /// The editor's mode, where it has modes.
    pub vim_mode: Option<String>,
    /// The agent that was chosen for the session.
    pub agent_name: Option<String>,
    /// The client's own worktree, if the session works in one.
    pub worktree: Option<String>,
    /// The window, in tokens.
    pub window_tokens: Option<u64>,
    /// What fills it.
    pub context: Context,
    /// Whether the last response passed 200,000 tokens.
    pub exceeds_200k: Option<bool>,
    /// What the session has cost so far, in millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// How long the client has been running.
    pub duration_ms: Option<u64>,
    /// How long it waited for the API.
    pub api_duration_ms: Option<u64>,
    /// Lines of code added.
    pub lines_added: Option<u64>,
    /// Lines of code removed.
    pub lines_removed: Option<u64>,
    /// When the cache forgets this conversation.
    pub cache_expires_at: Option<Timestamp>,
    /// The limit of five hours.
    pub five_hours: Option<RateLimit>,
    /// The limit of seven days.
    pub seven_days: Option<RateLimit>,
}

/// What the client knows about the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Context {
    /// Nothing: no response yet.
    #[default]
    Unknown,
    /// All zeros: a compaction just happened, and no response since.
    Zeros,
    /// What the last response reported.
    Known(ContextSize),
}

/// A limit of the user's plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    /// How much of it is used, in per cent.
    pub percent: f64,
    /// When it begins anew.
    pub resets_at: Option<Timestamp>,
}
