//! Anchors as the agent gets them: most needed first, under a cap.

use throughline_domain::{AnchorPriority, Detail, Entry, Kind, State};

use crate::fit::{Cap, Chosen, Line, Section, fit};
use crate::sections::anchor_line;
use crate::trust::Facts;

/// An anchor's priority; of another entry the lowest.
#[must_use]
pub fn priority_of(entry: &Entry) -> AnchorPriority {
    match entry.detail {
        Detail::Anchor { priority, .. } => priority,
        _ => AnchorPriority::Normal,
    }
}

/// Lines of the critical and high anchors, for texts that say little else: the critical first, of equals the newest.
pub(crate) fn needed(state: &State) -> Vec<(u8, String, &'static str)> {
    ordered(state.entries(Kind::Anchor).iter())
        .into_iter()
        .filter(|entry| priority_of(entry) != AnchorPriority::Normal)
        .map(|entry| {
            let line = anchor_line(entry, 0, "critical or high anchor");
            (line.rank, line.text, line.why)
        })
        .collect()
}

/// These anchors as lines, at most as long as the cap: what is critical or high is shortened rather than left out.
///
/// Anchors that nobody here vouches for are not among them.
#[must_use]
pub fn render<'s>(
    anchors: impl DoubleEndedIterator<Item = &'s Entry>,
    facts: &Facts<'_>,
    cap: Cap,
) -> Chosen {
    let vouched = anchors.filter(|entry| !facts.untrusted.contains(&entry.id.to_string()));
    let lines: Vec<Line> = ordered(vouched)
        .into_iter()
        .map(|entry| match priority_of(entry) {
            AnchorPriority::Critical => anchor_line(entry, 0, "critical anchor"),
            AnchorPriority::High => anchor_line(entry, 0, "high anchor"),
            AnchorPriority::Normal => anchor_line(entry, 1, "anchor"),
        })
        .collect();
    fit(&[Section { lines, ..Section::default() }], cap)
}

fn ordered<'s>(anchors: impl DoubleEndedIterator<Item = &'s Entry>) -> Vec<&'s Entry> {
    let mut newest_first: Vec<&Entry> = anchors.rev().collect();
    newest_first.sort_by_key(|entry| priority_of(entry));
    newest_first
}
