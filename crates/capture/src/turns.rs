//! Turns: which lines belong to one response of the model, which are copies, where the context was compacted.

use throughline_domain::ledger::{CompactionSeen, Ledger, TranscriptPlace};
use throughline_domain::text::fingerprint;

const COMPACTIONS_MAX: usize = 64;
/// Stands for a response whose lines carry no id.
const ANONYMOUS: u64 = 1;

/// Whether a line with this id was taken already; remembers it otherwise.
pub(crate) fn is_copy(ledger: &mut Ledger, uuid: Option<&str>) -> bool {
    let Some(uuid) = uuid.filter(|uuid| !uuid.is_empty()) else { return false };
    !ledger.seen_lines.insert(fingerprint(uuid.as_bytes()))
}

/// A line of a response: counts a turn where the response is a new one, and says so.
pub(crate) fn begin_response(ledger: &mut Ledger, message_id: Option<&str>) -> bool {
    let mark = message_id.map_or(ANONYMOUS, |id| fingerprint(id.as_bytes()) | 2);
    if ledger.last_message == mark {
        return false;
    }
    ledger.last_message = mark;
    ledger.turn += 1;
    true
}

/// The user spoke: what follows is another response, whatever its id.
pub(crate) fn end_response(ledger: &mut Ledger) {
    ledger.last_message = 0;
}

/// Answers of tools may stand between the lines of one response: only one without an id is over then.
pub(crate) fn end_anonymous_response(ledger: &mut Ledger) {
    if ledger.last_message == ANONYMOUS {
        ledger.last_message = 0;
    }
}

/// A compaction: the context is small again, and new.
pub(crate) fn compacted(
    ledger: &mut Ledger,
    trigger: Option<&str>,
    (tokens_before, tokens_after): (Option<u64>, Option<u64>),
    timestamp: Option<&str>,
    offset: u64,
) {
    ledger.last_message = 0;
    ledger.context_tokens = tokens_after;
    ledger.stretch.begin(ledger.turn);
    if ledger.compactions.len() >= COMPACTIONS_MAX {
        ledger.compactions.remove(0);
    }
    ledger.compactions.push(CompactionSeen {
        place: TranscriptPlace { turn: ledger.turn, offset },
        trigger: super::head(trigger.unwrap_or_default(), 20).to_owned(),
        tokens_before,
        tokens_after,
        timestamp: super::head(timestamp.unwrap_or_default(), 40).to_owned(),
    });
}
