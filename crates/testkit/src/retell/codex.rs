//! Codex CLI: a session as a rollout, the lines in the order in which the client writes them.
//!
//! The client has no tools to read, search or look for files: those are commands (`cat`, `sed`, `rg`). Files are changed by
//! patches, of which the changed lines are told and not what stood around them. Its calls carry no description. What Claude Code
//! asks of a skill, and what goes on in the background, leaves nothing that a rollout would hold in this form.

use std::fmt::Write;

use jiff::Timestamp;
use serde_json::{Value, json};
use similar::TextDiff;

use super::task_list::TaskList;
use super::{
    Answer, Call, Compaction, Ending, Part, Response, Session, UNTOLD, What, digits, edits, file, moment,
    server_tool, typed, uuid, without_numbers,
};
use crate::script::Usage;

/// What the client says before a summary.
const BEFORE_SUMMARY: &str = "Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:\n";
/// What the client leaves of a window for itself.
const WINDOW_TOKENS: u64 = 258_400;

/// The session as a rollout.
#[must_use]
pub fn retell(session: &Session) -> String {
    let mut rollout = Rollout::begin(session);
    for deed in &session.deeds {
        rollout.now = deed.at;
        match &deed.what {
            What::Said(text) => rollout.prompt(text),
            What::Command(name, args) => {
                if let Some(text) = typed(name, args) {
                    rollout.prompt(&text);
                }
            }
            What::Stopped => rollout.stopped(),
            What::Responded(response) => rollout.responded(response),
            What::Compacted(compaction) => rollout.compacted(compaction),
        }
    }
    rollout.text
}

/// A call, in this client's tools.
enum Told {
    /// A command, what the client takes it for, and its output.
    Command { line: String, parsed: Value, output: String, code: i64 },
    /// Files that are changed: each with how, and the patch.
    Patch { changes: Value, input: String, list: String },
    /// A function, and what it gives back.
    Function { name: String, namespace: Option<String>, arguments: Value, output: String },
    /// A look at the web.
    Web(Value),
}

struct Rollout<'s> {
    session: &'s Session,
    text: String,
    ordinal: usize,
    now: Timestamp,
    turn: String,
    used: Usage,
    tasks: TaskList,
    windows: usize,
    prompts: Vec<String>,
}

impl<'s> Rollout<'s> {
    fn begin(session: &'s Session) -> Self {
        let now = session.deeds.first().map_or(Timestamp::UNIX_EPOCH, |deed| deed.at);
        let mut rollout = Self {
            session,
            text: String::new(),
            ordinal: 0,
            now,
            turn: String::new(),
            used: Usage::default(),
            tasks: TaskList::default(),
            windows: 0,
            prompts: Vec::new(),
        };
        rollout.line(
            "session_meta",
            json!({
                "session_id": session.id, "id": session.id, "timestamp": moment(now), "cwd": session.folder,
                "runtime_workspace_roots": [session.folder], "originator": "codex_cli_rs", "cli_version": "0.166.0",
                "source": "cli", "thread_source": "user", "model_provider": "openai", "history_mode": "paginated",
                "context_window": {"window_id": uuid(&session.id, 0)},
            }),
            None,
        );
        rollout
    }

    #[expect(clippy::needless_pass_by_value, reason = "a value is made where it is handed over")]
    fn line(&mut self, kind: &str, payload: Value, metadata: Option<Value>) {
        let mut line = json!({
            "timestamp": moment(self.now), "ordinal": self.ordinal, "type": kind, "payload": payload,
        });
        if let Some(metadata) = metadata {
            line["metadata"] = metadata;
        }
        self.ordinal += 1;
        let _ = writeln!(self.text, "{line}");
    }

    fn event(&mut self, payload: Value) {
        self.line("event_msg", payload, None);
    }

    #[expect(clippy::needless_pass_by_value, reason = "a value is made where it is handed over")]
    fn item(&mut self, item: Value) {
        let ms = self.now.as_millisecond();
        self.event(json!({
            "type": "item_completed", "thread_id": self.session.id, "turn_id": self.turn, "item": item,
            "started_at_ms": ms, "completed_at_ms": ms,
        }));
    }

