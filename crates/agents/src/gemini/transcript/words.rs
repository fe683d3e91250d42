//! Words: what the user and the model really said, among all that the client writes under their names.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use throughline_domain::fragment;
use throughline_domain::transcript::unescape;

use crate::claude_code::transcript::scan::Raw;
use crate::claude_code::transcript::user_words::without;

/// What a message under the user's name is.
pub(super) enum Words<'a> {
    Said(Cow<'a, str>),
    Command {
        name: Cow<'a, str>,
        args: Cow<'a, str>,
    },
    /// A compression's summary.
    Summary,
}

/// What the client puts into a text, from one mark to the other.
const INSERTED: [(&str, &str); 3] = [
    ("<hook_context>", "</hook_context>"),
    ("<session_context>", "</session_context>"),
    ("--- Content from referenced files ---", "--- End of content ---"),
];

/// Texts that the client begins this way are its own, not the user's.
const CLIENTS_OWN: [&str; 5] = [
    "Here is the user's editor context as a JSON object.",
    "Here is a summary of changes in the user's editor context",
    "System: Potential loop detected.",
    "I ran the following shell command:",
    "This is the Gemini CLI. We are setting up the context",
];
/// What the client says in the user's name where the model should go on.
const GO_ON: &str = "Please continue.";
/// How the client's word about its surroundings begins.
const CONTEXT: &str = "<session_context>";
/// How a summary begins.
const SNAPSHOT: &str = "<state_snapshot>";
const SNAPSHOT_ENDS: &str = "</state_snapshot>";

/// Most parts of a message that are looked at.
const PARTS_MAX: usize = 1_024;

/// What a message's content says in the user's name.
pub(super) fn read(content: Raw<'_>) -> Option<Words<'_>> {
    let mut said: Option<Cow<'_, str>> = None;
    for text in texts(content) {
        if text.trim_start().starts_with(SNAPSHOT) {
            return Some(Words::Summary);
        }
        let Some(text) = unless_blank(cleaned(text)) else { continue };
        if text == GO_ON || CLIENTS_OWN.iter().any(|own| text.starts_with(own)) {
            continue;
        }
        said = Some(joined(said, text));
    }
    let said = said?;
    Some(match command(&said) {
        Some((name, args)) => {
            Words::Command { name: Cow::Owned(name.to_owned()), args: Cow::Owned(args.to_owned()) }
        }
        None => Words::Said(said),
    })
}

/// `/compress now`: a slash, a word, and what stands behind it. A path has more than one slash.
fn command(text: &str) -> Option<(&str, &str)> {
    let (name, args) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let word = name.strip_prefix('/')?;
    let is_name = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'_'));
    is_name.then(|| (name, args.trim()))
}

/// What the model said.
pub(super) fn of_model(content: Raw<'_>) -> Option<Cow<'_, str>> {
    let said = texts(content).fold(None, |said, text| Some(joined(said, text)));
    unless_blank(cleaned(said?))
}

/// The text of a summary, without the marks that the client asks for around it.
pub(super) fn summary(content: Raw<'_>) -> Option<Cow<'_, str>> {
    let text = of_model(content)?;
    let Some(inside) = text.strip_prefix(SNAPSHOT) else { return Some(text) };
    let inside = inside.strip_suffix(SNAPSHOT_ENDS).unwrap_or(inside);
    unless_blank(Cow::Owned(inside.to_owned()))
}

/// The folder that the session works in: the first one of those that the client tells the model of.
pub(super) fn folder(content: Raw<'_>) -> Option<Cow<'_, str>> {
    const LIST: &str = "**Workspace Directories:**\\n  - ";
    let text = opening(content).filter(|text| text.starts_with(CONTEXT))?;
    let (_, list) = text.split_once(LIST)?;
    let path = list.split("\\n").next()?.trim_end();
    Some(unescape(path)).filter(|path| path.starts_with('/') || path.contains(":\\"))
}

/// Whether this is what the client tells the model about its surroundings, before anybody says anything.
pub(super) fn is_context(content: Raw<'_>) -> bool {
    opening(content).is_some_and(|text| text.starts_with(CONTEXT))
}

/// The first text of a content, still as the line spells it.
fn opening(content: Raw<'_>) -> Option<&str> {
    let first =
        if content.inside().is_some() { content } else { content.elements().next()?.member(b"text")? };
    Some(std::str::from_utf8(first.inside()?).ok()?.trim_start_matches("\\n"))
}

/// The texts of a content, which is one or a list of parts; thoughts, calls, results and files are passed over.
fn texts(content: Raw<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let whole = content.text();
    let parts = content.elements().take(PARTS_MAX).filter_map(|part| {
        let (mut text, mut is_thought) = (part.text(), false);
        for (key, value) in part.members() {
            match key {
                b"text" => text = value.text(),
                b"thought" => is_thought = value.is_true(),
                _ => {}
            }
        }
        text.filter(|_| !is_thought)
    });
    whole.into_iter().chain(parts)
}

fn joined<'a>(before: Option<Cow<'a, str>>, text: Cow<'a, str>) -> Cow<'a, str> {
    let Some(before) = before else { return text };
    Cow::Owned(format!("{before}\n{text}"))
}

/// A text without what the client and we put into it.
fn cleaned(text: Cow<'_, str>) -> Cow<'_, str> {
    // The client's first: a mark of ours inside of what it inserted must not swallow where that ends.
    let has_mark =
        memchr(b'<', text.as_bytes()).is_some() || memmem::find(text.as_bytes(), b"--- Content").is_some();
    let text = if has_mark {
        INSERTED.iter().fold(text, |text, (open, close)| without(text, open, close))
    } else {
        text
    };
    fragment::without(text)
}

fn unless_blank(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    crate::claude_code::transcript::unless_blank(text)
}
