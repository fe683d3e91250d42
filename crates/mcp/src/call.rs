//! Calls: the arguments of a tool, checked at the border. What comes from outside is taken whole or refused.

use serde_json::{Map, Value};
use throughline_domain::text::{one_line, utf16_len};

use crate::Refusal;
use crate::catalogue::{ANCHOR_PRIORITIES, ANCHOR_TYPES, EVIDENCE_TYPES, QUESTION_PRIORITIES};

/// Longest text of one argument, in UTF-16 units. The memory has its own, tighter limits, and says so itself.
const ARGUMENT_UNITS_MAX: usize = 8_000;
/// Longest list of words to look for.
const WORDS_UNITS_MAX: usize = 400;
/// Longest id of a result: an entry's, with its project's key.
const ID_UNITS_MAX: usize = 200;
/// Most results of one recall.
const RECALL_MAX: usize = 20;
/// Results of a recall that names no number.
const RECALL_USUAL: usize = 8;

/// What a client wants done. Every word in it is the agent's: nothing here can speak for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Record what was decided.
    RecordDecision {
        /// What.
        text: String,
        /// Why.
        rationale: String,
        /// It cannot be taken back.
        irreversible: bool,
    },
    /// Record what must, or must not, be done.
    RecordConstraint {
        /// The constraint.
        text: String,
        /// Work that breaks it must not go on.
        blocking: bool,
    },
    /// Record an open question.
    AskQuestion {
        /// The question.
        text: String,
        /// Why it matters.
        context: String,
        /// `high`, `medium` or `low`.
        priority: String,
    },
    /// Answer a question.
    ResolveQuestion {
        /// Its id.
        id: String,
        /// The answer.
        answer: String,
    },
    /// Record what was seen.
    AddEvidence {
        /// The words.
        text: String,
        /// `error`, `command`, `output` or `observation`.
        evidence_type: String,
        /// Where.
        source: String,
    },
    /// Record a fact for every briefing.
    Anchor {
        /// The fact.
        text: String,
        /// What it is.
        anchor_type: String,
        /// `critical`, `high` or `normal`.
        priority: String,
    },
    /// Keep what the next context needs.
    HandOver {
        /// The facts, one a line.
        text: String,
    },
    /// Keep this moment.
    Checkpoint {
        /// Why, or what comes next.
        note: Option<String>,
    },
    /// Search what was recorded and said.
    Recall {
        /// The words to find.
        words: String,
        /// In all projects, not only this one.
        all_projects: bool,
        /// Most results.
        limit: usize,
    },
    /// Show what stands around a result.
    OpenRecalled {
        /// Its id, as a search names it.
        id: String,
    },
    /// How full the context is.
    ContextHealth,
    /// The briefing.
    LoadState,
    /// What is next.
    Next,
}

impl Call {
    /// The call that a tool's name and arguments make; `None` when there is no such tool.
    #[must_use]
    pub fn read(tool: &str, arguments: Map<String, Value>) -> Option<Result<Self, Refusal>> {
        let mut given = Arguments { left: arguments };
        let call = match tool {
            "record_decision" => decision(&mut given),
            "record_constraint" => constraint(&mut given),
            "ask_question" => question(&mut given),
            "resolve_question" => resolution(&mut given),
            "add_evidence" => evidence(&mut given),
            "anchor" => anchor(&mut given),
            "hand_over" => given.text("text").map(|text| Self::HandOver { text }),
            "checkpoint" => given.optional("note").map(|note| Self::Checkpoint { note }),
            "recall" => recall(&mut given),
            "context_health" => Ok(Self::ContextHealth),
            "load_state" => Ok(Self::LoadState),
            "next" => Ok(Self::Next),
            _ => return None,
        };
        Some(call.and_then(|call| given.nothing_left(tool).map(|()| call)))
    }
}

fn decision(given: &mut Arguments) -> Result<Call, Refusal> {
    Ok(Call::RecordDecision {
        text: given.text("text")?,
        rationale: given.optional("why")?.unwrap_or_default(),
        irreversible: given.flag("irreversible")?,
    })
}

fn constraint(given: &mut Arguments) -> Result<Call, Refusal> {
    Ok(Call::RecordConstraint { text: given.text("text")?, blocking: given.flag("blocking")? })
}

fn question(given: &mut Arguments) -> Result<Call, Refusal> {
    Ok(Call::AskQuestion {
        text: given.text("text")?,
        context: given.optional("why")?.unwrap_or_default(),
        priority: given.choice("priority", &QUESTION_PRIORITIES, "medium")?,
    })
}

fn resolution(given: &mut Arguments) -> Result<Call, Refusal> {
    Ok(Call::ResolveQuestion { id: given.text("id")?, answer: given.text("answer")? })
}

fn evidence(given: &mut Arguments) -> Result<Call, Refusal> {
    Ok(Call::AddEvidence {
        text: given.text("text")?,
        evidence_type: given.choice("type", &EVIDENCE_TYPES, "observation")?,
        source: given.optional("source")?.unwrap_or_default(),
    })
}

fn anchor(given: &mut Arguments) -> Result<Call, Refusal> {
    Ok(Call::Anchor {
        text: given.text("text")?,
        anchor_type: given.choice("type", &ANCHOR_TYPES, "context")?,
        priority: given.choice("priority", &ANCHOR_PRIORITIES, "normal")?,
    })
}

