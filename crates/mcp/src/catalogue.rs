//! The catalogue: the tools, resources and prompts that a client is shown. Every word is paid for in each session.

use serde_json::{Value, json};

/// How much an open question can matter.
pub const QUESTION_PRIORITIES: [&str; 3] = ["high", "medium", "low"];
/// What evidence can be.
pub const EVIDENCE_TYPES: [&str; 4] = ["error", "command", "output", "observation"];
/// What an anchor can be. An output style is missing: it is the user's wish, and would take the place of theirs.
pub const ANCHOR_TYPES: [&str; 4] = ["decision", "context", "checkpoint", "session_flow"];
/// How long an anchor is kept when room is short.
pub const ANCHOR_PRIORITIES: [&str; 3] = ["critical", "high", "normal"];

/// What the server says about itself.
pub const INSTRUCTIONS: &str = "Throughline remembers this project's decisions, constraints, questions and evidence \
    across compactions and sessions. Record what must survive as soon as it is settled; recall before redoing work.";

/// A tool as it is offered.
pub struct ToolEntry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// Whether it changes nothing.
    pub reads_only: bool,
    /// The schema of its arguments.
    pub schema: Value,
}

/// The tools, in the order in which they are shown.
#[must_use]
pub fn tools() -> Vec<ToolEntry> {
    let text = || json!({ "type": "string" });
    let flag = || json!({ "type": "boolean" });
    let one_of = |words: &[&str]| json!({ "enum": words });
    let write = |name, about, properties, required| entry(name, about, false, &properties, required);
    let read = |name, about, properties, required| entry(name, about, true, &properties, required);
    vec![
        write(
            "record_decision",
            "Record what was decided, and why",
            json!({ "text": text(), "why": text(), "irreversible": flag() }),
            &["text"],
        ),
        write(
            "record_constraint",
            "Record what must or must not be done; blocking: work that breaks it must stop",
            json!({ "text": text(), "blocking": flag() }),
            &["text"],
        ),
        write(
            "ask_question",
            "Record a question that nobody has answered yet",
            json!({ "text": text(), "why": text(), "priority": one_of(&QUESTION_PRIORITIES) }),
            &["text"],
        ),
        write(
            "resolve_question",
            "Answer a recorded question (id like Q1)",
            json!({ "id": text(), "answer": text() }),
            &["id", "answer"],
        ),
        write(
            "add_evidence",
            "Record what was seen, word for word (500 characters); source: command or file:line",
            json!({ "text": text(), "type": one_of(&EVIDENCE_TYPES), "source": text() }),
            &["text"],
        ),
        write(
            "anchor",
            "Record a fact that belongs in every briefing; few and short",
            json!({ "text": text(), "type": one_of(&ANCHOR_TYPES), "priority": one_of(&ANCHOR_PRIORITIES) }),
            &["text"],
        ),
        write("checkpoint", "Keep this moment: files, tasks, briefing", json!({ "note": text() }), &[]),
        write(
            "hand_over",
            "Before a compaction: what the next context needs, a line each, `kind: fact`; kinds rule, tried, state, \
             command, found, where, value, choice, open",
            json!({ "text": text() }),
            &["text"],
        ),
        read(
            "recall",
            "Search everything recorded, and what was said, run and broken in all sessions (words), or open what stands \
             around a result (id)",
            json!({ "words": text(), "id": text(), "all_projects": flag(), "limit": { "type": "integer" } }),
            &[],
        ),
        read("context_health", "How full the context is, and when it will be compacted", json!({}), &[]),
        read("load_state", "The briefing: what is decided, open and in progress", json!({}), &[]),
        read("next", "What to do next here", json!({}), &[]),
    ]
}

fn entry(
    name: &'static str,
    about: &'static str,
    reads_only: bool,
    properties: &Value,
    required: &[&str],
) -> ToolEntry {
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    ToolEntry { name, about, reads_only, schema }
}

/// A page that a client can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The working set.
    State,
    /// The session's notes.
    Notes,
}

impl Page {
    /// All pages.
    pub const ALL: [Self; 2] = [Self::State, Self::Notes];

    /// Its address.
    #[must_use]
    pub fn address(self) -> &'static str {
        match self {
            Self::State => "throughline://state",
            Self::Notes => "throughline://notes",
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Notes => "notes",
        }
    }

    /// What is on it.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::State => "The working set of this project, as JSON",
            Self::Notes => "The notes of this session: where it stands, what it did",
        }
    }

    /// How it is written.
    #[must_use]
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::State => "application/json",
            Self::Notes => "text/markdown",
        }
    }
}

/// A prompt that a person can pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// Prepare for a compaction.
    Compaction,
    /// Hand the work over.
    Handover,
}

impl Ready {
    /// All prompts.
    pub const ALL: [Self; 2] = [Self::Compaction, Self::Handover];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::Handover => "handover",
        }
    }

    /// What it does.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Compaction => "Save what must survive, then show the /compact line to paste",
            Self::Handover => "Write the block with which somebody else can go on",
        }
    }
}

#[cfg(test)]
mod tests {
    use throughline_domain::hand_over::FORM;

    use super::*;

    #[test]
    fn the_tool_names_every_kind_of_fact_that_a_hand_over_has() {
        let all = tools();
        let told = all.iter().find(|tool| tool.name == "hand_over").map_or("", |tool| tool.about);
        let lacks: Vec<&str> = FORM.iter().map(|row| row.word).filter(|word| !told.contains(word)).collect();
        assert!(lacks.is_empty(), "{lacks:?}");
    }
}
