//! Gemini CLI: a session as its file of lines, each message again once its calls are done.
//!
//! The client notes no folder beside a line: the session works where it began. It has no words for a turn that the user stopped,
//! beyond a notice of its own, and one time for a response and for all that came of it. A plan is a file that is written, then shown.

use std::fmt::Write;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Answer, Call, Compaction, Ending, Response, Session, UNTOLD, What, digits, edits, file, moment,
    server_tool, uuid, without_numbers,
};

/// What the client puts into the model's mouth behind a summary.
const ACKNOWLEDGED: &str = "Got it. Thanks for the additional context!";
/// Messages that a compression keeps.
const KEPT: usize = 2;

/// The session as its file.
#[must_use]
pub fn retell(session: &Session) -> String {
    let mut file = Lines::begin(session);
    for deed in &session.deeds {
        file.now = deed.at;
        match &deed.what {
            What::Said(text) => file.prompt(text),
            What::Command(name, args) => {
                if let Some(text) = super::typed(name, args) {
                    file.prompt(&text);
                }
            }
            What::Stopped => {
                let notice = file.message("info", json!("Request cancelled."));
                file.line(&notice);
            }
            What::Responded(response) => file.responded(response),
            What::Compacted(compaction) => file.compressed(compaction),
        }
    }
    file.text
}

/// The name of a session's file.
#[must_use]
pub fn file_name(session: &Session) -> String {
    let began = session.deeds.first().map_or(Timestamp::UNIX_EPOCH, |deed| deed.at);
    let minute = moment(began).get(..16).unwrap_or_default().replace(':', "-");
    format!("session-{minute}-{}.jsonl", session.id.get(..8).unwrap_or(&session.id))
}

struct Lines<'s> {
    session: &'s Session,
    text: String,
    count: usize,
    now: Timestamp,
    /// The messages that the conversation holds now.
    messages: Vec<Value>,
}

impl<'s> Lines<'s> {
    fn begin(session: &'s Session) -> Self {
        let now = session.deeds.first().map_or(Timestamp::UNIX_EPOCH, |deed| deed.at);
        let mut lines = Self { session, text: String::new(), count: 0, now, messages: Vec::new() };
        lines.line(&json!({
            "sessionId": session.id, "projectHash": digits(&session.folder, 0), "startTime": moment(now),
            "lastUpdated": moment(now), "kind": "main",
        }));
        let context = format!(
            "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\nMy operating system is: linux\n- **Workspace Directories:**\n  - {}\n- **Directory Structure:**\n\n</session_context>",
            session.folder
        );
        let context = lines.message("user", json!([{"text": context}]));
        lines.messages.push(context);
        lines.set_messages();
        lines
    }

    fn line(&mut self, line: &Value) {
        let _ = writeln!(self.text, "{line}");
    }

    fn set_messages(&mut self) {
        let line = json!({"$set": {"messages": self.messages, "lastUpdated": moment(self.now)}});
        self.line(&line);
    }

    fn updated(&mut self) {
        let line = json!({"$set": {"lastUpdated": moment(self.now)}});
        self.line(&line);
    }

    #[expect(clippy::needless_pass_by_value, reason = "a value is made where it is handed over")]
    fn message(&mut self, kind: &str, content: Value) -> Value {
        self.count += 1;
        let id = uuid(&self.session.id, self.count);
        json!({"id": id, "timestamp": moment(self.now), "type": kind, "content": content})
    }

    fn prompt(&mut self, text: &str) {
        let prompt = self.message("user", json!([{"text": text}]));
        self.line(&prompt);
        self.updated();
        self.messages.push(prompt);
    }

    fn responded(&mut self, response: &Response) {
        let mut message = self.message("gemini", json!(response.words()));
        let usage = response.usage;
        message["thoughts"] = json!([]);
        message["tokens"] = json!({
            "input": usage.read(), "output": usage.output, "cached": usage.cache_read, "thoughts": 0, "tool": 0,
            "total": usage.read() + usage.output,
        });
        message["model"] = self.session.model.clone().into();
        self.line(&message);
        self.updated();
        let (mut calls, mut results, mut words) = (Vec::new(), Vec::new(), String::new());
        for call in response.calls() {
            let Some(answer) = &call.answer else { continue };
            for (number, told) in self.told(call, answer).into_iter().enumerate() {
                let call = done(call, answer, number, told);
                results.extend(call["result"].as_array().into_iter().flatten().cloned());
                calls.push(call);
            }
            self.now = answer.at;
            if let Ending::Refused(said) = &answer.ending {
                said.clone_into(&mut words);
            }
        }
        if !calls.is_empty() {
            message["toolCalls"] = calls.into();
            self.line(&message);
        }
        self.messages.push(message);
        if !results.is_empty() {
            let results = self.message("user", results.into());
            self.line(&results);
            self.updated();
            self.messages.push(results);
        }
        if !words.is_empty() {
            self.prompt(&words);
        }
    }