    fn id(&self, kind: &str) -> String {
        format!("{kind}_{}", digits(&self.session.id, self.ordinal))
    }

    /// Words under the user's name: whose they are stands beside them.
    fn user_message(&mut self, text: &str, kind: &str, provenance: &Value) {
        let id = self.id("msg");
        let payload = json!({
            "type": "message", "id": id, "role": "user", "content": [{"type": "input_text", "text": text}],
            "internal_chat_message_metadata_passthrough": {
                "turn_id": self.turn, "content_item_kinds": [kind], "content_item_metadata": [{"provenance": provenance}],
            },
        });
        self.line("response_item", payload, None);
    }

    fn begin_turn(&mut self, is_prompted: bool) {
        self.turn = uuid(&self.session.id, self.ordinal + 1);
        let attribution = is_prompted.then(|| json!({"turn_id": self.turn, "turn_trigger": "user"}));
        self.event(json!({
            "type": "task_started", "turn_attribution": attribution, "turn_id": self.turn,
            "started_at": self.now.as_second(), "model_context_window": WINDOW_TOKENS,
        }));
    }

    fn turn_context(&mut self) {
        let (folder, model) = (&self.session.folder, &self.session.model);
        let context = json!({
            "turn_id": self.turn, "cwd": folder, "approval_policy": "on-request", "model": model, "summary": "none",
        });
        self.line("turn_context", context, None);
    }

    fn prompt(&mut self, text: &str) {
        self.begin_turn(true);
        if self.prompts.is_empty() {
            let place = format!(
                "<environment_context>\n  <cwd>{}</cwd>\n  <shell>bash</shell>\n</environment_context>",
                self.session.folder
            );
            self.user_message(
                &place,
                "environments.environment_context",
                &json!({"type": "harness", "hook": false}),
            );
        }
        self.turn_context();
        self.user_message(text, "user.text", &json!({"type": "user"}));
        let id = uuid(&self.session.id, self.ordinal);
        let content = json!([{"type": "text", "text": text, "text_elements": []}]);
        self.item(json!({"type": "UserMessage", "id": id, "content": content}));
        self.prompts.push(text.to_owned());
    }

    fn stopped(&mut self) {
        let text = "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be running in the background.\n</turn_aborted>";
        self.user_message(text, "turn_aborted", &json!({"type": "harness", "hook": false}));
        self.event(json!({"type": "turn_aborted", "turn_id": self.turn, "reason": "interrupted"}));
    }

    fn responded(&mut self, response: &Response) {
        let mut told = Vec::new();
        let mut items = 0;
        for part in &response.parts {
            match part {
                Part::Said(text) => self.said(text),
                Part::Called(call) if call.name == "ExitPlanMode" => {
                    let plan = call.text("plan").unwrap_or_default();
                    self.said(&format!("<proposed_plan>\n{plan}\n</proposed_plan>"));
                    told.push((call, None));
                }
                Part::Called(call) => {
                    let calls = self.told(call);
                    for one in &calls {
                        self.called(call, one);
                    }
                    if calls.is_empty() {
                        continue;
                    }
                    told.extend(calls.into_iter().map(|one| (call, Some(one))));
                }
            }
            items += 1;
        }
        if items == 0 {
            let id = self.id("rs");
            let thought = json!({"type": "reasoning", "id": id, "summary": [], "content": null, "encrypted_content": "gAAA"});
            self.line("response_item", thought, None);
        }
        self.usage_record(&response.id, response.usage);
        let mut words = String::new();
        for (call, told) in told {
            let Some(answer) = &call.answer else { continue };
            self.now = answer.at;
            if let Some(told) = told {
                self.answered(call, answer, told);
            }
            if let Ending::Refused(said) = &answer.ending {
                said.clone_into(&mut words);
            }
        }
        self.count(response.usage);
        if !words.is_empty() {
            self.stopped();
            self.prompt(&words);
        }
    }

