//! Continuation: what is next, the exact command for it, whether to clear first, what else could be done.
//!
//! The first row that holds is told; `situations.rs` has a function for each:
//!
//! | | the situation | what is next |
//! |---|---|---|
//! | 1 | the work item waits for something, the agent asked and nobody answered, or an urgent question is open | settle it: what is built meanwhile may be built for nothing |
//! | 2 | a check failed and has not passed since | that check, word by word: nothing is done while it fails |
//! | 3 | a task is in progress, or the user's last request without tasks | go on with it |
//! | 4 | tasks are open | the first of them; of the last one also what comes after |
//! | 5 | the work item is complete, by its progress or its phase | choose another: there is nothing left to plan in it |
//! | 6 | all tasks are done | n of n, then what the work item names as next, else a plan for the next phase |
//! | 7 | the work item names what is next | that: somebody recorded it on purpose |
//! | 8 | actions are recorded | the only one, or a choice: they have no order |
//! | 9 | the agent stated a plan after the last request | the plan |
//! | 10 | a phase is set, and nothing of the above is known | plan it |
//! | 11 | nothing | say so, and how to begin |
//!
//! Rows 5 and 6 come before the recorded next step because they tell something that nothing else tells, and name that step
//! themselves; 10 is last because a plan is made only where none is known.

mod clearing;
mod commands;
mod render;
mod situations;

use throughline_domain::State;
use throughline_domain::ledger::Ledger;

pub use clearing::{Advice, Clear};
pub use commands::Command;
pub use render::{Piece, Role, UNITS_MAX, as_json, pieces, plain};

/// What is known when somebody asks what is next.
#[derive(Debug, Clone, Copy)]
pub struct WorkStanding<'a> {
    /// The working set, [without what nobody vouches for](crate::Facts::vouched).
    pub state: &'a State,
    /// What the session's transcript told.
    pub ledger: &'a Ledger,
    /// The session that would go on.
    pub session: Option<Session<'a>>,
    /// How full its context is.
    pub fill: Option<Fill>,
    /// Its context has gone bad, at this score of purity; what is true in it waits for the next start.
    pub purified: Option<u64>,
    /// Whether the working tree holds what no commit has; `None` where nobody can tell.
    pub is_dirty: Option<bool>,
}

/// The session that would go on.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    /// Its id.
    pub id: &'a str,
    /// Whether its client runs.
    pub is_live: bool,
}

/// How full a context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// Per cent of the way to the compaction.
    pub percent: u64,
    /// From here it fills up.
    pub warning: u64,
}

/// Which situation it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Something has to be settled first.
    Blocked,
    /// A check fails.
    FailingTests,
    /// Something is in hand.
    InProgress,
    /// A task is next.
    NextPlan,
    /// The last open task is next.
    LastPlan,
    /// The work item is complete.
    MilestoneComplete,
    /// All tasks are done.
    PhaseComplete,
    /// Somebody said what is next.
    StatedNext,
    /// Several things, none before the others.
    Options,
    /// A phase without tasks.
    PlanPhase,
    /// Nothing is known.
    Nothing,
}

impl Variant {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::FailingTests => "failing-tests",
            Self::InProgress => "in-progress",
            Self::NextPlan => "next-plan",
            Self::LastPlan => "last-plan",
            Self::MilestoneComplete => "milestone-complete",
            Self::PhaseComplete => "phase-complete",
            Self::StatedNext => "stated-next",
            Self::Options => "options",
            Self::PlanPhase => "plan-phase",
            Self::Nothing => "nothing",
        }
    }

    /// Whether work is in hand that needs what the context holds.
    fn is_in_the_middle(self) -> bool {
        matches!(self, Self::Blocked | Self::FailingTests | Self::InProgress)
    }
}

/// What is next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation {
    /// Which situation it is.
    pub variant: Variant,
    /// What is finished, where something is.
    pub done: Option<String>,
    /// The task's, the entry's or the work item's id.
    pub id: Option<String>,
    /// What it is about.
    pub title: String,
    /// Why this is next, in one line.
    pub why: String,
    /// What to paste.
    pub command: Option<Command>,
    /// Whether to clear first.
    pub clear: Clear,
    /// What comes after it, where that is known.
    pub after: Option<String>,
    /// What else could be done.
    pub alternatives: Vec<Alternative>,
    /// One line for a briefing, where nothing else in it says that this comes first.
    pub brief: Option<String>,
}

/// Something else that could be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// What.
    pub what: String,
    /// What to paste for it.
    pub command: Command,
}

/// The line for a briefing; whoever reads it is the session that goes on.
pub(crate) fn brief(state: &State, ledger: &Ledger) -> Option<String> {
    let session = Some(Session { id: "", is_live: true });
    decide(&WorkStanding { state, ledger, session, fill: None, purified: None, is_dirty: None }).brief
}

/// Decides what is next: by the first situation that holds.
#[must_use]
pub fn decide(standing: &WorkStanding<'_>) -> Continuation {
    let found = situations::ALL.iter().find_map(|situation| situation(standing));
    let mut next = found.unwrap_or_else(|| situations::nothing(standing));
    next.clear = clearing::advise(next.variant, standing);
    next.command = next.command.map(|command| command.for_session(standing.session));
    for alternative in &mut next.alternatives {
        alternative.command = alternative.command.clone().for_session(standing.session);
    }
    next
}
