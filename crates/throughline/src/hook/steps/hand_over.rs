//! The hand-over at the hooks: taken in when a compaction really happened, asked of the agent before one.

use std::borrow::Cow;
use std::path::PathBuf;

use throughline_briefing::hand_over::whose;
use throughline_briefing::notes::{NotesEntry, When};
use throughline_domain::hand_over::{HandOverLine, HandOvers, StandingLine};
use throughline_domain::ledger::Ledger;
use throughline_engine::hand_over;
use throughline_store::door::Spot;
use throughline_store::hand_over_file;
use throughline_store::lock::Patience;
use throughline_store::session::{CompactionMark, SessionFacts, Way};

use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::notes;

/// A compaction happened: what its summary hands over is taken in. A subagent's is not ours.
pub(in crate::hook) fn after_compaction(
    gate: &Gate<'_>,
    mark: &CompactionMark,
    summary: Option<&str>,
    ledger: Option<&Ledger>,
) {
    let run = gate.run;
    let (Some(summary), None, false) = (summary, &run.payload.agent_id, gate.facts.paused) else { return };
    let ledger = ledger.map_or_else(|| Cow::Owned(run.transcript().read_so_far()), Cow::Borrowed);
    // It tells of what stood in the context when it was asked for.
    let turn = if mark.summary_turn > 0 { mark.summary_turn } else { ledger.turn };
    let giver = hand_over::Giver { folder: &run.folder, work: Some(&gate.memory.project.work) };
    let taken = hand_over::take_summary(giver, summary, turn, &ledger, run.now);
    if run.failures.keep_of("hand-over", taken) == Some(true) {
        note(gate, &ledger);
    }
}

/// The session's notes show what was handed over.
fn note(gate: &Gate<'_>, ledger: &Ledger) {
    let Some(last) = hand_over_file::read(&gate.run.folder).last else { return };
    let lines = last.lines.iter().map(HandOverLine::told).collect();
    let entry = NotesEntry { at: When::Now, title: format!("Handed over {}", whose(last.by)), lines };
    notes::handed_over(gate, ledger, entry);
}

/// What was handed over in this session, each fact with whether it holds.
pub(in crate::hook) fn of_own(gate: &Gate<'_>, ledger: &Ledger) -> Vec<StandingLine> {
    standing(&gate.run.folder, || gate.memory.project.work.clone(), ledger)
}

/// The same of another session.
pub(in crate::hook) fn of_session(run: &Run, session: &str, ledger: &Ledger) -> Vec<StandingLine> {
    let folder = run.place.home.session(session);
    let work = || {
        let facts = SessionFacts::read(&folder).unwrap_or_default();
        facts.work_root.unwrap_or(facts.project_root)
    };
    standing(&folder, work, ledger)
}

fn standing(folder: &Spot, work: impl FnOnce() -> PathBuf, ledger: &Ledger) -> Vec<StandingLine> {
    let all = hand_over_file::read(folder);
    if all.is_empty() { Vec::new() } else { hand_over::standing(&all, &work(), ledger) }
}

/// This session goes on from another: what lasts of that one's hand-overs is carried on.
pub(in crate::hook) fn go_on_from(run: &Run, other: &str) {
    let theirs: HandOvers = hand_over_file::read(&run.place.home.session(other));
    if other == run.payload.session_id || theirs.is_empty() {
        return;
    }
    let carried = hand_over_file::go_on_from(&run.folder, &theirs, Patience::Hook);
    run.failures.keep_of("hand-over", carried);
}

/// The call by which the agent can hand over without asking anybody; `None` where there is none.
pub(in crate::hook) fn way<'c>(run: &Run, cache: &'c SessionFacts) -> Option<&'c Way> {
    let mode = run.payload.permission_mode.as_deref().unwrap_or("default");
    if cache.hand_over.percent == 0 || mode == "plan" {
        return None;
    }
    // In these the client asks nobody.
    let asks_nobody = matches!(mode, "bypassPermissions" | "auto");
    cache.hand_over.ways.iter().find(|way| way.allowed || asks_nobody)
}

/// The thresholds of a session: where the agent can hand over, being asked to takes the place of the second one.
pub(in crate::hook) fn thresholds(run: &Run, cache: &SessionFacts) -> Vec<u64> {
    let mut thresholds = cache.thresholds.clone();
    if way(run, cache).is_some()
        && let Some(second) = thresholds.get_mut(1)
    {
        *second = cache.hand_over.percent;
    }
    thresholds
}
