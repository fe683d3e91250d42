//! A spool is folded in once, together with how far it was read.

use serde_json::json;
use tempfile::TempDir;
use throughline_store::archive::{Archive, Receipt, SpoolFold};
use throughline_store::spool::{self, Slice, Spool, SpoolRecord};

use crate::archive::{PROJECT, WAIT, archive_in};

const SESSION: &str = "session-1";

fn record(at: i64, ev: &str, out: &str) -> SpoolRecord {
    SpoolRecord {
        at,
        ev: ev.to_owned(),
        us: 500,
        out: out.to_owned(),
        said: 7,
        via: "s".to_owned(),
        claim: format!("{ev}-{at}"),
        turn: 0,
        tools: 0,
        note: None,
        ran: Vec::new(),
        length: 0,
    }
}

fn slice(records: Vec<SpoolRecord>, end: u64) -> Slice {
    Slice { records, end, skipped: 0 }
}

/// Folds records into a new archive and shows what `show` gives.
fn folded(records: Vec<SpoolRecord>) -> (TempDir, Archive) {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    assert_eq!(archive.fold_spool(SESSION, PROJECT, &slice(records, 10), 0).unwrap(), SpoolFold::Folded);
    (folder, archive)
}

fn outcomes(receipts: &[Receipt]) -> Vec<(&str, &str)> {
    receipts.iter().map(|receipt| (receipt.event.as_str(), receipt.outcome.as_str())).collect()
}

#[test]
fn a_spool_is_folded_from_where_the_last_fold_ended() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let mut spool = Spool::open(&throughline_store::door::outside::at(folder.path())).unwrap();
    for at in 1..=3 {
        spool.append(&record(at, "Stop", "ok")).unwrap();
        let from = archive.spool_offset(SESSION).unwrap();
        let slice = spool::read_from(&throughline_store::door::outside::at(folder.path()), from).unwrap();
        assert_eq!(slice.records.len(), 1);
        assert_eq!(archive.fold_spool(SESSION, PROJECT, &slice, from).unwrap(), SpoolFold::Folded);
    }
    assert_eq!(archive.counts(PROJECT).unwrap().receipts, 3);
    let bytes = std::fs::metadata(folder.path().join("spool.jsonl")).unwrap().len();
    assert_eq!(archive.spool_offset(SESSION).unwrap(), bytes);
    archive.retire_spool(SESSION).unwrap();
    assert_eq!(archive.spool_offset(SESSION).unwrap(), 0);
}

#[test]
fn a_slice_that_somebody_else_folded_meanwhile_is_not_stored_again() {
    let (folder, mut archive) = folded(vec![record(1, "Stop", "ok")]);
    let again = archive.fold_spool(SESSION, PROJECT, &slice(vec![record(1, "Stop", "ok")], 10), 0).unwrap();
    assert_eq!(again, SpoolFold::Moved { offset: 10 });
    assert_eq!(archive.counts(PROJECT).unwrap().receipts, 1);
    drop((folder, archive));
}

#[test]
fn sixteen_folders_of_one_spool_store_every_record_once() {
    let folder = TempDir::new().unwrap();
    let (path, archive) = archive_in(&folder);
    let mut spool = Spool::open(&throughline_store::door::outside::at(folder.path())).unwrap();
    for at in 0..400 {
        spool.append(&SpoolRecord { note: Some(json!(at)), ..record(at, "Stop", "ok") }).unwrap();
    }
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
                let from = archive.spool_offset(SESSION).unwrap();
                let slice =
                    spool::read_from(&throughline_store::door::outside::at(folder.path()), from).unwrap();
                archive.fold_spool(SESSION, PROJECT, &slice, from).unwrap();
            });
        }
    });
    assert_eq!(archive.counts(PROJECT).unwrap().receipts, 400);
    assert_eq!(archive.notes(SESSION, 1_000).unwrap().len(), 400);
}

#[test]
fn the_last_run_of_each_event_is_shown_with_what_it_did() {
    let (_folder, archive) = folded(vec![
        record(1_000, "Stop", "ok"),
        record(2_000, "PreCompact", "git took too long"),
        SpoolRecord { us: 900, said: 42, ..record(9_000, "Stop", "ok") },
    ]);
    let last = archive.last_receipts(PROJECT).unwrap();
    assert_eq!(outcomes(&last), [("Stop", "ok"), ("PreCompact", "git took too long")]);
    assert_eq!((last[0].at_ms, last[0].duration_us, last[0].said_bytes), (9_000, 900, 42));
    assert_eq!(last[0].session, SESSION);
    assert_eq!(outcomes(&archive.failures(PROJECT, 10).unwrap()), [("PreCompact", "git took too long")]);
}

