//! What a Claude Code transcript tells, in words that no client owns: who said what, which tool was called, how it ended.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde_json::Value;

use crate::script::Usage;

/// A session's main conversation.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// The folder that it began in.
    pub folder: String,
    /// The model that answered first.
    pub model: String,
    /// What happened, in order.
    pub deeds: Vec<Deed>,
}

/// One thing that happened.
#[derive(Debug, Clone)]
pub struct Deed {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum What {
    /// The user said this.
    Said(String),
    /// The user typed a slash command; its arguments.
    Command(String, String),
    /// The user stopped the agent.
    Stopped,
    /// The model answered.
    Responded(Response),
    /// The context was compacted.
    Compacted(Compaction),
}

/// A response of the model, with all that came of it.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// Its id.
    pub id: String,
    /// What it took.
    pub usage: Usage,
    /// Its words and calls, in order.
    pub parts: Vec<Part>,
}

/// A part of a response.
#[derive(Debug, Clone)]
pub enum Part {
    /// The model said this.
    Said(String),
    /// The model called a tool.
    Called(Box<Call>),
}

/// A tool call.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its id.
    pub id: String,
    /// The folder that it was made in.
    pub folder: String,
    /// The tool's name, as Claude Code spells it.
    pub name: String,
    /// What it was called with.
    pub input: Value,
    /// What came back, if anything did.
    pub answer: Option<Answer>,
}

/// What a tool gave back.
#[derive(Debug, Clone)]
pub struct Answer {
    /// When.
    pub at: Timestamp,
    /// How the call ended.
    pub ending: Ending,
    /// The text, without what tells how it ended.
    pub text: String,
    /// Questions with the user's answers.
    pub answers: Vec<(String, String)>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Well.
    Well,
    /// With this exit code.
    Exited(i64),
    /// It goes on in the background, under this id.
    Background(String),
    /// The user refused it, with these words.
    Refused(String),
    /// The user stopped it.
    Stopped,
    /// It was not run, or failed in another way.
    Failed,
}

/// A compaction.
#[derive(Debug, Clone, Default)]
pub struct Compaction {
    /// Whether nobody asked for it.
    pub is_auto: bool,
    /// Tokens before it.
    pub tokens_before: u64,
    /// The summary; empty where none was written yet.
    pub summary: String,
}

impl Response {
    /// Its words, joined.
    #[must_use]
    pub fn words(&self) -> String {
        let said = self.parts.iter().filter_map(|part| match part {
            Part::Said(text) => Some(text.as_str()),
            Part::Called(_) => None,
        });
        said.collect::<Vec<_>>().join("\n\n")
    }

    /// Its calls.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Called(call) => Some(&**call),
            Part::Said(_) => None,
        })
    }
}

impl Call {
    /// An argument that is a text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.input.get(name).and_then(Value::as_str)
    }

    /// An argument that is a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.input.get(name).and_then(Value::as_u64)
    }
}

impl Session {
    /// Reads the lines of a transcript. What is no JSON, a subagent's, or the client's own, is passed over.
    #[must_use]
    pub fn read(lines: &str) -> Self {
        let mut reading = Reading::default();
        for line in lines.lines() {
            let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
            let id = entry["uuid"].as_str().unwrap_or_default().to_owned();
            let is_copy = !id.is_empty() && !reading.seen.insert(id);
            if entry["isSidechain"] != true && !is_copy {
                reading.take(&entry);
            }
        }
        reading.session
    }
}

#[derive(Default)]
struct Reading {
    session: Session,
    seen: HashSet<String>,
    /// Where the response of an id stands, and each call that waits: deed and part.
    responses: HashMap<String, usize>,
    waiting: HashMap<String, (usize, usize)>,
    at: Timestamp,
    folder: String,
    /// What the user typed while the agent was busy, and nobody gave to the agent yet.
    queued: Vec<String>,
}