fn recall(given: &mut Arguments) -> Result<Call, Refusal> {
    if let Some(id) = given.optional("id")? {
        too_long("id", &id, ID_UNITS_MAX)?;
        if given.optional("words")?.is_some() {
            return Err(Refusal::new("`id` opens a result and `words` search for some; give one of them"));
        }
        // How much is shown around a result is not theirs to say: these count for a search.
        given.flag("all_projects")?;
        given.number("limit", RECALL_USUAL, RECALL_MAX)?;
        return Ok(Call::OpenRecalled { id });
    }
    let words = given.text("words")?;
    too_long("words", &words, WORDS_UNITS_MAX)?;
    Ok(Call::Recall {
        words,
        all_projects: given.flag("all_projects")?,
        limit: given.number("limit", RECALL_USUAL, RECALL_MAX)?,
    })
}

/// What was given; each argument is taken once, and nothing may be left.
struct Arguments {
    left: Map<String, Value>,
}

impl Arguments {
    fn text(&mut self, name: &str) -> Result<String, Refusal> {
        self.optional(name)?.ok_or_else(|| Refusal::new(format!("`{name}` is missing or empty")))
    }

    /// A text; an empty one counts as none, and so does `null`.
    fn optional(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                too_long(name, &text, ARGUMENT_UNITS_MAX)?;
                Ok(Some(text).filter(|text| !text.trim().is_empty()))
            }
            Some(_) => Err(Refusal::new(format!("`{name}` must be a text"))),
        }
    }

    fn flag(&mut self, name: &str) -> Result<bool, Refusal> {
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => Err(Refusal::new(format!("`{name}` must be true or false"))),
        }
    }

    fn choice(&mut self, name: &str, choices: &[&str], usual: &str) -> Result<String, Refusal> {
        let Some(given) = self.optional(name)? else { return Ok(usual.to_owned()) };
        if choices.contains(&given.as_str()) {
            return Ok(given);
        }
        let what = format!("`{name}` cannot be `{}`", one_line(&given, 60));
        Err(Refusal { message: what, hint: Some(format!("it is one of {}", choices.join(", "))) })
    }

    fn number(&mut self, name: &str, usual: usize, max: usize) -> Result<usize, Refusal> {
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(usual),
            Some(value) => value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok())
                .filter(|number| (1..=max).contains(number))
                .ok_or_else(|| Refusal::new(format!("`{name}` must be a whole number from 1 to {max}"))),
        }
    }

    /// A misspelt argument would be lost without a word.
    fn nothing_left(&self, tool: &str) -> Result<(), Refusal> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => Err(Refusal {
                message: format!("{tool} takes no `{}`; nothing was done", one_line(name, 60)),
                hint: Some("the tool list names what it takes".to_owned()),
            }),
        }
    }
}

fn too_long(name: &str, text: &str, units_max: usize) -> Result<(), Refusal> {
    let units = utf16_len(text);
    if units <= units_max {
        return Ok(());
    }
    Err(Refusal {
        message: format!("`{name}` has {units} characters; at most {units_max} are taken"),
        hint: Some("put the detail into a file and record the file's name".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(tool: &str, arguments: Value) -> Result<Call, String> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        Call::read(tool, arguments).expect("a tool of ours").map_err(|refusal| refusal.shown())
    }

    #[test]
    fn what_is_left_out_has_its_usual_value() {
        assert_eq!(
            read("recall", json!({ "words": "lock", "limit": null })),
            Ok(Call::Recall { words: "lock".into(), all_projects: false, limit: RECALL_USUAL })
        );
        assert_eq!(
            read("recall", json!({ "id": "p7", "words": "", "limit": 3 })),
            Ok(Call::OpenRecalled { id: "p7".into() })
        );
        assert_eq!(read("checkpoint", json!({ "note": "  " })), Ok(Call::Checkpoint { note: None }));
        assert_eq!(
            read("anchor", json!({ "text": "a" })),
            Ok(Call::Anchor { text: "a".into(), anchor_type: "context".into(), priority: "normal".into() })
        );
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_way_out() {
        let long = "x".repeat(ARGUMENT_UNITS_MAX + 1);
        for (tool, arguments, said) in [
            ("record_decision", json!({}), "`text` is missing or empty"),
            ("record_decision", json!({ "text": "\n" }), "`text` is missing or empty"),
            ("record_decision", json!({ "text": 7 }), "`text` must be a text"),
            (
                "record_decision",
                json!({ "text": long }),
                "`text` has 8001 characters; at most 8000 are taken\nhint: put",
            ),
            (
                "record_decision",
                json!({ "text": "a", "irreversible": "yes" }),
                "`irreversible` must be true or false",
            ),
            (
                "record_constraint",
                json!({ "text": "a", "source": "user" }),
                "record_constraint takes no `source`",
            ),
            (
                "ask_question",
                json!({ "text": "a", "priority": "urgent" }),
                "`priority` cannot be `urgent`\nhint: it is one of",
            ),
            ("anchor", json!({ "text": "a", "type": "output_style" }), "`type` cannot be `output_style`"),
            ("recall", json!({ "words": "a", "limit": 0 }), "`limit` must be a whole number from 1 to 20"),
            ("recall", json!({ "words": "a", "limit": 2.5 }), "`limit` must be a whole number"),
            ("recall", json!({ "words": "w".repeat(401) }), "`words` has 401 characters"),
            ("recall", json!({ "limit": 3 }), "`words` is missing or empty"),
            (
                "recall",
                json!({ "id": "p1", "words": "a" }),
                "`id` opens a result and `words` search for some",
            ),
            ("recall", json!({ "id": "p".repeat(201) }), "`id` has 201 characters"),
            ("next", json!({ "x": 1 }), "next takes no `x`"),
        ] {
            let answer = read(tool, arguments).unwrap_err();
            assert!(answer.starts_with(said), "{tool}: {answer}");
        }
        assert_eq!(Call::read("drop_all", Map::new()), None);
    }
}
