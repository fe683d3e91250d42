//! Lines: what those of one transcript say, to packed passages.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use throughline_agents::transcript::Carried;
use throughline_capture::passages::{Pending, Teller};
use throughline_domain::text::fingerprint;
use throughline_domain::transcript::Line;
use throughline_domain::{Timestamp, time};
use throughline_recall::Passage;
use throughline_redact as redact;
use throughline_store::forget::Forgotten;
use throughline_store::recall::{BLOCK_BYTES, NewBlock, line_mark};

use crate::intake::discover::Changed;
use crate::intake::transcript::Ear;
use crate::intake::usage::project_of;

/// What a stretch of a transcript tells.
pub(in crate::intake) type Told = Vec<NewBlock>;

/// The lines of a transcript, as they come.
pub(in crate::intake) struct Lines<'f> {
    file: &'f Changed,
    teller: Teller,
    /// What its agent's reader carries from line to line.
    carried: Carried,
    seen: &'f Mutex<HashSet<u64>>,
    forgotten: &'f Forgotten,
    /// Of the session and the project at hand.
    forgotten_until_ms: Option<i64>,
    stem: String,
    /// The session and the project of the passages that are gathered.
    whose: (String, String),
    /// The last working folder, and the project it belongs to.
    project: (String, String),
    passages: Vec<Passage>,
    marks: Vec<u64>,
    text_bytes: usize,
    told: Told,
    problems: Vec<String>,
}

impl Ear for Lines<'_> {
    type Told = Told;

    fn take(&mut self, at: u64, bytes: &[u8]) {
        let mut carried = std::mem::take(&mut self.carried);
        let mut nth = 0;
        let problem = (self.file.agent.transcripts.read_line)(bytes, &mut carried, &mut |line| {
            self.line(line, bytes, nth);
            nth += 1;
        });
        self.carried = carried;
        if let Some(problem) = problem {
            self.problems.push(format!("the line at byte {at} {}", problem.what));
        }
    }

    fn told(&mut self) -> (Told, Vec<String>) {
        self.pack();
        self.whose = Default::default();
        self.forgotten_until_ms = None;
        (std::mem::take(&mut self.told), std::mem::take(&mut self.problems))
    }

    fn state(&self) -> String {
        state_of(&self.teller, &self.project.0, &self.carried)
    }
}

impl<'f> Lines<'f> {
    /// Takes what a line tells, which may be the first or the `nth` of several things.
    fn line(&mut self, mut line: Line<'_>, bytes: &[u8], nth: u64) {
        if let Some(cwd) = line.cwd.as_deref().filter(|cwd| *cwd != self.project.0) {
            let project = project_of(self.file.agent, cwd, &self.file.project_folder).to_owned();
            // Queued words come before the first line that names a folder: they were said there too.
            if self.project.0.is_empty() {
                self.whose.1.clone_from(&project);
            }
            self.project = (cwd.to_owned(), project);
        }
        let session = line.session.filter(|session| !session.is_empty()).unwrap_or(&self.stem);
        if self.whose.0 != session || self.whose.1 != self.project.1 {
            let whose = (session.to_owned(), self.project.1.clone());
            self.pack();
            self.whose = whose;
            self.forgotten_until_ms = self.forgotten.until_ms(&self.whose.0, &self.whose.1);
        }
        // A line without a time is as old as the one before it.
        if let Some(until) = self.forgotten_until_ms
            && line
                .timestamp
                .and_then(time::parse)
                .map_or(self.teller.at_s * 1_000, Timestamp::as_millisecond)
                < until
        {
            return;
        }
        // Before it is cut into passages: of a long secret only the first would be known for one.
        redact::line(&mut line);
        let before = self.passages.len();
        let Self { teller, passages, text_bytes, .. } = self;
        teller.take(&line, |passage| {
            *text_bytes += passage.text.len();
            passages.push(passage);
        });
        if self.passages.len() == before {
            return;
        }
        let id = line.uuid.filter(|uuid| !uuid.is_empty()).map_or(bytes, str::as_bytes);
        let mark = line_mark(fingerprint(id).wrapping_add(nth));
        // What a fork or a resumed session copied tells nothing new, though it moves the conversation on.
        if !self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(mark) {
            self.passages.truncate(before);
            return;
        }
        self.marks.push(mark);
        if self.text_bytes >= BLOCK_BYTES {
            self.pack();
        }
    }

