//! Damage: whatever the file holds, the archive says so, and the next one starts fresh beside it.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;
use throughline_domain::Kind;
use throughline_store::archive::{Archive, ArchiveError, Filter, SessionRow, set_aside};
use throughline_store::outbox::Op;

use crate::archive::{PROJECT, ROOT, WAIT, archive_in, batch, beside, decision, fold};

/// A small generator: the tests must be able to say which bytes they wrote.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| u8::try_from(self.roll(256)).unwrap()).collect()
    }
}

/// An archive with some hundred entries, all of it in the one file.
fn filled(folder: &TempDir) -> std::path::PathBuf {
    let (path, mut archive) = archive_in(folder);
    let batches: Vec<_> = (1..=300)
        .map(|number| batch(number, vec![decision(Op::Add, number, &format!("entry {number} about caches"))]))
        .collect();
    fold(&mut archive, &batches);
    archive.checkpoint().unwrap();
    path
}

/// Everything a program does with an archive.
fn use_it(path: &Path) -> Result<(), ArchiveError> {
    let mut archive = Archive::open(&throughline_store::door::outside::at(path), WAIT)?;
    archive.entries(PROJECT, Filter { kind: None, live_only: false, limit: 10_000 })?;
    archive.search("caches entry", None, 500)?;
    archive.search("", None, 500)?;
    archive.search("=>", None, 500)?;
    archive.counters(PROJECT)?;
    archive.working_sets(PROJECT, 30)?;
    archive.knows(PROJECT, Kind::Decision, "D5", "x")?;
    archive.counts(PROJECT)?;
    archive.last_receipts(PROJECT)?;
    archive.failures(PROJECT, 10)?;
    archive.note_session(&SessionRow {
        id: "s".to_owned(),
        project: PROJECT.to_owned(),
        agent: "claude-code".to_owned(),
        transcript: None,
        source: None,
        started_at: String::new(),
        last_seen_at: String::new(),
        ended_at: None,
        end_reason: None,
    })?;
    let batches: Vec<_> = (301..340).map(|n| batch(n, vec![decision(Op::Add, n, "new caches")])).collect();
    archive.fold_batches(PROJECT, ROOT, &batches, &[true; 39])?;
    archive.checkpoint()?;
    archive.quick_check().map(drop)
}

#[test]
fn random_bytes_are_set_aside_and_the_next_open_starts_fresh() {
    for (seed, count) in [(1, 513), (2, 600), (3, 1_024), (4, 4_096), (5, 100_000)] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("throughline.db");
        let garbage = Dice(seed).bytes(count);
        fs::write(&path, &garbage).unwrap();
        let error = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap_err();
        assert!(error.is_corrupt(), "{count} bytes: {error:?}");
        assert!(
            error.to_string().contains("throughline.db") && error.to_string().contains("doctor"),
            "{error}"
        );
        let aside = set_aside(&throughline_store::door::outside::at(&path), "2026-01-26T15:30:00.000Z")
            .unwrap()
            .unwrap();
        assert_eq!(aside.shown(), beside(&path, ".corrupt-2026-01-26T153000000Z"));
        assert_eq!(fs::read(aside.shown()).unwrap(), garbage);
        use_it(&path).unwrap();
    }
}

#[test]
fn an_empty_file_is_a_new_archive() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("throughline.db");
    fs::write(&path, "").unwrap();
    use_it(&path).unwrap();
}

#[test]
fn a_truncated_archive_is_damaged_wherever_it_was_cut() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    let whole = fs::read(&path).unwrap();
    for cut in [100, 4_096, 5_000, 3 * 4_096, whole.len() / 2, whole.len() - 4_096] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("throughline.db");
        fs::write(&path, &whole[..cut]).unwrap();
        let Err(error) = use_it(&path) else { panic!("cut at {cut}: not noticed") };
        assert!(error.is_corrupt(), "cut at {cut}: {error:?}");
        assert!(
            set_aside(&throughline_store::door::outside::at(&path), "t").unwrap().is_some(),
            "cut at {cut}"
        );
        use_it(&path).unwrap();
    }
}

#[test]
fn garbage_anywhere_is_reported_as_damage_and_as_nothing_else() {
    let folder = TempDir::new().unwrap();
    let whole = fs::read(filled(&folder)).unwrap();
    let mut dice = Dice(42);
    let mut damaged = 0;
    for trial in 0..120 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("throughline.db");
        let mut bytes = whole.clone();
        // The first hundred bytes are the header; version numbers in it are a story of their own.
        let at = 100 + dice.roll(bytes.len() - 700);
        let count = 1 + dice.roll(600);
        bytes[at..at + count].copy_from_slice(&dice.bytes(count));
        fs::write(&path, &bytes).unwrap();
        match use_it(&path) {
            Ok(()) => {}
            Err(error) if error.is_corrupt() => {
                damaged += 1;
                assert!(
                    set_aside(&throughline_store::door::outside::at(&path), "t").unwrap().is_some(),
                    "trial {trial}: {error:?}"
                );
                use_it(&path).unwrap();
            }
            Err(error) => panic!("trial {trial}: {error:?}"),
        }
    }
    println!("{damaged} of 120 damaged files were noticed in use");
    assert!(damaged > 30);
}

#[test]
fn garbage_in_the_header_is_never_taken_for_a_fresh_archive() {
    let folder = TempDir::new().unwrap();
    let whole = fs::read(filled(&folder)).unwrap();
    let mut dice = Dice(7);
    for at in 0..100 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("throughline.db");
        let mut bytes = whole.clone();
        bytes[at] ^= u8::try_from(1 + dice.roll(255)).unwrap();
        fs::write(&path, &bytes).unwrap();
        let used = use_it(&path);
        match &used {
            Ok(()) => assert_eq!(
                Archive::open(&throughline_store::door::outside::at(&path), WAIT)
                    .unwrap()
                    .counts(PROJECT)
                    .unwrap()
                    .entries,
                339
            ),
            Err(ArchiveError::Corrupt { .. } | ArchiveError::Newer { .. }) => {}
            // A "write version" that this SQLite does not know makes the file read-only.
            Err(ArchiveError::Io { .. }) => assert_eq!(at, 18, "{used:?}"),
            Err(error) => panic!("byte {at}: {error:?}"),
        }
    }
}

