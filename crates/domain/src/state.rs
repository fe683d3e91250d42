//! The state: a project's working set, small and bounded, as the state file holds it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::entry::{Entry, EntryId, Kind, NUMBER_MAX};
use crate::git_state::GitState;
use crate::purity::Purification;

/// The schema version that is written.
pub const VERSION: &str = "2.0.0";

/// Why the state was saved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Trigger {
    /// Before a compaction.
    Precompact,
    /// Somebody asked.
    #[default]
    Manual,
    /// A point worth keeping.
    Checkpoint,
    /// The context filled up.
    Threshold,
    /// Another program's word.
    Other(String),
}

impl Trigger {
    /// The word the state file stores.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Precompact => "precompact",
            Self::Manual => "manual",
            Self::Checkpoint => "checkpoint",
            Self::Threshold => "threshold",
            Self::Other(word) => word,
        }
    }

    /// The trigger that a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "precompact" => Self::Precompact,
            "manual" => Self::Manual,
            "checkpoint" => Self::Checkpoint,
            "threshold" => Self::Threshold,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// What is being worked on (`sd` in the file, after "strategic directive").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkItem {
    /// Its id in whatever tracker the user has.
    pub id: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Any word: `LEAD`, `PLAN`, `EXEC`…
    pub phase: Option<String>,
    /// From 0 to 1.
    pub progress: Option<f64>,
    /// The step in hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocking: Option<String>,
    /// What comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Fields written by others.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl WorkItem {
    /// Whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Where the work stands in its process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Workflow {
    /// The phase, as the process names it.
    pub current_phase: Option<String>,
    /// When the work was last handed over, as written.
    pub last_handoff: Option<String>,
    /// Tool calls counted.
    pub tool_executions: Option<u64>,
    /// Fields written by others.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How large the state is, by estimate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenMetrics {
    /// `ceil(UTF-16 units / 4)` of the state.
    pub estimated_tokens: u64,
    /// `healthy`, `warning` or `over_budget`.
    pub budget_status: String,
    /// When entries were last moved to the archive for want of room, as written.
    pub last_truncation: Option<String>,
    /// Fields written by others.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A project's working set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// Version as read; what is written is [`VERSION`].
    pub version: String,
    /// When it was last changed, as written.
    pub timestamp: String,
    /// Why it was last saved.
    pub trigger: Trigger,
    /// The working tree at that moment.
    pub git: GitState,
    /// What is being worked on.
    pub sd: WorkItem,
    /// Where the work stands.
    pub workflow: Workflow,
    /// Which phase and which work item followed which, oldest first; other programs' lines among them stay as they are.
    pub history: Vec<Value>,
    /// Entries by kind.
    pub(crate) sections: [Vec<Entry>; Kind::ALL.len()],
    /// Plain decision lines of older files.
    pub key_decisions: Vec<String>,
    /// How large it is.
    pub token_metrics: TokenMetrics,
    /// The highest number ever given out, per kind.
    pub(crate) counters: [u64; Kind::ALL.len()],
    /// Fields of `counters` written by others.
    pub(crate) counters_extra: Map<String, Value>,
    /// Fields of `labels` written by others.
    pub(crate) labels_extra: Map<String, Value>,
    /// Fields of `summaries` written by others.
    pub summaries_extra: Map<String, Value>,
    /// What is kept of a context that was purified, for the next start.
    pub purification: Option<Purification>,
    /// Fields written by others.
    pub extra: Map<String, Value>,
    /// What did not fit the schema, by the key it stood under; kept as it was.
    pub unparsed: Map<String, Value>,
}

impl State {
    /// The state of a project that has none yet.
    #[must_use]
    pub fn empty() -> Self {
        Self { version: VERSION.to_owned(), ..Self::default() }
    }

    /// The entries of a kind, oldest first.
    #[must_use]
    pub fn entries(&self, kind: Kind) -> &[Entry] {
        &self.sections[kind.index()]
    }

    /// The entries of a kind, for changing.
    pub fn entries_mut(&mut self, kind: Kind) -> &mut Vec<Entry> {
        &mut self.sections[kind.index()]
    }

    /// All entries, by kind and age.
    pub fn all_entries(&self) -> impl Iterator<Item = &Entry> {
        self.sections.iter().flatten()
    }

