//! Batches become rows: once each, with what happened to every entry, and a working set to rebuild from.

use serde_json::json;
use tempfile::TempDir;
use throughline_domain::{Kind, Origin};
use throughline_store::archive::{Archive, EntryRow, Filter, FoldCount, NOT_COMMITTED};
use throughline_store::outbox::{Event, Op, Outbox};

use crate::archive::{PROJECT, ROOT, archive_in, batch, decision, fold, leave};

const ALL: Filter = Filter { kind: None, live_only: false, limit: 100_000 };

fn all(archive: &Archive) -> Vec<EntryRow> {
    let mut rows = archive.entries(PROJECT, ALL).unwrap();
    rows.reverse();
    rows
}

#[test]
fn an_entry_is_added_changed_leaves_and_returns_and_stays_one_row() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    fold(&mut archive, &[batch(1, vec![decision(Op::Add, 1, "use tabs")])]);
    let row = all(&archive).remove(0);
    assert_eq!(
        (row.kind.as_str(), row.id.as_str(), row.text.as_str(), row.origin.as_str(), row.trusted),
        ("decision", "D1", "use tabs", "user", true)
    );
    assert_eq!(row.session.as_deref(), Some("session-1"));
    assert_eq!((row.changed_at, row.left_at), (None, None));

    fold(&mut archive, &[batch(2, vec![decision(Op::Change, 1, "use spaces")])]);
    let row = all(&archive).remove(0);
    assert_eq!((row.text.as_str(), row.changed_at.is_some()), ("use spaces", true));
    assert_eq!(row.body["decision"], "use spaces");
    assert!(archive.knows(PROJECT, Kind::Decision, "D1", "use tabs").unwrap(), "the old words are kept");

    fold(&mut archive, &[batch(3, vec![leave(1, "use spaces", "section full")])]);
    let row = all(&archive).remove(0);
    assert_eq!(row.left_why.as_deref(), Some("section full"));
    assert_eq!(row.left_at, Some(batch(3, vec![]).at));
    assert_eq!(archive.entries(PROJECT, Filter { live_only: true, ..ALL }).unwrap(), []);

    fold(&mut archive, &[batch(4, vec![decision(Op::Return, 1, "use spaces")])]);
    let rows = all(&archive);
    assert_eq!((rows.len(), &rows[0].left_at, &rows[0].left_why), (1, &None, &None));
}

#[test]
fn folding_twice_adds_nothing_and_brings_no_old_working_set_back() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let batches: Vec<_> =
        (1..=40).map(|n| batch(n, vec![decision(Op::Add, n, "x"), leave(n, "x", "rm")])).collect();
    let first = archive.fold_batches(PROJECT, ROOT, &batches, &[true; 40]).unwrap();
    assert_eq!((first.added, first.left, first.repeated), (40, 40, 0));
    let (rows, newest) = (all(&archive), archive.working_set(PROJECT).unwrap().unwrap());
    let second = archive.fold_batches(PROJECT, ROOT, &batches, &[true; 40]).unwrap();
    assert_eq!(second, FoldCount { repeated: 80, ..FoldCount::default() });
    let third = archive.fold_batches(PROJECT, ROOT, &batches[..3], &[true; 3]).unwrap();
    assert_eq!(third.repeated, 6);
    assert_eq!(all(&archive), rows);
    assert_eq!(archive.working_set(PROJECT).unwrap().unwrap(), newest);
    assert_eq!(newest.1, "hash-40");
}

#[test]
fn the_newest_working_set_and_twenty_before_it_are_kept() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    for number in 1..=30 {
        fold(&mut archive, &[batch(number, vec![])]);
    }
    let sets = archive.working_sets(PROJECT, 100).unwrap();
    assert_eq!(sets.len(), 21);
    assert_eq!(sets[0], (json!({"version": "2.0.0", "number": 30}).to_string(), "hash-30".to_owned()));
    assert_eq!(sets[20].1, "hash-10");
    assert_eq!(archive.working_set("nobody").unwrap(), None);
}

