//! Slice: additive counts of responses, grouped as a report asks. The same question goes to every store of them.

use crate::time::Timestamp;
use crate::usage::{Tier, Tokens};

/// A quarter of an hour: what stores group by. Every time zone's days begin and end at one.
pub const SLOT_MS: i64 = 15 * 60 * 1_000;

/// What slices are kept apart by, besides model and tier, which always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The stretches between two of [`Query::cuts`].
    Period,
    /// Quarters of an hour.
    Slot,
    /// Sessions.
    Session,
    /// Projects' folders.
    Project,
    /// Agents.
    Agent,
    /// Machines; a store of one machine has one.
    Machine,
    /// The people who used it; a store of one person has one.
    User,
}

/// A question to a store of responses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Not before this; a quarter of an hour counts as a whole.
    pub since: Option<Timestamp>,
    /// Before this.
    pub until: Option<Timestamp>,
    /// Where periods begin, in order: the starts of local days, say. What is before the first belongs to none.
    pub cuts: Vec<Timestamp>,
    /// What to keep apart.
    pub by: Vec<Dimension>,
    /// Only projects whose folder is this, is below it, or ends with it as a name.
    pub project: Option<String>,
    /// Only models whose id contains this.
    pub model: Option<String>,
    /// Only sessions whose id begins with this.
    pub session: Option<String>,
    /// Only sessions of this agent.
    pub agent: Option<String>,
}

impl Query {
    /// Whether the answer keeps these apart.
    #[must_use]
    pub fn is_by(&self, dimension: Dimension) -> bool {
        self.by.contains(&dimension)
    }

    /// Whether a project's folder is wanted.
    #[must_use]
    pub fn wants_project(&self, folder: &str) -> bool {
        self.project.as_deref().is_none_or(|wanted| is_project(folder, wanted))
    }

    /// Whether a model is wanted.
    #[must_use]
    pub fn wants_model(&self, model: &str) -> bool {
        self.model.as_deref().is_none_or(|wanted| model.contains(wanted))
    }

    /// Whether a session is wanted.
    #[must_use]
    pub fn wants_session(&self, session: &str) -> bool {
        self.session.as_deref().is_none_or(|wanted| session.starts_with(wanted))
    }

    /// Whether an agent is wanted.
    #[must_use]
    pub fn wants_agent(&self, agent: &str) -> bool {
        self.agent.as_deref().is_none_or(|wanted| agent == wanted)
    }

    /// The period that an instant belongs to, as an index into [`Query::cuts`].
    #[must_use]
    pub fn period_of(&self, at: Timestamp) -> Option<usize> {
        self.cuts.partition_point(|cut| *cut <= at).checked_sub(1)
    }
}

fn is_project(folder: &str, wanted: &str) -> bool {
    let wanted = if wanted.len() > 1 { wanted.trim_end_matches('/') } else { wanted };
    let is_below = |rest: &str| rest.is_empty() || wanted.ends_with('/') || rest.starts_with('/');
    folder.strip_prefix(wanted).is_some_and(is_below)
        || folder.strip_suffix(wanted).is_some_and(|before| before.ends_with('/'))
}

/// What responses took together: additive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The period, as an index into [`Query::cuts`], where asked for.
    pub period: Option<usize>,
    /// Where the quarter of an hour begins, where asked for.
    pub slot: Option<Timestamp>,
    /// The session, where asked for.
    pub session: Option<String>,
    /// The project's folder, where asked for.
    pub project: Option<String>,
    /// The agent, where asked for.
    pub agent: Option<String>,
    /// The machine, where asked for and known.
    pub machine: Option<String>,
    /// The person, where asked for and known.
    pub user: Option<String>,
    /// The model's id.
    pub model: String,
    /// What the price depends on.
    pub tier: Tier,
    /// How many responses.
    pub responses: u64,
    /// How many of them subagents asked for.
    pub sidechain_responses: u64,
    /// What they took.
    pub tokens: Tokens,
    /// The fullest that a main conversation's context was.
    pub context_peak: u64,
    /// When the first of them came.
    pub first: Timestamp,
    /// When the last of them came.
    pub last: Timestamp,
}

impl Slice {
    /// Adds another slice to this one; what they are grouped by stays this one's.
    pub fn add(&mut self, other: &Self) {
        self.responses += other.responses;
        self.sidechain_responses += other.sidechain_responses;
        self.tokens.add(&other.tokens);
        self.context_peak = self.context_peak.max(other.context_peak);
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_named_by_its_folder_a_folder_above_it_or_its_name() {
        let wants = |project: &str, folder: &str| {
            Query { project: Some(project.to_owned()), ..Query::default() }.wants_project(folder)
        };
        assert!(wants("/home/me/app", "/home/me/app"));
        assert!(wants("/home/me/", "/home/me/app"));
        assert!(wants("app", "/home/me/app"));
        assert!(wants("/", "/home/me/app"));
        assert!(!wants("/home/me/app", "/home/me/app2"));
        assert!(!wants("pp", "/home/me/app"));
        assert!(Query::default().wants_project("anything"));
    }

    #[test]
    fn a_cut_begins_its_period() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let query = Query { cuts: vec![at(100), at(200)], ..Query::default() };
        let periods = [99, 100, 199, 200, 900].map(|second| query.period_of(at(second)));
        assert_eq!(periods, [None, Some(0), Some(0), Some(1), Some(1)]);
    }
}
