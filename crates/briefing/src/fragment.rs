//! Fragments: every text that reaches the agent's context begins and ends with our mark, so that it is known again.

use std::sync::LazyLock;

use throughline_domain::fragment::{CLOSE, OPEN};
use throughline_domain::look_alikes::{bracket, skeleton};
use throughline_domain::unseen::shown;

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
    /// What was found in earlier sessions.
    Recall,
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
            Self::Recall => "recall",
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

/// A recorded text made harmless: it can neither end our fragment nor pose as something that the client says.
///
/// ```
/// use throughline_briefing::fragment::defused;
/// assert_eq!(defused("a [/throughline] <System-Reminder>"), "a (/throughline) ‹System-Reminder>");
/// assert_eq!(defused("[ / ThroughLine ] ［thr\u{200b}оughline:x"), "( / ThroughLine ] (thrоughline:x");
/// assert_eq!(defused("Vec<u8> [throughput] <my-tag>"), "Vec<u8> [throughput] <my-tag>");
/// ```
#[must_use]
pub fn defused(text: &str) -> String {
    let text = shown(text);
    if text.is_ascii() && memchr::memchr2(b'[', b'<', text.as_bytes()).is_none() {
        return text.into_owned();
    }
    // Our own mark first, as it is told everywhere; then whatever looks like it.
    let text = if text.contains(OPEN) || text.contains(CLOSE) {
        text.replace(OPEN, "(throughline:").replace(CLOSE, "(/throughline)").into()
    } else {
        text
    };
    let mut harmless = String::with_capacity(text.len());
    let mut from = 0;
    for at in brackets(&text) {
        let Some(c) = text[at..].chars().next() else { break };
        let behind = at + c.len_utf8();
        if let Some(instead) = poses_as(c, &text[behind..]) {
            harmless.push_str(&text[from..at]);
            harmless.push(instead);
            from = behind;
        }
    }
    harmless.push_str(&text[from..]);
    harmless
}

/// Where a character may be a bracket: one of the two in ASCII, or any that is not ASCII.
fn brackets(text: &str) -> impl Iterator<Item = usize> + '_ {
    let may_be = |byte: u8| matches!(byte, b'[' | b'<' | 0xc0..);
    text.bytes().enumerate().filter(move |(_, byte)| may_be(*byte)).map(|(at, _)| at)
}

/// What to write in place of a character that begins a mark of ours or a tag of the client's, with what stands behind it.
///
/// ```
/// use throughline_briefing::fragment::poses_as;
/// assert_eq!(poses_as('[', "/throughline]"), Some('('));
/// assert_eq!(poses_as('<', "system-reminder>"), Some('‹'));
/// assert_eq!(poses_as('<', "u8>"), None);
/// ```
#[must_use]
pub fn poses_as(c: char, behind: &str) -> Option<char> {
    match bracket(c)? {
        '[' if is_our_mark(behind) => Some('('),
        '<' if c != '‹' && is_clients_tag(behind) => Some('‹'),
        _ => None,
    }
}

/// Tags by which the client, or the interface behind it, tells its own words and the user's from the rest.
const CLIENTS_TAGS: &[&str] = &[
    "system-reminder",
    "system",
    "task-notification",
    "agent-notification",
    "agent-message",
    "cross-session-message",
    "teammate-message",
    "channel",
    "user-prompt-submit-hook",
    "user-memory-input",
    "session-start-hook",
    "local-command-",
    "command-name",
    "command-message",
    "command-args",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "fork-boilerplate",
    "ide_",
    "tick",
    "function_",
    "antml",
    "human",
    "assistant",
    "user",
];

/// Most characters behind a bracket that are looked at: room for a name with marks and spaces between its letters.
const SPELT_CHARS_MAX: usize = 160;

/// What stands behind a bracket, folded, without the slashes before it.
fn spelt(behind: &str) -> String {
    let end = behind.char_indices().nth(SPELT_CHARS_MAX).map_or(behind.len(), |(at, _)| at);
    let folded: String = skeleton(&behind[..end]).collect();
    folded.trim_start_matches(['/', '|', '-']).to_owned()
}

/// Names as they look, and whether they may go on.
static FOLDED: LazyLock<(String, Vec<(String, bool)>)> = LazyLock::new(|| {
    let is_open = |tag: &str| tag.ends_with(['-', '_']) || tag == "antml";
    let tags = CLIENTS_TAGS.iter().map(|tag| (skeleton(tag).collect(), is_open(tag)));
    (skeleton("throughline").collect(), tags.collect())
});

/// Whether our own name stands there, with whatever between its letters. A slash may look like a letter, as a bar does.
fn is_our_mark(behind: &str) -> bool {
    let letters: String = spelt(behind).chars().filter(|c| c.is_alphanumeric()).collect();
    [letters.as_str(), letters.trim_start_matches('i')].iter().any(|it| it.starts_with(&FOLDED.0))
}

/// Whether a tag of the client's stands there. `<users>` and `<systemd>` are other words; a name that is left open may go on.
fn is_clients_tag(behind: &str) -> bool {
    let spelt = spelt(behind);
    let spelt = [spelt.as_str(), spelt.trim_start_matches('i')];
    FOLDED.1.iter().any(|(name, is_open)| {
        spelt
            .iter()
            .filter_map(|spelt| spelt.strip_prefix(name.as_str()))
            .any(|rest| *is_open || !rest.starts_with(char::is_alphanumeric))
    })
}
