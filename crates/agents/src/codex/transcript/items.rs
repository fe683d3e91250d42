//! Items: what came of the model's calls, as the client notes it. Commands and changes of a script are told here alone.

use std::borrow::Cow;

use throughline_domain::transcript::{Tool, ToolCall, What, unescape};

use super::Told;
use super::answer::{Ending, answer};
use super::calls::{called, command_line};
use super::looks;
use super::open::Open;
use super::outputs::escaped_texts;
use super::script;
use crate::claude_code::transcript::scan::{Raw, Walk};
use crate::claude_code::transcript::tool_input::{self, TEXT_BYTES_MAX, head};
use crate::transcript::Carried;

/// What a script calls has ids of the client's own making.
const BY_SCRIPT: &str = "exec-";
/// Files of one change that are told.
const FILES_MAX: usize = 64;
/// Bytes of a difference that are looked at.
const DIFF_BYTES_MAX: usize = 64 << 10;

/// The fields of an item, still as written.
#[derive(Default)]
struct Item<'a> {
    kind: &'a [u8],
    id: Cow<'a, str>,
    status: &'a [u8],
    command: Option<Raw<'a>>,
    cwd: Option<Cow<'a, str>>,
    output: Option<Raw<'a>>,
    exit_code: Option<Raw<'a>>,
    changes: Option<Raw<'a>>,
    server: Cow<'a, str>,
    tool: Cow<'a, str>,
    arguments: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
}

/// What an item tells.
pub(super) fn read<'a>(item: Raw<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    let item = Item::of(item);
    match item.kind {
        b"CommandExecution" => command(item, carried),
        b"FileChange" => file_change(&item),
        b"McpToolCall" if item.id.starts_with(BY_SCRIPT) => server_call(item),
        _ => Vec::new(),
    }
}

impl<'a> Item<'a> {
    fn of(raw: Raw<'a>) -> Self {
        let mut item = Self::default();
        for (key, value) in raw.members() {
            match key {
                b"type" => item.kind = value.inside().unwrap_or_default(),
                b"id" => item.id = value.text().unwrap_or_default(),
                b"status" => item.status = value.inside().unwrap_or_default(),
                b"command" => item.command = Some(value),
                b"cwd" => item.cwd = value.text(),
                b"aggregated_output" => item.output = Some(value),
                b"exit_code" => item.exit_code = Some(value),
                b"changes" => item.changes = Some(value),
                b"server" => item.server = value.text().unwrap_or_default(),
                b"tool" => item.tool = value.text().unwrap_or_default(),
                b"arguments" => item.arguments = Some(value),
                b"result" => item.result = Some(value),
                _ => {}
            }
        }
        item
    }

    /// How it ended; a command that was stopped has no code of its own.
    fn ending(&self) -> Ending {
        match (self.status, self.exit_code.map(|code| code.0)) {
            (b"declined", _) => Ending::Refused,
            (_, Some(b"-1")) => Ending::Aborted,
            (_, Some(b"0")) | (b"completed", None | Some(b"null")) => Ending::Well,
            _ => Ending::Failed,
        }
    }
}

/// A command ended. One that the model called by itself is told by its call and its answer; of it nothing is told here,
/// unless it had gone on in the background: then how it ended.
fn command<'a>(item: Item<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    let Some(line) = item.command.and_then(command_line) else { return Vec::new() };
    let ending = item.ending();
    let body = item.output.map(escaped_texts).unwrap_or_default();
    let cwd = item.cwd.as_deref().and_then(folder_of).map(Cow::Owned);
    let (call_id, is_told): (Cow<'a, str>, bool) = if item.id.starts_with(BY_SCRIPT) {
        // What the user was asked about was told with its script, in the script's name.
        match Open::change(carried, |open| open.take_asked(script::print_of(&line))) {
            Some(script) => (Cow::Owned(script), true),
            None => (item.id, false),
        }
    } else if Open::change(carried, |open| open.take_running(&item.id)) {
        (item.id, true)
    } else {
        return Vec::new();
    };
    let mut told = Vec::new();
    if !is_told {
        let name = Cow::Borrowed("exec_command");
        let id = call_id.clone();
        let mut call = ToolCall { id, tool: Tool::Shell, name, command: Some(line), ..ToolCall::default() };
        looks::recognize(&mut call, cwd.as_deref().unwrap_or(carried.cwd.as_str()));
        told.push(Told { cwd: cwd.clone(), ..Told::of(called(call)) });
    }
    told.push(Told { cwd, ..Told::of(What::ToolsAnswered(vec![answer(call_id, ending, body)])) });
    told
}

