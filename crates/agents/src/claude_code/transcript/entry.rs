//! Entry: the fields around a message, and which of the readers below it belongs to.

use std::borrow::Cow;

use throughline_domain::transcript::{Line, What};

use super::message::{Content, Message};
use super::scan::{Raw, Walk};
use super::user_words::{self, Words};
use super::{answers, response};

/// Why a line could not be read. Never holds a word of the line itself: it may reach a log.
pub(super) type Reason = &'static str;

/// The fields of one entry that matter to us, still as written.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "these are the client's own marks, each by itself")]
pub(super) struct Entry<'a> {
    kind: &'a [u8],
    subtype: &'a [u8],
    operation: &'a [u8],
    uuid: Option<&'a str>,
    session: Option<&'a str>,
    timestamp: Option<&'a str>,
    cwd: Option<Raw<'a>>,
    is_sidechain: bool,
    /// Words of the client's, put under the user's name.
    pub(super) is_meta: bool,
    is_summary: bool,
    pub(super) is_api_error: bool,
    /// Who spoke, where the client says so.
    origin: Option<Raw<'a>>,
    pub(super) message: Option<Message<'a>>,
    pub(super) tool_result: Option<Raw<'a>>,
    attachment: Option<Raw<'a>>,
    content: Option<Raw<'a>>,
    compaction: Option<Raw<'a>>,
}

/// Reads an entry; `None` when it means nothing to us.
pub(super) fn read(line: &[u8]) -> Result<Option<Line<'_>>, Reason> {
    let Some(mut entry) = fields(line)? else { return Ok(None) };
    let what = match entry.kind {
        b"user" => user(&mut entry)?,
        b"assistant" => response::read(&mut entry)?,
        b"system" => system(&entry),
        b"attachment" => entry.attachment.and_then(queued_command),
        b"queue-operation" if entry.operation == b"enqueue" => enqueued(&entry),
        _ => None,
    };
    Ok(what.map(|what| Line {
        uuid: entry.uuid,
        session: entry.session,
        timestamp: entry.timestamp,
        cwd: entry.cwd.and_then(Raw::text),
        is_sidechain: entry.is_sidechain,
        what,
    }))
}

/// The fields of an entry. Stops at once at a type that means nothing to us: `None`.
fn fields(line: &[u8]) -> Result<Option<Entry<'_>>, Reason> {
    let mut walk = Walk::over(line);
    let Some(mut level) = walk.enter_object() else { return Err("is no JSON object") };
    let mut entry = Entry::default();
    while let Some(key) = walk.key(&mut level) {
        if key == b"message" {
            if Message::read(&mut walk, &mut entry.message).is_none() {
                break;
            }
            continue;
        }
        let Some(value) = walk.value() else { break };
        match key {
            b"type" => {
                entry.kind = value.inside().unwrap_or_default();
                if !is_wanted(entry.kind) {
                    return Ok(None);
                }
            }
            b"toolUseResult" => entry.tool_result = Some(value),
            b"uuid" => entry.uuid = value.plain(),
            b"sessionId" => entry.session = value.plain(),
            b"timestamp" => entry.timestamp = value.plain(),
            b"cwd" => entry.cwd = Some(value),
            b"isSidechain" => entry.is_sidechain = value.is_true(),
            b"isMeta" => entry.is_meta = value.is_true(),
            b"isCompactSummary" => entry.is_summary = value.is_true(),
            b"isApiErrorMessage" => entry.is_api_error = value.is_true(),
            b"origin" => entry.origin = Some(value),
            b"attachment" => entry.attachment = Some(value),
            b"subtype" => entry.subtype = value.inside().unwrap_or_default(),
            b"operation" => entry.operation = value.inside().unwrap_or_default(),
            b"content" => entry.content = Some(value),
            b"compactMetadata" => entry.compaction = Some(value),
            _ => {}
        }
    }
    if walk.ended_well(&level) { Ok(Some(entry)) } else { Err("breaks off, or is no JSON") }
}

fn is_wanted(kind: &[u8]) -> bool {
    matches!(kind, b"user" | b"assistant" | b"system" | b"attachment" | b"queue-operation")
}

/// Something under the user's name: words, tools' answers, a summary, or the client's own notes.
fn user<'a>(entry: &mut Entry<'a>) -> Result<Option<What<'a>>, Reason> {
    let message = entry.message.take().ok_or("is a user entry without a message")?;
    let Some(content) = message.content else { return Ok(None) };
    if entry.is_summary {
        return Ok(user_words::all_text(&content).map(What::Summary));
    }
    if let Some(answers) = answers::read(&content, entry) {
        return Ok(Some(What::ToolsAnswered(answers)));
    }
    if entry.is_meta || !is_human(entry.origin) {
        return Ok(None);
    }
    Ok(said(user_words::read(&content)))
}

/// Whether the client names somebody else than the user as the one who spoke.
fn is_human(origin: Option<Raw<'_>>) -> bool {
    let kind = origin.and_then(|origin| origin.member(b"kind")).and_then(Raw::inside);
    kind.is_none_or(|kind| kind == b"human")
}

fn said(words: Words<'_>) -> Option<What<'_>> {
    match words {
        Words::Said(text) => Some(What::UserSaid(text)),
        Words::Command { name, args } => Some(What::Command { name, args }),
        Words::Summary(text) => Some(What::Summary(text)),
        Words::Interrupted => Some(What::Interrupted),
        Words::Nothing => None,
    }
}

/// A compaction's boundary, or a slash command that the client keeps as its own note.
fn system<'a>(entry: &Entry<'a>) -> Option<What<'a>> {
    match entry.subtype {
        b"compact_boundary" => {
            let number = |name: &[u8]| entry.compaction.and_then(|it| it.member(name)).and_then(Raw::count);
            Some(What::Compacted {
                trigger: entry.compaction.and_then(|it| it.member(b"trigger")).and_then(Raw::plain),
                tokens_before: number(b"preTokens"),
                tokens_after: number(b"postTokens"),
            })
        }
        b"local_command" => match user_words::read(&Content::of(entry.content?)?) {
            Words::Command { name, args } => Some(What::Command { name, args }),
            _ => None,
        },
        _ => None,
    }
}

/// What the user typed while the agent was busy, at the moment when the agent was given it.
fn queued_command(attachment: Raw<'_>) -> Option<What<'_>> {
    let field = |name: &[u8]| attachment.member(name);
    if field(b"type").and_then(Raw::inside) != Some(b"queued_command") {
        return None;
    }
    let is_prompt = field(b"commandMode").and_then(Raw::inside).is_none_or(|mode| mode == b"prompt");
    let is_meta = field(b"isMeta").is_some_and(Raw::is_true);
    if !is_prompt || is_meta || !is_human(field(b"origin")) {
        return None;
    }
    said(user_words::read(&Content::of(field(b"prompt")?)?))
}

/// What the user typed while the agent was busy, at that moment. Slash commands come again when they are run.
fn enqueued<'a>(entry: &Entry<'a>) -> Option<What<'a>> {
    match user_words::read(&Content::of(entry.content?)?) {
        Words::Said(text) => Some(What::Queued(text)),
        _ => None,
    }
}

/// A text, unless nothing but blanks is left of it.
pub(crate) fn unless_blank(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    if trimmed.len() == text.len() {
        return Some(text);
    }
    Some(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    })
}
