//! The store of usage: each response once, sums that follow, rows that can be sent on.

use std::time::Duration;

use tempfile::TempDir;
use throughline_domain::slice::{Dimension, Query};
use throughline_domain::usage::{Boundary, RecordId, Response, Sample, Signs, Tier, Tokens};
use throughline_domain::{Health, Timestamp};
use throughline_store::known_files::{FileMark, KnownFile};
use throughline_store::transcript_file::Cursor;
use throughline_store::usage::{Added, Batch, RowKind, UsageStore};

const WAIT: Duration = Duration::from_secs(5);

fn open(folder: &TempDir) -> UsageStore {
    UsageStore::open(&throughline_store::door::outside::at(&folder.path().join("throughline.db")), WAIT)
        .unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn response(id: &str, moment: &str, output: u64) -> Response {
    let tokens =
        Tokens { input: 3, output, cache_write_5m: 5, cache_write_1h: 7, cache_read: 11, web_searches: 0 };
    Response {
        id: RecordId::of(&[id]),
        at: at(moment),
        session: "s1".to_owned(),
        project: "/home/me/app".to_owned(),
        model: "claude-opus-4-6".to_owned(),
        tier: Tier::default(),
        is_sidechain: false,
        tokens,
        context: tokens.context(),
    }
}

fn sample(session: &str, moment: &str, percent: u16, compaction: bool) -> Sample {
    Sample {
        at: at(moment),
        session: session.to_owned(),
        model: "claude-opus-4-6".to_owned(),
        context_used: u64::from(percent) * 2_000,
        context_size: 200_000,
        percent,
        input: 1,
        output: 2,
        cache_create: 3,
        cache_read: 4,
        status: Health::Healthy,
        compaction,
        previous_percent: None,
        compacts_at: None,
        cost_micros: Some(1_500_000),
        cwd: "/home/me/app/src".to_owned(),
        project: "/home/me/app".to_owned(),
        signs: Signs { drop: compaction, ..Signs::default() },
    }
}

fn responses(responses: Vec<Response>) -> Batch {
    Batch { responses, ..Batch::default() }
}

fn totals(store: &UsageStore) -> (u64, u64) {
    let slices = store.slices(&Query::default()).unwrap();
    (slices.iter().map(|slice| slice.responses).sum(), slices.iter().map(|slice| slice.tokens.total()).sum())
}

#[test]
fn a_response_that_comes_again_counts_once_and_keeps_its_largest_output() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    let first = store.add(&responses(vec![response("a", "2026-01-01T10:00:00Z", 2)])).unwrap();
    assert_eq!(first, Added { responses: 1, ..Added::default() });
    let again = store.add(&responses(vec![response("a", "2026-01-01T10:00:01Z", 150)])).unwrap();
    assert_eq!(again, Added { grown: 1, ..Added::default() });
    let smaller = store.add(&responses(vec![response("a", "2026-01-01T10:00:02Z", 9)])).unwrap();
    assert_eq!(smaller, Added::default());
    assert_eq!(totals(&store), (1, 3 + 150 + 5 + 7 + 11));
    let slices = store.slices(&Query { by: vec![Dimension::Slot], ..Query::default() }).unwrap();
    assert_eq!(slices[0].first, at("2026-01-01T10:00:00Z"), "a response came when its first line came");
}

#[test]
fn the_order_in_which_copies_come_does_not_matter() {
    let copies = [
        response("a", "2026-01-01T10:14:59.999Z", 2),
        response("a", "2026-01-01T10:15:00Z", 150),
        response("a", "2026-01-01T10:15:01Z", 9),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
        let folder = TempDir::new().unwrap();
        let mut store = open(&folder);
        for index in order {
            store.add(&responses(vec![copies[index].clone()])).unwrap();
        }
        let slices = store.slices(&Query { by: vec![Dimension::Slot], ..Query::default() }).unwrap();
        assert_eq!(slices.len(), 1, "{order:?}");
        assert_eq!(slices[0].slot, Some(at("2026-01-01T10:00:00Z")), "{order:?}");
        assert_eq!(slices[0].tokens.output, 150, "{order:?}");
    }
}

