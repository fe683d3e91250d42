//! Message: what somebody said. Whose words they are, the client notes beside each; older ones are known by how they begin.

use std::borrow::Cow;

use memchr::memmem;
use throughline_domain::fragment;
use throughline_domain::transcript::{Block, What};

use super::record::Record;
use super::{Told, begin};
use crate::claude_code::transcript::scan::Raw;
use crate::transcript::Carried;

/// Parts of one message that are looked at.
const PARTS_MAX: usize = 256;

/// Texts that the client begins this way are its own, though they stand under the user's name.
const CLIENTS_OWN: [&str; 15] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill>",
    "<subagent_notification>",
    "<subagent_context>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<apps_instructions>",
    "<hook_prompt",
    "<goal_context>",
    "<codex_internal_context",
    super::SUMMARY_BEGINS,
];

/// What a message tells. A developer's is the client's own, or ours.
pub(super) fn read<'a>(record: &Record<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    let (mut role, mut content, mut id, mut noted) = (None, None, None, None);
    for (key, value) in record.payload.members() {
        match key {
            b"role" => role = value.inside(),
            b"content" => content = Some(value),
            b"id" => id = value.plain(),
            b"internal_chat_message_metadata_passthrough" => noted = Some(value),
            _ => {}
        }
    }
    let Some(content) = content else { return Vec::new() };
    match role {
        Some(b"user") => {
            let words = said(content, noted);
            words.map(|text| Told { uuid: id, ..Told::of(What::UserSaid(text)) }).into_iter().collect()
        }
        // The summary that a compaction asked for comes again with the compaction itself.
        Some(b"assistant") if !is_summary(record.metadata) => {
            begin(record.payload, carried);
            let blocks: Vec<Block<'a>> = texts(content).filter_map(cleaned).map(Block::Said).collect();
            if blocks.is_empty() {
                return Vec::new();
            }
            vec![Told::of(What::Responded { message_id: None, model: None, context_tokens: None, blocks })]
        }
        _ => Vec::new(),
    }
}

fn is_summary(metadata: Option<Raw<'_>>) -> bool {
    metadata.and_then(|metadata| metadata.member(b"compaction_output")).is_some_and(Raw::is_true)
}

/// What the user said among the parts of a message.
fn said<'a>(content: Raw<'a>, noted: Option<Raw<'a>>) -> Option<Cow<'a, str>> {
    let sources: Vec<Option<&[u8]>> = noted
        .and_then(|noted| noted.member(b"content_item_metadata"))
        .map(|parts| parts.elements().take(PARTS_MAX).map(source).collect())
        .unwrap_or_default();
    let is_users = |index: usize, text: &str| match sources.get(index) {
        Some(Some(source)) => *source == b"user",
        _ => !CLIENTS_OWN.iter().any(|begins| text.starts_with(begins)),
    };
    let mut all: Option<Cow<'a, str>> = None;
    for (index, part) in content.elements().take(PARTS_MAX).enumerate() {
        let text = text_of(part).filter(|text| is_users(index, text.trim_start()));
        let Some(text) = text.and_then(cleaned) else { continue };
        all = Some(match all {
            None => text,
            Some(before) => Cow::Owned(format!("{before}\n{text}")),
        });
    }
    all
}

/// Who wrote a part, as the client notes it: `user`, `harness`, `agents_md`, `tool`…
fn source(note: Raw<'_>) -> Option<&[u8]> {
    note.member(b"provenance")?.member(b"type")?.inside()
}

/// The texts of a content: a list of parts, or one text.
fn texts(content: Raw<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    content.text().into_iter().chain(content.elements().take(PARTS_MAX).filter_map(text_of))
}

fn text_of(part: Raw<'_>) -> Option<Cow<'_, str>> {
    part.member(b"text").and_then(Raw::text)
}

/// A text without what we put into it, unless nothing is left.
pub(super) fn cleaned(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let text = match memmem::find(text.as_bytes(), fragment::OPEN.as_bytes()) {
        Some(_) => fragment::without(text),
        None => text,
    };
    match text {
        text if text.trim().is_empty() => None,
        Cow::Borrowed(text) => Some(Cow::Borrowed(text.trim())),
        Cow::Owned(text) if text.trim().len() == text.len() => Some(Cow::Owned(text)),
        Cow::Owned(text) => Some(Cow::Owned(text.trim().to_owned())),
    }
}
