//! Script: what the mocked model answers, and which answer comes next.

use std::{collections::HashMap, path::Path, time::Duration};

use serde_json::{Value, json};

use crate::request::{self, Kind};

/// A subagent's prompt holds this word, so that its requests can be told from those of the main conversation.
pub const SUBAGENT_MARK: &str = "SUBAGENT-MARK";

/// Stands for the project's folder in texts and tool inputs.
pub const PROJECT_MARK: &str = "@PROJECT@";

/// The token counts of one answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Tokens that were neither read from nor written to the cache.
    pub input: u64,
    /// Tokens written to the cache.
    pub cache_creation: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Tokens of the answer.
    pub output: u64,
}

impl Usage {
    /// Counts that add up to `tokens`, most of them read from the cache as in a long session.
    #[must_use]
    pub fn filling(tokens: u64) -> Self {
        let output = tokens.min(20);
        let input = (tokens - output).min(1_000);
        Self { input, cache_creation: 0, cache_read: tokens - output - input, output }
    }

    pub(crate) fn to_json(self) -> Value {
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_creation,
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": self.output,
        })
    }
}

/// A refusal of the API.
#[derive(Clone, Debug)]
pub struct ApiFailure {
    /// The HTTP status.
    pub status: u16,
    /// The error's type, as `invalid_request_error`.
    pub kind: String,
    /// The text that goes with it.
    pub message: String,
}

/// One answer of the model: text, tool calls, or a refusal.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub(crate) text: Option<String>,
    pub(crate) tools: Vec<(String, Value)>,
    pub(crate) usage: Option<Usage>,
    pub(crate) failure: Option<ApiFailure>,
    pub(crate) delay: Duration,
}

impl Step {
    /// An answer in words, which ends the turn.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// A call of the named tool.
    #[must_use]
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::default().and_tool(name, input)
    }

    /// A call of the Bash tool.
    #[must_use]
    pub fn bash(command: &str) -> Self {
        Self::tool("Bash", json!({"command": command, "description": "run a command"}))
    }

    /// The refusal that makes a client compact although its own count saw no need to.
    #[must_use]
    pub fn prompt_too_long() -> Self {
        Self::failure(400, "invalid_request_error", "prompt is too long: 205000 tokens > 200000 maximum")
    }

    /// Any other refusal.
    #[must_use]
    pub fn failure(status: u16, kind: &str, message: &str) -> Self {
        let failure = ApiFailure { status, kind: kind.to_owned(), message: message.to_owned() };
        Self { failure: Some(failure), ..Self::default() }
    }

    /// The same answer with words before its tool calls.
    #[must_use]
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// The same answer with one more tool call.
    #[must_use]
    pub fn and_tool(mut self, name: impl Into<String>, input: Value) -> Self {
        self.tools.push((name.into(), input));
        self
    }

    /// The same answer, reporting this usage.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The same answer, given only after this long: time to kill a client in the middle of a turn.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    fn in_project(mut self, project: &str) -> Self {
        self.text = self.text.map(|text| text.replace(PROJECT_MARK, project));
        for (_, input) in &mut self.tools {
            replace_in_strings(input, project);
        }
        self
    }
}

/// All answers of one session: a queue of steps for each prompt, and what to say to anything else.
#[derive(Clone, Debug)]
pub struct Script {
    turns: Vec<(String, Vec<Step>)>,
    compact: Step,
    subagent: Vec<Step>,
    side: Step,
    fallback: Step,
    pub(crate) usage: Usage,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            turns: Vec::new(),
            compact: Step::text("<analysis>short</analysis>\n<summary>\n1. Mocked summary.\n</summary>"),
            subagent: vec![Step::text("The subagent is done.")],
            side: Step::text(r#"{"title": "Mocked title"}"#),
            fallback: Step::text("Nothing scripted for this prompt."),
            usage: Usage { input: 50, cache_creation: 0, cache_read: 1_000, output: 20 },
        }
    }
}