    fn said(&mut self, text: &str) {
        let id = self.id("msg");
        self.item(json!({"type": "AgentMessage", "id": id, "content": [{"type": "Text", "text": text}]}));
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        let payload = json!({"type": "message", "id": id, "role": "assistant", "content": content});
        self.line("response_item", payload, Some(json!({"client_authored": false})));
    }

    /// What a call comes to in this client's tools; nothing where it has none for it.
    fn told(&mut self, call: &Call) -> Vec<Told> {
        if let Some(tasks) = self.tasks.after(call) {
            let plan: Vec<Value> =
                tasks.iter().map(|(step, status)| json!({"step": step, "status": status})).collect();
            return vec![function("update_plan", json!({"plan": plan}), "Plan updated")];
        }
        let text = call.answer.as_ref().map_or("", |answer| answer.text.as_str());
        if let Some((server, tool)) = server_tool(&call.name) {
            return vec![Told::Function {
                name: tool.to_owned(),
                namespace: Some(format!("mcp__{server}")),
                arguments: call.input.clone(),
                output: format!("Wall time: 0.1000 seconds\nOutput:\n{text}"),
            }];
        }
        match call.name.as_str() {
            name if UNTOLD.contains(&name) => Vec::new(),
            "Bash" | "PowerShell" => {
                let line = call.text("command").unwrap_or_default().to_owned();
                let parsed = json!([{"type": "unknown", "cmd": line}]);
                vec![Told::Command { line, parsed, output: text.to_owned(), code: 0 }]
            }
            "Read" | "NotebookRead" => vec![read(call, text)],
            "Grep" => vec![searched(call, text)],
            "Glob" => vec![listed(call, text)],
            "Edit" | "MultiEdit" | "NotebookEdit" | "Write" => vec![patch(call)],
            "Task" | "Agent" => {
                let agent = uuid(&call.id, 0);
                let message = call.text("prompt").unwrap_or_default();
                let spawned = json!({"agent_id": agent}).to_string();
                let ended = json!({"status": {&agent: {"completed": text}}, "timed_out": false}).to_string();
                vec![
                    function("spawn_agent", json!({"message": message, "agent_type": "default"}), &spawned),
                    function("wait_agent", json!({"targets": [agent]}), &ended),
                ]
            }
            "AskUserQuestion" => vec![asked(call)],
            "WebSearch" => vec![Told::Web(json!({"type": "search", "query": call.text("query")}))],
            "WebFetch" => vec![Told::Web(json!({"type": "open_page", "url": call.text("url")}))],
            _ => Vec::new(),
        }
    }

    fn called(&mut self, call: &Call, told: &Told) {
        let (id, item) = (self.id("fc"), self.call_id(call, told));
        let payload = match told {
            Told::Command { line, .. } => {
                let mut arguments = json!({"cmd": line});
                if call.folder != self.session.folder {
                    arguments["workdir"] = call.folder.clone().into();
                }
                json!({"type": "function_call", "id": id, "name": "exec_command", "arguments": arguments.to_string(), "call_id": item})
            }
            Told::Patch { input, .. } => {
                json!({"type": "custom_tool_call", "id": id, "call_id": item, "name": "apply_patch", "input": input})
            }
            Told::Function { name, namespace, arguments, .. } => {
                let mut payload = json!({"type": "function_call", "id": id, "name": name, "arguments": arguments.to_string(), "call_id": item});
                if let Some(namespace) = namespace {
                    payload["namespace"] = namespace.clone().into();
                }
                payload
            }
            Told::Web(action) => {
                json!({"type": "web_search_call", "id": id, "status": "completed", "action": action})
            }
        };
        self.line("response_item", payload, Some(json!({"client_authored": false})));
    }

    /// A subagent that is waited for is a call of its own.
    fn call_id(&self, call: &Call, told: &Told) -> String {
        let number = usize::from(matches!(told, Told::Function { name, .. } if name == "wait_agent"));
        format!("call_{}", digits(&format!("{} {}", self.session.id, call.id), number))
    }

