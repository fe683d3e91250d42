//! Tool input: what a tool was called with, under this client's names.

use std::borrow::Cow;

use throughline_domain::transcript::{Escaped, Tool, ToolCall};

use super::message::Part;
use crate::claude_code::transcript::scan::Raw;

/// A longer command is cut; so is a longer text.
const COMMAND_BYTES_MAX: usize = 16 << 10;
const TEXT_BYTES_MAX: usize = 4 << 10;
/// Rows of a list of tasks, and questions of one call.
const ROWS_MAX: usize = 256;
/// Files of one patch.
const FILES_MAX: usize = 64;
/// A longer word is cut in two.
const WORD_BYTES_MAX: usize = 1 << 10;

/// What a tool does. Whatever the client does not bring along is somebody else's.
fn tool(name: &str) -> Tool {
    match name {
        "bash" | "shell" => Tool::Shell,
        "read" => Tool::Read,
        "edit" | "multiedit" | "apply_patch" | "patch" => Tool::Edit,
        "write" => Tool::Write,
        "grep" | "glob" | "list" | "codesearch" => Tool::Search,
        "todowrite" => Tool::TodoWrite,
        "task" => Tool::Agent,
        "question" => Tool::AskUser,
        "plan_exit" => Tool::Plan,
        "todoread" | "webfetch" | "websearch" | "skill" | "lsp" | "batch" | "plan_enter" | "invalid" => {
            Tool::Other
        }
        _ => Tool::Server,
    }
}

/// The calls of a part: one, or one for each file of a patch.
pub(super) fn calls<'l>(part: &Part<'l>) -> Vec<ToolCall<'l>> {
    let name = part.tool.unwrap_or_default();
    let mut call = ToolCall {
        id: part.call_id.and_then(Raw::text).unwrap_or_default(),
        tool: tool(name),
        name: Cow::Borrowed(name),
        ..ToolCall::default()
    };
    let input = part.state.and_then(|state| state.member(b"input"));
    let patch = input.and_then(|input| input.member(b"patchText")).and_then(Raw::text);
    if let Some(patch) = patch.filter(|_| call.tool == Tool::Edit) {
        return patched(&call, &patch);
    }
    read(input, &mut call);
    vec![call]
}

/// Fills a call from its arguments.
fn read<'l>(input: Option<Raw<'l>>, call: &mut ToolCall<'l>) {
    let (mut written, mut described, mut prompt) = (None, None, None);
    for (key, value) in input.into_iter().flat_map(Raw::members) {
        match key {
            b"filePath" => call.path = value.text(),
            b"path" => call.path = call.path.take().or_else(|| value.text()),
            b"command" => call.command = head(value, COMMAND_BYTES_MAX).filter(|_| call.tool == Tool::Shell),
            b"pattern" | b"query" | b"url" => call.pattern = head(value, TEXT_BYTES_MAX),
            b"oldString" => call.text = head(value, TEXT_BYTES_MAX).filter(|text| !text.is_empty()),
            b"newString" | b"content" => written = head(value, TEXT_BYTES_MAX),
            b"edits" => {
                let first = value.elements().next();
                call.text = first.and_then(|edit| head(edit.member(b"oldString")?, TEXT_BYTES_MAX));
                written = first.and_then(|edit| head(edit.member(b"newString")?, TEXT_BYTES_MAX));
            }
            b"description" => described = head(value, TEXT_BYTES_MAX),
            b"prompt" => prompt = head(value, TEXT_BYTES_MAX),
            b"questions" => prompt = questions(value),
            b"todos" => call.todos = value.elements().take(ROWS_MAX).filter_map(todo).collect(),
            _ => {}
        }
    }
    if call.text.is_none() {
        call.text = written;
    } else {
        call.written = written;
    }
    call.purpose = described.or(prompt);
}

/// What a patch does, file by file. The first call has the id of all; the others are told from it.
fn patched<'l>(call: &ToolCall<'l>, patch: &str) -> Vec<ToolCall<'l>> {
    let mut calls: Vec<ToolCall<'l>> = Vec::new();
    for line in patch.lines() {
        let named = ["Add", "Update", "Delete"].into_iter().find_map(|deed| {
            let file = line.strip_prefix("*** ")?.strip_prefix(deed)?.strip_prefix(" File: ")?;
            Some((deed, file.trim()))
        });
        if let Some((deed, path)) = named {
            if calls.len() == FILES_MAX {
                break;
            }
            let id = match calls.len() {
                0 => call.id.clone(),
                nth => Cow::Owned(format!("{}#{nth}", call.id)),
            };
            let tool = if deed == "Add" { Tool::Write } else { Tool::Edit };
            calls.push(ToolCall { id, tool, path: Some(Cow::Owned(path.to_owned())), ..call.clone() });
            continue;
        }
        let Some(last) = calls.last_mut() else { continue };
        match line.as_bytes().first() {
            Some(b'-') if last.tool == Tool::Edit => add(&mut last.text, &line[1..]),
            Some(b'+') if last.tool == Tool::Edit => add(&mut last.written, &line[1..]),
            Some(b'+') => add(&mut last.text, &line[1..]),
            _ => {}
        }
    }
    if calls.is_empty() { vec![call.clone()] } else { calls }
}

/// Adds a line to a text, as long as there is room.
fn add(text: &mut Option<Cow<'_, str>>, line: &str) {
    let text = text.get_or_insert_default().to_mut();
    if text.len() + line.len() < TEXT_BYTES_MAX {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
}

/// A text, or the beginning of a long one.
fn head(value: Raw<'_>, bytes_max: usize) -> Option<Cow<'_, str>> {
    let inside = value.inside()?;
    if inside.len() <= bytes_max {
        return value.text();
    }
    let valid = inside.utf8_chunks().next()?.valid();
    let mut text = Escaped::of(valid).head(bytes_max);
    // Half a word may be half a secret, which nobody would know for one any more.
    let end = text.len() - WORD_BYTES_MAX.min(text.len());
    if let Some(blank) = text.bytes().skip(end).rposition(|byte| byte.is_ascii_whitespace()) {
        text.truncate(end + blank);
    }
    Some(Cow::Owned(text))
}

/// What a question asks.
pub(super) fn question(row: Raw<'_>) -> Option<Cow<'_, str>> {
    head(row.member(b"question")?, TEXT_BYTES_MAX)
}

fn questions(list: Raw<'_>) -> Option<Cow<'_, str>> {
    let texts: Vec<_> = list.elements().take(ROWS_MAX).filter_map(question).collect();
    (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
}

/// A row of a list of tasks: what, and how far.
fn todo(row: Raw<'_>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let status = row.member(b"status").and_then(Raw::text).unwrap_or(Cow::Borrowed("pending"));
    Some((head(row.member(b"content")?, TEXT_BYTES_MAX)?, status))
}