impl Script {
    /// A script that answers every prompt with the same words.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From the prompt that contains `when` on, each main request takes the next of these steps; also after a
    /// compaction, when the prompt itself is gone from the messages. A prompt that matches no turn goes on with the
    /// steps that are left.
    #[must_use]
    pub fn turn(mut self, when: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.turns.push((when.to_owned(), steps.into_iter().collect()));
        self
    }

    /// The answer to a request for a compaction's summary.
    #[must_use]
    pub fn compact_summary(self, text: &str) -> Self {
        self.compact_step(Step::text(text))
    }

    /// The same as a step, for a summary that fails or comes late.
    #[must_use]
    pub fn compact_step(mut self, step: Step) -> Self {
        self.compact = step;
        self
    }

    /// A subagent's answers in order; the last one is repeated. Its prompt must hold [`SUBAGENT_MARK`].
    #[must_use]
    pub fn subagent(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.subagent = steps.into_iter().collect();
        self
    }

    /// What to say when no turn matches or its steps are used up.
    #[must_use]
    pub fn otherwise(mut self, text: &str) -> Self {
        self.fallback = Step::text(text);
        self
    }

    /// The usage of every step that names none.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The script with [`PROJECT_MARK`] replaced.
    #[must_use]
    pub fn in_project(mut self, project: &Path) -> Self {
        let project = project.to_str().expect("the project's path is UTF-8");
        let place = |steps: Vec<Step>| steps.into_iter().map(|step| step.in_project(project)).collect();
        self.turns = self.turns.into_iter().map(|(when, steps)| (when, place(steps))).collect();
        self.subagent = place(self.subagent);
        self.compact = self.compact.in_project(project);
        self
    }
}

/// How far a script has been played.
#[derive(Debug, Default)]
pub(crate) struct Playback {
    script: Script,
    active: Option<usize>,
    steps_done: HashMap<usize, usize>,
}

impl Playback {
    pub(crate) fn of(script: Script) -> Self {
        Self { script, ..Self::default() }
    }

    pub(crate) fn usage(&self) -> Usage {
        self.script.usage
    }

    pub(crate) fn next(&mut self, kind: Kind, body: &Value) -> Step {
        let answered = request::messages(body).filter(|message| message["role"] == "assistant").count();
        self.next_after(kind, &request::user_said(body), answered)
    }

    /// The step that follows what the user said and how often the model has answered, however a client spells both.
    pub(crate) fn next_after(&mut self, kind: Kind, said: &[String], answered: usize) -> Step {
        match kind {
            Kind::Compact => self.script.compact.clone(),
            Kind::Side => self.script.side.clone(),
            Kind::Subagent => {
                let last = self.script.subagent.len().saturating_sub(1);
                self.script.subagent.get(answered.min(last)).unwrap_or(&self.script.fallback).clone()
            }
            Kind::Main => {
                if let Some(turn) = self.latest_turn(said).filter(|&turn| self.has_steps(turn)) {
                    self.active = Some(turn);
                }
                self.active.and_then(|turn| self.take(turn)).unwrap_or_else(|| self.script.fallback.clone())
            }
        }
    }

    /// The turn whose words were said last by the user.
    fn latest_turn(&self, said: &[String]) -> Option<usize> {
        said.iter().rev().find_map(|text| {
            let found = self.script.turns.iter().enumerate();
            let found = found.filter_map(|(turn, (when, _))| Some((text.rfind(when.as_str())?, turn)));
            found.max().map(|(_, turn)| turn)
        })
    }

    fn has_steps(&self, turn: usize) -> bool {
        self.steps_done.get(&turn).copied().unwrap_or(0) < self.script.turns[turn].1.len()
    }

    fn take(&mut self, turn: usize) -> Option<Step> {
        let done = self.steps_done.entry(turn).or_default();
        let step = self.script.turns[turn].1.get(*done).cloned();
        *done += 1;
        step
    }
}

fn replace_in_strings(value: &mut Value, project: &str) {
    match value {
        Value::String(text) => *text = text.replace(PROJECT_MARK, project),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_in_strings(item, project)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace_in_strings(field, project)),
        _ => {}
    }
}
