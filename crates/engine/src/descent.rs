//! Lines of descent: a session that did no work takes nobody's place and makes nothing older.

use throughline_domain::ledger::Ledger;
use throughline_domain::substance;
use throughline_store::paths::Home;
use throughline_store::session::SessionFacts;

use crate::failures::Failures;
use crate::ledger;
use crate::liveness::Seen;
use crate::session_facts::agent_of;

/// So many sessions that did nothing are looked past.
const LOOKED_AT_MAX: usize = 8;

/// The session that the work goes on from.
#[derive(Debug, Clone)]
pub struct Predecessor {
    /// The session.
    pub seen: Seen,
    /// What its transcript told.
    pub ledger: Ledger,
}

/// The last of these sessions that worked, the last active first. What was said while we were not to listen is not read
/// afterwards either.
pub fn predecessor<'s>(
    home: &Home,
    seen: impl IntoIterator<Item = &'s Seen>,
    failures: &Failures,
) -> Option<Predecessor> {
    for seen in seen.into_iter().take(LOOKED_AT_MAX) {
        let cache = SessionFacts::read(&home.session(&seen.session)).filter(|cache| !cache.paused);
        let Some(cache) = cache else { continue };
        let source = ledger::SessionTranscript {
            home,
            session: &seen.session,
            transcript: &cache.transcript,
            agent: agent_of(&cache),
        };
        let ledger = ledger::catch_up(&source, ledger::LARGE_SLICE_BYTES, failures);
        if substance::worked(&ledger) {
            return Some(Predecessor { seen: seen.clone(), ledger });
        }
    }
    None
}
