//! Recall at a session's end: the last of its words go into the index, as far as the time goes.

use std::time::{Duration, Instant};

use throughline_engine::intake::recall::{Limits, catch_up_one};
use throughline_store::recall::{Recall, RecallError};

use crate::hook::gate::Gate;

/// The client gives a session's end 1.5 s in all; what is left is read by the next query.
const TIME_MAX: Duration = Duration::from_millis(250);
const BYTES_MAX: u64 = throughline_domain::limits::HOOK_RECALL_BYTES_MAX;
const WAIT: Duration = Duration::from_millis(50);

/// Indexes what the session said since the last time. Whoever writes to the index at this moment goes first.
pub(in crate::hook) fn index(gate: &Gate<'_>) {
    let run = gate.run;
    let rules = &gate.config.recall;
    if !rules.enabled || run.payload.transcript_path.is_empty() {
        return;
    }
    let path = run.place.home.recall();
    let Some(writing) = Recall::writing_now(&path) else { return };
    let limits = Limits { deadline: Some(Instant::now() + TIME_MAX), file_bytes: Some(BYTES_MAX) };
    let transcript = run.transcript();
    let indexed = Recall::open(&path, WAIT).and_then(|mut store| {
        catch_up_one(&run.place.home, transcript.source(), &mut store, &writing, rules, limits)
    });
    match indexed {
        // A damaged index is set aside by the next query, which somebody waits for.
        Ok(_) | Err(RecallError::Busy { .. }) => {}
        Err(error) => run.failures.add(error),
    }
}
