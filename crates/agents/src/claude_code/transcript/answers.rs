//! Answers: what tools gave back. Their texts stay escaped, in place: most of them are never looked at.

use std::borrow::Cow;

use throughline_domain::transcript::{Escaped, ToolAnswer, unescape};

use super::entry::{Entry, unless_blank};
use super::message::{Content, Part};
use super::scan::Raw;
use super::user_words::{self, Words};

/// Most answers that one line is read for, and most pieces of one answer: a client writes a handful.
const ANSWERS_MAX: usize = 256;
const PIECES_MAX: usize = 1_024;
/// A longer structured result is looked into only when it begins like one that we want.
const RESULT_BYTES_SMALL: usize = 2_048;

/// The answers in a message's content; `None` when there are none.
pub(super) fn read<'a>(content: &Content<'a>, entry: &Entry<'a>) -> Option<Vec<ToolAnswer<'a>>> {
    let Content::Parts(parts) = content else { return None };
    let mut answers = Vec::new();
    let mut beside = None;
    for part in parts {
        match part.kind {
            Some(b"tool_result") if answers.len() < ANSWERS_MAX => answers.push(answer(part)),
            Some(b"text") => beside = beside.or_else(|| part.text?.text()),
            _ => {}
        }
    }
    let last = answers.last_mut()?;
    if let Some(result) = entry.tool_result {
        structured(result, last);
    }
    if last.task_id.is_none() {
        last.task_id = last.text.pieces.first().and_then(|text| created_task(text));
    }
    match beside.map(user_words::classify).filter(|_| !entry.is_meta) {
        Some(Words::Said(words)) => last.user_said = Some(words),
        Some(Words::Interrupted) => last.is_interrupted = true,
        _ => {}
    }
    Some(answers)
}

fn answer<'a>(part: &Part<'a>) -> ToolAnswer<'a> {
    let mut answer = ToolAnswer {
        call_id: part.call_id.and_then(Raw::text).unwrap_or_default(),
        is_error: part.is_error,
        ..ToolAnswer::default()
    };
    if let Some(content) = part.content {
        collect(content, &mut answer.text);
    }
    if part.is_error {
        answer.user_said = answer.text.pieces.first().and_then(|text| refusal(text));
    }
    answer
}

/// The texts of a result: one, or those of a list of blocks.
fn collect<'a>(content: Raw<'a>, text: &mut Escaped<'a>) {
    if let Some(inside) = content.inside() {
        push(inside, text);
        return;
    }
    for block in content.elements() {
        let mut is_text = false;
        let mut inside = block.inside();
        for (key, value) in block.members() {
            match key {
                b"type" => is_text = value.inside() == Some(b"text"),
                b"text" => inside = value.inside(),
                _ => {}
            }
        }
        if let Some(inside) = inside.filter(|_| is_text || !block.is_object()) {
            push(inside, text);
        }
    }
}

/// Adds a text without what the client and we put into it. Bytes that are no UTF-8 separate two pieces.
fn push<'a>(inside: &'a [u8], text: &mut Escaped<'a>) {
    if let Ok(valid) = std::str::from_utf8(inside) {
        return push_valid(valid, text);
    }
    for chunk in inside.utf8_chunks() {
        push_valid(chunk.valid(), text);
    }
}

fn push_valid<'a>(mut rest: &'a str, text: &mut Escaped<'a>) {
    while let Some((begin, end)) = user_words::find_inserted(rest) {
        push_piece(&rest[..begin], text);
        rest = &rest[end..];
    }
    push_piece(rest, text);
}

fn push_piece<'a>(piece: &'a str, text: &mut Escaped<'a>) {
    // What is left around a reminder is often nothing but its line ends.
    if !piece.trim_start_matches("\\n").is_empty() && text.pieces.len() < PIECES_MAX {
        text.pieces.push(piece);
    }
}

/// The client's own, structured form of the answer: the id of a new task, the user's answers to questions.
fn structured<'a>(result: Raw<'a>, answer: &mut ToolAnswer<'a>) {
    let begins_well = || matches!(result.members().next(), Some((b"task" | b"questions" | b"answers", _)));
    if result.0.len() > RESULT_BYTES_SMALL && !begins_well() {
        return;
    }
    for (key, value) in result.members() {
        match key {
            b"task" => answer.task_id = value.member(b"id").and_then(Raw::id),
            b"answers" => answer.answers = answered(value),
            _ => {}
        }
    }
}

/// Questions with the user's answers, a line each.
fn answered(answers: Raw<'_>) -> Option<Cow<'_, str>> {
    let lines = answers.members().take(16).filter_map(|(question, answer)| {
        let question = unescape(std::str::from_utf8(question).ok()?);
        Some(format!("{question} {}", unless_blank(answer.text()?)?))
    });
    unless_blank(Cow::Owned(lines.collect::<Vec<_>>().join("\n")))
}

/// The id in `Task #1 created successfully: …`, for clients that keep no structured form of it.
fn created_task(text: &str) -> Option<Cow<'_, str>> {
    let (id, rest) = text.strip_prefix("Task #")?.split_once(' ')?;
    let is_id = !id.is_empty() && id.len() <= 32 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id && rest.starts_with("created")).then_some(Cow::Borrowed(id))
}

/// Why the user refused a call, in the user's own words.
fn refusal(text: &str) -> Option<Cow<'_, str>> {
    const SAID: &str = "the user said:\\n";
    const NOTE: &str = "\\n\\nNote: The user's next message";
    if !text.starts_with("The user doesn't want to") {
        return None;
    }
    let (_, words) = text.split_once(SAID)?;
    let words = words.split_once(NOTE).map_or(words, |(words, _)| words);
    unless_blank(unescape(words))
}
