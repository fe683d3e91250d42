//! Sessions and compactions: what is learnt bit by bit adds up.

use tempfile::TempDir;
use throughline_store::archive::{CompactionRow, SessionRow};

use crate::archive::{PROJECT, archive_in};

fn session(id: &str, started_at: &str, last_seen_at: &str) -> SessionRow {
    SessionRow {
        id: id.to_owned(),
        project: PROJECT.to_owned(),
        agent: "claude-code".to_owned(),
        transcript: None,
        source: None,
        started_at: started_at.to_owned(),
        last_seen_at: last_seen_at.to_owned(),
        ended_at: None,
        end_reason: None,
    }
}

#[test]
fn what_is_known_of_a_session_stays_and_what_is_new_is_added() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let first = SessionRow {
        transcript: Some("/t.jsonl".to_owned()),
        source: Some("startup".to_owned()),
        ..session("s", "2026-01-26T10:00:00.000Z", "2026-01-26T10:00:00.000Z")
    };
    archive.note_session(&first).unwrap();
    archive.note_session(&session("s", "2026-01-26T11:00:00.000Z", "2026-01-26T11:00:00.000Z")).unwrap();
    let known = archive.sessions(PROJECT, 10).unwrap().remove(0);
    assert_eq!(known, SessionRow { last_seen_at: "2026-01-26T11:00:00.000Z".to_owned(), ..first });
}

#[test]
fn a_session_ends_and_lives_again_when_it_is_seen_after_its_end() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let live = session("s", "2026-01-26T10:00:00.000Z", "2026-01-26T10:00:00.000Z");
    let end = "2026-01-26T12:00:00.000Z".to_owned();
    let ended = SessionRow {
        ended_at: Some(end.clone()),
        end_reason: Some("logout".to_owned()),
        last_seen_at: end.clone(),
        ..live.clone()
    };
    archive.note_session(&ended).unwrap();
    archive.note_session(&live).unwrap();
    let known = archive.sessions(PROJECT, 10).unwrap().remove(0);
    assert_eq!(
        (known.ended_at, known.end_reason.as_deref()),
        (Some(end), Some("logout")),
        "a late note is no life"
    );
    archive
        .note_session(&SessionRow { last_seen_at: "2026-01-27T09:00:00.000Z".to_owned(), ..live })
        .unwrap();
    let known = archive.sessions(PROJECT, 10).unwrap().remove(0);
    assert_eq!((known.ended_at, known.end_reason), (None, None));
}

#[test]
fn the_session_last_seen_comes_first_and_projects_do_not_mix() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    for (id, seen) in [("a", "2026-01-01"), ("b", "2026-01-03"), ("c", "2026-01-02")] {
        archive.note_session(&session(id, "2026-01-01", seen)).unwrap();
    }
    archive
        .note_session(&SessionRow { project: "other".to_owned(), ..session("d", "2026", "2027") })
        .unwrap();
    let ids: Vec<String> = archive.sessions(PROJECT, 2).unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["b", "c"]);
    assert_eq!(archive.counts(PROJECT).unwrap().sessions, 3);
}

#[test]
fn compactions_are_read_latest_first_and_a_summary_that_comes_later_is_added() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let compaction = |at: &str, focus: Option<&str>, summary: Option<&str>| CompactionRow {
        session: "s".to_owned(),
        project: PROJECT.to_owned(),
        at: at.to_owned(),
        trigger: Some("auto".to_owned()),
        focus: focus.map(str::to_owned),
        summary: summary.map(str::to_owned),
    };
    archive.note_compaction(&compaction("2026-01-26T10:00:00.000Z", Some("the parser"), None)).unwrap();
    archive.note_compaction(&compaction("2026-01-26T12:00:00.000Z", None, None)).unwrap();
    archive.note_compaction(&compaction("2026-01-26T10:00:00.000Z", None, Some("we wrote it"))).unwrap();
    let known = archive.compactions(PROJECT, 10).unwrap();
    assert_eq!(known.len(), 2);
    assert_eq!(known[0].at, "2026-01-26T12:00:00.000Z");
    assert_eq!(
        (known[1].focus.as_deref(), known[1].summary.as_deref()),
        (Some("the parser"), Some("we wrote it"))
    );
    assert_eq!(archive.compactions(PROJECT, 1).unwrap().len(), 1);
}
