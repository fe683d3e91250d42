//! User words: what the user really said, among all that the client writes under the user's name.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use throughline_domain::fragment;

use super::entry::unless_blank;
use super::message::{Content, Part};

/// What a text under the user's name is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Words<'a> {
    Said(Cow<'a, str>),
    Command {
        name: Cow<'a, str>,
        args: Cow<'a, str>,
    },
    Summary(Cow<'a, str>),
    /// The user stopped the agent.
    Interrupted,
    Nothing,
}

/// Texts that the client begins this way are its own, not the user's.
const CLIENTS_OWN: [&str; 16] = [
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<agent-notification>",
    "<teammate-message",
    "<cross-session-message",
    "<agent-message",
    "<channel ",
    "<mcp-",
    "<tick>",
    "<fork-boilerplate>",
    "<user-prompt-submit-hook>",
    "Caveat: The messages below",
    "Stop hook feedback:",
];

/// What the client writes where the user stopped the agent.
const INTERRUPTED: &str = "[Request interrupted by user";

/// What the client puts into a text, from one mark to the other.
const INSERTED: [(&str, &str); 5] = [
    ("<system-reminder>", "</system-reminder>"),
    ("<ide_opened_file>", "</ide_opened_file>"),
    ("<ide_selection>", "</ide_selection>"),
    ("<ide_diagnostics>", "</ide_diagnostics>"),
    ("<local-command-caveat>", "</local-command-caveat>"),
];

/// How a summary begins, on clients that do not mark it.
const SUMMARY: &str = "This session is being continued from a previous conversation";

/// What a message's content says in the user's name.
pub(super) fn read<'a>(content: &Content<'a>) -> Words<'a> {
    let parts = match content {
        Content::Text(text) => return text.text().map_or(Words::Nothing, classify),
        Content::Parts(parts) => parts,
    };
    let mut said = Words::Nothing;
    for text in texts(parts) {
        match (classify(text), &mut said) {
            (Words::Nothing, _) => {}
            (Words::Said(more), Words::Said(text)) => {
                let text = text.to_mut();
                text.push('\n');
                text.push_str(&more);
            }
            (words @ Words::Said(_), Words::Nothing | Words::Interrupted) => said = words,
            (Words::Interrupted, Words::Nothing) => said = Words::Interrupted,
            (Words::Said(_) | Words::Interrupted, _) => {}
            (words, _) => return words,
        }
    }
    said
}

/// All texts of a content, whoever wrote them.
pub(super) fn all_text<'a>(content: &Content<'a>) -> Option<Cow<'a, str>> {
    match content {
        Content::Text(text) => unless_blank(cleaned(text.text()?)),
        Content::Parts(parts) => {
            let texts: Vec<_> = texts(parts).collect();
            unless_blank(cleaned(Cow::Owned(texts.join("\n"))))
        }
    }
}

/// The texts of a list of parts; images and documents are passed over.
fn texts<'a>(parts: &[Part<'a>]) -> impl Iterator<Item = Cow<'a, str>> {
    let is_text = |part: &&Part<'_>| part.is_bare || part.kind == Some(b"text");
    parts.iter().filter(is_text).filter_map(|part| part.text?.text())
}

/// A text without what the client and we put into it.
pub(super) fn cleaned(text: Cow<'_, str>) -> Cow<'_, str> {
    // The client's first: a mark of ours inside of what it inserted must not swallow where that ends.
    let text = match memchr(b'<', text.as_bytes()) {
        Some(_) => INSERTED.iter().fold(text, |text, (open, close)| without(text, open, close)),
        None => text,
    };
    match memmem::find(text.as_bytes(), fragment::OPEN.as_bytes()) {
        Some(_) => fragment::without(text),
        None => text,
    }
}

/// The first thing in an escaped text that somebody else put there: where it begins and where it ends.
pub(super) fn find_inserted(text: &str) -> Option<(usize, usize)> {
    let ours = memmem::find(text.as_bytes(), fragment::OPEN.as_bytes()).and_then(|_| fragment::find(text));
    let (open, close) = INSERTED[0];
    let reminder = span(text, open, close);
    match (ours, reminder) {
        (Some(ours), Some(reminder)) => Some(ours.min(reminder)),
        (ours, reminder) => ours.or(reminder),
    }
}

/// From one mark to the other. Without the second, the first is only spoken of.
pub(crate) fn span(text: &str, open: &str, close: &str) -> Option<(usize, usize)> {
    let begin = memmem::find(text.as_bytes(), open.as_bytes())?;
    let end = begin + memmem::find(&text.as_bytes()[begin..], close.as_bytes())? + close.len();
    Some((begin, end))
}

pub(crate) fn without<'a>(text: Cow<'a, str>, open: &str, close: &str) -> Cow<'a, str> {
    let Some(mut found) = span(&text, open, close) else { return text };
    let mut kept = String::with_capacity(text.len());
    let mut rest = &*text;
    loop {
        kept.push_str(&rest[..found.0]);
        // What stood apart stays apart: two halves must not make a new mark.
        kept.push('\n');
        rest = &rest[found.1..];
        match span(rest, open, close) {
            Some(next) => found = next,
            None => break,
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

pub(super) fn classify(text: Cow<'_, str>) -> Words<'_> {
    let Some(text) = unless_blank(cleaned(text)) else { return Words::Nothing };
    if text.starts_with("<command-name>") || text.starts_with("<command-message>") {
        return tagged_command(&text);
    }
    if text.starts_with(SUMMARY) {
        return Words::Summary(text);
    }
    if text.starts_with(INTERRUPTED) {
        return Words::Interrupted;
    }
    if CLIENTS_OWN.iter().any(|begin| text.starts_with(begin)) {
        return Words::Nothing;
    }
    if let Some(memory) = between(&text, "<user-memory-input>", "</user-memory-input>") {
        return Words::Said(Cow::Owned(memory.to_owned()));
    }
    match typed_command(&text) {
        Some((name, args)) => {
            Words::Command { name: Cow::Owned(name.to_owned()), args: Cow::Owned(args.to_owned()) }
        }
        None => Words::Said(text),
    }
}

/// `<command-name>/compact</command-name> … <command-args>the focus</command-args>`
fn tagged_command<'a>(text: &str) -> Words<'a> {
    let name = between(text, "<command-name>", "</command-name>").unwrap_or("").trim();
    let args = between(text, "<command-args>", "</command-args>").unwrap_or("").trim();
    if name.is_empty() {
        return Words::Nothing;
    }
    let slash = if name.starts_with('/') { "" } else { "/" };
    Words::Command { name: Cow::Owned(format!("{slash}{name}")), args: Cow::Owned(args.to_owned()) }
}

/// `/compact the focus`, as it was typed. A path is no command.
fn typed_command(text: &str) -> Option<(&str, &str)> {
    let (name, args) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let word = name.strip_prefix('/')?;
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":-_".contains(&byte));
    // Folders that people begin a sentence with.
    let is_folder =
        matches!(word, "tmp" | "usr" | "etc" | "home" | "var" | "opt" | "dev" | "bin" | "mnt" | "root");
    (is_word && !is_folder).then(|| (name, args.trim()))
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside)
}