#[test]
fn a_claim_and_its_end_are_one_run() {
    let claim = SpoolRecord { claim: "c".to_owned(), us: 0, ..record(1_000, "PreCompact", "claim") };
    let end = SpoolRecord { claim: "c".to_owned(), us: 30_000_000, ..record(31_000, "PreCompact", "ok") };
    let (_folder, mut archive) = folded(vec![claim]);
    assert_eq!(outcomes(&archive.last_receipts(PROJECT).unwrap()), [("PreCompact", "claim")]);
    archive.fold_spool(SESSION, PROJECT, &slice(vec![end], 20), 10).unwrap();
    let last = archive.last_receipts(PROJECT).unwrap();
    assert_eq!((outcomes(&last), last[0].duration_us), (vec![("PreCompact", "ok")], 30_000_000));
    assert_eq!(archive.counts(PROJECT).unwrap().receipts, 1);
}

#[test]
fn a_run_that_began_and_never_ended_is_a_failure_once_the_session_went_on() {
    let (_folder, mut archive) =
        folded(vec![record(1_000, "Stop", "claim"), record(2_000, "PreCompact", "ok")]);
    assert_eq!(archive.failures(PROJECT, 10).unwrap(), []);
    archive.fold_spool(SESSION, PROJECT, &slice(vec![record(99_000, "SessionEnd", "ok")], 20), 10).unwrap();
    assert_eq!(outcomes(&archive.failures(PROJECT, 10).unwrap()), [("Stop", "claim")]);
}

#[test]
fn the_same_event_from_two_installations_is_one_run_and_one_yield() {
    let seen = |at: i64, via: &str, out: &str| SpoolRecord {
        claim: "same".to_owned(),
        via: via.to_owned(),
        note: Some(json!({"turns": 3})),
        ..record(at, "Stop", out)
    };
    let (_folder, archive) = folded(vec![
        seen(1_000, "s", "claim"),
        seen(1_001, "p", "claim"),
        seen(1_003, "s", "ok"),
        seen(1_004, "p", "ok"),
        seen(1_005, "p", "yield"),
        // The same payload much later is another event.
        seen(60_000, "p", "ok"),
    ]);
    assert_eq!(archive.counts(PROJECT).unwrap().receipts, 3);
    let last = archive.last_receipts(PROJECT).unwrap();
    assert_eq!((last[0].via.as_str(), last[0].at_ms), ("p", 60_000));
    assert_eq!(archive.notes(SESSION, 10).unwrap().len(), 2, "noted once by each event");
    assert_eq!(archive.failures(PROJECT, 10).unwrap(), []);
}

#[test]
fn a_failure_of_the_second_installation_is_not_hidden() {
    let seen = |at: i64, via: &str, out: &str| SpoolRecord {
        claim: "same".to_owned(),
        via: via.to_owned(),
        ..record(at, "Stop", out)
    };
    let (_folder, archive) = folded(vec![seen(1, "s", "ok"), seen(2, "p", "could not read the settings")]);
    assert_eq!(outcomes(&archive.failures(PROJECT, 10).unwrap()), [("Stop", "could not read the settings")]);
}

#[test]
fn the_same_payload_twice_from_one_installation_is_two_runs() {
    let twice = |at| SpoolRecord { claim: "same".to_owned(), ..record(at, "Stop", "ok") };
    let (_folder, archive) = folded(vec![twice(1), twice(2)]);
    assert_eq!(archive.counts(PROJECT).unwrap().receipts, 2);
}

#[test]
fn the_newest_five_thousand_receipts_are_kept_and_the_last_of_each_event() {
    let mut records = vec![record(1, "SessionEnd", "ok"), record(2, "Stop", "ok")];
    records.extend((3..6_003).map(|at| record(at, "PostToolBatch", "ok")));
    let (_folder, archive) = folded(records);
    assert_eq!(archive.counts(PROJECT).unwrap().receipts, 5_002);
    let events: Vec<String> =
        archive.last_receipts(PROJECT).unwrap().into_iter().map(|it| it.event).collect();
    assert_eq!(events, ["PostToolBatch", "Stop", "SessionEnd"]);
}

#[test]
fn odd_numbers_and_times_are_stored_without_complaint() {
    let odd =
        SpoolRecord { us: u64::MAX, said: u64::MAX, claim: String::new(), ..record(i64::MAX, "Stop", "ok") };
    let (_folder, archive) =
        folded(vec![odd, record(i64::MIN, "Stop", "claim"), record(i64::MIN, "Stop", "ok")]);
    assert_eq!(archive.counts(PROJECT).unwrap().receipts, 2);
    archive.failures(PROJECT, 10).unwrap();
}
