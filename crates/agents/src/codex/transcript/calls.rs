//! Calls: what the model called, whatever the tool is named and however it names its arguments.

use std::borrow::Cow;

use throughline_domain::transcript::{Block, Tool, ToolCall, What};

use super::open::Open;
use super::record::Record;
use super::{Told, begin, looks, script};
use crate::claude_code::transcript::scan::{Raw, Walk};
use crate::claude_code::transcript::tool_input::{self, COMMAND_BYTES_MAX, ROWS_MAX, TEXT_BYTES_MAX, head};
use crate::transcript::Carried;

/// The beginning of a call's arguments that is looked at: a script can hold a whole file.
const ARGUMENTS_BYTES_MAX: usize = 256 << 10;
/// The tool that runs a script of the model's own.
const SCRIPT: &str = "exec";
/// What changes files; what came of it is told by the client.
const PATCH: &str = "apply_patch";

/// What a call tells.
pub(super) fn read<'a>(record: &Record<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    begin(record.payload, carried);
    let mut call = ToolCall::default();
    let (mut namespace, mut given, mut action) = (None, None, None);
    for (key, value) in record.payload.members() {
        match key {
            b"name" => call.name = value.text().unwrap_or_default(),
            b"namespace" => namespace = value.text().filter(|text| !text.is_empty()),
            b"call_id" => call.id = value.text().unwrap_or_default(),
            b"arguments" | b"input" => given = head(value, ARGUMENTS_BYTES_MAX),
            b"action" => action = Some(value),
            _ => {}
        }
    }
    let given = given.unwrap_or_default();
    match (record.inner(), &*call.name) {
        (b"custom_tool_call", SCRIPT) => return script_told(&call.id, &given, carried),
        (_, PATCH) => return Vec::new(),
        (b"web_search_call", _) => {
            call.name = Cow::Borrowed("web_search");
            call.pattern = action.and_then(|action| head(action.member(b"query")?, TEXT_BYTES_MAX));
        }
        (b"local_shell_call", _) => {
            call.name = Cow::Borrowed("local_shell");
            call.command = action.and_then(|action| action.member(b"command")).and_then(command_line);
        }
        _ => {}
    }
    call.tool = tool(&call.name, namespace.as_deref());
    let folder = arguments(&given, &mut call, &carried.cwd);
    looks::recognize(&mut call, folder.as_deref().unwrap_or(&carried.cwd));
    if let Some(namespace) = namespace.filter(|_| call.tool == Tool::Server) {
        call.name = Cow::Owned(format!("{}__{}", namespace.trim_end_matches('_'), call.name));
    }
    vec![Told { cwd: folder.map(Cow::Owned), ..Told::of(called(call)) }]
}

/// One call, as a part of a response.
pub(super) fn called(call: ToolCall<'_>) -> What<'_> {
    let blocks = vec![Block::Called(Box::new(call))];
    What::Responded { message_id: None, model: None, context_tokens: None, blocks }
}

/// A script tells nothing by itself: what it did is told by the client. But for a command that the user will be asked
/// about: were it refused, nothing else would name it.
fn script_told<'a>(id: &str, text: &str, carried: &mut Carried) -> Vec<Told<'a>> {
    let asked = script::escalated_command(text);
    let print = asked.as_deref().map(script::print_of);
    Open::change(carried, |open| open.begin_script(id, print));
    let Some(command) = asked else { return Vec::new() };
    let call = ToolCall {
        id: Cow::Owned(id.to_owned()),
        tool: Tool::Shell,
        name: Cow::Borrowed("exec_command"),
        command: Some(Cow::Owned(command)),
        ..ToolCall::default()
    };
    vec![Told::of(called(call))]
}

/// What a tool does.
fn tool(name: &str, namespace: Option<&str>) -> Tool {
    if name.starts_with("mcp__") || namespace.is_some_and(|namespace| namespace.starts_with("mcp__")) {
        return Tool::Server;
    }
    match name {
        "exec_command" | "shell" | "shell_command" | "local_shell" | "container.exec" => Tool::Shell,
        "view_image" | "read_file" => Tool::Read,
        "grep_files" | "list_dir" => Tool::Search,
        "update_plan" => Tool::TodoWrite,
        "spawn_agent" => Tool::Agent,
        "request_user_input" | "request_user_input_async" => Tool::AskUser,
        _ => Tool::Other,
    }
}

/// Fills a call from its arguments; gives the folder that it works in, where it names one.
fn arguments(text: &str, call: &mut ToolCall<'_>, cwd: &str) -> Option<String> {
    let mut read = ToolCall::default();
    tool_input::read(&mut Walk::over(text.as_bytes()), &mut read);
    let mut folder = None;
    for (key, value) in Raw(text.as_bytes()).members() {
        match key {
            b"cmd" => read.command = head(value, COMMAND_BYTES_MAX),
            b"command" => read.command = command_line(value),
            b"workdir" => folder = value.text().filter(|folder| !folder.is_empty()),
            b"plan" => read.todos = value.elements().take(ROWS_MAX).filter_map(step).collect(),
            b"message" => read.purpose = head(value, TEXT_BYTES_MAX),
            b"dir_path" => read.path = value.text(),
            _ => {}
        }
    }
    let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    call.path = read.path.map(own);
    call.command = read.command.map(own).or(call.command.take());
    call.pattern = read.pattern.map(own).or(call.pattern.take());
    call.text = read.text.map(own);
    call.purpose = read.purpose.map(own);
    call.todos = read.todos.into_iter().map(|(what, status)| (own(what), own(status))).collect();
    folder.map(|folder| if folder.starts_with('/') { folder.into_owned() } else { format!("{cwd}/{folder}") })
}

/// A step of a plan, and how far it is.
fn step(row: Raw<'_>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let what = head(row.member(b"step")?, TEXT_BYTES_MAX)?;
    Some((what, row.member(b"status").and_then(Raw::text).unwrap_or(Cow::Borrowed("pending"))))
}

/// A command line: a text, or words of which a shell's own are left out.
pub(super) fn command_line(value: Raw<'_>) -> Option<Cow<'_, str>> {
    if value.inside().is_some() {
        return head(value, COMMAND_BYTES_MAX);
    }
    let words: Vec<Cow<'_, str>> =
        value.elements().take(ROWS_MAX).filter_map(|word| head(word, COMMAND_BYTES_MAX)).collect();
    match &words[..] {
        [] => None,
        [shell, flag, line] if is_shell(shell) && matches!(&**flag, "-c" | "-lc" | "-Command" | "/c") => {
            Some(line.clone())
        }
        words => {
            let mut line = words.join(" ");
            line.truncate(line.floor_char_boundary(COMMAND_BYTES_MAX));
            Some(Cow::Owned(line))
        }
    }
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    matches!(name, "bash" | "sh" | "zsh" | "dash" | "fish" | "pwsh" | "powershell" | "cmd")
}