    fn answered(&mut self, call: &Call, answer: &Answer, told: Told) {
        let id = self.call_id(call, &told);
        let is_patch = matches!(told, Told::Patch { .. });
        let output = match told {
            Told::Web(_) => return,
            Told::Command { line, parsed, output, code } => {
                self.command_answered(call, answer, &id, (&line, parsed), (&output, code))
            }
            Told::Patch { changes, list, .. } => self.patched(answer, &id, &changes, &list),
            Told::Function { output, .. } => match &answer.ending {
                Ending::Refused(_) => "user rejected MCP tool call".to_owned(),
                Ending::Stopped => "aborted by user after 1.0s".to_owned(),
                Ending::Failed | Ending::Exited(_) => format!("execution error: {}", answer.text),
                Ending::Well | Ending::Background(_) => output,
            },
        };
        let kind = if is_patch { "custom_tool_call_output" } else { "function_call_output" };
        let own = self.id("fco");
        self.line(
            "response_item",
            json!({"type": kind, "id": own, "call_id": id, "output": output}),
            Some(json!({"client_authored": false})),
        );
    }

    /// How a command ended: as the client notes it, and as the model is told.
    fn command_answered(
        &mut self,
        call: &Call,
        answer: &Answer,
        id: &str,
        (line, parsed): (&str, Value),
        (output, code): (&str, i64),
    ) -> String {
        let code = match &answer.ending {
            Ending::Refused(_) => {
                return "exec_command failed: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }".to_owned();
            }
            Ending::Stopped => return "aborted by user after 1.0s".to_owned(),
            Ending::Background(_) => {
                return "Chunk ID: 1a2b3c\nWall time: 10.0000 seconds\nProcess running with session ID 4711\nOriginal token count: 0\nOutput:\n".to_owned();
            }
            Ending::Failed if call.name == "Bash" || call.name == "PowerShell" => {
                return format!("exec_command failed: {}", answer.text);
            }
            Ending::Failed => 1,
            Ending::Exited(code) => *code,
            Ending::Well => code,
        };
        let output = if output.is_empty() { String::new() } else { format!("{output}\n") };
        self.item(json!({
            "type": "CommandExecution", "id": id, "process_id": "4711", "command": ["/bin/bash", "-lc", line],
            "cwd": format!("file://{}", call.folder.replace('%', "%25").replace(' ', "%20")), "parsed_cmd": parsed,
            "source": "unified_exec_startup", "status": if code == 0 { "completed" } else { "failed" },
            "aggregated_output": output, "exit_code": code, "duration": {"secs": 0, "nanos": 7193},
        }));
        let tokens = output.len().div_ceil(4);
        format!(
            "Chunk ID: 1a2b3c\nWall time: 0.0000 seconds\nProcess exited with code {code}\nOriginal token count: {tokens}\nOutput:\n{output}"
        )
    }

    fn patched(&mut self, answer: &Answer, id: &str, changes: &Value, list: &str) -> String {
        let (status, stderr) = match &answer.ending {
            Ending::Refused(_) => ("declined", "patch rejected by user"),
            Ending::Stopped => return "aborted by user after 1.0s".to_owned(),
            Ending::Failed | Ending::Exited(_) => {
                return format!("apply_patch verification failed: {}", answer.text);
            }
            Ending::Well | Ending::Background(_) => ("completed", ""),
        };
        let stdout = if stderr.is_empty() {
            format!("Success. Updated the following files:\n{list}\n")
        } else {
            String::new()
        };
        self.item(json!({
            "type": "FileChange", "id": id, "changes": changes, "status": status, "stdout": stdout, "stderr": stderr,
        }));
        if stderr.is_empty() {
            format!("Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{stdout}")
        } else {
            stderr.to_owned()
        }
    }

