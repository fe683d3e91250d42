//! Anchors that were proposed: what becomes of one when it is taken.

use throughline_domain::proposal::Proposal;
use throughline_domain::{AnchorPriority, Detail};

/// What the anchor made of a proposal says beside its words.
#[must_use]
pub fn detail_of(proposal: &Proposal, priority: Option<AnchorPriority>) -> Detail {
    Detail::Anchor {
        anchor_type: proposal.anchor_type.clone(),
        priority: priority.unwrap_or(proposal.anchor_priority()),
        agent: None,
        session: Some(proposal.session.clone()).filter(|session| !session.is_empty()),
    }
}
