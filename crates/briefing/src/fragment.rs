//! Fragments: every text that reaches the agent's context begins and ends with our mark, so that it is known again.

use throughline_domain::fragment::{CLOSE, OPEN};

/// Which of our texts it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FragmentKind {
    /// The working set, given back.
    Briefing,
    /// What changed while nobody was there.
    Resume,
    /// What the summariser should keep.
    Preserve,
    /// What is true in a context that was purified.
    Purification,
    /// One line.
    Notice,
    /// The rules that the user wants restated.
    Rules,
}

impl FragmentKind {
    fn word(self) -> &'static str {
        match self {
            Self::Briefing => "briefing",
            Self::Resume => "resume",
            Self::Preserve => "preserve",
            Self::Purification => "purification",
            Self::Notice => "notice",
            Self::Rules => "rules",
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
///
/// ```
/// use throughline_briefing::fragment::defused;
/// assert_eq!(defused("a [/throughline] <System-Reminder>"), "a (/throughline) ‹System-Reminder>");
/// assert_eq!(defused("Vec<u8>"), "Vec<u8>");
/// ```
#[must_use]
pub fn defused(text: &str) -> String {
    let text = text.replace(OPEN, "(throughline:").replace(CLOSE, "(/throughline)");
    let mut harmless = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        rest = &tag[1..];
        harmless.push_str(before);
        harmless.push(if names_reminder(rest) { '‹' } else { '<' });
    }
    harmless.push_str(rest);
    harmless
}

/// Whether what follows a `<` names the client's reminder, however it is spelt.
fn names_reminder(tag: &str) -> bool {
    const NAME: &str = "system-reminder";
    let name = tag.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
    name.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
}
