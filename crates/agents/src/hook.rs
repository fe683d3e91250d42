//! Hooks: what every agent's payload comes to, and what is said in reply.

/// The events that mean something to us; the rest are told apart only by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Event {
    /// A session starts, resumes, was cleared or compacted.
    SessionStart,
    /// The user said something.
    UserPromptSubmit,
    /// One tool call is done.
    PostToolUse,
    /// One tool call failed.
    PostToolUseFailure,
    /// All tool calls of one response are done.
    PostToolBatch,
    /// A compaction is about to begin.
    PreCompact,
    /// A compaction is done.
    PostCompact,
    /// A subagent starts.
    SubagentStart,
    /// A subagent is done; also the summariser of a compaction.
    SubagentStop,
    /// A task was created.
    TaskCreated,
    /// A task was completed.
    TaskCompleted,
    /// The agent's turn is over.
    Stop,
    /// The session ends.
    SessionEnd,
    /// Another event.
    #[default]
    Other,
}

/// What one payload says, as far as we use it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookPayload {
    /// Which event.
    pub event: Event,
    /// Its name as written.
    pub event_name: String,
    /// The session.
    pub session_id: String,
    /// The session's transcript; may not exist yet.
    pub transcript_path: String,
    /// The client's working folder.
    pub cwd: String,
    /// `startup`, `resume`, `compact`, `clear`, `fork`.
    pub source: Option<String>,
    /// The model, where the event names it.
    pub model: Option<String>,
    /// `auto` or `manual`.
    pub trigger: Option<String>,
    /// What the user wrote after `/compact`.
    pub custom_instructions: Option<String>,
    /// The summary, after a compaction.
    pub compact_summary: Option<String>,
    /// The last words of an agent; the raw summary when its type is empty and a compaction is going on.
    pub last_assistant_message: Option<String>,
    /// A subagent's id.
    pub agent_id: Option<String>,
    /// A subagent's type; empty for the client's own.
    pub agent_type: Option<String>,
    /// `default`, `plan`, `acceptEdits`, `auto`, `dontAsk`, `bypassPermissions`.
    pub permission_mode: Option<String>,
    /// Why a session ended.
    pub reason: Option<String>,
    /// A task's id.
    pub task_id: Option<String>,
    /// A task's subject.
    pub task_subject: Option<String>,
    /// Tokens in the context, where the client says so.
    pub context_tokens: Option<u64>,
    /// The model's window, where the client says so.
    pub window_tokens: Option<u64>,
    /// Where the client will compact, in tokens, where it says so.
    pub compacts_at_tokens: Option<u64>,
    /// The client's process, where the client says so.
    pub client_pid: Option<u32>,
    /// Turns that it stands for, where its client does not tell of each; 0 where it does.
    pub turns: u64,
    /// Tool calls that this event reports.
    pub tool_calls: u64,
    /// Command lines among them, with the ends of what they printed: the client writes their answers later.
    pub ran: Vec<Ran>,
}

/// A command line that was run, by its call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ran {
    /// The call's id.
    pub id: String,
    /// The first bytes of its answer.
    pub head: String,
    /// The last bytes of its answer; empty where the head is all.
    pub tail: String,
}

/// What a hook says to the client.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reply {
    /// Nothing.
    #[default]
    Nothing,
    /// A text for the model, or for the summariser before a compaction.
    Text(String),
}