    pub(in crate::intake) fn of(
        file: &'f Changed,
        state: &str,
        seen: &'f Mutex<HashSet<u64>>,
        forgotten: &'f Forgotten,
    ) -> Self {
        let folder = folder_of(state);
        let known = Some(folder.as_str()).filter(|folder| !folder.is_empty());
        let project =
            known.map_or(file.project_folder.as_str(), |it| project_of(file.agent, it, &file.project_folder));
        let project = project.to_owned();
        let stem = file.session();
        Self {
            file,
            teller: teller_of(state),
            carried: carried_of(state),
            seen,
            forgotten,
            forgotten_until_ms: None,
            stem,
            whose: Default::default(),
            project: (folder, project),
            passages: Vec::new(),
            marks: Vec::new(),
            text_bytes: 0,
            told: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn pack(&mut self) {
        if !self.passages.is_empty() {
            let block = NewBlock::pack(&self.whose.0, &self.whose.1, &self.passages, &self.marks);
            self.told.push(block);
        }
        self.passages.clear();
        self.marks.clear();
        self.text_bytes = 0;
    }
}

/// What a reader must know to go on, as text.
fn state_of(teller: &Teller, folder: &str, carried: &Carried) -> String {
    let pending: Vec<Value> = teller
        .pending
        .iter()
        .map(|call| {
            let is = (u8::from(call.is_agent) << 1) | u8::from(call.is_command);
            let clean = |text: &str| redact::text(text).into_owned();
            json!([call.id, call.name, clean(&call.subject), clean(&call.purpose), is, call.turn])
        })
        .collect();
    let mut state = json!([teller.turn, teller.last_message, teller.at_s, teller.lately, pending, folder]);
    let carried = carried.text();
    if let (false, Some(fields)) = (carried.is_empty(), state.as_array_mut()) {
        fields.push(carried.into());
    }
    state.to_string()
}

fn carried_of(state: &str) -> Carried {
    let value: Value = serde_json::from_str(state).unwrap_or_default();
    Carried::from_text(value[6].as_str().unwrap_or_default())
}

fn folder_of(state: &str) -> String {
    let value: Value = serde_json::from_str(state).unwrap_or_default();
    value[5].as_str().unwrap_or_default().to_owned()
}

fn teller_of(state: &str) -> Teller {
    let value: Value = serde_json::from_str(state).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pending = value[4].as_array().into_iter().flatten().map(|call| {
        let is = call[4].as_u64().unwrap_or(0);
        Pending {
            id: text(&call[0]),
            name: text(&call[1]),
            subject: text(&call[2]),
            purpose: text(&call[3]),
            is_command: is & 1 != 0,
            is_agent: is & 2 != 0,
            turn: call[5].as_u64().unwrap_or(0),
        }
    });
    Teller {
        turn: value[0].as_u64().unwrap_or(0),
        last_message: value[1].as_u64().unwrap_or(0),
        at_s: value[2].as_i64().unwrap_or(0),
        lately: value[3]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|it| it.as_u64()?.try_into().ok())
            .collect(),
        pending: pending.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_must_know_survives_being_written_down() {
        let teller = Teller {
            turn: 7,
            last_message: u64::MAX,
            at_s: 1_769_000_000,
            pending: vec![Pending {
                id: "t1".into(),
                name: "Bash".into(),
                subject: "cargo test \"x\"".into(),
                purpose: "Run\nit".into(),
                is_command: true,
                is_agent: false,
                turn: 6,
            }],
            lately: vec![1, u32::MAX],
        };
        let carried = Carried { model: "m".to_owned(), ..Carried::default() };
        let state = state_of(&teller, "/home/me/app", &carried);
        assert_eq!((teller_of(&state), folder_of(&state)), (teller, "/home/me/app".to_owned()));
        assert_eq!((carried_of(&state), carried_of("[0]")), (carried, Carried::default()));
        assert_eq!((teller_of("nonsense"), folder_of("[0]")), (Teller::default(), String::new()));
    }
}
