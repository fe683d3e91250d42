//! Next up: one line that says what comes first, where no other line of a briefing says it.

use throughline_domain::State;
use throughline_domain::ledger::Ledger;

use super::Reader;
use super::items::{Item, WEIGHED, line};
use super::part::Part;
use crate::continuation;
use crate::trust::Facts;

/// Behind the line that says where the work stands.
const ORDER: usize = 1;
const WORTH: f64 = 0.3;

/// The line; the summariser is told what was, not what will be.
pub(super) fn item(state: &State, facts: &Facts<'_>, ledger: &Ledger, reader: Reader) -> Option<Item> {
    if reader == Reader::Summariser {
        return None;
    }
    let text = continuation::brief(&facts.vouched(state), ledger)?;
    Some(line(Part::Stand, ORDER, &text, WEIGHED, WORTH, "what comes first"))
}
