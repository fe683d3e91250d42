//! The status line's work: its rules, what it takes note of, what it tells. Reads no state and no database.
//!
//! payload ─► rules (compiled once) ─► change test ─► usage log; and what is known ─► facts.

pub mod facts;
pub mod rules;
mod track;

use throughline_agents::compaction_point::{At, CompactionPoint};
use throughline_agents::status_line::{Context, StatuslinePayload};
use throughline_domain::usage_memory::UsageMemory;
use throughline_domain::{Health, Timestamp};
use throughline_store::door::Spot;
use throughline_store::statusline_rules::StatuslineRules;
use throughline_store::usage_file;

use crate::client_settings;
use crate::place::Place;

/// The session of a payload that names none.
const UNNAMED: &str = "unknown";

/// One call, with everything that was settled for it.
#[derive(Debug)]
pub struct Call {
    payload: StatuslinePayload,
    now: Timestamp,
    /// Where the session's files are; `None` without a data folder.
    session: Option<(Place, Spot)>,
    /// The rules that hold for it.
    pub rules: StatuslineRules,
    point: CompactionPoint,
}

impl Call {
    /// Settles the rules of a call; `place` is `None` where there is no data folder.
    #[must_use]
    pub fn settle(mut payload: StatuslinePayload, place: Option<Place>, now: Timestamp) -> Self {
        if payload.session_id.is_empty() {
            // A payload by hand, as people try a status line out: logged like any other.
            UNNAMED.clone_into(&mut payload.session_id);
        }
        let rules = rules::settle(place.as_ref(), &payload, now);
        let point = client_settings::point_of_call(&rules.compaction, &payload);
        let session = place.map(|place| {
            let folder = place.home.session(&payload.session_id);
            (place, folder)
        });
        Self { payload, now, session, rules, point }
    }

    /// Takes note of what it tells; gives what the session remembers afterwards.
    #[must_use]
    pub fn keep(&self) -> UsageMemory {
        match &self.session {
            Some((place, folder)) => track::keep(self, place, folder, usage_file::read(folder)),
            None => UsageMemory::default(),
        }
    }

    /// Tokens at which the client compacts, if it does and we know.
    fn compacts_at(&self) -> Option<u64> {
        if let At::Compacts(tokens) = self.point.at { Some(tokens) } else { None }
    }

    /// How near the compaction is (the end of the window, where none will come).
    fn health(&self) -> Option<Health> {
        let Context::Known(size) = self.payload.context else { return None };
        let percent = size.used().saturating_mul(100) / self.point.limit_tokens().max(1);
        let [warning, critical, emergency] = self.rules.thresholds;
        Some(Health::at(percent, warning, critical, emergency))
    }
}
