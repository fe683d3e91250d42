//! Endings: a turn's (Stop) and the session's (SessionEnd). What waits goes into the archive.

use throughline_domain::ledger::Ledger;
use throughline_domain::{Trigger, time};
use throughline_store::archive::{Archive, SessionRow};
use throughline_store::ledger_file::LedgerFile;
use throughline_store::session::{Registry, SessionNote};

use super::gate::{self, Session};
use super::summaries::{self, When};
use super::{Outcome, Run, anchors, checkpoints, compaction, glance, usual};
use crate::ledger;

/// Stop: folds what waits.
pub(super) fn stop(run: &Run) -> Outcome {
    let mut outcome = Outcome::silent();
    if let Some(session) = gate::open(run) {
        if !session.cache.paused {
            usual::catch_up_save(run, &session, &mut outcome.failures);
        }
        outcome.note = compaction::unnoted(run);
        if !session.cache.paused {
            let told = read_on(run, &session, &mut outcome.failures);
            checkpoints::at_gate(run, &session, told.as_ref(), &mut outcome.failures);
        }
        gate::fold(run, &session.memory, &mut outcome.failures);
    }
    outcome
}

/// Takes note of what the transcript tells since the last gate, and summarises what is over.
pub(super) fn read_on(run: &Run, session: &Session, failures: &mut Vec<String>) -> Option<Ledger> {
    let payload = &run.payload;
    if LedgerFile::may_wait(&run.place.home.session(&payload.session_id), &payload.transcript_path) {
        glance::keep(run, &session.memory, None, failures);
        return None;
    }
    let told = ledger::catch_up(
        &run.place.home,
        &payload.session_id,
        &payload.transcript_path,
        ledger::SLICE_BYTES,
        failures,
    );
    summaries::keep(run, session, &told, When::Filling, failures);
    glance::keep(run, &session.memory, Some(&told), failures);
    anchors::propose(run, session, &told, failures);
    Some(told)
}

/// SessionEnd: saves and folds, within the second and a half that the client gives.
pub(super) fn session_end(run: &Run) -> Outcome {
    let mut outcome = Outcome::silent();
    let Some(session) = gate::open(run) else { return outcome };
    let reason = run.payload.reason.as_deref().unwrap_or("other");
    let note = SessionNote {
        at: run.now.as_millisecond(),
        session: run.payload.session_id.clone(),
        what: "end".to_owned(),
        how: throughline_domain::text::one_line(reason, 40),
    };
    // First the note, without which the next start takes this for a crash.
    if let Err(error) = Registry::of(&run.place.home, &session.memory.project).note(&note) {
        outcome.failures.push(error.to_string());
    }
    if !session.cache.paused && session.memory.project.state_file().exists() {
        usual::save(run, &session, Trigger::Checkpoint, &mut outcome.failures);
    }
    gate::fold(run, &session.memory, &mut outcome.failures);
    archive_session(run, &session, &note.how, &mut outcome.failures);
    outcome
}

fn archive_session(run: &Run, session: &Session, reason: &str, failures: &mut Vec<String>) {
    let started =
        throughline_domain::Timestamp::from_millisecond(session.cache.started_at).unwrap_or(run.now);
    let row = SessionRow {
        id: run.payload.session_id.clone(),
        project: session.memory.project.key.clone(),
        agent: session.cache.agent.clone(),
        transcript: Some(run.payload.transcript_path.clone()),
        source: Some(session.cache.source.clone()),
        started_at: time::iso(started),
        last_seen_at: time::iso(run.now),
        ended_at: Some(time::iso(run.now)),
        end_reason: Some(reason.to_owned()),
    };
    let wait = std::time::Duration::from_millis(200);
    let noted =
        Archive::open(&run.place.home.archive(), wait).and_then(|mut archive| archive.note_session(&row));
    if let Err(error) = noted {
        failures.push(error.to_string());
    }
}
