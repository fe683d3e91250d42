//! An entry: one decision, constraint, question, piece of evidence… and its id.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::text::printable;

/// Most UTF-16 units of verbatim evidence that are kept.
pub const EVIDENCE_UNITS_MAX: usize = 500;
/// Most UTF-16 units of any other entry's text or reason.
pub const ENTRY_UNITS_MAX: usize = 2_000;

/// Highest number of an id: the largest that every reader of JSON keeps exactly.
pub const NUMBER_MAX: u64 = (1 << 53) - 1;

/// The kinds of entries, in the order in which the state file lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What was decided, and why.
    Decision,
    /// What must (not) be done.
    Constraint,
    /// What nobody has answered yet.
    Question,
    /// What a tool really printed.
    Evidence,
    /// A point worth knowing.
    Highlight,
    /// Something still to do.
    Action,
    /// What the user asked for in passing (`/compact <focus>`).
    Directive,
    /// A fact that must be in every briefing.
    Anchor,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Decision,
        Self::Constraint,
        Self::Question,
        Self::Evidence,
        Self::Highlight,
        Self::Action,
        Self::Directive,
        Self::Anchor,
    ];

    /// The letters that ids of this kind start with.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Decision => "D",
            Self::Constraint => "C",
            Self::Question => "Q",
            Self::Evidence => "E",
            Self::Highlight => "H",
            Self::Action => "P",
            Self::Directive => "U",
            Self::Anchor => "A",
        }
    }

    /// The word for one of them, as verbs and the archive spell it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Constraint => "constraint",
            Self::Question => "question",
            Self::Evidence => "evidence",
            Self::Highlight => "highlight",
            Self::Action => "action",
            Self::Directive => "directive",
            Self::Anchor => "anchor",
        }
    }

    /// The word for many of them.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Decision => "decisions",
            Self::Constraint => "constraints",
            Self::Question => "questions",
            Self::Evidence => "evidence",
            Self::Highlight => "highlights",
            Self::Action => "actions",
            Self::Directive => "directives",
            Self::Anchor => "anchors",
        }
    }

    /// The kind that a word names, singular or plural.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        Self::ALL.into_iter().find(|kind| kind.word() == word || kind.plural() == word)
    }

    /// Its place in a table with one row per kind.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// `D3`: a kind and a number. Numbers are never used twice in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId {
    /// What it names.
    pub kind: Kind,
    /// Counted up from 1 within the kind.
    pub number: u64,
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.prefix(), self.number)
    }
}

impl FromStr for EntryId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let letters = text.find(|c: char| c.is_ascii_digit()).ok_or(())?;
        let (prefix, digits) = text.split_at(letters);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) || digits.starts_with('0') {
            return Err(());
        }
        let kind = Kind::ALL.into_iter().find(|kind| kind.prefix().eq_ignore_ascii_case(prefix)).ok_or(())?;
        let number = digits.parse().ok().filter(|number| *number <= NUMBER_MAX).ok_or(())?;
        Ok(Self { kind, number })
    }
}

/// How much a question matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Priority {
    /// Work waits for the answer.
    High,
    /// The usual case.
    #[default]
    Medium,
    /// Nice to know.
    Low,
}

impl Priority {
    /// The word the state file stores.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// The priority that a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::High, Self::Medium, Self::Low].into_iter().find(|it| it.word().eq_ignore_ascii_case(word))
    }
}

/// What a piece of evidence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceType {
    /// An error message.
    Error,
    /// A command line.
    Command,
    /// What a command printed.
    Output,
    /// Something seen.
    Observation,
}

impl EvidenceType {
    /// The word the state file stores.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Command => "command",
            Self::Output => "output",
            Self::Observation => "observation",
        }
    }

    /// The type that a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Error, Self::Command, Self::Output, Self::Observation]
            .into_iter()
            .find(|it| it.word().eq_ignore_ascii_case(word))
    }
}

/// How long an anchor is kept when there is no more room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum AnchorPriority {
    /// Goes last.
    Critical,
    /// Goes after the normal ones.
    High,
    /// Goes first.
    #[default]
    Normal,
}

impl AnchorPriority {
    /// The word the state file stores.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Normal => "normal",
        }
    }

    /// The priority that a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word().eq_ignore_ascii_case(word))
    }

    /// Every priority, the one that is kept longest first.
    pub const ALL: [Self; 3] = [Self::Critical, Self::High, Self::Normal];

    /// The next higher one; the highest stays.
    #[must_use]
    pub fn raised(self) -> Self {
        match self {
            Self::Normal => Self::High,
            Self::High | Self::Critical => Self::Critical,
        }
    }
}

/// The types of anchors that can be recorded; a file may hold others, and keeps them.
pub const ANCHOR_TYPES: [&str; 5] = ["decision", "context", "checkpoint", OUTPUT_STYLE, "session_flow"];
/// The source of a constraint that an agent brings: it cannot say that somebody else set it.
pub const BY_AGENT: &str = "agent";
/// The type of which each agent has one: a new one takes the old one's place.
pub const OUTPUT_STYLE: &str = "output_style";

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The answer.
    pub text: String,
    /// When, as written.
    pub resolved_at: String,
}