    fn usage_record(&mut self, response: &str, usage: Usage) {
        self.used = Usage {
            input: self.used.input + usage.input,
            cache_creation: self.used.cache_creation + usage.cache_creation,
            cache_read: self.used.cache_read + usage.cache_read,
            output: self.used.output + usage.output,
        };
        let (id, all) = (&self.session.id, counts(self.used));
        let record = json!({
            "thread_id": id, "turn_id": self.turn, "session_id": id, "response_id": format!("resp_{response}"),
            "usage": counts(usage), "turn_token_usage": all, "thread_token_usage": all,
        });
        self.line("token_usage_record", record, None);
    }

    fn count(&mut self, last: Usage) {
        let info = json!({
            "total_token_usage": counts(self.used), "last_token_usage": counts(last), "model_context_window": WINDOW_TOKENS,
        });
        self.event(json!({"type": "token_count", "info": info, "rate_limits": null}));
    }

    fn compacted(&mut self, compaction: &Compaction) {
        if !compaction.is_auto {
            self.begin_turn(false);
        }
        let summary = &compaction.summary;
        let usage = Usage { input: compaction.tokens_before, output: 20, ..Usage::default() };
        if !summary.is_empty() {
            let id = self.id("msg");
            let content = json!([{"type": "output_text", "text": summary, "annotations": []}]);
            self.line(
                "response_item",
                json!({"type": "message", "id": id, "role": "assistant", "content": content}),
                Some(json!({"client_authored": false, "compaction_output": true})),
            );
        }
        self.usage_record(&self.id("summary"), usage);
        // A summary that only the server can read stands in no message.
        let message = if summary.is_empty() { String::new() } else { format!("{BEFORE_SUMMARY}{summary}") };
        let mut history: Vec<Value> = self.prompts.iter().map(|prompt| user_text(prompt)).collect();
        history.push(if summary.is_empty() {
            json!({"type": "compaction", "encrypted_content": "gAAA"})
        } else {
            user_text(&message)
        });
        let (last, next) = (uuid(&self.session.id, self.windows), uuid(&self.session.id, self.windows + 1));
        self.windows += 1;
        let payload = json!({
            "message": message, "replacement_history": history, "window_number": self.windows,
            "previous_window_id": last, "window_id": next,
            "latest_token_usage_record": {"thread_id": self.session.id, "usage": counts(usage)},
        });
        self.line("compacted", payload, None);
        let id = uuid(&self.session.id, self.ordinal);
        self.item(json!({"type": "ContextCompaction", "id": id}));
        self.count(Usage::default());
    }
}

fn user_text(text: &str) -> Value {
    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
}

fn counts(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.read(), "cached_input_tokens": usage.cache_read,
        "cache_write_input_tokens": usage.cache_creation, "output_tokens": usage.output,
        "reasoning_output_tokens": 0, "total_tokens": usage.read() + usage.output,
    })
}

fn function(name: &str, arguments: Value, output: &str) -> Told {
    Told::Function { name: name.to_owned(), namespace: None, arguments, output: output.to_owned() }
}

/// A word as a shell needs it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:@,~".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A path as this client's models write it in a command: from the folder that the command is run in.
fn from_folder<'p>(call: &Call, path: &'p str) -> &'p str {
    let below = path.strip_prefix(call.folder.as_str()).and_then(|rest| rest.strip_prefix('/'));
    below.filter(|rest| !rest.is_empty()).unwrap_or(path)
}

/// A file is read by a command.
fn read(call: &Call, text: &str) -> Told {
    let path = from_folder(call, file(call));
    let line = match (call.number("offset"), call.number("limit")) {
        (None, None) => format!("cat {}", quoted(path)),
        (first, count) => {
            let first = first.unwrap_or(1).max(1);
            let last = count.map_or_else(|| "$".to_owned(), |count| (first + count.max(1) - 1).to_string());
            format!("sed -n '{first},{last}p' {}", quoted(path))
        }
    };
    let is_missing = call.answer.as_ref().is_some_and(|answer| answer.ending == Ending::Failed);
    let output =
        if is_missing { format!("cat: {path}: No such file or directory") } else { without_numbers(text) };
    let name = path.rsplit('/').next().unwrap_or(path);
    let parsed = json!([{"type": "read", "cmd": line, "name": name, "path": path}]);
    Told::Command { line, parsed, output, code: 0 }
}

