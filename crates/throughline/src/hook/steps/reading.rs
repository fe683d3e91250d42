//! Reading on: what the transcript tells since the last gate, taken note of.

use throughline_domain::ledger::Ledger;
use throughline_engine::{ledger, lineage};
use throughline_store::ledger_file::LedgerFile;
use throughline_store::session::SessionCache;

use crate::hook::Run;
use crate::hook::steps::anchors;
use crate::hook::steps::gate::Session;
use crate::hook::steps::glance;
use crate::hook::steps::summaries::{self, When};

/// Takes note of what the transcript tells since the last gate, and summarises what is over.
pub(in crate::hook) fn read_on(run: &Run, session: &Session, failures: &mut Vec<String>) -> Option<Ledger> {
    let payload = &run.payload;
    if LedgerFile::may_wait(&run.place.home.session(&payload.session_id), &payload.transcript_path) {
        glance::keep(run, session, None, failures);
        return None;
    }
    let told = ledger::catch_up(
        &run.place.home,
        &payload.session_id,
        &payload.transcript_path,
        ledger::SLICE_BYTES,
        failures,
    );
    summaries::keep(run, session, &told, When::Filling, failures);
    glance::keep(run, session, Some(&told), failures);
    anchors::propose(run, session, &told, failures);
    Some(told)
}

/// A fork does not say whose it is; its transcript, which is there by now, does.
pub(in crate::hook) fn settle_lineage(run: &Run, session: &Session, failures: &mut Vec<String>) {
    if session.cache.source != "fork" || session.cache.parent.is_some() {
        return;
    }
    let (home, payload) = (&run.place.home, &run.payload);
    let project = &session.memory.project;
    let found = lineage::forked_from(home, project, &payload.session_id, &payload.transcript_path, run.now);
    // Once it was looked for in vain it is not looked for again.
    let Some(parent) = found else { return };
    let cache = SessionCache { parent: Some(parent), ..session.cache.clone() };
    failures.extend(cache.write(&home.session(&payload.session_id)).err().map(|error| error.to_string()));
}
