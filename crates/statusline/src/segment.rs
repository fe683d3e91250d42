//! Segments: the parts of a status line, by the names that the configuration uses.

/// A part of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The model's name.
    Model,
    /// How hard it thinks.
    Effort,
    /// The context as a bar.
    Bar,
    /// The context in per cent of the window.
    Percent,
    /// The context in tokens.
    Tokens,
    /// How much of it came from the cache.
    Cache,
    /// How near the compaction is, or that one happened.
    Health,
    /// How clean the context is.
    Purity,
    /// How far the compaction is.
    Compaction,
    /// When it comes, at the present pace.
    Eta,
    /// What the session has cost.
    Cost,
    /// How long it lasts.
    Duration,
    /// Lines added and removed.
    Lines,
    /// The branch.
    Branch,
    /// The working folder.
    Directory,
    /// The phase of the work.
    Phase,
    /// The task in hand.
    Task,
    /// The limits of the user's plan.
    Limits,
    /// What is saved of the work.
    Memory,
    /// The session's name.
    Session,
    /// The agent that was chosen.
    Agent,
    /// The client's own worktree.
    Worktree,
    /// How the model writes.
    Style,
    /// The editor's mode.
    Vim,
    /// The client's version.
    Version,
    /// Where another line begins.
    Newline,
}

impl Segment {
    /// All of them, the most important first: the last is the first to go where there is no room.
    pub const ALL: [Self; 26] = [
        Self::Percent,
        Self::Health,
        Self::Model,
        Self::Compaction,
        Self::Tokens,
        Self::Purity,
        Self::Limits,
        Self::Eta,
        Self::Cost,
        Self::Branch,
        Self::Task,
        Self::Bar,
        Self::Phase,
        Self::Memory,
        Self::Cache,
        Self::Directory,
        Self::Duration,
        Self::Lines,
        Self::Effort,
        Self::Worktree,
        Self::Agent,
        Self::Session,
        Self::Vim,
        Self::Style,
        Self::Version,
        Self::Newline,
    ];

    /// The name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Effort => "effort",
            Self::Bar => "bar",
            Self::Percent => "percent",
            Self::Tokens => "tokens",
            Self::Cache => "cache",
            Self::Health => "health",
            Self::Purity => "purity",
            Self::Compaction => "compaction",
            Self::Eta => "eta",
            Self::Cost => "cost",
            Self::Duration => "duration",
            Self::Lines => "lines",
            Self::Branch => "branch",
            Self::Directory => "directory",
            Self::Phase => "phase",
            Self::Task => "task",
            Self::Limits => "limits",
            Self::Memory => "memory",
            Self::Session => "session",
            Self::Agent => "agent",
            Self::Worktree => "worktree",
            Self::Style => "style",
            Self::Vim => "vim",
            Self::Version => "version",
            Self::Newline => "newline",
        }
    }

    /// The segment of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|segment| segment.name() == name)
    }

    /// How early it goes where there is no room; 0 stays.
    pub(crate) fn rank(self) -> usize {
        Self::ALL.iter().position(|segment| *segment == self).unwrap_or(0)
    }

    /// Neighbours of one group stand together; between groups stands the separator.
    pub(crate) fn group(self) -> u8 {
        match self {
            Self::Model | Self::Effort => 0,
            Self::Bar | Self::Percent | Self::Tokens | Self::Cache | Self::Health | Self::Purity => 1,
            Self::Compaction | Self::Eta => 2,
            Self::Cost | Self::Duration | Self::Lines => 3,
            Self::Branch | Self::Directory | Self::Worktree => 4,
            Self::Phase | Self::Task => 5,
            Self::Limits => 6,
            Self::Memory => 7,
            _ => 8,
        }
    }
}