    /// What a call comes to in this client's tools: name, arguments, what a tool that ended well gives back.
    fn told(&self, call: &Call, answer: &Answer) -> Vec<(String, Value, String)> {
        let one = |name: &str, args: Value, output: String| vec![(name.to_owned(), args, output)];
        let text = answer.text.clone();
        if let Some((server, tool)) = server_tool(&call.name) {
            return one(&format!("mcp_{server}_{tool}"), call.input.clone(), text);
        }
        match call.name.as_str() {
            name if UNTOLD.contains(&name) => Vec::new(),
            "Bash" | "PowerShell" => {
                let mut args = json!({"command": call.text("command")});
                if let Some(description) = call.text("description") {
                    args["description"] = description.into();
                }
                if call.folder != self.session.folder {
                    args["dir_path"] = call.folder.clone().into();
                }
                one("run_shell_command", args, text)
            }
            "Read" | "NotebookRead" => {
                let mut args = json!({"file_path": file(call)});
                if let Some(first) = call.number("offset") {
                    args["start_line"] = first.into();
                }
                if let Some(count) = call.number("limit") {
                    args["end_line"] = (call.number("offset").unwrap_or(1) + count).into();
                }
                one("read_file", args, without_numbers(&text))
            }
            "Edit" | "MultiEdit" | "NotebookEdit" => {
                let path = file(call);
                let each = edits(call).into_iter().map(|(old, new)| {
                    let args = json!({
                        "file_path": path, "instruction": "Change the text.", "old_string": old, "new_string": new,
                        "allow_multiple": call.input["replace_all"] == true,
                    });
                    let says = format!("Successfully modified file: {path} (1 replacements). Here is the updated code:\n{new}");
                    ("replace".to_owned(), args, says)
                });
                each.collect()
            }
            "Write" => {
                let path = file(call);
                let args = json!({"file_path": path, "content": call.text("content")});
                one(
                    "write_file",
                    args,
                    format!("Successfully overwrote file: {path}. Here is the updated code:"),
                )
            }
            "Grep" => {
                let mut args = json!({"pattern": call.text("pattern")});
                if let Some(path) = call.text("path") {
                    args["dir_path"] = path.into();
                }
                if let Some(glob) = call.text("glob") {
                    args["include_pattern"] = glob.into();
                }
                one("grep_search", args, text)
            }
            "Glob" => {
                let mut args = json!({"pattern": call.text("pattern")});
                if let Some(path) = call.text("path") {
                    args["dir_path"] = path.into();
                }
                one("glob", args, text)
            }
            _ => self.told_rarely(call, text),
        }
    }