#[test]
fn a_changed_row_moves_behind_all_others_so_that_a_sender_sees_it() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    let (a, b) = (response("a", "2026-01-01T10:00:00Z", 2), response("b", "2026-01-01T10:00:00Z", 2));
    store.add(&responses(vec![a, b])).unwrap();
    let sent = store.last_row(RowKind::Responses).unwrap();
    store.note_sent("db", RowKind::Responses, sent, at("2026-01-01T11:00:00Z")).unwrap();
    // The last row too gets a new number, not its own again.
    for id in ["b", "a"] {
        store.add(&responses(vec![response(id, "2026-01-01T10:00:00Z", 70)])).unwrap();
    }
    let changed = store.responses_after(store.sent("db", RowKind::Responses).unwrap(), 10).unwrap();
    let ids: Vec<RecordId> = changed.iter().map(|numbered| numbered.row.id).collect();
    assert_eq!(ids, [RecordId::of(&["b"]), RecordId::of(&["a"])]);
    assert!(changed.iter().all(|numbered| numbered.row.tokens.output == 70));
    assert_eq!(store.sent("other", RowKind::Responses).unwrap(), 0);
    store.note_sent("db", RowKind::Responses, 1, at("2026-01-01T11:00:00Z")).unwrap();
    assert_eq!(store.sent("db", RowKind::Responses).unwrap(), sent, "never goes back");
}

#[test]
fn the_moments_that_a_response_gave_up_are_known_under_its_new_number() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    let moments = ["2026-01-01T10:00:05Z", "2026-01-01T10:00:03Z", "2026-01-01T10:00:01Z"];
    for moment in moments {
        store.add(&responses(vec![response("a", moment, 2), response(moment, moment, 1)])).unwrap();
    }
    let last = store.last_row(RowKind::Responses).unwrap();
    let id = RecordId::of(&["a"]);
    let mut moved = store.moved_between(0, last).unwrap();
    moved.sort_unstable();
    assert_eq!(moved, [(at(moments[1]), id), (at(moments[0]), id)]);
    assert_eq!(store.moved_between(last, i64::MAX).unwrap(), []);
    store.add(&responses(vec![response("a", "2026-01-01T10:00:09Z", 2)])).unwrap();
    assert_eq!(store.moved_between(0, i64::MAX).unwrap().len(), 2, "a later copy moves nothing");
}

#[test]
fn rows_come_back_as_they_were_given() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    let boundary = Boundary {
        id: RecordId::of(&["boundary"]),
        at: at("2026-01-01T10:00:00.123Z"),
        session: "s1".to_owned(),
        project: "/home/me/app".to_owned(),
        model: "claude-opus-4-6".to_owned(),
        is_auto: true,
        tokens_before: 167_081,
        tokens_after: None,
    };
    let batch = Batch {
        responses: vec![response("a", "2026-01-01T10:00:00.456Z", 2)],
        boundaries: vec![boundary.clone()],
        samples: vec![sample("s1", "2026-01-01T10:00:00.789Z", 42, true)],
        ..Batch::default()
    };
    store.add(&batch).unwrap();
    assert_eq!(store.responses_after(0, 10).unwrap()[0].row, batch.responses[0]);
    assert_eq!(store.boundaries_after(0, 10).unwrap()[0].row, boundary);
    assert_eq!(store.samples_after(0, 10).unwrap()[0].row, batch.samples[0]);
    assert_eq!(store.add(&batch).unwrap(), Added::default(), "nothing is new the second time");
}

#[test]
fn two_samples_in_one_second_are_two() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    let samples =
        [sample("s1", "2026-01-01T10:00:00Z", 42, false), sample("s1", "2026-01-01T10:00:00Z", 43, false)];
    let added = store.add(&Batch { samples: samples.to_vec(), ..Batch::default() }).unwrap();
    assert_eq!(added.samples, 2);
}

#[test]
fn a_failed_batch_leaves_neither_rows_nor_cursors() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    let file = |offset| {
        let mut cursor = Cursor::at_start();
        cursor.offset = offset;
        let mark = FileMark { device: 1, inode: u64::MAX, size_bytes: 3, mtime_ns: 4 };
        KnownFile { key: "/t.jsonl".to_owned(), mark, is_settled: true, cursor, state: "{}".to_owned() }
    };
    let batch = Batch {
        responses: vec![response("a", "2026-01-01T10:00:00Z", 2)],
        files: vec![file(7)],
        ..Batch::default()
    };
    store.add(&batch).unwrap();
    assert_eq!(store.known_files().unwrap()["/t.jsonl"], file(7));
    let blocker = rusqlite_lock(&folder);
    let mut second = UsageStore::open(
        &throughline_store::door::outside::at(&folder.path().join("throughline.db")),
        Duration::from_millis(20),
    )
    .unwrap();
    let more = Batch {
        responses: vec![response("b", "2026-01-01T10:00:00Z", 2)],
        files: vec![file(9)],
        ..Batch::default()
    };
    second.add(&more).unwrap_err();
    drop(blocker);
    assert_eq!((totals(&store).0, store.known_files().unwrap()["/t.jsonl"].cursor.offset), (1, 7));
}

