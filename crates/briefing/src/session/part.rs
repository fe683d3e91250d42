//! Parts: what a session's text consists of, in order, and how each part reads.

/// The parts of the text, in the order in which a colleague would hand them over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Part {
    Request,
    Stand,
    Tasks,
    Questions,
    Plan,
    Done,
    Directives,
    Words,
    Pasted,
    Recorded,
    Failing,
    Unchecked,
    Checks,
    Commands,
    Decisions,
    Uncommitted,
    Edited,
    Seen,
    Names,
}

impl Part {
    /// Units of `; ` before and `/: ` after a group's label.
    pub(super) const GROUP_UNITS: usize = 5;

    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Request | Self::Stand | Self::Recorded => "",
            Self::Tasks => "Tasks:",
            Self::Done => "Done:",
            Self::Directives => "The user's directives:",
            Self::Words => "The user also said:",
            Self::Pasted => "The user pasted:",
            Self::Failing => "Fails:",
            Self::Unchecked => "Next, not run since the last edit:",
            Self::Checks => "Checks:",
            Self::Commands => "Run before:",
            Self::Plan => "Next, from your plan:",
            Self::Decisions => "Decided or found, in your words:",
            Self::Questions => "Asked, not answered:",
            Self::Uncommitted => "Edited, no commit since:",
            Self::Edited => "Edited:",
            Self::Seen => "Read or named:",
            Self::Names => "Names:",
        }
    }

    pub(super) fn heading_units(self) -> usize {
        self.heading().len() + 1
    }

    /// Whether it holds what nobody can look up again.
    pub(super) fn is_lost_for_good(self) -> bool {
        matches!(
            self,
            Self::Request
                | Self::Tasks
                | Self::Questions
                | Self::Directives
                | Self::Failing
                | Self::Unchecked
                | Self::Checks
                | Self::Decisions
        )
    }

    /// Whether its items stand side by side.
    pub(super) fn is_inline(self) -> bool {
        matches!(self, Self::Commands | Self::Uncommitted | Self::Edited | Self::Seen | Self::Names)
    }

    pub(super) fn separator(self) -> &'static str {
        if self == Self::Commands { " · " } else { ", " }
    }

    pub(super) fn separator_units(self) -> usize {
        if self.is_inline() { 3 } else { 1 }
    }
}
