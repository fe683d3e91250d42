//! Forgetting by origin in the databases: rows by session and by time, sums that follow, numbers that are not given twice.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use throughline_domain::Timestamp;
use throughline_domain::slice::Query;
use throughline_domain::usage::{RecordId, Response, Tier, Tokens};
use throughline_recall::{CommandOutcome, Passage, PassageKind};
use throughline_store::archive::{Archive, SessionRow};
use throughline_store::forget::Scope;
use throughline_store::lock::Patience;
use throughline_store::paths::{Home, Project};
use throughline_store::recall::{Batch as Passages, NewBlock, Recall};
use throughline_store::usage::{Batch, RowKind, UsageStore};

const WAIT: Duration = Duration::from_secs(5);
const ROOT: &str = "/home/me/app";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn scope(session: Option<&str>, before: Option<&str>) -> Scope {
    let home = Home::at("/nowhere");
    Scope {
        project: Project::at(Path::new(ROOT), None, &home),
        session: session.map(str::to_owned),
        before: before.map(at),
        sessions: session.map_or_else(
            || vec!["old-session-1".to_owned(), "new-session-2".to_owned()],
            |it| vec![it.to_owned()],
        ),
    }
}

fn response(id: &str, session: &str, project: &str, moment: &str) -> Response {
    let tokens = Tokens { input: 3, output: 10, ..Tokens::default() };
    Response {
        id: RecordId::of(&[id]),
        at: at(moment),
        session: session.to_owned(),
        project: project.to_owned(),
        model: "claude-opus-4-6".to_owned(),
        tier: Tier::default(),
        is_sidechain: false,
        tokens,
        context: tokens.context(),
    }
}

fn database(folder: &TempDir) -> PathBuf {
    folder.path().join("throughline.db")
}

fn counted(store: &UsageStore) -> (u64, u64) {
    let slices = store.slices(&Query::default()).unwrap();
    (slices.iter().map(|slice| slice.responses).sum(), slices.iter().map(|slice| slice.tokens.output).sum())
}

#[test]
fn usage_before_a_moment_goes_also_within_a_quarter_of_an_hour_and_others_stays() {
    let folder = TempDir::new().unwrap();
    let mut store =
        UsageStore::open(&throughline_store::door::outside::at(&database(&folder)), WAIT).unwrap();
    let rows = vec![
        response("a", "old-session-1", ROOT, "2026-01-01T09:00:00Z"),
        response("b", "old-session-1", ROOT, "2026-01-01T10:01:00Z"),
        response("c", "old-session-1", ROOT, "2026-01-01T10:09:00Z"),
        response("d", "new-session-2", ROOT, "2026-01-02T10:00:00Z"),
        response("e", "elsewhere-3", "/home/me/app/nested", "2026-01-01T09:00:00Z"),
    ];
    store.add(&Batch { responses: rows, ..Batch::default() }).unwrap();
    drop(store);
    let mut archive = Archive::open(&throughline_store::door::outside::at(&database(&folder)), WAIT).unwrap();
    let before = scope(None, Some("2026-01-01T10:05:00Z"));
    assert_eq!(archive.forget_scope(&before, true).unwrap().usage, 2);
    assert_eq!(
        counted(&UsageStore::open(&throughline_store::door::outside::at(&database(&folder)), WAIT).unwrap()),
        (5, 50),
        "a trial"
    );
    assert_eq!(archive.forget_scope(&before, false).unwrap().usage, 2);
    assert!(archive.leave_nothing_behind().unwrap());
    assert_eq!(archive.free_pages().unwrap(), 0);
    let store = UsageStore::open(&throughline_store::door::outside::at(&database(&folder)), WAIT).unwrap();
    assert_eq!(counted(&store), (3, 30), "the sums follow");
    assert_eq!(store.responses_after(0, 10).unwrap().len(), 3);
    assert_eq!(archive.forget_scope(&before, true).unwrap().sum(), 0);
}

