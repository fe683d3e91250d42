//! Paint: what a piece of text means, and the terminal's codes for it.

use throughline_domain::Health;
use throughline_domain::purity::Level;

use crate::look::Colour;

/// What a piece of text means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// Less important.
    Dim,
    /// A name.
    Name,
    /// All is well.
    Good,
    /// Something to look at.
    Warn,
    /// Something to act upon.
    Bad,
    /// At once.
    Urgent,
}

impl Tone {
    pub(crate) fn of_health(health: Option<Health>) -> Self {
        match health {
            None => Self::Plain,
            Some(Health::Healthy) => Self::Good,
            Some(Health::Warning) => Self::Warn,
            Some(Health::Critical) => Self::Bad,
            Some(Health::Emergency) => Self::Urgent,
        }
    }

    pub(crate) fn of_level(level: Level) -> Self {
        match level {
            Level::Clean => Self::Good,
            Level::Warning => Self::Warn,
            Level::Purify => Self::Bad,
            Level::Emergency => Self::Urgent,
        }
    }

    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Dim => Some("2"),
            Self::Name => Some("36"),
            Self::Good => Some("32"),
            Self::Warn => Some("33"),
            Self::Bad => Some("31"),
            Self::Urgent => Some("1;31"),
        }
    }
}

/// A piece of text with its meaning. The text is clean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl Span {
    pub(crate) fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }

    /// Appends the text to a line, with the codes for its tone. Each piece ends its own colour.
    pub(crate) fn paint(&self, line: &mut String, colour: Colour) {
        match self.tone.code().filter(|_| colour == Colour::On && !self.text.is_empty()) {
            Some(code) => {
                line.push_str("\u{1b}[");
                line.push_str(code);
                line.push('m');
                line.push_str(&self.text);
                line.push_str("\u{1b}[0m");
            }
            None => line.push_str(&self.text),
        }
    }
}
