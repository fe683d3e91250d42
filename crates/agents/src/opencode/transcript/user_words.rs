//! User words: what the user typed, among all that the client writes under the user's name.

use std::borrow::Cow;

use throughline_domain::fragment;
use throughline_domain::text::fingerprint;
use throughline_domain::transcript::unescape;

use super::message::{Message, Part};
use crate::claude_code::transcript::scan::Raw;

/// What the client puts into a text.
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

/// What the user said with a message; `None` where everything in it is the client's.
pub(super) fn of<'l>(message: &Message<'l>) -> Option<Cow<'l, str>> {
    let own = |part: &Part<'_>| !part.is_clients_own;
    joined(message, own).map(unquoted)
}

/// All texts of a message.
pub(super) fn all<'l>(message: &Message<'l>) -> Option<Cow<'l, str>> {
    joined(message, |_| true)
}

fn joined<'l>(message: &Message<'l>, is_wanted: impl Fn(&Part<'_>) -> bool) -> Option<Cow<'l, str>> {
    let texts = message.parts().take(super::PARTS_MAX).filter(|part| part.kind == b"text" && is_wanted(part));
    let mut texts = texts.filter_map(|part| cleaned(part.text));
    let first = texts.next()?;
    Some(texts.fold(first, |said, more| Cow::Owned(format!("{said}\n{more}"))))
}

/// A text without what the client and we put into it; `None` where nothing is left.
pub(super) fn cleaned(text: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let text = fragment::without(without_reminders(text?.text()?));
    (!text.trim().is_empty()).then_some(text)
}

fn without_reminders(text: Cow<'_, str>) -> Cow<'_, str> {
    let Some(mut found) = find_reminder(&text) else { return text };
    let mut kept = String::with_capacity(text.len());
    let mut rest = &*text;
    loop {
        kept.push_str(&rest[..found.0]);
        // What stood apart stays apart.
        kept.push('\n');
        rest = &rest[found.1..];
        match find_reminder(rest) {
            Some(next) => found = next,
            None => break,
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// From one mark to the other. Without the second, the first is only spoken of.
fn find_reminder(text: &str) -> Option<(usize, usize)> {
    let (open, close) = REMINDER;
    let begin = text.find(open)?;
    let length = text[begin..].find(close)?;
    Some((begin, begin + length + close.len()))
}

/// The first thing in an escaped text that somebody else put there: where it begins and where it ends.
pub(super) fn find_inserted(text: &str) -> Option<(usize, usize)> {
    let reminder = find_reminder(text);
    match (fragment::find(text), reminder) {
        (Some(ours), Some(reminder)) => Some(ours.min(reminder)),
        (ours, reminder) => ours.or(reminder),
    }
}

/// `opencode run "two words"` hands its argument over with the quotes that a shell would need.
fn unquoted(text: Cow<'_, str>) -> Cow<'_, str> {
    let inside = text.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let Some(inside) = inside.filter(|inside| inside.contains(' ')) else { return text };
    let plain = inside.replace("\\\"", "");
    if plain.contains('"') || inside.ends_with('\\') {
        return text;
    }
    Cow::Owned(inside.replace("\\\"", "\""))
}

/// By what the same words are known again.
pub(super) fn mark(said: &str) -> String {
    format!("{:016x}", fingerprint(said.as_bytes()))
}

/// The words behind a mark in an escaped text.
pub(super) fn behind<'l>(text: &'l str, mark: &str) -> Option<Cow<'l, str>> {
    let (_, words) = text.split_once(mark)?;
    let words = unescape(words);
    (!words.trim().is_empty()).then_some(words)
}
