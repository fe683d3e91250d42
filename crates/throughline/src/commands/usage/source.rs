//! Where reports get their rows from.

use std::cell::RefCell;

use throughline_domain::gauge::{SampledCompaction, SessionGauge};
use throughline_domain::usage::Boundary;
use throughline_engine::place::Place;
use throughline_fleet::read::Fleet;
use throughline_store::usage::UsageStore;
use throughline_usage::report::{Query, Slice};

use super::fleet;
use crate::failure::Failure;

/// Rows that are asked for at once.
const PAGE_ROWS: usize = 10_000;

/// A store of usage.
pub(super) enum Source {
    /// This machine's own.
    Local(UsageStore),
    /// Many machines', on a server that does the grouping.
    Fleet(RefCell<Fleet>),
}

impl Source {
    /// The fleet that `--from` names.
    pub(super) fn fleet(place: &Place, from: &str) -> Result<Self, Failure> {
        let config = fleet::config(place);
        let address = fleet::named(place, &config, from)?;
        Ok(Self::Fleet(RefCell::new(Fleet::open(&address, &config.schema)?)))
    }

    /// Whether rows of several machines are in it.
    pub(super) fn is_fleet(&self) -> bool {
        matches!(self, Self::Fleet(_))
    }

    /// What the responses took together, grouped as asked.
    pub(super) fn slices(&self, query: &Query) -> Result<Vec<Slice>, Failure> {
        match self {
            Self::Local(store) => Ok(store.slices(query)?),
            Self::Fleet(fleet) => Ok(fleet.borrow_mut().slices(query)?),
        }
    }

    /// How full sessions were, as their samples tell.
    pub(super) fn gauges(&self, query: &Query) -> Result<Vec<SessionGauge>, Failure> {
        match self {
            Self::Local(store) => Ok(store.gauges(query)?),
            Self::Fleet(fleet) => Ok(fleet.borrow_mut().gauges(query)?),
        }
    }

    /// Compactions as samples show them.
    pub(super) fn sampled_compactions(&self, query: &Query) -> Result<Vec<SampledCompaction>, Failure> {
        match self {
            Self::Local(store) => Ok(store.sampled_compactions(query)?),
            Self::Fleet(fleet) => Ok(fleet.borrow_mut().sampled_compactions(query)?),
        }
    }

    /// Compactions as transcripts tell them, oldest first.
    pub(super) fn boundaries(&self, query: &Query) -> Result<Vec<Boundary>, Failure> {
        let store = match self {
            Self::Local(store) => store,
            Self::Fleet(fleet) => return Ok(fleet.borrow_mut().boundaries(query)?),
        };
        let (mut found, mut after) = (Vec::new(), 0);
        loop {
            let page = store.boundaries_after(after, PAGE_ROWS)?;
            let Some(last) = page.last() else { break };
            after = last.row_no;
            found.extend(page.into_iter().map(|numbered| numbered.row).filter(|it| wants(query, it)));
        }
        found.sort_by(|left, right| (left.at, &left.session).cmp(&(right.at, &right.session)));
        Ok(found)
    }
}

fn wants(query: &Query, it: &Boundary) -> bool {
    query.since.is_none_or(|since| it.at >= since)
        && query.until.is_none_or(|until| it.at < until)
        && query.wants_session(&it.session)
        && query.wants_project(&it.project)
        && query.wants_model(&it.model)
}
