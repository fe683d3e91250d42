//! Playing: the recorded steps go through the real entry points, and what came back is kept for the checks.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;
use throughline_agents::agent::USUAL;
use throughline_briefing::fragment;
use throughline_engine::last_usage;
use throughline_store::session::SessionFacts;

use super::screen;
use super::stage::Stage;
use super::story::{self, Step};
use crate::failure::Failure;

/// One hook run, as the client saw it.
pub(super) struct HookRun {
    event: String,
    took: Duration,
    said_bytes: usize,
}

/// The recorded session, on its way.
pub(super) struct Play {
    pub(super) stage: Stage,
    steps: VecDeque<Step>,
    pub(super) hooks: Vec<HookRun>,
    /// The texts that the agent recorded.
    pub(super) recorded: Vec<String>,
    /// Details that the next hour of work depends on.
    pub(super) facts: Vec<String>,
    pub(super) summary: String,
}

impl Play {
    /// Sets the stage; nothing has happened yet.
    pub(super) fn open() -> Result<Self, Failure> {
        let stage = Stage::set_up()?;
        let steps = story::steps(&stage.project, &stage.transcripts, &stage.transcript())?.into();
        let mut play = Self {
            stage,
            steps,
            hooks: Vec::new(),
            recorded: Vec::new(),
            facts: Vec::new(),
            summary: String::new(),
        };
        play.until_next_scene(&mut |_, _| Ok(()))?;
        Ok(play)
    }

    /// Plays a scene; what the last hook that spoke said, as the agent got it.
    pub(super) fn scene(&mut self, name: &str) -> Result<Option<String>, Failure> {
        self.scene_watched(name, &mut |_, _| Ok(()))
    }

    /// The same; `spoken` is called at every hook that says something.
    pub(super) fn scene_watched(
        &mut self,
        name: &str,
        spoken: &mut dyn FnMut(&Self, &str) -> Result<(), Failure>,
    ) -> Result<Option<String>, Failure> {
        match self.steps.pop_front() {
            Some(Step::Scene(found)) if found == name => self.until_next_scene(spoken),
            other => Err(Failure::new(format!("the recorded session has no scene `{name}` here: {other:?}"))),
        }
    }

    fn until_next_scene(
        &mut self,
        spoken: &mut dyn FnMut(&Self, &str) -> Result<(), Failure>,
    ) -> Result<Option<String>, Failure> {
        let mut last = None;
        while let Some(step) = self.steps.pop_front_if(|step| !matches!(step, Step::Scene(_))) {
            if let Some(text) = self.take(step)? {
                spoken(self, &text)?;
                last = Some(text);
            }
        }
        Ok(last)
    }

    fn take(&mut self, step: Step) -> Result<Option<String>, Failure> {
        match step {
            Step::Scene(_) => {}
            Step::Facts(facts) => self.facts = facts,
            Step::Show { who, text } => screen::speech(&who, &text)?,
            Step::File { path, text } => self.stage.write(&path, &text)?,
            Step::Commit(message) => self.stage.commit(&message),
            Step::Transcript(line) => self.stage.append_transcript(&line)?,
            Step::Hook { event, session, payload } => {
                self.stage.session = session;
                let ran = self.stage.hook(&payload)?;
                self.hooks.push(HookRun { event, took: ran.took, said_bytes: ran.stdout.len() });
                return Ok(said_to_agent(&ran.stdout));
            }
            Step::Agent(argv) => self.agent(&argv)?,
            Step::Summary(summary) => self.summary = summary,
            Step::Kill => self.stage.kill_client()?,
        }
        Ok(None)
    }

    fn agent(&mut self, argv: &[String]) -> Result<(), Failure> {
        let answer = self.stage.verb(argv)?.stdout;
        screen::command(argv, answer.trim())?;
        if argv.first().is_some_and(|verb| verb == "add") {
            if !answer.trim().ends_with(" recorded") {
                return Err(Failure::new(format!("an entry was not recorded: {}", answer.trim())));
            }
            self.recorded.extend(argv.get(2).cloned());
        }
        Ok(())
    }

    /// How full the context is, and where compaction comes, by what the hooks themselves go by.
    pub(super) fn gauge(&self) -> Result<(), Failure> {
        let transcript = self.stage.transcript();
        let used = last_usage::of(USUAL, &transcript.to_string_lossy());
        let used = used.ok_or_else(|| Failure::new("the transcript reports no usage"))?.context_tokens;
        screen::gauge(used, self.compacts_at()?)
    }

    fn compacts_at(&self) -> Result<u64, Failure> {
        SessionFacts::read(&self.stage.home.session(&self.stage.session))
            .and_then(|cache| cache.compacts_at_tokens)
            .ok_or_else(|| Failure::new("the hooks do not know where compaction comes"))
    }

    /// Runs that had nothing to say: how many, and the median time from the process's start to its end.
    pub(super) fn silent_median(&self) -> (usize, Duration) {
        let silent = |run: &&HookRun| {
            matches!(run.event.as_str(), "UserPromptSubmit" | "PostToolBatch") && run.said_bytes == 0
        };
        let mut times: Vec<Duration> = self.hooks.iter().filter(silent).map(|run| run.took).collect();
        times.sort_unstable();
        (times.len(), times.get(times.len() / 2).copied().unwrap_or_default())
    }

    /// Bytes that all hooks said, and how many of them spoke.
    pub(super) fn said(&self) -> (usize, usize) {
        let spoke = self.hooks.iter().filter(|run| run.said_bytes > 0);
        (spoke.clone().count(), spoke.map(|run| run.said_bytes).sum())
    }
}

/// The text that reaches the agent: a hook's plain output, or the text of ours inside its JSON.
fn said_to_agent(stdout: &str) -> Option<String> {
    if stdout.is_empty() {
        return None;
    }
    match serde_json::from_str::<Value>(stdout) {
        Ok(reply) => our_text(&reply),
        Err(_) => Some(stdout.to_owned()),
    }
}

fn our_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => fragment::is_ours(text).then(|| text.clone()),
        Value::Array(items) => items.iter().find_map(our_text),
        Value::Object(fields) => fields.values().find_map(our_text),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