/// What an entry says beside its text.
#[derive(Debug, Clone, PartialEq)]
pub enum Detail {
    /// A decision.
    Decision {
        /// Why it was taken.
        rationale: String,
        /// Whether it can be taken back.
        reversible: bool,
    },
    /// A constraint.
    Constraint {
        /// Who set it: free text.
        source: String,
        /// Whether work that breaks it must not go on.
        blocking: bool,
        /// `technical`, `business`, `timeline`, or another word.
        category: Option<String>,
    },
    /// A question.
    Question {
        /// Why it matters.
        context: String,
        /// How much it matters.
        priority: Priority,
        /// The answer, once there is one.
        resolution: Option<Resolution>,
    },
    /// A piece of evidence.
    Evidence {
        /// What it is.
        evidence_type: EvidenceType,
        /// Where it was seen.
        source: String,
        /// What was going on.
        context: Option<String>,
    },
    /// A highlight: the text says it all.
    Highlight,
    /// An action: the text says it all.
    Action,
    /// A directive.
    Directive {
        /// Where it was said.
        source: String,
    },
    /// An anchor.
    Anchor {
        /// `decision`, `context`, `checkpoint`, `output_style`, `session_flow`.
        anchor_type: String,
        /// How long it is kept.
        priority: AnchorPriority,
        /// The agent that it is for; all of them when it names none.
        agent: Option<String>,
        /// The session in which it was recorded, where that is known.
        session: Option<String>,
    },
}

impl Detail {
    /// The kind of entry that this is the detail of.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Decision { .. } => Kind::Decision,
            Self::Constraint { .. } => Kind::Constraint,
            Self::Question { .. } => Kind::Question,
            Self::Evidence { .. } => Kind::Evidence,
            Self::Highlight => Kind::Highlight,
            Self::Action => Kind::Action,
            Self::Directive { .. } => Kind::Directive,
            Self::Anchor { .. } => Kind::Anchor,
        }
    }

    /// The same with every text in it [`printable`].
    #[must_use]
    pub fn made_printable(mut self) -> Self {
        let texts: [Option<&mut String>; 3] = match &mut self {
            Self::Decision { rationale, .. } => [Some(rationale), None, None],
            Self::Constraint { source, category, .. } => [Some(source), category.as_mut(), None],
            Self::Question { context, resolution, .. } => {
                [Some(context), resolution.as_mut().map(|answer| &mut answer.text), None]
            }
            Self::Evidence { source, context, .. } => [Some(source), context.as_mut(), None],
            Self::Highlight | Self::Action => [None, None, None],
            Self::Directive { source } => [Some(source), None, None],
            Self::Anchor { anchor_type, agent, session, .. } => {
                [Some(anchor_type), agent.as_mut(), session.as_mut()]
            }
        };
        for text in texts.into_iter().flatten() {
            *text = printable(text);
        }
        self
    }
}

/// One thing remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id in this project.
    pub id: EntryId,
    /// The id that another program gave it; still resolves.
    pub alias: Option<String>,
    /// The words themselves.
    pub text: String,
    /// When it was recorded, as written; may be another program's spelling.
    pub timestamp: String,
    /// What its kind adds.
    pub detail: Detail,
    /// Fields written by others.
    pub extra: Map<String, Value>,
}

impl Entry {
    /// Whether it is a question with an answer.
    #[must_use]
    pub fn is_resolved(&self) -> bool {
        matches!(self.detail, Detail::Question { resolution: Some(_), .. })
    }

    /// Whether it must be the last to leave: blocking constraints, open high questions, critical anchors.
    #[must_use]
    pub fn is_precious(&self) -> bool {
        match &self.detail {
            Detail::Constraint { blocking, .. } => *blocking,
            Detail::Question { priority, resolution, .. } => {
                *priority == Priority::High && resolution.is_none()
            }
            Detail::Anchor { priority, .. } => *priority == AnchorPriority::Critical,
            _ => false,
        }
    }

    /// The second text of an entry: reason, source or context; for search and display.
    #[must_use]
    pub fn reason(&self) -> &str {
        match &self.detail {
            Detail::Decision { rationale, .. } => rationale,
            Detail::Constraint { source, .. }
            | Detail::Evidence { source, .. }
            | Detail::Directive { source } => source,
            Detail::Question { context, .. } => context,
            Detail::Highlight | Detail::Action | Detail::Anchor { .. } => "",
        }
    }

    /// Whether `name` means this entry: its id in any case, or the id another program gave it.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        name.parse::<EntryId>().is_ok_and(|id| id == self.id) || self.is_called(name)
    }

    /// Whether another program's name for it is `name`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.alias.as_deref().is_some_and(|alias| alias == name && !name.is_empty())
    }
}
