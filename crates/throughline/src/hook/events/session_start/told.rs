//! What a session told that concerns this start, and what of it the agent will know anyway.

use throughline_briefing::session::Known;
use throughline_domain::hand_over::{StandingLine, lacking};
use throughline_domain::ledger::{Ledger, Stand};
use throughline_engine::descent::Predecessor;
use throughline_engine::ledger::{self, SessionTranscript};
use throughline_store::session::CompactionMark;

use super::Beginning;
use crate::hook::steps::hand_over;
use crate::hook::steps::summaries;
use crate::hook::steps::verbatim;

/// What a session's transcript has told, and what of it the agent will know anyway.
pub(super) struct Told {
    pub(super) ledger: Ledger,
    pub(super) known: Known,
    pub(super) hand_over: Vec<StandingLine>,
}

impl Told {
    /// The ledger that matters: of a compacted session its own, of a new one that of the session it goes on from. Another
    /// session that is at work has its own tasks and errors.
    pub(super) fn of(beginning: &Beginning<'_>, before: Option<&Predecessor>) -> Option<Self> {
        match beginning.mark {
            Some(mark) => Self::of_compacted(beginning, mark),
            None => before.map(|before| Self::of_predecessor(beginning, before)),
        }
    }

    fn of_predecessor(beginning: &Beginning<'_>, before: &Predecessor) -> Self {
        let run = beginning.gate.run;
        hand_over::go_on_from(run, &before.seen.session);
        let hand_over = hand_over::of_session(run, &before.seen.session, &before.ledger);
        Self { ledger: before.ledger.clone(), known: Known::nothing(), hand_over }
    }

    fn of_compacted(beginning: &Beginning<'_>, mark: &CompactionMark) -> Option<Self> {
        let gate = beginning.gate;
        let mut ledger = gate.catch_up(ledger::LARGE_SLICE_BYTES);
        summaries::recall(&gate.run.place, &gate.run.payload.session_id, &mut ledger);
        let summary = mark.summary.as_deref();
        hand_over::after_compaction(gate, mark, summary, Some(&ledger));
        let handed = hand_over::of_own(gate, &ledger);
        let hand_over = lacking(handed, summary.unwrap_or_default());
        let (known, is_there) = known_after_compaction(&gate.run.transcript(), mark);
        if is_there {
            // What was last said and done stands in the context.
            ledger.stand = Stand::default();
        }
        (ledger.turn > 0).then_some(Self { ledger, known, hand_over })
    }
}

/// The summary, and what was said since it was made: that stays in the context word by word. Says whether anything did.
fn known_after_compaction(source: &SessionTranscript<'_>, mark: &CompactionMark) -> (Known, bool) {
    let Some(summary) = &mark.summary else { return (Known::nothing(), false) };
    let known = Known::summary(summary);
    match verbatim::since(source, mark) {
        Some(words) => (known.and(&words), true),
        None => (known, false),
    }
}
