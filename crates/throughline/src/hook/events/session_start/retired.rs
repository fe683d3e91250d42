//! Old sessions, retired at a start: what their spools still hold goes into the archive, and the folders go.

use throughline_engine::liveness::{self, Seen};
use throughline_store::session::Registry;

use crate::hook::events::session_end;
use crate::hook::gate::{ARCHIVE_WAIT, Gate};
use crate::hook::steps::summaries;

/// Most old sessions that one start clears away.
const RETIRED_MAX: usize = 20;

/// Clears away sessions that are over since a day, or of which there are too many. They are not forgotten: the archive lists
/// them.
pub(super) fn retire(gate: &Gate<'_>, seen: &[Seen], kept: Option<&str>) {
    let run = gate.run;
    let home = &run.place.home;
    let day_ago_ms = run.now.as_millisecond() - liveness::STALE_MS;
    let is_known = |id: &str| seen.iter().any(|seen| seen.session == id);
    let over = seen.iter().filter(|seen| seen.is_over() && seen.last_active_ms < day_ago_ms);
    let mut ids: Vec<String> = over.map(|seen| seen.session.clone()).collect();
    // Those before the newest ones that a start looks at: over, as far as their own last line tells.
    for note in Registry::of(home, &gate.memory.project).recent() {
        let is_new = !is_known(&note.session) && !ids.contains(&note.session);
        if is_new && ids.len() < RETIRED_MAX && note.at < day_ago_ms && home.session(&note.session).exists() {
            ids.push(note.session);
        }
    }
    // The one that the work goes on from stays until another one has worked, or it is too old to be told.
    let old_ms =
        i64::try_from(gate.config.restore.resume_hours).unwrap_or(i64::MAX).saturating_mul(3_600_000);
    let is_told = |id: &str| {
        let seen = seen.iter().find(|seen| seen.session == id);
        kept == Some(id) && seen.is_some_and(|seen| run.now.as_millisecond() - seen.last_active_ms < old_ms)
    };
    ids.retain(|id| *id != run.payload.session_id && !is_told(id));
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    session_end::archive_crashed(gate, &ids);
    run.failures.keep(throughline_store::gate::retire(&gate.memory, &ids, ARCHIVE_WAIT));
    summaries::forget_checks(&run.place, &ids);
}
