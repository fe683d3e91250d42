//! The hand-over at the hooks: taken in when a compaction really happened, asked of the agent before one.

use std::borrow::Cow;
use std::path::PathBuf;

use throughline_briefing::fragment::{FragmentKind, wrap};
use throughline_briefing::hand_over::whose;
use throughline_briefing::notes::{NotesEntry, When};
use throughline_domain::hand_over::{HandOverLine, HandOvers, StandingLine};
use throughline_domain::ledger::Ledger;
use throughline_domain::text::thousands;
use throughline_engine::hand_over;
use throughline_store::door::Spot;
use throughline_store::hand_over_file;
use throughline_store::lock::Patience;
use throughline_store::session::{CompactionMark, SessionFacts, Way};

use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::notes;

/// The kinds, as an agent is reminded of them.
const KINDS: &str = "open (asked, promised, the next step), rule (the user's words), state (what passes and \
                     fails, with counts; what was edited and not run since), command (whole lines that work here, look-ups \
                     too), where (file, function and line of what was changed or found), found (causes, explanations), choice \
                     (what, why, instead of what), tried (what did not work or had to be done over, why, what took its \
                     place), value (ids, numbers, names, settings with their defaults)";

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
    let taken =
        hand_over::take_summary(&run.place.home, &run.payload.session_id, summary, turn, &ledger, run.now);
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

/// Asks the agent for a hand-over, in one call.
pub(in crate::hook) fn notice(cache: &SessionFacts, way: &Way, used_tokens: u64, percent: u64) -> String {
    let used = thousands(used_tokens);
    let where_to = match cache.compacts_at_tokens {
        Some(at) => format!("the context is compacted at {} tokens", thousands(at)),
        None => "this client will not compact by itself: ask the user to run /compact in time".to_owned(),
    };
    let call = if way.is_shell {
        format!("`{} - <<'END'` … `END`", way.call)
    } else {
        format!("the tool `{}`, argument `text`", way.call)
    };
    let text = format!(
        "The context holds {used} tokens, {percent} % of the way: {where_to}. The state was saved. As soon as \
         nothing is half done, hand over in one call, then go on: {call}. Write for one who knows nothing of this session; \
         one fact a line, `kind: fact`, exact, at most 500 words: {KINDS}."
    );
    wrap(FragmentKind::Notice, &text)
}

#[cfg(test)]
mod tests {
    use throughline_domain::hand_over::FORM;

    use super::*;

    #[test]
    fn the_agent_is_reminded_of_every_kind() {
        let lacks: Vec<&str> =
            FORM.iter().map(|row| row.word).filter(|word| !KINDS.contains(&format!("{word} ("))).collect();
        assert!(lacks.is_empty(), "{lacks:?}");
    }
}
