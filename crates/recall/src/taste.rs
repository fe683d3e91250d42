//! Taste: what counts beside the words: the kind, the age, the project at hand.

use crate::passage::Head;
use crate::rank;
use crate::scope::is_below;
use crate::weights::AT_HAND;

/// What counts beside the words.
#[derive(Debug, Clone, Default)]
pub struct Taste {
    /// The time, in seconds since 1970.
    pub now_s: i64,
    /// How soon the old counts less.
    pub half_life_days: u64,
    /// The project at hand counts more.
    pub project: Option<String>,
}

impl Taste {
    /// What the passages of a project count.
    #[must_use]
    pub fn of_project(&self, project: &str) -> f64 {
        let is_at_hand = self.project.as_deref().is_some_and(|at_hand| is_below(project, at_hand));
        if is_at_hand { AT_HAND } else { 1.0 }
    }

    /// What a passage counts by its head.
    pub(crate) fn of_head(&self, head: &Head) -> f64 {
        rank::kind_weight(head.kind, head.is_sidechain) * self.of_time(head.at_s)
    }

    /// What counts what is so old.
    pub(crate) fn of_time(&self, at_s: i64) -> f64 {
        rank::recency(self.now_s - at_s, self.half_life_days)
    }
}