#[test]
fn numbers_of_forgotten_rows_are_sent_when_they_are_given_again() {
    let folder = TempDir::new().unwrap();
    let mut store =
        UsageStore::open(&throughline_store::door::outside::at(&database(&folder)), WAIT).unwrap();
    let rows = vec![
        response("a", "new-session-2", ROOT, "2026-01-01T09:00:00Z"),
        response("b", "old-session-1", ROOT, "2026-01-01T10:00:00Z"),
    ];
    store.add(&Batch { responses: rows, ..Batch::default() }).unwrap();
    let last = store.last_row(RowKind::Responses).unwrap();
    store.note_sent("fleet", RowKind::Responses, last, at("2026-01-01T11:00:00Z")).unwrap();
    drop(store);
    Archive::open(&throughline_store::door::outside::at(&database(&folder)), WAIT)
        .unwrap()
        .forget_scope(&scope(Some("old-session-1"), None), false)
        .unwrap();
    let mut store =
        UsageStore::open(&throughline_store::door::outside::at(&database(&folder)), WAIT).unwrap();
    store
        .add(&Batch {
            responses: vec![response("c", "new-session-2", ROOT, "2026-01-02T09:00:00Z")],
            ..Batch::default()
        })
        .unwrap();
    let sent = store.sent("fleet", RowKind::Responses).unwrap();
    let waiting = store.responses_after(sent, 10).unwrap();
    assert_eq!(waiting.len(), 1, "the new one waits to be sent: {waiting:?}");
}

#[test]
fn a_session_that_goes_on_keeps_its_row_and_not_when_it_began() {
    let folder = TempDir::new().unwrap();
    let mut archive = Archive::open(&throughline_store::door::outside::at(&database(&folder)), WAIT).unwrap();
    let key = scope(None, None).project.key;
    for (id, started, last) in [
        ("old-session-1", "2026-01-01T09:00:00.000Z", "2026-01-01T09:30:00.000Z"),
        ("new-session-2", "2026-01-01T09:00:00.000Z", "2026-01-03T09:00:00.000Z"),
    ] {
        let row = SessionRow {
            id: id.to_owned(),
            project: key.clone(),
            agent: "claude-code".to_owned(),
            transcript: None,
            source: None,
            started_at: started.to_owned(),
            last_seen_at: last.to_owned(),
            ended_at: None,
            end_reason: None,
        };
        archive.note_session(&row).unwrap();
    }
    archive.forget_scope(&scope(None, Some("2026-01-02T00:00:00Z")), false).unwrap();
    let left = archive.sessions(&key, 10).unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(
        (left[0].id.as_str(), left[0].started_at.as_str()),
        ("new-session-2", "2026-01-02T00:00:00.000Z")
    );
}

fn passage(at_s: i64, text: &str) -> Passage {
    let (kind, outcome) = (PassageKind::User, CommandOutcome::Unknown);
    Passage { kind, outcome, is_sidechain: false, at_s, turn: 1, text: text.to_owned() }
}

#[test]
fn a_block_across_the_moment_is_cut_and_passages_keep_their_numbers() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("recall.db");
    let writing = Recall::writing(&throughline_store::door::outside::at(&path), Patience::Person).unwrap();
    let mut index = Recall::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
    let old = at("2026-01-01T00:00:00Z").as_second();
    let texts = [passage(old, "the heron waits"), passage(old + 86_400 * 9, "the kestrel hovers")];
    let others = [passage(old, "the marmot sleeps")];
    let blocks = vec![
        NewBlock::pack("old-session-1", ROOT, &texts, &[11, 12]),
        NewBlock::pack("elsewhere-3", "/home/me/other", &others, &[13]),
    ];
    index.add(&writing, &Passages { blocks, ..Passages::default() }).unwrap();
    let cut = scope(None, Some("2026-01-05T00:00:00Z"));
    assert_eq!(index.forget_scope(&writing, &cut, true).unwrap(), 1);
    assert_eq!(index.passages().unwrap(), 3, "a trial");
    assert_eq!(index.forget_scope(&writing, &cut, false).unwrap(), 1);
    assert_eq!(index.passages().unwrap(), 2);
    let around = index.around(2, 5, 5).unwrap();
    assert_eq!(
        around.iter().map(|it| (it.id, it.text.as_str())).collect::<Vec<_>>(),
        [(2, "the kestrel hovers")]
    );
    assert!(index.session_of(1).unwrap().is_none());
    assert_eq!(index.around(3, 0, 0).unwrap()[0].text, "the marmot sleeps");
    assert!(index.known_lines().unwrap().contains(&12), "its lines are not taken in again");
    assert_eq!(index.forget_scope(&writing, &cut, true).unwrap(), 0);
}
