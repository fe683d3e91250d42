//! OpenCode: a session as rows of its database, a message for each prompt and each response, with their parts.
//!
//! The client notes a folder for a session, not for a call. The task list is written whole each time. What a skill is asked for is
//! told; a plan is a file that is written, then shown. A turn that ends because the user refused a call is not marked as stopped.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::task_list::TaskList;
use super::{
    Answer, Call, Compaction, Ending, Part, Response, Session, UNTOLD, What, digits, edits, file,
    server_tool, typed, without_numbers,
};

/// The tables that a session stands in, as the client of version 1.18 makes them.
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text,
  slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL,
  cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX IF NOT EXISTS message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX IF NOT EXISTS part_message_id_id_idx ON part (message_id, id);
";

/// A row of `message`, with its parts.
#[derive(Debug, Clone)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// When it was made (ms since 1970).
    pub created_ms: i64,
    /// When something was last added to it.
    pub updated_ms: i64,
    /// What it says about itself.
    pub data: Value,
    /// Its parts, in order.
    pub parts: Vec<Value>,
}

/// The id of the session in this client's form.
#[must_use]
pub fn session_id(session: &Session) -> String {
    if session.id.starts_with("ses_") {
        return session.id.clone();
    }
    format!("ses_{}", digits(&session.id, 0))
}

/// Writes the session into a database, which need not exist. What is there of it already stays, or is replaced by the same.
pub fn write(session: &Session, database: &Path) {
    let mut connection = Connection::open(database).expect("a database");
    connection.pragma_update(None, "journal_mode", "WAL").expect("the client's journal");
    connection.execute_batch(SCHEMA).expect("the client's tables");
    let messages = retell(session);
    let began = messages.first().map_or(0, |message| message.created_ms);
    let ended = messages.last().map_or(0, |message| message.updated_ms);
    let id = session_id(session);
    let rows = connection.transaction().expect("a transaction");
    rows.execute(
        "INSERT OR REPLACE INTO session (id, project_id, slug, directory, path, title, version, time_created, time_updated)
         VALUES (?1, 'global', 'retold', ?2, '', 'Retold', '1.18.33', ?3, ?4)",
        params![id, session.folder, began, ended],
    )
    .expect("a session's row");
    for message in &messages {
        rows.execute(
            "INSERT OR REPLACE INTO message (id, session_id, time_created, time_updated, data) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![message.id, id, message.created_ms, message.updated_ms, message.data.to_string()],
        )
        .expect("a message's row");
        for (number, part) in message.parts.iter().enumerate() {
            let own = format!("prt_{}{number:04}{}", &message.id[4..16], &message.id[16..]);
            rows.execute(
                "INSERT OR REPLACE INTO part (id, message_id, session_id, time_created, time_updated, data)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![own, message.id, id, message.created_ms, message.updated_ms, part.to_string()],
            )
            .expect("a part's row");
        }
    }
    rows.commit().expect("the rows");
}

/// The session as messages with their parts.
#[must_use]
pub fn retell(session: &Session) -> Vec<Message> {
    let mut rows = Rows::begin(session);
    for deed in &session.deeds {
        rows.now = deed.at;
        match &deed.what {
            What::Said(text) => rows.prompt(text),
            What::Command(name, args) => {
                if let Some(text) = typed(name, args) {
                    rows.prompt(&text);
                }
            }
            What::Stopped => rows.stopped(),
            What::Responded(response) => rows.responded(response),
            What::Compacted(compaction) => rows.compacted(compaction),
        }
    }
    rows.messages
}

struct Rows<'s> {
    session: &'s Session,
    messages: Vec<Message>,
    now: Timestamp,
    last_ms: i64,
    counter: u16,
    parent: String,
    tasks: TaskList,
    was_refused: bool,
}

impl<'s> Rows<'s> {
    fn begin(session: &'s Session) -> Self {
        Self {
            session,
            messages: Vec::new(),
            now: Timestamp::UNIX_EPOCH,
            last_ms: 0,
            counter: 0,
            parent: String::new(),
            tasks: TaskList::default(),
            was_refused: false,
        }
    }

    /// A message of now, behind all others: ids grow with the time and a counter.
    fn push(&mut self, data: Value, parts: Vec<Value>) -> &mut Message {
        let ms = self.now.as_millisecond().max(self.last_ms);
        self.counter = if ms == self.last_ms { self.counter + 1 } else { 1 };
        self.last_ms = ms;
        let place = (ms.unsigned_abs() << 12 | u64::from(self.counter)) & 0xffff_ffff_ffff;
        let id = format!("msg_{place:012x}{}", &digits(&self.session.id, self.messages.len())[..14]);
        self.messages.push(Message { id, created_ms: ms, updated_ms: ms, data, parts });
        self.messages.last_mut().expect("the message that was pushed")
    }

