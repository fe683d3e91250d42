//! Subagents at work, in words: after a compaction nobody else remembers their ids.

use throughline_store::door::Spot;
use throughline_store::spool;

/// Subagents that are named.
const SUBAGENTS_MAX: usize = 8;

/// The subagents at work, with their ids.
pub(in crate::hook) fn line(folder: &Spot) -> Option<String> {
    let at_work = spool::subagents_at_work(folder);
    let named: Vec<String> =
        at_work.iter().take(SUBAGENTS_MAX).map(|(kind, id)| format!("{kind}={id}")).collect();
    let more = at_work.len().saturating_sub(SUBAGENTS_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| format!("Subagents at work: {}{more}", named.join(", ")))
}
