//! Trust: what is known beside the state, and which of its entries may be said in our own voice.

use std::collections::HashSet;

use throughline_domain::hand_over::StandingLine;
use throughline_domain::{Entry, Kind, State, WorkItem};

use crate::sections::verbatim;

/// A line about the session itself.
const AROUND_UNITS_MAX: usize = 400;

/// Whose entries are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Everything.
    #[default]
    Whole,
    /// What holds for the whole project; tasks and errors belong to another live session.
    Shared,
}

/// A note file that is young enough to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentFile {
    /// Its name, from the project's root.
    pub name: &'static str,
    /// What it says.
    pub content: String,
    /// How long ago it was written.
    pub age_seconds: u64,
}

/// What is known beside the state.
#[derive(Debug, Clone, Default)]
pub struct Facts<'a> {
    /// Ids of entries that came with a clone and that nobody has trusted; `sd` for the work item, `keyDecisions` for
    /// the plain decision lines (these are quoted also when any entry is untrusted).
    pub untrusted: &'a [String],
    /// What other versions of the state file say that nobody has taken over: name and words.
    pub waiting: &'a [(String, String)],
    /// Whose entries are told.
    pub scope: Scope,
    /// Files that people or hooks left a short while ago.
    pub recent_files: &'a [RecentFile],
    /// Lines about the session itself that are always said: its id, its notes, the subagents at work.
    pub around: &'a [String],
    /// What was handed over, fact by fact.
    pub hand_over: &'a [StandingLine],
}

impl Facts<'_> {
    /// The lines about the session itself, each with its line end; harmless and bounded.
    pub(crate) fn around_text(&self) -> String {
        let lines = self.around.iter().map(|line| verbatim(line, AROUND_UNITS_MAX));
        lines.fold(String::new(), |text, line| text + &line + "\n")
    }

    /// The state without what nobody here vouches for: for texts that cannot quote.
    #[must_use]
    pub fn vouched(&self, state: &State) -> State {
        let trust = Trust::of(self);
        let mut vouched = state.clone();
        for kind in Kind::ALL {
            vouched.entries_mut(kind).retain(|entry| trust.trusts(entry));
        }
        if !trust.trusts_lines() {
            vouched.key_decisions.clear();
        }
        if !trust.trusts_work() {
            vouched.sd = WorkItem::default();
        }
        vouched
    }
}

/// Who is trusted, for many questions.
pub(crate) struct Trust<'a>(HashSet<&'a str>);

impl<'a> Trust<'a> {
    pub(crate) fn of(facts: &Facts<'a>) -> Self {
        Self(facts.untrusted.iter().map(String::as_str).collect())
    }

    pub(crate) fn trusts(&self, entry: &Entry) -> bool {
        self.0.is_empty() || !self.0.contains(entry.id.to_string().as_str())
    }

    /// Plain lines have no id: they are only as good as the rest of the file.
    pub(crate) fn trusts_lines(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn trusts_work(&self) -> bool {
        !self.0.contains("sd")
    }
}
