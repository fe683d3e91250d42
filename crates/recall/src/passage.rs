//! A passage: the smallest piece of a session that is found by itself.

/// What a passage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PassageKind {
    /// The user's words.
    User,
    /// The agent's words.
    Assistant,
    /// A command that was run, with the lines that tell how it ended.
    Command,
    /// A command or a tool that failed, with the lines that tell why.
    Error,
    /// The client's summary at a compaction.
    Summary,
    /// A task or a plan of the agent's.
    Task,
    /// A file was changed.
    Edit,
    /// A file was read.
    Read,
    /// What a command printed, beside the lines that tell how it ended.
    Output,
}

impl PassageKind {
    /// Every kind; a kind is stored as its place in here, so that new ones are appended.
    pub const ALL: [Self; 9] = [
        Self::User,
        Self::Assistant,
        Self::Command,
        Self::Error,
        Self::Summary,
        Self::Task,
        Self::Edit,
        Self::Read,
        Self::Output,
    ];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Command => "command",
            Self::Error => "error",
            Self::Summary => "summary",
            Self::Task => "task",
            Self::Edit => "edit",
            Self::Read => "read",
            Self::Output => "output",
        }
    }

    /// The kind that a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Its number in the store.
    #[must_use]
    pub fn number(self) -> u8 {
        Self::ALL.iter().zip(0..).find(|(kind, _)| **kind == self).map_or(0, |(_, number)| number)
    }

    /// The kind with a number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Whether it says no more than that a file was touched: found by its path, and not among the words of a session.
    #[must_use]
    pub fn is_file_event(self) -> bool {
        matches!(self, Self::Edit | Self::Read)
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommandOutcome {
    /// Nobody knows, or the passage is no command.
    #[default]
    Unknown,
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
}

/// One passage of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// What it is.
    pub kind: PassageKind,
    /// How it ended, where it is a command.
    pub outcome: CommandOutcome,
    /// Said or done by a subagent.
    pub is_sidechain: bool,
    /// Seconds since 1970; 0 where no line said when.
    pub at_s: i64,
    /// The response it belongs to, counted from the session's beginning.
    pub turn: u64,
    /// The words.
    pub text: String,
}

/// What a passage is, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// What it is.
    pub kind: PassageKind,
    /// How it ended.
    pub outcome: CommandOutcome,
    /// Said or done by a subagent.
    pub is_sidechain: bool,
    /// Seconds since 1970; 0 where nobody said when.
    pub at_s: i64,
    /// The response it belongs to.
    pub turn: u64,
    /// Bytes of its text.
    pub bytes: usize,
}

/// A session that passages belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOf {
    /// Its number in the store.
    pub number: i64,
    /// Its id, as the agent spells it.
    pub session: String,
    /// Its project's top folder.
    pub project: String,
}

/// A passage with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The number.
    pub id: u64,
    /// What it is.
    pub head: Head,
    /// Its text.
    pub text: String,
}
