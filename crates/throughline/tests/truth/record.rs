//! What really happened: a transcript read by eyes of its own, which share nothing with the product's.

use serde_json::Value;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Passed,
    Failed,
    /// The user or the client kept it from running.
    Refused,
    /// No answer stands there, or none that tells.
    Unknown,
}

/// One tool call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// The command line, squeezed; empty for other tools.
    pub(crate) command: String,
    /// The file, for tools that take one.
    pub(crate) path: String,
    pub(crate) end: End,
    id: String,
}

impl Call {
    /// Whether it changes files.
    pub(crate) fn edits(&self) -> bool {
        matches!(self.tool.as_str(), "Edit" | "Write" | "MultiEdit" | "NotebookEdit")
    }
}

/// A session, as far as statements about it can be checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    /// In their order.
    pub(crate) calls: Vec<Call>,
    /// Everything that the user said in any way, squeezed.
    pub(crate) said: String,
    /// Everything that the agent said, squeezed.
    pub(crate) told: String,
    /// Tasks by their subjects, each with its last status.
    pub(crate) tasks: Vec<(String, String)>,
    /// Calls since the user last spoke.
    pub(crate) calls_since: usize,
}

impl Record {
    /// Reads transcripts, one after the other.
    pub(crate) fn read<'t>(transcripts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut record = Self::default();
        for line in transcripts.into_iter().flat_map(str::lines) {
            if let Ok(entry) = serde_json::from_str::<Value>(line) {
                record.take(&entry);
            }
        }
        record
    }

    fn take(&mut self, entry: &Value) {
        let content = &entry["message"]["content"];
        match entry["type"].as_str() {
            Some("assistant") => {
                for block in content.as_array().into_iter().flatten() {
                    self.told.push_str(&squeeze(block["text"].as_str().unwrap_or_default()));
                    self.told.push_str(" \n ");
                    self.called(block);
                }
            }
            Some("user") if entry["isCompactSummary"] != Value::Bool(true) => {
                if let Some(text) = content.as_str() {
                    self.calls_since = 0;
                    self.heard(text);
                }
                for block in content.as_array().into_iter().flatten() {
                    match block["type"].as_str() {
                        Some("tool_result") => self.answered(block, &entry["toolUseResult"]),
                        Some("text") => self.heard(block["text"].as_str().unwrap_or_default()),
                        _ => {}
                    }
                }
            }
            // What was typed while the agent was busy.
            Some("queue-operation") => self.heard(entry["content"].as_str().unwrap_or_default()),
            Some("attachment") => {
                let prompt = &entry["attachment"]["prompt"];
                self.heard(prompt.as_str().unwrap_or_default());
                for block in prompt.as_array().into_iter().flatten() {
                    self.heard(block["text"].as_str().unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn heard(&mut self, text: &str) {
        // A slash command, as it was typed.
        let tagged = |tag: &str| {
            let rest = text.split_once(&format!("<{tag}>"))?.1;
            Some(rest.split_once(&format!("</{tag}>"))?.0.to_owned())
        };
        if let Some(name) = tagged("command-name") {
            self.heard(&format!("{name} {}", tagged("command-args").unwrap_or_default()));
        }
        self.said.push_str(&squeeze(text));
        self.said.push_str(" \n ");
    }

    fn called(&mut self, block: &Value) {
        if block["type"] != "tool_use" {
            return;
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let input = &block["input"];
        self.calls_since += 1;
        self.note_tasks(&text(&block["name"]), input);
        let path = ["file_path", "notebook_path", "path"].iter().map(|key| text(&input[*key]));
        self.calls.push(Call {
            tool: text(&block["name"]),
            command: squeeze(&text(&input["command"])),
            path: path.into_iter().find(|path| !path.is_empty()).unwrap_or_default(),
            end: End::Unknown,
            id: text(&block["id"]),
        });
    }

    /// A list that is written whole takes the place of the one before; what else is told of tasks by number is left out.
    fn note_tasks(&mut self, tool: &str, input: &Value) {
        let text = |value: &Value| squeeze(value.as_str().unwrap_or_default());
        if tool == "TodoWrite" {
            let rows = input["todos"].as_array().into_iter().flatten();
            self.tasks = rows.map(|row| (text(&row["content"]), text(&row["status"]))).collect();
        }
    }

    fn answered(&mut self, block: &Value, detail: &Value) {
        let text = text_of(&block["content"]);
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        let Some(at) = self.calls.iter().rposition(|call| call.id == id) else { return };
        let end = end_of(&text, block["is_error"] == Value::Bool(true), &self.calls[at].command);
        self.calls[at].end = end;
        let is_asked = matches!(self.calls[at].tool.as_str(), "AskUserQuestion" | "ExitPlanMode");
        if end == End::Refused || is_asked {
            self.heard(&text);
            for (question, answer) in detail["answers"].as_object().into_iter().flatten() {
                self.heard(&format!("{question} {}", answer.as_str().unwrap_or_default()));
            }
        }
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Words with which the client says that a call was not carried out.
const REFUSALS: &[&str] = &[
    "The user doesn't want to",
    "[Request interrupted",
    "Permission to use",
    "This command requires approval",
    "Claude requested permissions",
    "User rejected",
    "Permission for this action",
    "PreToolUse:",
    "Cancelled:",
];

fn end_of(text: &str, is_error: bool, command: &str) -> End {
    let start = text.trim_start().trim_start_matches("Error: ");
    if REFUSALS.iter().any(|words| start.starts_with(words)) {
        return End::Refused;
    }
    if start.starts_with("<tool_use_error>") {
        return End::Failed;
    }
    if start.starts_with("Command running in background") {
        return End::Unknown;
    }
    let exit = start.strip_prefix("Exit code ").and_then(|rest| rest.split_whitespace().next());
    if is_error || exit.is_some_and(|code| code != "0") {
        return End::Failed;
    }
    let hides_exit = ["|", ";", "\n"].iter().any(|sign| command.contains(sign));
    match (counts_failures(text), hides_exit) {
        (Some(true), true) => End::Failed,
        (Some(false), _) | (_, false) => End::Passed,
        (None, true) => End::Unknown,
    }
}

/// Whether a run's own words count failures: `Some(false)` where they count none.
fn counts_failures(text: &str) -> Option<bool> {
    let lower = text.to_lowercase();
    let says_failed = ["failed", "failures", "failing", "errors", "failure"].iter().any(|word| {
        lower.match_indices(word).any(|(at, _)| {
            let before = lower[..at].trim_end();
            let above = before.trim_end_matches(|c: char| c.is_ascii_digit());
            before[above.len()..].parse::<u64>().is_ok_and(|count| count > 0)
        })
    });
    let is_marked = ["--- fail:", "test result: failed", "traceback (most recent", "panicked at", "error[e"]
        .iter()
        .any(|mark| lower.contains(mark));
    let is_well = [" passed", "test result: ok", "\nok", "passing", "all tests pass"];
    match () {
        () if says_failed || is_marked => Some(true),
        () if is_well.iter().any(|mark| lower.contains(mark)) || lower.starts_with("ok") => Some(false),
        () => None,
    }
}

/// A text on one line, with single blanks.
pub(crate) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
