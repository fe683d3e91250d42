//! Calls: which tool was called with what, and what it answered. The client writes both at once, when the call is done.

use std::borrow::Cow;

use throughline_domain::fragment;
use throughline_domain::transcript::{Tool, ToolAnswer, ToolCall, unescape};

use super::shell_frame::{self, Framed};
use crate::claude_code::transcript::scan::{Raw, Walk};
use crate::claude_code::transcript::tool_input;
use crate::claude_code::transcript::user_words::span;

/// Most parts of one answer that are kept.
const PIECES_MAX: usize = 1_024;
/// Most questions of one call.
const QUESTIONS_MAX: usize = 16;
const TEXT_BYTES_MAX: usize = 4 << 10;

/// Signs by which capture knows what became of a call.
const REFUSED: &str = "User rejected the call.";
const FORBIDDEN: &str = "Permission denied by the client's policy.";
const STOPPED: &str = "Interrupted by the user.";
const GOES_ON: &str = "Command running in background.";

/// A call and its answer.
pub(super) struct Call<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) asks: ToolCall<'a>,
    pub(super) answer: Option<ToolAnswer<'a>>,
}

/// What a tool does.
fn tool(name: &str) -> Tool {
    match name {
        "run_shell_command" => Tool::Shell,
        "read_file" | "read_many_files" => Tool::Read,
        "replace" | "edit" => Tool::Edit,
        "write_file" => Tool::Write,
        "glob" | "grep_search" | "search_file_content" => Tool::Search,
        "write_todos" => Tool::TodoWrite,
        "tracker_create_task" => Tool::TaskCreate,
        "tracker_update_task" => Tool::TaskUpdate,
        "invoke_agent" | "delegate_to_agent" => Tool::Agent,
        "ask_user" => Tool::AskUser,
        name if name.starts_with("mcp_") => Tool::Server,
        _ => Tool::Other,
    }
}

/// Reads a call.
pub(super) fn read(value: Raw<'_>) -> Call<'_> {
    let mut call = ToolCall::default();
    let (mut id, mut args, mut result, mut status, mut shown) = (None, None, None, None, None);
    for (key, value) in value.members() {
        match key {
            b"id" => id = Some(value),
            b"name" => call.name = value.text().unwrap_or_default(),
            b"args" => args = Some(value),
            b"result" => result = Some(value),
            b"status" => status = value.inside(),
            b"resultDisplay" => shown = value.inside().and_then(|shown| std::str::from_utf8(shown).ok()),
            _ => {}
        }
    }
    if let Some(args) = args {
        // What is no JSON any more leaves what was read before.
        let _ = tool_input::read(&mut Walk::over(args.0), &mut call);
        name_task(&call.name.clone(), args, &mut call);
    }
    call.tool = tool(&call.name);
    call.id = id.and_then(Raw::text).unwrap_or_default();
    let answer = status.map(|status| answer(&call, args, result, status, shown));
    Call { id: id.and_then(Raw::plain), asks: call, answer }
}

/// The arguments of the tools that keep tasks are named otherwise.
fn name_task<'a>(name: &str, args: Raw<'a>, call: &mut ToolCall<'a>) {
    match name {
        "tracker_create_task" => {
            if let Some(title) = args.member(b"title").and_then(|it| tool_input::head(it, TEXT_BYTES_MAX)) {
                call.purpose = Some(title);
            }
        }
        "tracker_update_task" => {
            call.task_id = args.member(b"id").and_then(Raw::id);
            if call.status.as_deref() == Some("closed") {
                call.status = Some(Cow::Borrowed("completed"));
            }
        }
        _ => {}
    }
}

fn answer<'a>(
    call: &ToolCall<'a>,
    args: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
    status: &[u8],
    shown: Option<&str>,
) -> ToolAnswer<'a> {
    let mut answer =
        ToolAnswer { call_id: call.id.clone(), is_error: status != b"success", ..ToolAnswer::default() };
    let mut pieces = Vec::new();
    if let Some(result) = result {
        collect(result, &mut pieces);
    }
    let first = pieces.first().copied().unwrap_or_default();
    let says = |begin: &str, what: &str| pieces.iter().any(|it| it.starts_with(begin) && it.contains(what));
    match status {
        b"cancelled" if says("[Operation Cancelled]", "User denied") => sign(&mut answer, REFUSED),
        b"cancelled" => {
            sign(&mut answer, STOPPED);
            answer.is_interrupted = true;
        }
        b"error" if says("Tool execution", "denied by policy") => sign(&mut answer, FORBIDDEN),
        _ => {}
    }
    match call.tool {
        Tool::Shell => return shell(answer, &pieces, shown),
        Tool::AskUser if first.starts_with("User dismissed") => {
            answer.is_error = true;
            sign(&mut answer, REFUSED);
        }
        Tool::AskUser => answer.answers = answered(first, args),
        Tool::TaskCreate => answer.task_id = created(first),
        _ => {}
    }
    answer.text.pieces.extend(pieces);
    answer
}