#[test]
fn a_batch_that_was_never_committed_leaves_its_additions_marked_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    fold(&mut archive, &[batch(1, vec![decision(Op::Add, 1, "use tabs")])]);
    let lost = batch(
        2,
        vec![decision(Op::Add, 2, "use spaces"), leave(1, "use tabs", "rm"), decision(Op::Change, 1, "else")],
    );
    let count = archive.fold_batches(PROJECT, ROOT, &[lost, batch(3, vec![])], &[false, true]).unwrap();
    assert_eq!(count, FoldCount { not_committed: 1, ..FoldCount::default() });
    let rows = all(&archive);
    assert_eq!((rows[0].text.as_str(), &rows[0].left_at), ("use tabs", &None));
    assert_eq!((rows[1].text.as_str(), rows[1].left_why.as_deref()), ("use spaces", Some(NOT_COMMITTED)));
    assert_eq!(archive.working_set(PROJECT).unwrap().unwrap().1, "hash-3");
    assert_eq!(archive.counters(PROJECT).unwrap()[0], (Kind::Decision, 2), "its id is used up all the same");
    // A batch nobody vouches for is treated the same way.
    archive.fold_batches(PROJECT, ROOT, &[batch(4, vec![decision(Op::Add, 3, "y")])], &[]).unwrap();
    assert_eq!(all(&archive)[2].left_why.as_deref(), Some(NOT_COMMITTED));
}

#[test]
fn an_entry_the_archive_never_heard_of_is_recorded_when_something_happens_to_it() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let mut event = leave(5, "use tabs", "section full");
    event.body["timestamp"] = json!("2025-12-24T08:00:00Z");
    fold(&mut archive, &[batch(1, vec![event, decision(Op::Change, 6, "b"), decision(Op::Return, 7, "c")])]);
    let rows = all(&archive);
    assert_eq!(rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["D5", "D6", "D7"]);
    assert_eq!(rows[0].recorded_at, "2025-12-24T08:00:00.000Z");
    assert_eq!(rows[0].left_why.as_deref(), Some("section full"));
    assert_eq!(rows[1].left_at, None);
}

#[test]
fn an_id_with_other_words_is_another_entry_and_the_first_one_is_out() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    fold(&mut archive, &[batch(1, vec![decision(Op::Add, 1, "use tabs")])]);
    fold(&mut archive, &[batch(2, vec![decision(Op::Add, 1, "deploy on Fridays")])]);
    let rows = all(&archive);
    assert_eq!(rows.len(), 2);
    assert!(rows[0].left_why.as_deref().unwrap().contains("another entry"));
    assert_eq!(rows[1].left_at, None);
    for text in ["use tabs", "deploy on Fridays"] {
        assert!(archive.knows(PROJECT, Kind::Decision, "D1", text).unwrap());
    }
    for (kind, id, text) in [
        (Kind::Decision, "D1", "use"),
        (Kind::Decision, "D2", "use tabs"),
        (Kind::Constraint, "D1", "use tabs"),
    ] {
        assert!(!archive.knows(PROJECT, kind, id, text).unwrap());
    }
    assert!(!archive.knows("elsewhere", Kind::Decision, "D1", "use tabs").unwrap());
}

#[test]
fn an_entry_that_is_added_again_after_it_left_is_back_in_its_row() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    fold(&mut archive, &[batch(1, vec![decision(Op::Add, 1, "use tabs")])]);
    fold(&mut archive, &[batch(2, vec![leave(1, "use tabs", "removed by hand")])]);
    fold(&mut archive, &[batch(3, vec![decision(Op::Add, 1, "use tabs")])]);
    let rows = all(&archive);
    assert_eq!((rows.len(), &rows[0].left_at), (1, &None));
}

#[test]
fn counters_know_the_highest_number_of_each_kind_from_rows_and_from_the_state() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let odd = Event { id: "dec_99".to_owned(), ..decision(Op::Add, 1, "foreign id") };
    let other_kind = Event { id: "C77".to_owned(), ..decision(Op::Add, 1, "an id of another kind") };
    let mut last = batch(1, vec![decision(Op::Add, 9, "a"), decision(Op::Add, 10, "b"), odd, other_kind]);
    last.state = json!({"counters": {"D": 4, "Q": 12, "E": u64::MAX, "A": "many"}});
    fold(&mut archive, &[last]);
    let counters = archive.counters(PROJECT).unwrap();
    assert_eq!(counters.len(), Kind::ALL.len());
    assert!(counters.contains(&(Kind::Decision, 10)));
    assert!(counters.contains(&(Kind::Question, 12)));
    assert!(counters.contains(&(Kind::Evidence, u64::from(u32::MAX))));
    assert!(counters.contains(&(Kind::Anchor, 0)));
    assert!(counters.contains(&(Kind::Constraint, 0)));
    assert!(archive.counters("nobody").unwrap().iter().all(|(_, number)| *number == 0));
}