#[test]
fn a_schema_version_that_was_wiped_out_is_damage() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 0").unwrap();
    assert!(Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap_err().is_corrupt());
    assert!(set_aside(&throughline_store::door::outside::at(&path), "t").unwrap().is_some());
}

#[test]
fn a_missing_table_is_damage() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    Connection::open(&path).unwrap().execute_batch("DROP TABLE working_sets").unwrap();
    let archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
    assert!(archive.working_set(PROJECT).unwrap_err().is_corrupt());
    drop(archive);
    assert!(set_aside(&throughline_store::door::outside::at(&path), "t").unwrap().is_some());
    use_it(&path).unwrap();
}

#[test]
fn a_row_whose_body_is_no_json_is_damage() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    Connection::open(&path).unwrap().execute_batch("UPDATE entries SET body = '{' WHERE id = 'D9'").unwrap();
    let error = use_it(&path).unwrap_err();
    assert!(error.is_corrupt(), "{error:?}");
    assert!(set_aside(&throughline_store::door::outside::at(&path), "t").unwrap().is_some());
}

#[test]
fn an_index_of_words_that_lost_its_pages_is_damage() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    let plain = Connection::open(&path).unwrap();
    plain.execute_batch("UPDATE entries_fts_data SET block = x'ffffffffffffffff' WHERE id > 10").unwrap();
    drop(plain);
    let error = use_it(&path).unwrap_err();
    assert!(error.is_corrupt(), "{error:?}");
    assert!(set_aside(&throughline_store::door::outside::at(&path), "t").unwrap().is_some());
}

#[test]
fn a_log_of_garbage_costs_nothing_that_was_in_the_database() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    fs::write(beside(&path, "-wal"), Dice(9).bytes(50_000)).unwrap();
    fs::write(beside(&path, "-shm"), Dice(10).bytes(32_768)).unwrap();
    use_it(&path).unwrap();
    assert_eq!(
        Archive::open(&throughline_store::door::outside::at(&path), WAIT)
            .unwrap()
            .counts(PROJECT)
            .unwrap()
            .entries,
        339
    );
}

#[test]
fn of_many_processes_that_meet_the_damage_one_sets_the_file_aside() {
    for _ in 0..10 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("throughline.db");
        fs::write(&path, Dice(3).bytes(10_000)).unwrap();
        let moved: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..8)
                .map(|number| {
                    let path = &path;
                    scope.spawn(move || {
                        let moved =
                            set_aside(&throughline_store::door::outside::at(path), "t").unwrap().is_some();
                        let mut archive =
                            Archive::open(&throughline_store::door::outside::at(path), WAIT).unwrap();
                        fold(&mut archive, &[batch(number, vec![decision(Op::Add, number + 1, "x")])]);
                        usize::from(moved)
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        assert_eq!(moved, 1);
        assert_eq!(
            Archive::open(&throughline_store::door::outside::at(&path), WAIT)
                .unwrap()
                .counts(PROJECT)
                .unwrap()
                .entries,
            8
        );
    }
}

#[test]
fn a_sound_or_missing_archive_is_not_set_aside_and_no_name_is_used_twice() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("throughline.db");
    assert_eq!(set_aside(&throughline_store::door::outside::at(&path), "t").unwrap(), None);
    let path = filled(&folder);
    assert_eq!(set_aside(&throughline_store::door::outside::at(&path), "t").unwrap(), None);
    use_it(&path).unwrap();
    for name in ["throughline.db.corrupt-etc", "throughline.db.corrupt-etc-2"] {
        fs::write(&path, "damage that is long enough to be no database at all").unwrap();
        assert_eq!(
            set_aside(&throughline_store::door::outside::at(&path), "../../etc").unwrap().unwrap().shown(),
            folder.path().join(name)
        );
    }
}

#[test]
fn the_log_goes_aside_with_its_database() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
    fold(&mut archive, &[batch(900, vec![decision(Op::Add, 900, "only in the log")])]);
    drop(archive);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..50].fill(0);
    fs::write(&path, bytes).unwrap();
    let log = fs::read(beside(&path, "-wal")).unwrap();
    assert!(!log.is_empty());
    let _ = Archive::open(&throughline_store::door::outside::at(&path), WAIT);
    let Some(aside) = set_aside(&throughline_store::door::outside::at(&path), "t").unwrap() else {
        // The first page was in the log too, so nothing was lost.
        return use_it(&path).unwrap();
    };
    assert_eq!(fs::read(beside(&aside.shown(), "-wal")).unwrap(), log);
    assert!(!beside(&path, "-wal").exists());
    use_it(&path).unwrap();
}

#[test]
fn a_fold_into_a_file_that_was_replaced_meanwhile_is_not_acknowledged() {
    let folder = TempDir::new().unwrap();
    let path = filled(&folder);
    let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
    for suffix in ["-wal", "-shm", ""] {
        fs::rename(beside(&path, suffix), folder.path().join(format!("elsewhere{suffix}"))).unwrap();
    }
    drop(Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap());
    let batches = [batch(500, vec![decision(Op::Add, 500, "x")])];
    let error = archive.fold_batches(PROJECT, ROOT, &batches, &[true]).unwrap_err();
    assert!(!error.is_corrupt(), "{error:?}");
}