    fn user(&mut self, parts: Vec<Value>) {
        let ms = self.now.as_millisecond();
        let model = json!({"providerID": "mock", "modelID": self.session.model});
        let data = json!({
            "role": "user", "time": {"created": ms}, "agent": "build", "model": model, "summary": {"diffs": []},
        });
        self.parent = self.push(data, parts).id.clone();
    }

    fn prompt(&mut self, text: &str) {
        self.was_refused = false;
        self.user(vec![json!({"type": "text", "text": text})]);
    }

    #[expect(clippy::needless_pass_by_value, reason = "a value is made where it is handed over")]
    fn assistant(&self, ended_ms: i64, tokens: Value, finish: &str) -> Value {
        let folder = &self.session.folder;
        json!({
            "parentID": self.parent, "role": "assistant", "mode": "build", "agent": "build",
            "path": {"cwd": folder, "root": folder}, "cost": 0, "tokens": tokens,
            "modelID": self.session.model, "providerID": "mock",
            "time": {"created": self.now.as_millisecond(), "completed": ended_ms}, "finish": finish,
        })
    }

    /// The user stopped a turn: the answer that was being written says so.
    fn stopped(&mut self) {
        if std::mem::take(&mut self.was_refused) {
            return;
        }
        let error = json!({"name": "MessageAbortedError", "data": {"message": "The operation was aborted."}});
        let last = self.messages.last_mut().filter(|last| last.data["role"] == "assistant");
        if let Some(last) = last {
            last.data["error"] = error;
            return;
        }
        let ms = self.now.as_millisecond();
        let tokens = json!({"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}});
        let mut data = self.assistant(ms, tokens, "error");
        data["error"] = error;
        self.push(data, Vec::new());
    }

    fn responded(&mut self, response: &Response) {
        let mut parts = vec![json!({"type": "step-start"})];
        let mut ended = self.now;
        let (mut words, mut has_calls, mut is_done) = (String::new(), false, true);
        self.was_refused = false;
        for part in &response.parts {
            match part {
                Part::Said(text) => parts.push(json!({"type": "text", "text": text})),
                Part::Called(call) => {
                    let told = self.told(call);
                    has_calls |= !told.is_empty();
                    let Some(answer) = &call.answer else {
                        is_done = false;
                        parts.extend(told.into_iter().map(|told| running_part(call, self.now, told)));
                        continue;
                    };
                    ended = ended.max(answer.at);
                    parts.extend(told.into_iter().map(|told| tool_part(call, answer, self.now, told)));
                    if let Ending::Refused(said) = &answer.ending {
                        self.was_refused = true;
                        said.clone_into(&mut words);
                    }
                }
            }
        }
        let usage = response.usage;
        let tokens = json!({
            "total": usage.read() + usage.output, "input": usage.input, "output": usage.output, "reasoning": 0,
            "cache": {"read": usage.cache_read, "write": usage.cache_creation},
        });
        let finish = if has_calls { "tool-calls" } else { "stop" };
        parts.push(json!({"type": "step-finish", "reason": finish, "tokens": tokens, "cost": 0}));
        let ended_ms = ended.as_millisecond();
        let mut data = self.assistant(ended_ms, tokens, finish);
        if !is_done {
            data["time"] = json!({"created": self.now.as_millisecond()});
        }
        self.push(data, parts).updated_ms = ended_ms;
        self.now = ended;
    }

    /// What a call comes to in this client's tools: name, input, what a tool that ended well gives back.
    fn told(&mut self, call: &Call) -> Vec<(String, Value, String)> {
        let one = |name: &str, input: Value, output: &str| vec![(name.to_owned(), input, output.to_owned())];
        if let Some(tasks) = self.tasks.after(call) {
            let row = |(content, status): &(String, String)| json!({"content": content, "status": status, "priority": "medium"});
            let rows: Vec<Value> = tasks.iter().map(row).collect();
            let output = Value::from(rows.clone()).to_string();
            return one("todowrite", json!({"todos": rows}), &output);
        }
        let text = call.answer.as_ref().map_or("", |answer| answer.text.as_str());
        if let Some((server, tool)) = server_tool(&call.name) {
            return one(&format!("{server}_{tool}"), call.input.clone(), text);
        }
        match call.name.as_str() {
            name if UNTOLD.contains(&name) => Vec::new(),
            "Bash" | "PowerShell" => {
                let mut input =
                    json!({"command": call.text("command"), "description": call.text("description")});
                if call.folder != self.session.folder {
                    input["workdir"] = call.folder.clone().into();
                }
                one("bash", input, text)
            }
            "Read" | "NotebookRead" => {
                let mut input = json!({"filePath": file(call)});
                for name in ["offset", "limit"] {
                    if let Some(number) = call.number(name) {
                        input[name] = number.into();
                    }
                }
                let plain = without_numbers(text);
                let first = usize::try_from(call.number("offset").unwrap_or(1)).unwrap_or(1);
                let lines = plain.lines().zip(first..).map(|(line, number)| format!("{number}: {line}\n"));
                let content: String = lines.collect();
                let output =
                    format!("<path>{}</path>\n<type>file</type>\n<content>\n{content}</content>", file(call));
                one("read", input, &output)
            }
            "Edit" | "MultiEdit" | "NotebookEdit" => {
                let path = file(call);
                let all = call.input["replace_all"] == true;
                let each = edits(call).into_iter().map(|(old, new)| {
                    let input =
                        json!({"filePath": path, "oldString": old, "newString": new, "replaceAll": all});
                    ("edit".to_owned(), input, "Edit applied successfully.".to_owned())
                });
                each.collect()
            }
            "Write" => {
                let input = json!({"filePath": file(call), "content": call.text("content")});
                one("write", input, "Wrote file successfully.")
            }
            "Grep" | "Glob" => {
                let mut input = json!({"pattern": call.text("pattern")});
                if let Some(path) = call.text("path") {
                    input["path"] = path.into();
                }
                if let Some(glob) = call.text("glob") {
                    input["include"] = glob.into();
                }
                one(if call.name == "Grep" { "grep" } else { "glob" }, input, text)
            }
            _ => told_rarely(call, text),
        }
    }

    fn compacted(&mut self, compaction: &Compaction) {
        let asked = json!({"type": "compaction", "auto": compaction.is_auto, "overflow": false});
        self.user(vec![asked]);
        let tokens = json!({
            "total": compaction.tokens_before + 20, "input": compaction.tokens_before, "output": 20, "reasoning": 0,
            "cache": {"read": 0, "write": 0},
        });
        let mut data = self.assistant(self.now.as_millisecond(), tokens, "stop");
        data["summary"] = true.into();
        data["mode"] = "compaction".into();
        data["agent"] = "compaction".into();
        let mut parts = vec![json!({"type": "step-start"})];
        if !compaction.summary.is_empty() {
            parts.push(json!({"type": "text", "text": compaction.summary}));
        }
        self.push(data, parts);
    }
}

fn told_rarely(call: &Call, text: &str) -> Vec<(String, Value, String)> {
    let one = |name: &str, input: Value, output: &str| vec![(name.to_owned(), input, output.to_owned())];
    match call.name.as_str() {
        "Task" | "Agent" => {
            let input = json!({
                "description": call.text("description"), "prompt": call.text("prompt"),
                "subagent_type": call.text("subagent_type"),
            });
            one("task", input, text)
        }
        "AskUserQuestion" => one("question", call.input.clone(), text),
        "ExitPlanMode" => {
            let plan = json!({"filePath": ".opencode/plans/plan.md", "content": call.text("plan")});
            vec![
                ("write".to_owned(), plan, "Wrote file successfully.".to_owned()),
                ("plan_exit".to_owned(), json!({}), text.to_owned()),
            ]
        }
        "Skill" => one("skill", json!({"name": call.text("skill")}), text),
        "WebSearch" => one("websearch", json!({"query": call.text("query")}), text),
        "WebFetch" => one("webfetch", json!({"url": call.text("url"), "format": "markdown"}), text),
        _ => Vec::new(),
    }
}

/// A call that nothing came back from.
fn running_part(call: &Call, began: Timestamp, (name, input, _): (String, Value, String)) -> Value {
    let state = json!({"status": "running", "input": input, "time": {"start": began.as_millisecond()}});
    json!({"type": "tool", "tool": name, "callID": call.id, "state": state})
}

fn tool_part(
    call: &Call,
    answer: &Answer,
    began: Timestamp,
    (name, input, output): (String, Value, String),
) -> Value {
    let time = json!({"start": began.as_millisecond(), "end": answer.at.as_millisecond()});
    let failed = |error: &str| json!({"status": "error", "input": input, "error": error, "time": time});
    let done = |output: &str, metadata: Value| {
        json!({
            "status": "completed", "input": input, "output": output, "metadata": metadata, "title": "",
            "time": time,
        })
    };
    let is_shell = name == "bash";
    let state = match &answer.ending {
        Ending::Refused(words) if words.is_empty() => {
            failed("The user rejected permission to use this specific tool call.")
        }
        Ending::Refused(words) => failed(&format!(
            "The user rejected permission to use this specific tool call with the following feedback: {words}"
        )),
        Ending::Stopped => failed("Tool execution aborted"),
        Ending::Exited(code) if is_shell => done(&answer.text, json!({"output": answer.text, "exit": code})),
        Ending::Well if is_shell => done(&answer.text, json!({"output": answer.text, "exit": 0})),
        Ending::Failed | Ending::Exited(_) => failed(&answer.text),
        Ending::Well if name == "question" => {
            let chosen: Vec<Value> = answer.answers.iter().map(|(_, chosen)| json!([chosen])).collect();
            done(&output, json!({"answers": chosen}))
        }
        Ending::Well | Ending::Background(_) => done(&output, json!({})),
    };
    json!({"type": "tool", "tool": name, "callID": call.id, "state": state})
}
