//! Presets: looks that need no further word.

use crate::segment::Segment;

/// A look with a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Preset {
    /// One short line without colours.
    #[default]
    Minimal,
    /// One line with a bar, the cost and the branch.
    Compact,
    /// Two lines with everything.
    Full,
    /// One line of plain ASCII: no symbol, no colour.
    Plain,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Minimal, Self::Compact, Self::Full, Self::Plain];

    /// The name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Compact => "compact",
            Self::Full => "full",
            Self::Plain => "plain",
        }
    }

    /// The preset of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Its segments.
    #[must_use]
    pub fn segments(self) -> &'static [Segment] {
        use Segment::{
            Bar, Branch, Cache, Compaction, Cost, Directory, Duration, Effort, Eta, Health, Limits, Lines,
            Memory, Model, Newline, Percent, Phase, Purity, Task, Tokens,
        };
        match self {
            Self::Minimal => &[Model, Percent, Tokens, Cache, Health, Compaction],
            Self::Compact => &[Model, Bar, Percent, Health, Compaction, Cost, Branch],
            Self::Full => &[
                Model, Effort, Bar, Percent, Tokens, Cache, Health, Purity, Compaction, Eta, Cost, Duration,
                Lines, Newline, Directory, Branch, Phase, Task, Memory, Limits,
            ],
            Self::Plain => &[Model, Percent, Tokens, Cache, Health, Compaction, Cost, Branch],
        }
    }

    /// Whether only ASCII is shown.
    pub(crate) fn is_ascii(self) -> bool {
        self == Self::Plain
    }

    /// Whether the model stands in brackets, close to the numbers.
    pub(crate) fn is_bracketed(self) -> bool {
        self == Self::Minimal
    }

    /// Whether it says also that all is well: the short ones speak up when it is not.
    pub(crate) fn shows_healthy(self) -> bool {
        matches!(self, Self::Compact | Self::Full)
    }

    /// Whether it has colours at all.
    pub(crate) fn has_colours(self) -> bool {
        matches!(self, Self::Compact | Self::Full)
    }

    /// What stands between groups.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Minimal => " · ",
            Self::Compact | Self::Full => " │ ",
            Self::Plain => " | ",
        }
    }
}
