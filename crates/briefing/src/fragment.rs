//! Fragments: every text that reaches the agent's context begins and ends with our mark, so that it is known again.

/// What a fragment begins with; the kind follows.
const OPEN: &str = "[throughline:";
/// What a fragment ends with.
const CLOSE: &str = "[/throughline]";

/// Which of our texts it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FragmentKind {
    /// The working set, given back.
    Briefing,
    /// What changed while nobody was there.
    Resume,
    /// What the summariser should keep.
    Preserve,
    /// One line.
    Notice,
}

impl FragmentKind {
    fn word(self) -> &'static str {
        match self {
            Self::Briefing => "briefing",
            Self::Resume => "resume",
            Self::Preserve => "preserve",
            Self::Notice => "notice",
        }
    }
}

/// A text between our marks.
#[must_use]
pub fn wrap(kind: FragmentKind, text: &str) -> String {
    format!("{OPEN}{}]\n{}\n{CLOSE}", kind.word(), text.trim_end())
}

/// UTF-16 units that the marks take.
#[must_use]
pub fn wrap_units(kind: FragmentKind) -> usize {
    OPEN.len() + kind.word().len() + CLOSE.len() + 3
}

/// Whether a text holds a fragment of ours: it must never be captured as if somebody had said it.
#[must_use]
pub fn is_ours(text: &str) -> bool {
    text.contains(OPEN)
}

/// A recorded text made harmless: it can neither end our fragment nor pose as the client's own reminder.
#[must_use]
pub fn defused(text: &str) -> String {
    let text = text.replace(OPEN, "(throughline:").replace(CLOSE, "(/throughline)");
    match text.contains("system-reminder") {
        true => text
            .replace("<system-reminder", "‹system-reminder")
            .replace("</system-reminder", "‹/system-reminder"),
        false => text,
    }
}
