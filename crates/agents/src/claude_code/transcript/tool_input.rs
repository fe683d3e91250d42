//! Tool input: what a call is about, whatever the tool is named and however it names its arguments.

use std::borrow::Cow;

use throughline_domain::transcript::{Escaped, Tool, ToolCall};

use super::scan::{Raw, Walk};

/// The beginning of a text that is kept: what is written, replaced or planned can be a whole file.
pub(crate) const TEXT_BYTES_MAX: usize = 4 << 10;
/// The beginning of a command line: with a here-document it can hold a whole file.
pub(crate) const COMMAND_BYTES_MAX: usize = 16 << 10;
/// Most rows of a list of tasks, and most edits and questions of one call.
pub(crate) const ROWS_MAX: usize = 256;
/// A longer word is cut in two.
const WORD_BYTES_MAX: usize = 1 << 10;

/// What a tool does.
pub(super) fn tool(name: &str) -> Tool {
    match name {
        "Bash" | "PowerShell" => Tool::Shell,
        "Read" | "NotebookRead" => Tool::Read,
        "Edit" | "MultiEdit" | "NotebookEdit" => Tool::Edit,
        "Write" => Tool::Write,
        "Grep" | "Glob" => Tool::Search,
        "TaskCreate" => Tool::TaskCreate,
        "TaskUpdate" => Tool::TaskUpdate,
        "TodoWrite" => Tool::TodoWrite,
        "Task" | "Agent" => Tool::Agent,
        "AskUserQuestion" => Tool::AskUser,
        "ExitPlanMode" | "exit_plan_mode" => Tool::Plan,
        name if name.starts_with("mcp__") => Tool::Server,
        _ => Tool::Other,
    }
}

/// Fills a call from its arguments, which stand here; `None` when there is no JSON here. Of several that say the same,
/// the more telling one counts.
pub(crate) fn read<'a>(walk: &mut Walk<'a>, call: &mut ToolCall<'a>) -> Option<()> {
    let Some(mut level) = walk.enter_object() else { return walk.value().map(|_| ()) };
    let mut purpose_rank = u8::MAX;
    let mut written = None;
    let mut query = None;
    while let Some(key) = walk.key(&mut level) {
        let Some(value) = walk.value() else { break };
        match key {
            b"file_path" | b"notebook_path" | b"absolute_path" => call.path = value.text(),
            b"path" | b"dir_path" => call.path = call.path.take().or_else(|| value.text()),
            b"command" => call.command = head(value, COMMAND_BYTES_MAX),
            b"pattern" => call.pattern = head(value, TEXT_BYTES_MAX),
            b"query" => query = head(value, TEXT_BYTES_MAX),
            b"old_string" => call.text = head(value, TEXT_BYTES_MAX).filter(|text| !text.is_empty()),
            b"new_string" | b"content" | b"new_source" | b"text" => written = Some(value),
            b"edits" => {
                call.text = of_edits(value, b"old_string");
                call.written = of_edits(value, b"new_string");
            }
            b"taskId" | b"task_id" => call.task_id = value.id(),
            b"status" => call.status = value.text(),
            b"todos" => call.todos = todos(value),
            _ => {
                if let Some(rank) = purpose(key).filter(|rank| *rank < purpose_rank)
                    && let Some(text) =
                        if key == b"questions" { questions(value) } else { head(value, TEXT_BYTES_MAX) }
                {
                    purpose_rank = rank;
                    call.purpose = Some(text);
                }
            }
        }
    }
    let written = written.and_then(|written| head(written, TEXT_BYTES_MAX));
    if call.text.is_none() {
        call.text = written;
    } else if written.is_some() {
        call.written = written;
    }
    if call.pattern.is_none() {
        call.pattern = query;
    }
    walk.leave(&level)
}

/// How well an argument tells what a call is for; the lowest counts.
fn purpose(key: &[u8]) -> Option<u8> {
    match key {
        b"subject" => Some(0),
        b"plan" => Some(1),
        b"questions" => Some(2),
        b"description" => Some(3),
        b"prompt" => Some(4),
        b"question" => Some(5),
        b"instruction" => Some(6),
        _ => None,
    }
}

/// A text, or the beginning of a long one.
pub(crate) fn head(value: Raw<'_>, bytes_max: usize) -> Option<Cow<'_, str>> {
    let inside = value.inside()?;
    if inside.len() <= bytes_max {
        return value.text();
    }
    // A little more than is kept, so that what is cut off is cut at an escape's or a character's edge.
    let more = inside.get(..bytes_max + 16).unwrap_or(inside);
    let raw = match std::str::from_utf8(more) {
        Ok(raw) => raw,
        Err(error) => std::str::from_utf8(&more[..error.valid_up_to()]).ok()?,
    };
    let mut text = Escaped::of(raw).head(bytes_max);
    // Half a word may be half a secret, which nobody would know for one any more.
    let end = text.len() - WORD_BYTES_MAX.min(text.len());
    if let Some(blank) = text.bytes().skip(end).rposition(|byte| byte.is_ascii_whitespace()) {
        text.truncate(end + blank);
    }
    Some(Cow::Owned(text))
}

/// The texts that several edits replace, or write.
fn of_edits<'a>(edits: Raw<'a>, name: &[u8]) -> Option<Cow<'a, str>> {
    let mut all = String::new();
    for old in edits.elements().take(ROWS_MAX).filter_map(|edit| edit.member(name)) {
        if all.len() >= TEXT_BYTES_MAX {
            break;
        }
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(&head(old, TEXT_BYTES_MAX)?);
    }
    (!all.is_empty()).then_some(Cow::Owned(all))
}

fn questions(list: Raw<'_>) -> Option<Cow<'_, str>> {
    let questions = list.elements().take(ROWS_MAX).filter_map(|row| row.member(b"question"));
    let texts: Vec<_> = questions.filter_map(|question| head(question, TEXT_BYTES_MAX)).collect();
    (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
}

/// Rows of a list of tasks: what, and how far.
fn todos(list: Raw<'_>) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    list.elements().take(ROWS_MAX).filter_map(todo).collect()
}

fn todo(row: Raw<'_>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let subject =
        [&b"content"[..], b"subject", b"description"].into_iter().find_map(|name| row.member(name))?;
    let status = row.member(b"status").and_then(Raw::text).unwrap_or(Cow::Borrowed("pending"));
    Some((head(subject, TEXT_BYTES_MAX)?, status))
}