/// A command's answer: the client calls it a success whatever its exit code was, which stands in the text.
fn shell<'a>(mut answer: ToolAnswer<'a>, pieces: &[&'a str], shown: Option<&str>) -> ToolAnswer<'a> {
    for piece in pieces {
        let Framed { output, exit, is_signalled } = shell_frame::read(piece, shown);
        if let Some(code) = exit.filter(|code| *code != 0) {
            answer.is_error = true;
            sign(&mut answer, shell_frame::exit_sign(code));
        }
        answer.is_error |= is_signalled;
        if output.starts_with("Command was cancelled by user") {
            (answer.is_error, answer.is_interrupted) = (true, true);
            sign(&mut answer, STOPPED);
        } else if output.starts_with("Command was automatically cancelled") {
            answer.is_error = true;
        } else if output.starts_with("Command moved to background")
            || output.starts_with("Command is running in background")
        {
            sign(&mut answer, GOES_ON);
        }
        if !output.is_empty() && answer.text.pieces.len() < PIECES_MAX {
            answer.text.pieces.push(output);
        }
    }
    answer
}

/// Puts a sign in front, unless there is one.
fn sign(answer: &mut ToolAnswer<'_>, sign: &'static str) {
    if answer.text.pieces.is_empty() {
        answer.text.pieces.push(sign);
    }
}

/// The texts of a result: one, or those of a list of parts.
fn collect<'a>(result: Raw<'a>, pieces: &mut Vec<&'a str>) {
    if let Some(inside) = result.inside() {
        return push(inside, pieces);
    }
    for part in result.elements().take(PIECES_MAX) {
        for (key, value) in part.members() {
            match key {
                b"functionResponse" => {
                    for (_, text) in value.member(b"response").into_iter().flat_map(Raw::members) {
                        push(text.inside().unwrap_or_default(), pieces);
                    }
                }
                b"text" => push(value.inside().unwrap_or_default(), pieces),
                _ => {}
            }
        }
    }
}

/// Adds a text without what the client and hooks put into it. Bytes that are no UTF-8 separate two pieces.
fn push<'a>(inside: &'a [u8], pieces: &mut Vec<&'a str>) {
    for chunk in inside.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((begin, end)) = inserted(rest) {
            push_piece(&rest[..begin], pieces);
            rest = &rest[end..];
        }
        push_piece(rest, pieces);
    }
}

/// What a hook said, and what we did: from where to where.
fn inserted(text: &str) -> Option<(usize, usize)> {
    let hook = span(text, "<hook_context>", "</hook_context>");
    match (hook, fragment::find(text)) {
        (Some(hook), Some(ours)) => Some(hook.min(ours)),
        (hook, ours) => hook.or(ours),
    }
}

fn push_piece<'a>(piece: &'a str, pieces: &mut Vec<&'a str>) {
    let piece = trimmed(piece);
    let piece = trimmed(piece.strip_prefix("<untrusted_context>").unwrap_or(piece));
    let piece = trimmed(piece.strip_suffix("</untrusted_context>").unwrap_or(piece));
    if !piece.is_empty() && pieces.len() < PIECES_MAX {
        pieces.push(piece);
    }
}

/// Without line ends around it, as JSON spells them; a backslash that is a letter of the text stays.
fn trimmed(piece: &str) -> &str {
    let mut rest = piece;
    while let Some(before) = rest.strip_suffix("\\n").filter(|before| !before.ends_with('\\')) {
        rest = before;
    }
    rest.trim_start_matches("\\n")
}

/// The id in `Created task a1b2c3: subject`.
fn created(text: &str) -> Option<Cow<'_, str>> {
    let (id, _) = text.strip_prefix("Created task ")?.split_once(':')?;
    let is_id = !id.is_empty() && id.len() <= 32 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_id.then_some(Cow::Borrowed(id))
}

/// Questions with the user's answers, a line each. The answer is JSON inside of the text, by the questions' numbers.
fn answered<'a>(text: &str, args: Option<Raw<'_>>) -> Option<Cow<'a, str>> {
    let text = unescape(text);
    let answers = Raw(text.as_bytes()).member(b"answers")?;
    let asked = args.and_then(|args| args.member(b"questions"));
    let questions: Vec<Cow<'_, str>> = asked
        .into_iter()
        .flat_map(Raw::elements)
        .take(QUESTIONS_MAX)
        .map(|row| {
            row.member(b"question").and_then(|it| tool_input::head(it, TEXT_BYTES_MAX)).unwrap_or_default()
        })
        .collect();
    let lines = answers.members().take(QUESTIONS_MAX).filter_map(|(number, answer)| {
        let number: usize = std::str::from_utf8(number).ok()?.parse().ok()?;
        let answer = answer.text().filter(|answer| !answer.trim().is_empty())?;
        Some(
            format!("{} {}", questions.get(number).map_or("", |it| it.as_ref()), answer.trim())
                .trim()
                .to_owned(),
        )
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    (!lines.is_empty()).then_some(Cow::Owned(lines))
}
