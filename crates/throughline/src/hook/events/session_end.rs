//! SessionEnd: saved and folded, within the little time that the client gives.

use throughline_domain::{Trigger, substance, time};
use throughline_engine::ledger;
use throughline_store::archive::{Archive, SessionRow};
use throughline_store::session::{Registry, SessionCache, SessionNote, last_record};

use crate::hook::Outcome;
use crate::hook::Run;
use crate::hook::events::usual;
use crate::hook::steps::gate::{self, Session};
use crate::hook::steps::notes;
use crate::hook::steps::reading;
use crate::hook::steps::recall;

/// SessionEnd: saves and folds, within the second and a half that the client gives.
pub(in crate::hook) fn run(run: &Run) -> Outcome {
    let mut outcome = Outcome::silent();
    let Some(session) = gate::open(run) else { return outcome };
    let reason = run.payload.reason.as_deref().unwrap_or("other");
    let phase = session.memory.peek().ok().flatten().and_then(|state| state.sd.phase);
    let note = SessionNote {
        at: run.now.as_millisecond(),
        session: run.payload.session_id.clone(),
        what: "end".to_owned(),
        how: throughline_domain::text::one_line(reason, 40),
        parent: session.cache.parent.clone(),
        phase: phase.map(|phase| throughline_domain::text::one_line(&phase, 60)),
    };
    // First the note, without which the next start takes this for a crash.
    if let Err(error) = Registry::of(&run.place.home, &session.memory.project).note(&note) {
        outcome.failures.push(error.to_string());
    }
    if !session.cache.paused {
        reading::settle_lineage(run, &session, &mut outcome.failures);
        let told = ledger::catch_up(
            &run.place.home,
            &run.payload.session_id,
            &run.payload.transcript_path,
            ledger::SLICE_BYTES,
            &mut outcome.failures,
        );
        // One that did nothing leaves what its predecessor left as it is.
        if substance::worked(&told) && session.memory.project.state_file().exists() {
            usual::save(run, &session, Trigger::Checkpoint, &mut outcome.failures);
        }
        notes::at_gate(run, &session, Some(&told), None, &mut outcome.failures);
    }
    gate::fold(run, &session.memory, &mut outcome.failures);
    archive_session(run, &session, &note.how, &mut outcome.failures);
    if !session.cache.paused {
        recall::index(run, &session, &mut outcome.failures);
    }
    outcome
}

fn archive_session(run: &Run, session: &Session, reason: &str, failures: &mut Vec<String>) {
    let row = SessionRow {
        transcript: Some(run.payload.transcript_path.clone()),
        last_seen_at: time::iso(run.now),
        ended_at: Some(time::iso(run.now)),
        end_reason: Some(reason.to_owned()),
        ..row_of(run, session, &session.cache)
    };
    archive(run, &[row], failures);
}

/// Sessions that are gone without a word: what is known of them, before their folders go.
pub(in crate::hook) fn archive_crashed(
    run: &Run,
    session: &Session,
    ids: &[&str],
    failures: &mut Vec<String>,
) {
    let home = &run.place.home;
    let caches = ids.iter().filter_map(|id| SessionCache::read(&home.session(id)));
    let rows: Vec<SessionRow> = caches
        .map(|cache| {
            let last =
                last_record(&home.session(&cache.session)).map_or(cache.started_at, |record| record.at);
            let last = throughline_domain::Timestamp::from_millisecond(last).unwrap_or(run.now);
            SessionRow { last_seen_at: time::iso(last), ..row_of(run, session, &cache) }
        })
        .collect();
    archive(run, &rows, failures);
}

fn row_of(run: &Run, session: &Session, cache: &SessionCache) -> SessionRow {
    let started = throughline_domain::Timestamp::from_millisecond(cache.started_at).unwrap_or(run.now);
    SessionRow {
        id: cache.session.clone(),
        project: session.memory.project.key.clone(),
        agent: cache.agent.clone(),
        transcript: Some(cache.transcript.clone()),
        source: Some(cache.source.clone()),
        started_at: time::iso(started),
        last_seen_at: time::iso(started),
        ended_at: None,
        end_reason: None,
    }
}

fn archive(run: &Run, rows: &[SessionRow], failures: &mut Vec<String>) {
    if rows.is_empty() {
        return;
    }
    let wait = std::time::Duration::from_millis(200);
    let noted = Archive::open(&run.place.home.archive(), wait)
        .and_then(|mut archive| rows.iter().try_for_each(|row| archive.note_session(row)));
    if let Err(error) = noted {
        failures.push(error.to_string());
    }
}