/// Another process in the middle of writing.
fn rusqlite_lock(folder: &TempDir) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(folder.path().join("throughline.db")).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

#[test]
fn slices_are_cut_at_local_midnights_and_filtered() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    let mut elsewhere = response("c", "2026-01-01T23:30:00Z", 1_000);
    elsewhere.project = "/home/me/other".to_owned();
    elsewhere.model = "claude-haiku-4-5".to_owned();
    elsewhere.is_sidechain = true;
    let all =
        vec![response("a", "2026-01-01T22:59:59Z", 1), response("b", "2026-01-01T23:00:00Z", 10), elsewhere];
    store.add(&responses(all)).unwrap();
    // Midnights in Berlin.
    let query = Query {
        cuts: vec![at("2025-12-31T23:00:00Z"), at("2026-01-01T23:00:00Z")],
        by: vec![Dimension::Period],
        ..Query::default()
    };
    let outputs = |query: &Query| -> Vec<(Option<usize>, u64)> {
        store.slices(query).unwrap().iter().map(|slice| (slice.period, slice.tokens.output)).collect()
    };
    assert_eq!(outputs(&query), [(Some(0), 1), (Some(1), 10), (Some(1), 1_000)]);
    let only = |project: Option<&str>, model: Option<&str>| Query {
        project: project.map(str::to_owned),
        model: model.map(str::to_owned),
        ..query.clone()
    };
    assert_eq!(outputs(&only(Some("other"), None)), [(Some(1), 1_000)]);
    assert_eq!(outputs(&only(None, Some("opus"))), [(Some(0), 1), (Some(1), 10)]);
    let since =
        Query { since: Some(at("2026-01-01T23:00:00Z")), until: Some(at("2026-01-01T23:15:00Z")), ..query };
    assert_eq!(outputs(&since), [(Some(1), 10)]);
}

#[test]
fn before_a_compaction_is_the_sample_before_it_and_not_the_compaction_before() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    // 93, 95 and 91 percent, down to 12, 13 and 12; other sessions in between.
    let samples = [
        ("s1", "2026-01-01T10:00:00Z", 93, false),
        ("s2", "2026-01-01T10:00:30Z", 50, false),
        ("s1", "2026-01-01T10:01:00Z", 12, true),
        ("s1", "2026-01-01T11:00:00Z", 95, false),
        ("s1", "2026-01-01T11:01:00Z", 13, true),
        ("s1", "2026-01-01T12:00:00Z", 91, false),
        ("s2", "2026-01-01T12:00:30Z", 51, false),
        ("s1", "2026-01-01T12:01:00Z", 12, true),
    ];
    let samples = samples.map(|(session, at, percent, is)| sample(session, at, percent, is)).to_vec();
    store.add(&Batch { samples, ..Batch::default() }).unwrap();
    let found = store.sampled_compactions(&Query::default()).unwrap();
    let pairs: Vec<(Option<u16>, u16)> =
        found.iter().map(|it| (it.before_percent, it.after_percent)).collect();
    assert_eq!(pairs, [(Some(93), 12), (Some(95), 13), (Some(91), 12)]);
    let gauges = store.gauges(&Query { session: Some("s1".to_owned()), ..Query::default() }).unwrap();
    assert_eq!(gauges.len(), 1);
    assert_eq!((gauges[0].peak_percent, gauges[0].last_percent, gauges[0].compactions), (95, 12, 3));
    assert_eq!(gauges[0].cost_micros, Some(1_500_000), "the client's own sum, not the sum of the samples");
}

#[test]
fn names_are_masked_before_they_are_stored() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder);
    let mut odd = response("a", "2026-01-01T10:00:00Z", 1);
    odd.project = "/tmp/token=abcdefgh12345678".to_owned();
    store.add(&responses(vec![odd])).unwrap();
    let stored = store.responses_after(0, 1).unwrap();
    assert_eq!(stored[0].row.project, "/tmp/token=[masked:token]");
}
