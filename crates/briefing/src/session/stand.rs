//! Stand: whose turn it is and what was being done, in one line; which checks the last edits have not been through.

use throughline_domain::ledger::{Act, Ledger, Phase};
use throughline_domain::text::one_line;

use super::gap::{Known, base_of};
use super::items::{FIRST, Room, WEIGHED};

const WORDS_UNITS: usize = 160;
const WORDS_UNITS_TIGHT: usize = 70;
const WHAT_UNITS: usize = 70;

/// What is told of where the work stands.
pub(super) struct StandLine {
    pub(super) text: String,
    pub(super) worth: f64,
    /// There is no summary beside it, and room.
    is_alone: bool,
}

impl StandLine {
    /// Alone, a text must say it; a summary tells it in its own way.
    pub(super) fn tier(&self) -> u8 {
        if self.is_alone { FIRST } else { WEIGHED }
    }
}

/// Where the work stands; nothing where the summary says it in the same words.
pub(super) fn line(ledger: &Ledger, known: &Known, room: Room) -> Option<StandLine> {
    let stand = &ledger.stand;
    let units = room.pick(WORDS_UNITS_TIGHT, WORDS_UNITS);
    let said = (!stand.said.is_empty()).then(|| format!("you said \"{}\"", one_line(&stand.said, units)));
    let did = if room == Room::Tight && said.is_some() { None } else { did(ledger) };
    let text = match stand.phase {
        Phase::New => return None,
        Phase::Asked => "The user spoke last; you have done nothing about it yet.".to_owned(),
        Phase::Working => match (said, did) {
            (Some(said), Some(did)) => format!("Last: {said}, then {did}."),
            (Some(one), None) | (None, Some(one)) => format!("Last: {one}."),
            (None, None) => return None,
        },
        Phase::Told if stand.told.is_empty() => return None,
        Phase::Told => {
            let told = one_line(&stand.told, units);
            format!("You spoke last, and the user is next: \"{told}\"")
        }
        Phase::Stopped => match said.or(did) {
            Some(at) => format!("The user stopped you. Before that {at}."),
            None => "The user stopped you.".to_owned(),
        },
    };
    let words = if stand.phase == Phase::Told { &stand.told } else { &stand.said };
    if !words.is_empty() && known.has_sentence(words) {
        return None;
    }
    Some(StandLine { text, worth: 0.4, is_alone: known.is_empty() && room == Room::Ample })
}

/// The last deed, in words.
fn did(ledger: &Ledger) -> Option<String> {
    let stand = &ledger.stand;
    let what = one_line(&stand.what, WHAT_UNITS);
    let base = base_of(&what);
    let deed = match stand.act {
        Act::None => return None,
        _ if what.is_empty() => return None,
        Act::Edited => format!("edited {base}"),
        Act::Read => format!("read {base}"),
        Act::Searched => format!("searched for `{what}`"),
        Act::Ran => format!("ran `{what}`"),
        Act::Delegated => format!("started a subagent for \"{what}\""),
        Act::Called => format!("called {what}"),
        Act::Refused => format!("wanted `{what}`, which the user refused"),
    };
    let waits = stand.is_open && !matches!(stand.act, Act::Edited | Act::Read | Act::Searched);
    Some(if waits { format!("{deed} (no answer yet)") } else { deed })
}

/// Whether files were edited after a turn.
pub(super) fn was_edited_after(turn: u64, ledger: &Ledger) -> bool {
    ledger.files.iter().any(|file| file.edited_turn.is_some_and(|edited| edited > turn))
}
