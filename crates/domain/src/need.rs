//! Need: what an agent used again after its context was compacted, and how much of it some text holds.

/// What kind of thing was needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeedKind {
    /// A file of the project.
    File,
    /// A command, in its normal form.
    Command,
    /// An identifier that was searched for.
    Name,
}

impl NeedKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::File, Self::Command, Self::Name];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Command => "command",
            Self::Name => "name",
        }
    }
}

/// How the agent used what it needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeedUse {
    /// Searched for, or searched in.
    Searched,
    /// Named in a command line.
    Named,
    /// Run.
    Ran,
    /// Read.
    Read,
    /// Changed.
    Edited,
}

impl NeedUse {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Searched => "searched",
            Self::Named => "named",
            Self::Ran => "ran",
            Self::Read => "read",
            Self::Edited => "edited",
        }
    }
}

/// Something that was known before a compaction and that the agent's own actions used after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// What it is.
    pub kind: NeedKind,
    /// The path, the command, the name.
    pub text: String,
    /// The strongest use of it.
    pub used: NeedUse,
    /// The first use: 1 is the first response after the compaction.
    pub turn: u64,
}

/// How many of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// So many are held.
    pub held: usize,
    /// Of so many.
    pub of: usize,
}

impl Share {
    /// Counts what holds.
    pub fn count(all: impl IntoIterator<Item = bool>) -> Self {
        all.into_iter()
            .fold(Self::default(), |sum, holds| Self { held: sum.held + usize::from(holds), of: sum.of + 1 })
    }

    /// As a number from 0 to 1; `None` of nothing.
    ///
    /// ```
    /// use throughline_domain::need::Share;
    /// assert_eq!(Share::count([true, false, true, true]).ratio(), Some(0.75));
    /// assert_eq!(Share::default().ratio(), None);
    /// ```
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "what a session uses is countable")]
    pub fn ratio(self) -> Option<f64> {
        (self.of > 0).then(|| self.held as f64 / self.of as f64)
    }
}