    /// The entry that a name means: `D3`, `d3`, or another program's id. Our own ids win.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Entry> {
        match name.parse::<EntryId>().ok().and_then(|id| self.by_id(id)) {
            Some(entry) => Some(entry),
            None => self.all_entries().find(|entry| entry.is_called(name)),
        }
    }

    /// The same, for changing.
    pub fn find_mut(&mut self, name: &str) -> Option<&mut Entry> {
        let id = self.find(name)?.id;
        self.entries_mut(id.kind).iter_mut().find(|entry| entry.id == id)
    }

    fn by_id(&self, id: EntryId) -> Option<&Entry> {
        self.entries(id.kind).iter().find(|entry| entry.id == id)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, id: EntryId) -> Option<Entry> {
        let section = self.entries_mut(id.kind);
        let at = section.iter().position(|entry| entry.id == id)?;
        Some(section.remove(at))
    }

    /// A number that no entry of this kind ever had.
    pub fn next_id(&mut self, kind: Kind) -> EntryId {
        let number = self.next_numbers(kind, 1).next().unwrap_or(NUMBER_MAX);
        EntryId { kind, number }
    }

    /// So many numbers that no entry of this kind ever had.
    pub(crate) fn next_numbers(&mut self, kind: Kind, count: usize) -> impl Iterator<Item = u64> + use<> {
        let before = self.counter(kind);
        let after = before.saturating_add(count as u64).min(NUMBER_MAX);
        self.raise_counter(kind, after);
        // Nobody counts up to the end: the counter was set by hand. Numbers that are free are then the best there is.
        let taken: std::collections::HashSet<u64> = if after == NUMBER_MAX {
            self.entries(kind).iter().map(|entry| entry.id.number).collect()
        } else {
            std::collections::HashSet::new()
        };
        let free = (1..before).filter(move |number| !taken.contains(number));
        (before + 1..=after).chain(free).take(count)
    }

    /// The highest number given out for a kind.
    #[must_use]
    pub fn counter(&self, kind: Kind) -> u64 {
        self.counters[kind.index()]
    }

    /// Raises a counter: ids up to `number` are taken, wherever they were seen.
    pub fn raise_counter(&mut self, kind: Kind, number: u64) {
        let counter = &mut self.counters[kind.index()];
        *counter = (*counter).max(number.min(NUMBER_MAX));
    }

    /// Open questions, most urgent first, newest first within a priority.
    #[must_use]
    pub fn open_questions(&self) -> Vec<&Entry> {
        let mut open: Vec<&Entry> =
            self.entries(Kind::Question).iter().rev().filter(|entry| !entry.is_resolved()).collect();
        open.sort_by_key(|entry| match entry.detail {
            crate::entry::Detail::Question { priority, .. } => priority,
            _ => crate::entry::Priority::Low,
        });
        open
    }

    /// Whether it was changed less than `minutes` before `now` (the seed's `is_recent`, by the written time, never by mtime).
    ///
    /// ```
    /// use throughline_domain::{State, time};
    /// let mut state = State::empty();
    /// state.timestamp = "2026-01-26T15:30:00Z".to_owned();
    /// let now = time::parse("2026-01-26T15:50:00Z").unwrap();
    /// assert!(state.is_recent(now, 30));
    /// assert!(!state.is_recent(now, 10));
    /// ```
    #[must_use]
    pub fn is_recent(&self, now: crate::Timestamp, minutes: u64) -> bool {
        crate::time::parse(&self.timestamp)
            .is_some_and(|then| crate::time::seconds_between(then, now) < minutes.saturating_mul(60))
    }

    /// The little of it that notes of a session tell: the work item, the decisions, the first thing to do.
    #[must_use]
    pub fn outline(&self) -> Self {
        let mut outline = Self { version: self.version.clone(), sd: self.sd.clone(), ..Self::default() };
        outline.workflow.current_phase.clone_from(&self.workflow.current_phase);
        self.entries(Kind::Decision).clone_into(outline.entries_mut(Kind::Decision));
        outline.entries_mut(Kind::Action).extend(self.entries(Kind::Action).first().cloned());
        outline
    }

    /// Whether there is nothing in it that a briefing could say.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.all_entries().next().is_none() && self.sd.is_empty() && self.key_decisions.is_empty()
    }

    /// The major version of the file it was read from; 2 for what is written now.
    #[must_use]
    pub fn major_version(&self) -> Option<u64> {
        self.version.split('.').next()?.parse().ok()
    }
}
