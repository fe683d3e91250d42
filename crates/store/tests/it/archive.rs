//! Opening the archive, and what the other archive tests build on.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use throughline_domain::{Kind, Origin};
use throughline_store::archive::{Archive, ArchiveError, SCHEMA_VERSION};
use throughline_store::outbox::{Batch, Event, Op};

pub(crate) const WAIT: Duration = Duration::from_secs(20);
pub(crate) const PROJECT: &str = "shop-0123";
pub(crate) const ROOT: &str = "/home/dev/shop";

pub(crate) fn archive_in(folder: &TempDir) -> (PathBuf, Archive) {
    let path = folder.path().join("throughline.db");
    let archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
    (path, archive)
}

pub(crate) fn decision(op: Op, number: u64, text: &str) -> Event {
    let id = format!("D{number}");
    let body = json!({"id": id, "decision": text, "rationale": "", "timestamp": "", "reversible": true});
    Event { op, kind: "decision".to_owned(), id, origin: Origin::User, body, why: None }
}

pub(crate) fn leave(number: u64, text: &str, why: &str) -> Event {
    Event { why: Some(why.to_owned()), ..decision(Op::Leave, number, text) }
}

/// A batch whose uid, time and hashes follow from its number.
pub(crate) fn batch(number: u64, events: Vec<Event>) -> Batch {
    Batch {
        uid: format!("batch-{number}"),
        at: format!("2026-01-26T15:{:02}:{:02}.{:03}Z", number / 60_000, number / 1_000 % 60, number % 1_000),
        session: Some("session-1".to_owned()),
        hash_before: number.checked_sub(1).map(|before| format!("hash-{before}")),
        hash_after: format!("hash-{number}"),
        events,
        state: json!({"version": "2.0.0", "number": number}),
    }
}

/// Folds batches that were all committed.
pub(crate) fn fold(archive: &mut Archive, batches: &[Batch]) {
    archive.fold_batches(PROJECT, ROOT, batches, &vec![true; batches.len()]).unwrap();
}

pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_new_archive_and_its_folder_are_for_the_owner_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data/throughline/throughline.db");
    let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
    fold(&mut archive, &[batch(1, vec![decision(Op::Add, 1, "use tabs")])]);
    assert_eq!(mode_of(path.parent().unwrap()), 0o700);
    for file in [path.clone(), beside(&path, "-wal"), beside(&path, "-shm")] {
        assert_eq!(mode_of(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn the_schema_version_counts_the_migration_files_and_all_are_applied() {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations")).unwrap();
    let migrations =
        files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|it| it == "sql"));
    assert_eq!(migrations.count(), SCHEMA_VERSION as usize);
    let folder = TempDir::new().unwrap();
    let (path, archive) = archive_in(&folder);
    drop(archive);
    let plain = Connection::open(path).unwrap();
    let version: u32 = plain.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let journal: String = plain.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!((version, journal.as_str()), (SCHEMA_VERSION, "wal"));
}

#[test]
fn an_archive_of_the_first_version_is_brought_up_and_keeps_its_rows() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("throughline.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../../migrations/0001_entries.sql")).unwrap();
    old.execute_batch(
        "PRAGMA user_version = 1;
         INSERT INTO projects VALUES ('shop-0123', '/home/dev/shop', '', '');
         INSERT INTO entries (project, kind, id, number, text, reason, body, origin, recorded_at, trusted)
         VALUES ('shop-0123', 'decision', 'D7', 7, 'use tabs', '', '{}', 'user', '', 1);",
    )
    .unwrap();
    drop(old);
    let archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
    assert_eq!(archive.search("tabs", None, 5).unwrap()[0].id, "D7");
    assert_eq!(archive.counters(PROJECT).unwrap()[Kind::Decision.index()], (Kind::Decision, 7));
    assert_eq!(archive.sessions(PROJECT, 5).unwrap(), []);
}

#[test]
fn an_archive_of_a_newer_version_is_refused_and_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    let (path, archive) = archive_in(&folder);
    drop(archive);
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    let content = || (fs::read(&path).unwrap(), fs::read(beside(&path, "-wal")).unwrap_or_default());
    let before = content();
    let error = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap_err();
    assert!(matches!(error, ArchiveError::Newer { found: 99, known: SCHEMA_VERSION, .. }), "{error}");
    assert!(error.to_string().contains("throughline.db") && error.to_string().contains("newer"), "{error}");
    assert!(before == content(), "not a byte of it changed");
    assert_eq!(
        throughline_store::archive::set_aside(&throughline_store::door::outside::at(&path), "now").unwrap(),
        None,
        "newer is not damaged"
    );
}