impl Reading {
    fn take(&mut self, entry: &Value) {
        if let Some(at) = entry["timestamp"].as_str().and_then(|at| at.parse().ok()) {
            self.at = at;
        }
        if let Some(folder) = entry["cwd"].as_str() {
            folder.clone_into(&mut self.folder);
            if self.session.folder.is_empty() {
                folder.clone_into(&mut self.session.folder);
            }
        }
        if let Some(id) = entry["sessionId"].as_str().filter(|_| self.session.id.is_empty()) {
            id.clone_into(&mut self.session.id);
        }
        match entry["type"].as_str() {
            Some("user") => self.user(entry),
            Some("assistant") => self.assistant(entry),
            Some("system") if entry["subtype"] == "compact_boundary" => {
                let metadata = &entry["compactMetadata"];
                let compaction = Compaction {
                    is_auto: metadata["trigger"] != "manual",
                    tokens_before: metadata["preTokens"].as_u64().unwrap_or(0),
                    summary: String::new(),
                };
                self.push(What::Compacted(compaction));
            }
            Some("queue-operation") if entry["operation"] == "enqueue" => {
                if let Words::Said(text) = words(entry["content"].as_str().unwrap_or_default()) {
                    self.queued.push(text.clone());
                    self.push(What::Said(text));
                }
            }
            Some("attachment") if entry["attachment"]["type"] == "queued_command" => {
                let attachment = &entry["attachment"];
                if is_human(&attachment["origin"]) && attachment["isMeta"] != true {
                    self.said(&texts(&attachment["prompt"]));
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, what: What) {
        self.session.deeds.push(Deed { at: self.at, what });
    }

    fn user(&mut self, entry: &Value) {
        let content = &entry["message"]["content"];
        if entry["isCompactSummary"] == true {
            return self.summarised(&text_of(content));
        }
        let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let answers: Vec<&Value> = parts.iter().filter(|part| part["type"] == "tool_result").collect();
        for answer in &answers {
            self.answered(answer, &entry["toolUseResult"]);
        }
        if entry["isMeta"] != true && is_human(&entry["origin"]) {
            self.said(&texts(content));
        }
    }

    fn said(&mut self, texts: &[String]) {
        let mut said = Vec::new();
        for text in texts {
            match words(text) {
                Words::Said(text) => said.push(text),
                Words::Command(name, args) => self.push(What::Command(name, args)),
                Words::Summary(text) => self.summarised(&text),
                Words::Stopped => self.push(What::Stopped),
                Words::Nothing => {}
            }
        }
        let said = said.join("\n");
        match self.queued.iter().position(|queued| *queued == said) {
            // It was told when it was typed.
            Some(at) => drop(self.queued.remove(at)),
            None if said.is_empty() => {}
            None => self.push(What::Said(said)),
        }
    }

    /// The summary belongs to the boundary before it.
    fn summarised(&mut self, text: &str) {
        let summary = of_summariser(text).to_owned();
        let last = self.session.deeds.iter_mut().rev().find_map(|deed| match &mut deed.what {
            What::Compacted(compaction) => Some(compaction),
            _ => None,
        });
        if let Some(last) = last.filter(|last| last.summary.is_empty()) {
            last.summary = summary;
        } else {
            self.push(What::Compacted(Compaction { is_auto: true, tokens_before: 0, summary }));
        }
    }

    fn assistant(&mut self, entry: &Value) {
        let message = &entry["message"];
        let model = message["model"].as_str().unwrap_or_default();
        if entry["isApiErrorMessage"] == true || model == "<synthetic>" {
            return;
        }
        if self.session.model.is_empty() {
            model.clone_into(&mut self.session.model);
        }
        let id = message["id"].as_str().unwrap_or_default().to_owned();
        let known = self.responses.get(&id).copied().filter(|_| !id.is_empty());
        let deed = known.unwrap_or_else(|| {
            self.push(What::Responded(Response { id: id.clone(), ..Response::default() }));
            self.session.deeds.len() - 1
        });
        self.responses.insert(id, deed);
        let folder = self.folder.clone();
        let What::Responded(response) = &mut self.session.deeds[deed].what else { return };
        response.usage = usage(&message["usage"]).unwrap_or(response.usage);
        for part in message["content"].as_array().into_iter().flatten() {
            match part["type"].as_str() {
                Some("text") => {
                    let text = cleaned(part["text"].as_str().unwrap_or_default());
                    if !text.is_empty() {
                        response.parts.push(Part::Said(text));
                    }
                }
                Some("tool_use") => {
                    let call = Call {
                        id: part["id"].as_str().unwrap_or_default().to_owned(),
                        folder: folder.clone(),
                        name: part["name"].as_str().unwrap_or_default().to_owned(),
                        input: part["input"].clone(),
                        answer: None,
                    };
                    self.waiting.insert(call.id.clone(), (deed, response.parts.len()));
                    response.parts.push(Part::Called(Box::new(call)));
                }
                _ => {}
            }
        }
    }

    fn answered(&mut self, result: &Value, structured: &Value) {
        let id = result["tool_use_id"].as_str().unwrap_or_default();
        let Some((deed, part)) = self.waiting.remove(id) else { return };
        let What::Responded(response) = &mut self.session.deeds[deed].what else { return };
        let Some(Part::Called(call)) = response.parts.get_mut(part) else { return };
        let text = without_reminders(&text_of(&result["content"]));
        let (ending, text) = ending(&text, result["is_error"] == true);
        let answers = structured["answers"].as_object().into_iter().flatten();
        let answers = answers.filter_map(|(question, answer)| {
            answer.as_str().map(|answer| (question.clone(), answer.to_owned()))
        });
        call.answer = Some(Answer { at: self.at, ending, text, answers: answers.collect() });
    }
}

/// A summary without what the client says around it.
fn of_summariser(text: &str) -> &str {
    const BEHIND: [&str; 3] = [
        "\nPlease continue the conversation from where we left it off",
        "\nIf you need specific details from before compaction",
        "\nContinue the conversation from where it left off",
    ];
    let text = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with(SUMMARY_BEGINS) => rest,
        _ => text,
    };
    let end = BEHIND.iter().filter_map(|words| text.rfind(words)).min().unwrap_or(text.len());
    let text = text[..end].trim();
    text.strip_prefix("Summary:").unwrap_or(text).trim()
}

/// How a call ended, and what its answer says beside that.
fn ending(text: &str, is_error: bool) -> (Ending, String) {
    const SAID: &str = "the user said:\n";
    const NOTE: &str = "\n\nNote: The user's next message";
    const BACKGROUND: &str = "Command running in background with ID: ";
    if is_error && text.starts_with("The user doesn't want to") {
        let words = text.split_once(SAID).map_or("", |(_, words)| words);
        let words = words.split_once(NOTE).map_or(words, |(words, _)| words);
        return (Ending::Refused(words.trim().to_owned()), String::new());
    }
    if text.starts_with("[Request interrupted") {
        return (Ending::Stopped, String::new());
    }
    if let Some(behind) = text.strip_prefix(BACKGROUND) {
        let id = behind.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        return (Ending::Background(id.to_owned()), text.to_owned());
    }
    if !is_error {
        return (Ending::Well, text.to_owned());
    }
    if let Some(rest) = text.strip_prefix("Exit code ") {
        let (code, output) = rest.split_once('\n').unwrap_or((rest, ""));
        if let Ok(code) = code.trim().parse() {
            return (Ending::Exited(code), output.to_owned());
        }
    }
    let text = text.strip_prefix("<tool_use_error>").unwrap_or(text);
    (Ending::Failed, text.strip_suffix("</tool_use_error>").unwrap_or(text).to_owned())
}

fn usage(usage: &Value) -> Option<Usage> {
    let number = |name: &str| usage[name].as_u64().unwrap_or(0);
    usage.is_object().then(|| Usage {
        input: number("input_tokens"),
        cache_creation: number("cache_creation_input_tokens"),
        cache_read: number("cache_read_input_tokens"),
        output: number("output_tokens"),
    })
}

fn is_human(origin: &Value) -> bool {
    origin["kind"].as_str().is_none_or(|kind| kind == "human")
}

/// The texts of a content: one, or those of a list of parts.
fn texts(content: &Value) -> Vec<String> {
    if let Some(text) = content.as_str() {
        return vec![text.to_owned()];
    }
    let parts = content.as_array().into_iter().flatten();
    let texts = parts.filter_map(|part| part.as_str().or_else(|| part["text"].as_str()));
    texts.map(str::to_owned).collect()
}

fn text_of(content: &Value) -> String {
    texts(content).join("\n")
}

/// How Claude Code begins the line that holds a summary.
const SUMMARY_BEGINS: &str = "This session is being continued from a previous conversation";

enum Words {
    Said(String),
    Command(String, String),
    Summary(String),
    Stopped,
    Nothing,
}

/// What a text under the user's name is.
fn words(text: &str) -> Words {
    const CLIENTS_OWN: [&str; 10] = [
        "<local-command-",
        "<bash-",
        "<task-notification>",
        "<agent-",
        "<teammate-message",
        "<channel ",
        "<mcp-",
        "<user-prompt-submit-hook>",
        "Caveat: The messages below",
        "Stop hook feedback:",
    ];
    let text = cleaned(text);
    let between = |open: &str, close: &str| {
        let rest = text.split_once(open).map_or("", |(_, rest)| rest);
        rest.split_once(close).map_or("", |(inside, _)| inside).trim().to_owned()
    };
    if text.is_empty() || CLIENTS_OWN.iter().any(|begin| text.starts_with(begin)) {
        return Words::Nothing;
    }
    if text.starts_with("<command-") {
        let name = between("<command-name>", "</command-name>");
        return Words::Command(name, between("<command-args>", "</command-args>"));
    }
    if text.starts_with(SUMMARY_BEGINS) {
        return Words::Summary(text);
    }
    if text.starts_with("[Request interrupted by user") {
        return Words::Stopped;
    }
    match text.split_once(char::is_whitespace).unwrap_or((&text, "")) {
        (name, args) if is_command(name) => Words::Command(name.to_owned(), args.trim().to_owned()),
        _ => Words::Said(text),
    }
}

/// `/compact`: a slash and a word. A path has more slashes, or is a folder that everybody knows.
fn is_command(name: &str) -> bool {
    let Some(word) = name.strip_prefix('/') else { return false };
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":-_".contains(&byte))
        && !["tmp", "usr", "etc", "home", "var", "opt", "dev", "bin", "mnt", "root"].contains(&word)
}

/// A text without what the client put into it.
fn cleaned(text: &str) -> String {
    let mut text = without_reminders(text);
    for (open, close) in [
        ("<ide_opened_file>", "</ide_opened_file>"),
        ("<ide_selection>", "</ide_selection>"),
        ("<ide_diagnostics>", "</ide_diagnostics>"),
        ("<local-command-caveat>", "</local-command-caveat>"),
    ] {
        text = without(&text, open, close);
    }
    text.trim().to_owned()
}

fn without_reminders(text: &str) -> String {
    without(text, "<system-reminder>", "</system-reminder>")
}

fn without(text: &str, open: &str, close: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(open)
        && let Some(length) = rest[begin..].find(close)
    {
        kept.push_str(&rest[..begin]);
        rest = &rest[begin + length + close.len()..];
    }
    kept.push_str(rest);
    kept
}
