//! The later difference: where the summary became known only after the briefing, what both lack is told once.

use throughline_briefing::Cap;
use throughline_briefing::session::{self as briefing_session, Known};
use throughline_store::ledger_file::LedgerFile;
use throughline_store::session::{CompactionMark, SessionFacts};

use crate::hook::Run;

/// Room for what is told afterwards.
const DIFFERENCE_TOKENS: u64 = 300;

/// A briefing is given while the summary is not known: what it says is remembered.
pub(in crate::hook) fn note_blind(run: &Run, mark: CompactionMark, text: Option<&str>) {
    let Some(text) = text else { return };
    if mark.summary.is_none() {
        let blind = Some(throughline_redact::text(text).into_owned());
        run.failures.keep(CompactionMark { blind, ..mark }.write(&run.folder));
    }
}

/// The summary came after the briefing: the next prompt or turn may bring the difference.
pub(in crate::hook) fn note_known(run: &Run, mark: &CompactionMark) {
    if mark.blind.is_some() {
        run.change_progress(|progress| progress.difference_waits = true);
    }
}

/// What summary and briefing both lack, once: it is forgotten before it is said.
pub(in crate::hook) fn difference(run: &Run, facts: &SessionFacts) -> Option<String> {
    if !run.change_progress(|progress| progress.difference_waits = false) {
        return None;
    }
    let mark = CompactionMark::last(&run.folder)?;
    let (summary, blind) = (mark.summary.as_deref()?, mark.blind.as_deref()?);
    let known = Known::summary(summary).and(blind);
    let ledger = LedgerFile::read(&run.folder, &facts.transcript).main.ledger;
    briefing_session::difference(&ledger, &known, Cap::tokens(DIFFERENCE_TOKENS))
}