#[test]
fn what_tools_and_other_programs_said_is_not_trusted_until_somebody_does() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let events =
        [Origin::User, Origin::Assistant, Origin::Hand, Origin::Import, Origin::Tool].into_iter().zip(1..);
    let events = events.map(|(origin, n)| Event { origin, ..decision(Op::Add, n, "x") }).collect();
    fold(&mut archive, &[batch(1, events)]);
    let trusted = |archive: &Archive| all(archive).iter().map(|row| row.trusted).collect::<Vec<_>>();
    assert_eq!(trusted(&archive), [true, true, true, false, false]);
    assert_eq!(archive.trust_all(PROJECT).unwrap(), 1);
    assert_eq!(trusted(&archive), [true, true, true, true, false]);
}

#[test]
fn bodies_of_any_shape_are_kept_and_found() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let bodies = [
        json!(null),
        json!("only a string"),
        json!([1, 2]),
        json!({"decision": 5, "note": "number instead of words"}),
        json!({"id": "D5", "decision": "nul \u{0} inside and 😀", "rationale": "'; DROP TABLE entries; --"}),
    ];
    let events: Vec<Event> = bodies
        .iter()
        .zip(1..)
        .map(|(body, n)| Event { body: body.clone(), ..decision(Op::Add, n, "") })
        .collect();
    fold(&mut archive, &[batch(1, events)]);
    let rows = all(&archive);
    assert_eq!(rows.iter().map(|row| row.body.clone()).collect::<Vec<_>>(), bodies);
    assert_eq!(rows[4].text, "nul \u{0} inside and 😀");
    assert_eq!(archive.search("instead", None, 5).unwrap()[0].id, "D4");
    assert_eq!(archive.search("'; DROP TABLE entries; --", None, 5).unwrap()[0].id, "D5");
}

#[test]
fn an_unknown_kind_is_kept_and_listed() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let event = Event { kind: "prophecy".to_owned(), id: "X1".to_owned(), ..decision(Op::Add, 1, "rain") };
    fold(&mut archive, &[batch(1, vec![event, decision(Op::Add, 1, "umbrella")])]);
    assert_eq!(all(&archive)[0].kind, "prophecy");
    let only = Filter { kind: Some(Kind::Decision), ..ALL };
    assert_eq!(archive.entries(PROJECT, only).unwrap().len(), 1);
}

#[test]
fn a_torn_or_repeated_line_in_the_outbox_costs_nothing_else() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    let outbox = Outbox::in_folder(&throughline_store::door::outside::at(folder.path()));
    outbox.append(&batch(1, vec![decision(Op::Add, 1, "a")])).unwrap();
    let whole = std::fs::read(outbox.path().shown()).unwrap();
    let torn = [&whole[..], &whole[..whole.len() / 2]].concat();
    std::fs::write(outbox.path().shown(), torn).unwrap();
    outbox.append(&batch(2, vec![decision(Op::Add, 2, "b")])).unwrap();
    let again = [std::fs::read(outbox.path().shown()).unwrap(), whole].concat();
    std::fs::write(outbox.path().shown(), again).unwrap();
    let batches = outbox.read_all().unwrap();
    assert_eq!(batches.len(), 3);
    fold(&mut archive, &batches);
    assert_eq!(all(&archive).iter().map(|row| row.text.clone()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(archive.working_set(PROJECT).unwrap().unwrap().1, "hash-2");
}

#[test]
fn projects_do_not_mix() {
    let folder = TempDir::new().unwrap();
    let (_, mut archive) = archive_in(&folder);
    fold(&mut archive, &[batch(1, vec![decision(Op::Add, 1, "mine")])]);
    archive
        .fold_batches("other", "/other", &[batch(2, vec![decision(Op::Add, 1, "yours")])], &[true])
        .unwrap();
    assert_eq!(all(&archive).len(), 1);
    assert!(archive.has_project(PROJECT).unwrap() && archive.has_project("other").unwrap());
    assert!(!archive.has_project("nobody").unwrap());
    assert_eq!(archive.project_root("other").unwrap().as_deref(), Some("/other"));
    assert_eq!(archive.search("", None, 10).unwrap().len(), 2);
    assert_eq!(archive.search("mine yours", Some("other"), 10).unwrap().len(), 1);
    assert_eq!(archive.counts("other").unwrap().entries, 1);
}