/// The path of a `file://` address.
fn folder_of(address: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = address.strip_prefix("file://")?.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let coded = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(coded.unwrap_or(*first));
        rest = if coded.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).ok().filter(|path| path.starts_with('/'))
}

/// Files were changed, or not.
fn file_change<'a>(item: &Item<'a>) -> Vec<Told<'a>> {
    let mut told = Vec::new();
    let files = item.changes.into_iter().flat_map(Raw::members).take(FILES_MAX);
    for (number, (path, change)) in files.enumerate() {
        let Some(path) = std::str::from_utf8(path).ok().map(unescape) else { continue };
        // Each file has a call of its own, so that each is put back where nothing came of it.
        let id: Cow<'a, str> =
            if number == 0 { item.id.clone() } else { Cow::Owned(format!("{}/{number}", item.id)) };
        told.push(Told::of(called(changed(id.clone(), path, change))));
        told.push(Told::of(What::ToolsAnswered(vec![answer(id, item.ending(), Vec::new())])));
    }
    told
}

fn changed<'a>(id: Cow<'a, str>, path: Cow<'a, str>, change: Raw<'a>) -> ToolCall<'a> {
    let name = Cow::Borrowed("apply_patch");
    let mut call = ToolCall { id, tool: Tool::Edit, name, path: Some(path), ..ToolCall::default() };
    for (key, value) in change.members() {
        match key {
            b"type" if value.inside() == Some(b"add") => call.tool = Tool::Write,
            b"content" => call.text = head(value, TEXT_BYTES_MAX),
            b"unified_diff" => {
                let diff = head(value, DIFF_BYTES_MAX).unwrap_or_default();
                call.text = lines_of(&diff, '-');
                call.written = lines_of(&diff, '+');
            }
            // What it was called before is gone.
            b"move_path" => call.path = value.text().or(call.path.take()),
            _ => {}
        }
    }
    if call.text.is_none() {
        call.text = call.written.take();
    }
    call
}

/// The lines of a difference that were taken away, or added.
fn lines_of<'a>(diff: &str, sign: char) -> Option<Cow<'a, str>> {
    let mut all = String::new();
    for line in diff.lines().filter_map(|line| line.strip_prefix(sign)) {
        if all.len() + line.len() >= TEXT_BYTES_MAX {
            break;
        }
        all.push_str(line);
        all.push('\n');
    }
    (!all.is_empty()).then_some(Cow::Owned(all))
}

/// A server's tool was called from a script.
fn server_call(item: Item<'_>) -> Vec<Told<'_>> {
    let mut call = ToolCall::default();
    if let Some(arguments) = item.arguments {
        tool_input::read(&mut Walk::over(arguments.0), &mut call);
    }
    call.id.clone_from(&item.id);
    call.tool = Tool::Server;
    call.name = Cow::Owned(format!("mcp__{}__{}", item.server, item.tool));
    let ending = item.ending();
    let body =
        item.result.and_then(|result| result.member(b"content")).map(escaped_texts).unwrap_or_default();
    let given = answer(item.id, ending, body);
    vec![Told::of(called(call)), Told::of(What::ToolsAnswered(vec![given]))]
}
