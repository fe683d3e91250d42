//! SessionEnd: saved and folded, within the little time that the client gives.

use throughline_domain::{Trigger, substance, time};
use throughline_engine::ledger;
use throughline_store::archive::{Archive, SessionRow};
use throughline_store::session::{Registry, SessionFacts, SessionNote, last_record};

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::gate::Gate;
use crate::hook::steps::notes;
use crate::hook::steps::reading;
use crate::hook::steps::recall;
use crate::hook::steps::saving;

/// SessionEnd: saves and folds, within the second and a half that the client gives.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let Some(gate) = Gate::open(run) else { return Outcome::silent() };
    let reason = run.payload.reason.as_deref().unwrap_or("other");
    let phase = gate.state().sd.phase.clone();
    let note = SessionNote {
        at: run.now.as_millisecond(),
        session: run.payload.session_id.clone(),
        what: "end".to_owned(),
        how: throughline_domain::text::one_line(reason, 40),
        parent: run.progress().parent,
        phase: phase.map(|phase| throughline_domain::text::one_line(&phase, 60)),
    };
    // First the note, without which the next start takes this for a crash.
    run.failures.keep(Registry::of(&run.place.home, &gate.memory.project).note(&note));
    if !gate.facts.paused {
        reading::settle_lineage(&gate);
        let told = gate.catch_up(ledger::SLICE_BYTES);
        // One that did nothing leaves what its predecessor left as it is.
        if substance::worked(&told) && gate.memory.project.state_file().exists() {
            saving::save(&gate, Trigger::Checkpoint);
        }
        notes::at_gate(&gate, Some(&told), None);
    }
    gate.fold();
    archive_session(&gate, &note.how);
    if !gate.facts.paused {
        recall::index(&gate);
    }
    Outcome::silent()
}

fn archive_session(gate: &Gate<'_>, reason: &str) {
    let run = gate.run;
    let row = SessionRow {
        transcript: Some(run.payload.transcript_path.clone()),
        last_seen_at: time::iso(run.now),
        ended_at: Some(time::iso(run.now)),
        end_reason: Some(reason.to_owned()),
        ..row_of(gate, &gate.facts)
    };
    archive(run, &[row]);
}

/// Sessions that are gone without a word: what is known of them, before their folders go.
pub(in crate::hook) fn archive_crashed(gate: &Gate<'_>, ids: &[&str]) {
    let run = gate.run;
    let home = &run.place.home;
    let caches = ids.iter().filter_map(|id| SessionFacts::read(&home.session(id)));
    let rows: Vec<SessionRow> = caches
        .map(|cache| {
            let last =
                last_record(&home.session(&cache.session)).map_or(cache.started_at, |record| record.at);
            let last = throughline_domain::Timestamp::from_millisecond(last).unwrap_or(run.now);
            SessionRow { last_seen_at: time::iso(last), ..row_of(gate, &cache) }
        })
        .collect();
    archive(run, &rows);
}

fn row_of(gate: &Gate<'_>, cache: &SessionFacts) -> SessionRow {
    let started = throughline_domain::Timestamp::from_millisecond(cache.started_at).unwrap_or(gate.run.now);
    SessionRow {
        id: cache.session.clone(),
        project: gate.memory.project.key.clone(),
        agent: cache.agent.clone(),
        transcript: Some(cache.transcript.clone()),
        source: Some(cache.source.clone()),
        started_at: time::iso(started),
        last_seen_at: time::iso(started),
        ended_at: None,
        end_reason: None,
    }
}

fn archive(run: &Run, rows: &[SessionRow]) {
    if rows.is_empty() {
        return;
    }
    let wait = std::time::Duration::from_millis(200);
    let noted = Archive::open(&run.place.home.archive(), wait)
        .and_then(|mut archive| rows.iter().try_for_each(|row| archive.note_session(row)));
    run.failures.keep(noted);
}