    fn told_rarely(&self, call: &Call, text: String) -> Vec<(String, Value, String)> {
        let one = |name: &str, args: Value, output: String| vec![(name.to_owned(), args, output)];
        match call.name.as_str() {
            "TodoWrite" => {
                let rows = call.input["todos"].as_array().into_iter().flatten();
                let rows: Vec<Value> =
                    rows.map(|row| json!({"description": row["content"], "status": row["status"]})).collect();
                let says = "Successfully updated the todo list. The current list is now:".to_owned();
                one("write_todos", json!({"todos": rows}), says)
            }
            "TaskCreate" => {
                let subject = call.text("subject").unwrap_or_default();
                let args = json!({"title": subject, "description": call.text("description"), "type": "task"});
                let id = text.strip_prefix("Task #").and_then(|rest| rest.split(' ').next()).unwrap_or("0");
                one("tracker_create_task", args, format!("Created task {id}: {subject}"))
            }
            "TaskUpdate" => {
                let id = call.text("taskId").unwrap_or_default();
                let status = match call.text("status") {
                    Some("completed" | "deleted") => "closed",
                    Some("in_progress") => "in_progress",
                    _ => "open",
                };
                one("tracker_update_task", json!({"id": id, "status": status}), format!("Updated task {id}."))
            }
            "Task" | "Agent" => {
                let args = json!({"agent_name": call.text("subagent_type"), "prompt": call.text("prompt")});
                one("invoke_agent", args, text)
            }
            "AskUserQuestion" => {
                let answers = call.answer.as_ref().map(|answer| answer.answers.clone()).unwrap_or_default();
                let numbered: serde_json::Map<String, Value> = answers
                    .iter()
                    .enumerate()
                    .map(|(number, (_, answer))| (number.to_string(), answer.clone().into()))
                    .collect();
                one("ask_user", call.input.clone(), json!({"answers": numbered}).to_string())
            }
            "ExitPlanMode" => {
                let path = format!("{}/plans/plan.md", self.session.id);
                let plan = json!({"file_path": path, "content": call.text("plan")});
                let written = format!("Successfully created and wrote to new file: {path}.");
                vec![
                    ("write_file".to_owned(), plan, written),
                    ("exit_plan_mode".to_owned(), json!({"plan_filename": "plan.md"}), text),
                ]
            }
            "Skill" => one("activate_skill", json!({"name": call.text("skill")}), text),
            "WebSearch" => one("google_web_search", json!({"query": call.text("query")}), text),
            "WebFetch" => {
                let words = |name: &str| call.text(name).unwrap_or_default();
                one("web_fetch", json!({"prompt": format!("{} {}", words("url"), words("prompt"))}), text)
            }
            _ => Vec::new(),
        }
    }

    fn compressed(&mut self, compaction: &Compaction) {
        let context = self.messages.first().cloned().unwrap_or_default();
        let summary = match compaction.summary.as_str() {
            "" => String::new(),
            text => format!("<state_snapshot>{text}</state_snapshot>"),
        };
        let summary = self.message("user", json!([{"text": summary}]));
        let answer = self.message("gemini", json!([{"text": ACKNOWLEDGED}]));
        let from = self.messages.len().saturating_sub(KEPT).max(1);
        let kept = self.messages.split_off(from);
        self.messages = [context, summary, answer].into_iter().chain(kept).collect();
        self.set_messages();
    }
}

/// A call that is done, as the client writes it down.
fn done(call: &Call, answer: &Answer, number: usize, (name, args, output): (String, Value, String)) -> Value {
    let id = format!("{name}__{name}_{}_{number}", digits(&call.id, 0));
    let is_shell = name == "run_shell_command";
    let refusal = "[Operation Cancelled] Reason: User denied execution.";
    let (status, response) = match &answer.ending {
        Ending::Refused(_) => ("cancelled", json!({"error": refusal})),
        Ending::Stopped => {
            ("cancelled", json!({"error": "[Operation Cancelled] User cancelled tool execution."}))
        }
        Ending::Background(_) => (
            "success",
            json!({"output": "Command moved to background (PID: 4711). Output hidden. Press Ctrl+B to view."}),
        ),
        // A command's exit code stands in its text, and the call is a success.
        Ending::Exited(code) if is_shell => ("success", shell_frame(&answer.text, *code)),
        Ending::Well if is_shell => ("success", shell_frame(&output, 0)),
        Ending::Failed | Ending::Exited(_) => ("error", json!({"error": answer.text})),
        Ending::Well => ("success", json!({"output": output})),
    };
    let result = json!([{"functionResponse": {"id": id, "name": name, "response": response}}]);
    let shown = if is_shell { answer.text.as_str() } else { "" };
    json!({
        "id": id, "name": name, "args": args, "result": result, "status": status, "timestamp": moment(answer.at),
        "resultDisplay": shown, "description": call.text("description"), "renderOutputAsMarkdown": false,
    })
}

/// What the client writes around a command's output.
fn shell_frame(output: &str, code: i64) -> Value {
    let output = if output.trim().is_empty() { "(empty)" } else { output.trim_end() };
    let exit = if code == 0 { String::new() } else { format!("\nExit Code: {code}") };
    json!({"output": format!("<untrusted_context>\nOutput: {output}{exit}\nProcess Group PGID: 4711\n</untrusted_context>")})
}
