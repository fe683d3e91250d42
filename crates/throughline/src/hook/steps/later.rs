//! The later difference: where the summary became known only after the briefing, what both lack is told once.

use throughline_briefing::Cap;
use throughline_briefing::session::{self as briefing_session, Known};
use throughline_store::ledger_file::LedgerFile;
use throughline_store::session::{CompactionMark, SessionCache};

use crate::hook::Run;

/// Room for what is told afterwards.
const DIFFERENCE_TOKENS: u64 = 300;

/// A briefing is given while the summary is not known: what it says is remembered.
pub(in crate::hook) fn note_blind(run: &Run, text: Option<&str>, failures: &mut Vec<String>) {
    let folder = run.place.home.session(&run.payload.session_id);
    let Some(text) = text else { return };
    let mark = CompactionMark::of_compaction(&folder, run.now);
    if mark.summary.is_none() {
        let blind = Some(throughline_redact::text(text).into_owned());
        if let Err(error) = (CompactionMark { blind, ..mark }).write(&folder) {
            failures.push(error.to_string());
        }
    }
}

/// The summary came after the briefing: the next prompt or turn may bring the difference.
pub(in crate::hook) fn note_known(run: &Run, mark: &CompactionMark, failures: &mut Vec<String>) {
    let folder = run.place.home.session(&run.payload.session_id);
    if mark.blind.is_none() {
        return;
    }
    if let Some(cache) = SessionCache::read(&folder)
        && let Err(error) = (SessionCache { difference_waits: true, ..cache }).write(&folder)
    {
        failures.push(error.to_string());
    }
}

/// What summary and briefing both lack, once: it is forgotten before it is said.
pub(in crate::hook) fn difference(run: &Run, cache: &SessionCache) -> Option<String> {
    let folder = run.place.home.session(&run.payload.session_id);
    SessionCache { difference_waits: false, ..cache.clone() }.write(&folder).ok()?;
    let mark = CompactionMark::last(&folder)?;
    let (summary, blind) = (mark.summary.as_deref()?, mark.blind.as_deref()?);
    let known = Known::summary(summary).and(blind);
    let ledger = LedgerFile::read(&folder, &cache.transcript).main.ledger;
    briefing_session::difference(&ledger, &known, Cap::tokens(DIFFERENCE_TOKENS))
}
