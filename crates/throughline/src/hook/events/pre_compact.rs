//! PreCompact: saved before the summary is made; says what that should keep.

use std::rc::Rc;

use throughline_briefing::preservation::{self, PRESERVATION_TOKENS_MAX};
use throughline_briefing::snapshot::{self, SnapshotParts};
use throughline_briefing::{Cap, Facts};
use throughline_domain::ledger::Ledger;
use throughline_domain::text::{one_line, shorten};
use throughline_domain::{Detail, GitState, State, Trigger};
use throughline_engine::{git_now, ledger};
use throughline_redact as redact;
use throughline_store::door::outside;
use throughline_store::memory::NewEntry;
use throughline_store::project_files;
use throughline_store::session::CompactionMark;

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::anchors;
use crate::hook::steps::backups;
use crate::hook::steps::checkpoints;
use crate::hook::steps::glance;
use crate::hook::steps::hand_over;
use crate::hook::steps::notes;
use crate::hook::steps::saving;
use crate::hook::steps::subagents;
use crate::hook::steps::summaries::{self, When};

/// PreCompact: a summary is asked for. Save, snapshot; says what the summary should keep. Whether the context is compacted
/// then, later or never, only what follows tells.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let Some(gate) = Gate::open(run) else { return Outcome::silent() };
    let trigger = run.payload.trigger.as_deref().unwrap_or("auto");
    // Behind a `/compact` stand the user's own words; what comes with a compaction that nobody asked for is nobody's.
    let typed = run.payload.custom_instructions.as_deref().filter(|_| trigger == "manual");
    let focus = typed.map(str::trim).filter(|focus| !focus.is_empty());
    let mark = asked(run, trigger, focus);
    run.failures.keep(mark.write(&run.folder));
    if gate.facts.paused {
        return Outcome::silent();
    }
    // Before git is asked: what it says now a checkpoint goes by, too.
    gate.keep_out_of_git();
    let taken = gate.git.snapshot(std::time::SystemTime::now());
    let state = save(&gate, &taken.state, focus);
    let parts = SnapshotParts {
        now: run.now,
        trigger,
        git: &taken.state,
        diff_stat: &taken.diff_stat,
        staged_stat: &taken.staged_stat,
        modified_last_hour: &taken.modified_last_hour,
    };
    run.failures.keep(project_files::write_snapshot(&gate.memory.project, &snapshot::render(&parts)));
    let mut told = preserve(&gate);
    run.failures.keep(CompactionMark { asked_turn: told.turn, ..mark }.write(&run.folder));
    git_now::settle(&mut told, &taken.state);
    let untrusted = gate.untrusted();
    let around: Vec<String> = subagents::line(&run.folder).into_iter().collect();
    let handed = hand_over::of_own(&gate, &told);
    let facts = Facts { untrusted: &untrusted, around: &around, hand_over: &handed, ..Facts::default() };
    let cap = Cap::tokens(PRESERVATION_TOKENS_MAX);
    let text = preservation::render(&state, &facts, focus, &taken.diff_stat, &told, cap);
    backups::before_compaction(&gate);
    // What waits is safe in the outbox; PostCompact, or the next gate, takes it to the archive.
    Outcome::saying(text)
}

/// The mark of a summary that is asked for now. One that was made before and not used yet may still be the one that counts.
fn asked(run: &Run, trigger: &str, focus: Option<&str>) -> CompactionMark {
    let waiting = CompactionMark::unused(&run.folder).unwrap_or_default();
    CompactionMark {
        at: run.now.as_millisecond(),
        trigger: one_line(trigger, 20),
        focus: focus.map(|focus| redact::text(focus).into_owned()),
        asked_bytes: outside::metadata(&run.payload.transcript_path).map_or(0, |meta| meta.len()),
        summary: waiting.summary,
        summary_bytes: waiting.summary_bytes,
        summary_turn: waiting.summary_turn,
        ..CompactionMark::default()
    }
}

/// Reads the transcript on and keeps what must be kept of it; gives what it told, finished work from before included.
fn preserve(gate: &Gate<'_>) -> Ledger {
    let mut told = gate.catch_up(ledger::LARGE_SLICE_BYTES);
    summaries::keep(gate, &told, When::Compacting);
    glance::keep(gate, Some(&told));
    anchors::propose(gate, &told);
    notes::before_compaction(gate, &told);
    checkpoints::automatic(gate, "precompact", None, Some(&told));
    summaries::recall(&gate.run.place, &gate.run.payload.session_id, &mut told);
    told
}

/// Saves; gives the state, also where nothing could be written: there is still something to be told.
fn save(gate: &Gate<'_>, git: &GitState, focus: Option<&str>) -> Rc<State> {
    let saved = saving::save_with(gate, Trigger::Precompact, git.clone(), |draft| {
        if let Some(focus) = focus {
            let text = shorten(&redact::text(focus), 1_000);
            // A focus that cannot be recorded must not cost the save.
            let _ = draft.add(NewEntry { text, detail: Detail::Directive { source: "/compact".to_owned() } });
        }
    });
    if saved.is_err() {
        // What was said on the way here may be said again.
        gate.run.change_progress(|progress| progress.thresholds_said.clear());
    }
    gate.state()
}