fn searched(call: &Call, text: &str) -> Told {
    let mut line = "rg".to_owned();
    match call.text("output_mode") {
        Some("content") => line.push_str(" -n"),
        Some("count") => line.push_str(" -c"),
        _ => line.push_str(" -l"),
    }
    for flag in ["-A", "-B", "-C"] {
        if let Some(count) = call.number(flag) {
            let _ = write!(line, " {flag} {count}");
        }
    }
    if call.input["-i"] == true {
        line.push_str(" -i");
    }
    if let Some(glob) = call.text("glob") {
        let _ = write!(line, " -g {}", quoted(glob));
    }
    let pattern = call.text("pattern").unwrap_or_default();
    let _ = write!(line, " {}", quoted(pattern));
    if let Some(path) = call.text("path") {
        let _ = write!(line, " {}", quoted(from_folder(call, path)));
    }
    found(&line, &json!([{"type": "search", "cmd": line, "query": pattern, "path": call.text("path")}]), text)
}

fn listed(call: &Call, text: &str) -> Told {
    let mut line = format!("rg --files -g {}", quoted(call.text("pattern").unwrap_or_default()));
    if let Some(path) = call.text("path") {
        let _ = write!(line, " {}", quoted(from_folder(call, path)));
    }
    found(&line, &json!([{"type": "list_files", "cmd": line, "path": call.text("path")}]), text)
}

/// What a search gives; one that finds nothing prints nothing, and fails.
fn found(line: &str, parsed: &Value, text: &str) -> Told {
    let is_nothing = text.starts_with("No matches found") || text.starts_with("No files found");
    let text = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("Found ") => rest,
        _ if is_nothing => "",
        _ => text,
    };
    Told::Command {
        line: line.to_owned(),
        parsed: parsed.clone(),
        output: text.to_owned(),
        code: i64::from(is_nothing),
    }
}

/// A file is changed by a patch.
fn patch(call: &Call) -> Told {
    let path = file(call);
    if call.name == "Write" {
        let content = call.text("content").unwrap_or_default();
        let lines: String = content.lines().fold(String::new(), |all, line| all + "+" + line + "\n");
        return Told::Patch {
            changes: json!({path: {"type": "add", "content": content}}),
            input: format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"),
            list: format!("A {path}"),
        };
    }
    let mut diff = String::new();
    for (old, new) in edits(call) {
        let (old, new) = (ended(&old), ended(&new));
        diff.push_str(&TextDiff::from_lines(&old, &new).unified_diff().to_string());
    }
    let lines: String = diff
        .lines()
        .fold(String::new(), |all, line| all + if line.starts_with("@@") { "@@" } else { line } + "\n");
    Told::Patch {
        changes: json!({path: {"type": "update", "unified_diff": diff, "move_path": null}}),
        input: format!("*** Begin Patch\n*** Update File: {path}\n{lines}*** End Patch"),
        list: format!("M {path}"),
    }
}

/// A text that ends with a line end, as a file's lines do.
fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

fn asked(call: &Call) -> Told {
    let asked = call.input["questions"].as_array().cloned().unwrap_or_default();
    let given = call.answer.as_ref().map(|answer| answer.answers.clone()).unwrap_or_default();
    let mut questions = Vec::new();
    let mut answers = serde_json::Map::new();
    for (number, question) in asked.iter().enumerate() {
        let id = format!("question_{number}");
        questions.push(json!({
            "id": id, "header": question["header"], "question": question["question"], "options": question["options"],
        }));
        let answer = given.iter().find(|(known, _)| question["question"] == known.as_str());
        if let Some((_, answer)) = answer {
            answers.insert(id, json!({"answers": [answer]}));
        }
    }
    function("request_user_input", json!({"questions": questions}), &json!({"answers": answers}).to_string())
}
