//! Lines: what those of one transcript say, to responses and compactions.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};
use throughline_agents::agent::Agent;
use throughline_agents::transcript::Carried;
use throughline_agents::usage_line::{Compacted, LineOrigin, UsageLine, UsedTokens};
use throughline_domain::Timestamp;
use throughline_domain::usage::{Boundary, RecordId, Response, USUAL_AGENT};

use crate::intake::discover::Changed;
use crate::intake::transcript::Ear;

/// How deep a working folder may be in its project.
const FOLDERS_MAX: usize = 64;

/// What a stretch of a transcript tells of use.
#[derive(Debug, Default)]
pub(in crate::intake) struct Told {
    pub(super) responses: Vec<Response>,
    pub(super) boundaries: Vec<Boundary>,
    /// Whose the sessions are, where that is not the usual agent.
    pub(super) agents: BTreeSet<(String, String)>,
}

/// What lines before told and later ones need: kept between two readings.
#[derive(Debug, Default)]
struct Memory {
    /// When the last line was written that said so.
    at: Option<Timestamp>,
    /// The model that answered last in the main conversation.
    model: String,
    /// How full its context was.
    context: u64,
    /// What its agent's reader carries from line to line.
    carried: Carried,
}

impl Memory {
    fn from_text(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        Self {
            at: value["at_ms"].as_i64().and_then(|ms| Timestamp::from_millisecond(ms).ok()),
            model: value["model"].as_str().unwrap_or_default().to_owned(),
            context: value["context"].as_u64().unwrap_or(0),
            carried: Carried::from_text(value["carried"].as_str().unwrap_or_default()),
        }
    }

    fn text(&self) -> String {
        let at_ms = self.at.map(Timestamp::as_millisecond);
        let mut text = json!({ "at_ms": at_ms, "model": self.model, "context": self.context });
        let carried = self.carried.text();
        if !carried.is_empty() {
            text["carried"] = carried.into();
        }
        text.to_string()
    }
}

/// The lines of a transcript, as they come.
pub(in crate::intake) struct Lines<'f> {
    file: &'f Changed,
    memory: Memory,
    told: Told,
    problems: Vec<String>,
    /// Where in what is told each response stands: most span several lines.
    known: HashMap<RecordId, usize>,
    /// The last working folder, and the project that it belongs to.
    project: Option<(String, String)>,
    /// The last session whose agent was told.
    session: String,
    stem: String,
}

impl Ear for Lines<'_> {
    type Told = Told;

    fn take(&mut self, at: u64, line: &[u8]) {
        let mut carried = std::mem::take(&mut self.memory.carried);
        let problem = (self.file.agent.transcripts.usage)(line, &mut carried, &mut |found| match found {
            UsageLine::Used(used) => self.used(&used),
            UsageLine::Compacted(compacted) => self.compacted(&compacted),
        });
        self.memory.carried = carried;
        if let Some(problem) = problem {
            self.problems.push(format!("the line at byte {at} {}", problem.what));
        }
    }

    fn told(&mut self) -> (Told, Vec<String>) {
        self.known.clear();
        self.project = None;
        self.session.clear();
        (std::mem::take(&mut self.told), std::mem::take(&mut self.problems))
    }

    fn state(&self) -> String {
        self.memory.text()
    }
}

impl<'f> Lines<'f> {
    pub(in crate::intake) fn of(file: &'f Changed, state: &str) -> Self {
        let stem = file.session();
        Self {
            file,
            memory: Memory::from_text(state),
            told: Told::default(),
            problems: Vec::new(),
            known: HashMap::new(),
            project: None,
            session: String::new(),
            stem,
        }
    }

    fn used(&mut self, used: &UsedTokens<'_>) {
        let Some(at) = self.moment(&used.origin) else { return };
        if !used.is_sidechain {
            if self.memory.model != used.model {
                used.model.clone_into(&mut self.memory.model);
            }
            self.memory.context = used.context;
        }
        let (session, project) = self.whose(&used.origin);
        let response = Response {
            id: used.id,
            at,
            session,
            project,
            model: used.model.to_owned(),
            tier: used.tier,
            is_sidechain: used.is_sidechain,
            tokens: used.tokens,
            context: used.context,
        };
        if let Some(index) = self.known.get(&used.id) {
            self.told.responses[*index].take_in(&response);
        } else {
            self.known.insert(used.id, self.told.responses.len());
            self.told.responses.push(response);
        }
    }

    fn compacted(&mut self, compacted: &Compacted<'_>) {
        let Some(at) = self.moment(&compacted.origin) else { return };
        let (session, project) = self.whose(&compacted.origin);
        self.told.boundaries.push(Boundary {
            id: compacted.id,
            at,
            session,
            project,
            model: self.memory.model.clone(),
            is_auto: compacted.is_auto,
            tokens_before: compacted.tokens_before.unwrap_or(self.memory.context),
            tokens_after: compacted.tokens_after,
        });
    }

    /// When a line was written: as it says, else as the line before it does.
    fn moment(&mut self, origin: &LineOrigin<'_>) -> Option<Timestamp> {
        self.memory.at = origin.at.or(self.memory.at);
        if self.memory.at.is_none() {
            self.problems.push("a response without a time, and none before it".to_owned());
        }
        self.memory.at
    }

    /// The session and the project of a line.
    fn whose(&mut self, origin: &LineOrigin<'_>) -> (String, String) {
        let session = origin.session.unwrap_or(&self.stem).to_owned();
        if self.file.agent.id != USUAL_AGENT && self.session != session {
            self.told.agents.insert((session.clone(), self.file.agent.id.to_owned()));
            self.session.clone_from(&session);
        }
        let Some(cwd) = origin.cwd.as_deref() else {
            let project = self.project.as_ref().map(|(_, project)| project.clone());
            return (session, project.unwrap_or_else(|| self.file.project_folder.clone()));
        };
        match &self.project {
            Some((folder, project)) if folder == cwd => (session, project.clone()),
            _ => {
                let project = project_of(self.file.agent, cwd, &self.file.project_folder).to_owned();
                self.project = Some((cwd.to_owned(), project.clone()));
                (session, project)
            }
        }
    }
}

/// The project that a working folder belongs to: the folder around it after which the client named the transcripts'.
pub(in crate::intake) fn project_of<'c>(agent: &Agent, cwd: &'c str, project_folder: &str) -> &'c str {
    let Some(folder_of) = agent.transcripts.project_folder else { return cwd };
    let mut around = cwd;
    for _ in 0..FOLDERS_MAX {
        if folder_of(around) == project_folder {
            return around;
        }
        // Windows' paths too: transcripts travel.
        let Some(end) = around.rfind(['/', '\\']) else { break };
        around = &around[..end];
    }
    cwd
}

#[cfg(test)]
mod tests {
    use throughline_agents::agent::USUAL;

    use super::*;

    #[test]
    fn a_session_that_moved_into_a_folder_still_works_on_its_project() {
        assert_eq!(project_of(USUAL, "/home/me/my.app/src/deep", "-home-me-my-app"), "/home/me/my.app");
        assert_eq!(project_of(USUAL, "/home/me/my.app", "-home-me-my-app"), "/home/me/my.app");
        assert_eq!(project_of(USUAL, "C:\\Users\\me\\app\\src", "C--Users-me-app"), "C:\\Users\\me\\app");
        assert_eq!(project_of(USUAL, "/elsewhere/x", "-home-me-my-app"), "/elsewhere/x");
    }
}
