//! The scenery of a start: who was here before it, and when.

use throughline_domain::{State, Timestamp, time};
use throughline_engine::descent::Predecessor;
use throughline_engine::liveness::{Fate, Seen};

use throughline_briefing::restore::Start;

use super::Beginning;

/// Who was here before a start, and when.
pub(super) struct Scenery<'s> {
    pub(super) own: Option<&'s Seen>,
    pub(super) before: Option<&'s Predecessor>,
    /// The one that the work goes on from; where none has worked, the last one is all there is.
    pub(super) last: Option<&'s Seen>,
    pub(super) crashed: bool,
    pub(super) other_lives: bool,
    pub(super) last_active: Option<Timestamp>,
    pub(super) age_seconds: u64,
}

impl<'s> Scenery<'s> {
    pub(super) fn of(beginning: &Beginning<'s>, saved: &State) -> Self {
        let run = beginning.gate.run;
        let is_own = |seen: &&Seen| seen.session == run.payload.session_id;
        let own = beginning.seen.iter().find(is_own);
        let mut others = beginning.seen.iter().filter(|seen| !is_own(seen));
        let other_lives = others.clone().any(|other| other.fate == Fate::Alive);
        let last = beginning.before.map(|before| &before.seen).or_else(|| others.next());
        let last = if beginning.is_told_again { own.or(last) } else { last };
        let last_active = last_active(beginning, saved, own);
        Self {
            own,
            before: beginning.before.filter(|_| !other_lives),
            last,
            crashed: last.is_some_and(|last| last.fate == Fate::Crashed),
            other_lives,
            last_active,
            age_seconds: last_active.map_or(u64::MAX, |then| time::seconds_between(then, run.now)),
        }
    }
}

/// The project's last recorded activity, for a resumed session its own. A session that did nothing is no activity where
/// another one worked.
fn last_active(beginning: &Beginning<'_>, state: &State, own: Option<&Seen>) -> Option<Timestamp> {
    if (beginning.start == Start::Resume || beginning.is_told_again)
        && let Some(own) = own
    {
        return active(Some(own));
    }
    let counts = |seen: &&Seen| {
        let is_before = |before: &Predecessor| before.seen.session == seen.session;
        beginning.before.is_none_or(|before| is_before(before) || seen.fate == Fate::Alive)
    };
    let sessions = beginning.seen.iter().filter(counts);
    sessions.filter_map(|seen| active(Some(seen))).chain(time::parse(&state.timestamp)).max()
}

/// When a session last did something.
pub(super) fn active(seen: Option<&Seen>) -> Option<Timestamp> {
    Timestamp::from_millisecond(seen?.last_active_ms).ok()
}
