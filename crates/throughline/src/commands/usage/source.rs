//! Where reports get their rows from.

use throughline_domain::usage::Boundary;
use throughline_store::usage::{SampledCompaction, SessionGauge, UsageStore};
use throughline_usage::report::{Query, Slice};

use crate::failure::Failure;

/// Rows that are asked for at once.
const PAGE_ROWS: usize = 10_000;

/// A store of usage.
pub(super) enum Source {
    /// This machine's own.
    Local(UsageStore),
}

impl Source {
    /// What the responses took together, grouped as asked.
    pub(super) fn slices(&self, query: &Query) -> Result<Vec<Slice>, Failure> {
        let Self::Local(store) = self;
        Ok(store.slices(query)?)
    }

    /// How full sessions were, as their samples tell.
    pub(super) fn gauges(&self, query: &Query) -> Result<Vec<SessionGauge>, Failure> {
        let Self::Local(store) = self;
        Ok(store.gauges(query)?)
    }

    /// Compactions as samples show them.
    pub(super) fn sampled_compactions(&self, query: &Query) -> Result<Vec<SampledCompaction>, Failure> {
        let Self::Local(store) = self;
        Ok(store.sampled_compactions(query)?)
    }

    /// Compactions as transcripts tell them, oldest first.
    pub(super) fn boundaries(&self, query: &Query) -> Result<Vec<Boundary>, Failure> {
        let Self::Local(store) = self;
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