#[test]
fn sixteen_openers_of_a_missing_archive_all_get_the_same_one() {
    for _ in 0..4 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("deep/throughline.db");
        std::thread::scope(|scope| {
            for number in 0..16 {
                let path = &path;
                scope.spawn(move || {
                    let mut archive =
                        Archive::open(&throughline_store::door::outside::at(path), WAIT).unwrap();
                    fold(&mut archive, &[batch(number, vec![decision(Op::Add, number + 1, "x")])]);
                });
            }
        });
        let archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
        assert_eq!(archive.counts(PROJECT).unwrap().entries, 16);
        assert_eq!(archive.quick_check().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn a_locked_archive_is_reported_as_locked_after_the_wait_and_not_before() {
    let folder = TempDir::new().unwrap();
    let (path, archive) = archive_in(&folder);
    drop(archive);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let wait = Duration::from_millis(100);
    let mut archive = Archive::open(&throughline_store::door::outside::at(&path), wait).unwrap();
    let began = Instant::now();
    let batches = [batch(1, vec![decision(Op::Add, 1, "use tabs")])];
    let error = archive.fold_batches(PROJECT, ROOT, &batches, &[true]).unwrap_err();
    let took = began.elapsed();
    assert!(matches!(error, ArchiveError::Locked { .. }), "{error}");
    assert!(took >= Duration::from_millis(60) && took < Duration::from_secs(5), "{took:?}");
    assert_eq!(archive.counts(PROJECT).unwrap().entries, 0, "readers go on while somebody writes");
    other.execute_batch("ROLLBACK").unwrap();
    archive.fold_batches(PROJECT, ROOT, &batches, &[true]).unwrap();
    assert_eq!(archive.counts(PROJECT).unwrap().entries, 1);
}

#[test]
fn a_fresh_archive_that_somebody_holds_exclusively_is_reported_as_locked() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("throughline.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let error =
        Archive::open(&throughline_store::door::outside::at(&path), Duration::from_millis(50)).unwrap_err();
    assert!(matches!(error, ArchiveError::Locked { .. }), "{error}");
}

#[test]
fn a_path_with_signs_in_it_is_a_path() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file:a?mode=memory&b#c%20d.db");
    drop(Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap());
    assert!(path.exists());
}

#[test]
fn the_log_stays_short_through_many_short_lives() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("throughline.db");
    let log_bytes = || fs::metadata(beside(&path, "-wal")).map_or(0, |log| log.len());
    let mut longest = 0;
    for number in 1..=300 {
        let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
        fold(&mut archive, &[batch(number, vec![decision(Op::Add, number, &"some words ".repeat(50))])]);
        longest = longest.max(log_bytes());
    }
    assert!(longest < 2 << 20, "{longest} bytes");
    // One who is reading keeps the log, and the next commit shortens it.
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM entries").unwrap();
    let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
    let began = Instant::now();
    for number in 301..=500 {
        fold(&mut archive, &[batch(number, vec![decision(Op::Add, number, &"some words ".repeat(50))])]);
    }
    assert!(log_bytes() > 1 << 20);
    assert!(began.elapsed() < WAIT, "nobody waits for the reader");
    drop(reader);
    fold(&mut archive, &[batch(501, vec![])]);
    assert_eq!(log_bytes(), 0);
    assert_eq!(archive.counts(PROJECT).unwrap().entries, 500);
}

#[test]
fn opening_folding_and_closing_is_quick() {
    let folder = TempDir::new().unwrap();
    let (path, archive) = archive_in(&folder);
    drop(archive);
    let mut flushed = Vec::new();
    let mut quick = Vec::new();
    for number in 1..200 {
        let began = Instant::now();
        let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
        fold(&mut archive, &[batch(number, vec![decision(Op::Add, number, "use tabs, not spaces")])]);
        drop(archive);
        flushed.push(began.elapsed());
        let began = Instant::now();
        let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
        archive.retire_spool("session-1").unwrap();
        drop(archive);
        quick.push(began.elapsed());
    }
    flushed.sort();
    quick.sort();
    // Printed, not asserted: how long a flush takes is the disk's affair.
    println!("open + fold (flushed) + close: median {:?}, p99 {:?}", flushed[100], flushed[197]);
    println!("open + row (not flushed) + close: median {:?}, p99 {:?}", quick[100], quick[197]);
}
