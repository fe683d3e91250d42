//! Backups of transcripts: each byte once, all of them back, within bounds, whatever was torn or rewritten.

#![expect(
    clippy::disallowed_methods,
    reason = "another program must be able to read a backup: it is started here"
)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use tempfile::TempDir;
use throughline_domain::Timestamp;
use throughline_store::backups::{
    Backup, BackupError, BackupMoment, Backups, RestoreError, SLICE_BYTES_MAX, Taken,
};
use throughline_store::config;
use throughline_store::lock::{Lock, Patience};
use throughline_store::paths::Home;

const GIB: u64 = 1 << 30;

struct Scene {
    folder: TempDir,
    second: std::cell::Cell<i64>,
}

impl Scene {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), second: 1_700_000_000.into() }
    }

    fn backups(&self) -> Backups {
        Backups::of(&Home::at(self.folder.path().join("data")))
    }

    fn transcript(&self, session: &str) -> PathBuf {
        self.folder.path().join(format!("{session}.jsonl"))
    }

    fn grow(&self, session: &str, bytes: &[u8]) {
        let path = self.transcript(session);
        fs::File::options().create(true).append(true).open(path).unwrap().write_all(bytes).unwrap();
    }

    /// One second later, what is new is copied.
    fn try_take(&self, session: &str, bytes_max: u64) -> Result<Taken, BackupError> {
        self.second.set(self.second.get() + 1);
        self.backups().take(&BackupMoment {
            project: "p-1",
            session,
            transcript: &self.transcript(session),
            tokens: Some(50_000),
            now: Timestamp::from_second(self.second.get()).unwrap(),
            bytes_max,
            patience: Patience::Hook,
        })
    }

    fn take(&self, session: &str) -> Taken {
        self.try_take(session, GIB).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("data/backups/p-1").join(name)
    }

    fn of(&self, session: &str) -> Vec<Backup> {
        self.backups().all().into_iter().filter(|it| it.session == session).collect()
    }

    fn restored(&self, backup: &Backup) -> Vec<u8> {
        let mut bytes = Vec::new();
        let count = self.backups().restore(backup, &mut bytes).unwrap();
        assert_eq!(count, bytes.len() as u64);
        bytes
    }

    fn sessions(&self) -> Vec<String> {
        let mut all: Vec<String> = self.backups().all().into_iter().map(|it| it.session).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// Bytes that do not compress.
fn noise(count: usize, mut seed: u64) -> Vec<u8> {
    std::iter::repeat_with(|| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed.to_le_bytes()[3]
    })
    .take(count)
    .collect()
}

#[test]
fn what_was_copied_is_not_copied_again() {
    let scene = Scene::new();
    assert_eq!(scene.take("s1"), Taken::default(), "no transcript, no backup");
    assert!(!scene.file("s1.json").exists());
    scene.grow("s1", b"{\"a\":1}\n");
    let first = scene.take("s1");
    assert_eq!((first.bytes, first.more, first.generation), (8, false, 1));
    let (data, index) =
        (fs::read(scene.file("s1.jsonl.gz")).unwrap(), fs::read(scene.file("s1.json")).unwrap());
    assert_eq!((scene.take("s1").bytes, scene.take("s1").packed_bytes), (0, 0));
    assert_eq!(fs::read(scene.file("s1.jsonl.gz")).unwrap(), data);
    assert_eq!(fs::read(scene.file("s1.json")).unwrap(), index);
    scene.grow("s1", b"{\"b\":2}\n{\"to");
    assert_eq!(scene.take("s1").bytes, 12, "only what is new, also half a line");
    assert!(fs::read(scene.file("s1.jsonl.gz")).unwrap().starts_with(&data), "old members keep their bytes");
    for name in ["s1.jsonl.gz", "s1.json"] {
        assert_eq!(fs::metadata(scene.file(name)).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let zcat = Command::new("zcat").arg(scene.file("s1.jsonl.gz")).output().unwrap();
    assert_eq!(zcat.stdout, fs::read(scene.transcript("s1")).unwrap());
}

#[test]
fn a_long_transcript_is_copied_slice_by_slice() {
    let scene = Scene::new();
    let line = "{\"text\":\"the same words over and over again\"}\n";
    scene.grow("s1", line.repeat(usize::try_from(SLICE_BYTES_MAX).unwrap() / line.len() + 1_000).as_bytes());
    let first = scene.take("s1");
    assert_eq!((first.bytes, first.more), (SLICE_BYTES_MAX, true));
    assert!(first.packed_bytes < first.bytes / 4, "{first:?}");
    assert!(!scene.take("s1").more);
    let backup = &scene.of("s1")[0];
    assert_eq!(backup.members.len(), 2);
    assert_eq!(scene.restored(backup), fs::read(scene.transcript("s1")).unwrap());
}

#[test]
fn a_rewritten_transcript_begins_another_generation_and_the_old_one_stays() {
    let scene = Scene::new();
    let long = [b"first\n".repeat(2_000), b"second\n".to_vec()].concat();
    let rewritten: [(&str, Vec<u8>); 4] = [
        ("shorter", long[..50].to_vec()),
        ("other-end", [&long[..long.len() - 2], b"X\n"].concat()),
        ("other-beginning", [b"X", &long[1..], b"more\n"].concat()),
        ("begun-anew", b"another\n".to_vec()),
    ];
    for (session, content) in rewritten {
        scene.grow(session, &long);
        scene.take(session);
        fs::write(scene.transcript(session), &content).unwrap();
        assert_eq!(scene.take(session).generation, 2, "{session}");
        scene.grow(session, b"and on\n");
        assert_eq!(scene.take(session).generation, 2, "{session} goes on where it is");
        let mut all = scene.of(session);
        all.sort_by_key(|backup| backup.generation);
        let restored: Vec<Vec<u8>> = all.iter().map(|backup| scene.restored(backup)).collect();
        assert_eq!(restored, [long.clone(), [&content[..], b"and on\n"].concat()], "{session}");
    }
    assert!(scene.file("shorter.2.jsonl.gz").exists() && scene.file("shorter.2.json").exists());
}

#[test]
fn what_stands_behind_the_index_was_torn_and_is_cut_off() {
    let scene = Scene::new();
    scene.grow("s1", b"one\n");
    scene.take("s1");
    let whole = fs::read(scene.file("s1.jsonl.gz")).unwrap();
    fs::write(scene.file("s1.jsonl.gz"), [&whole[..], &noise(500, 3)].concat()).unwrap();
    assert_eq!(scene.restored(&scene.of("s1")[0]), b"one\n", "nobody reads behind the index");
    scene.grow("s1", b"two\n");
    assert_eq!(scene.take("s1").generation, 1);
    assert_eq!(scene.restored(&scene.of("s1")[0]), b"one\ntwo\n");
    let zcat = Command::new("zcat").arg(scene.file("s1.jsonl.gz")).output().unwrap();
    assert_eq!((zcat.stdout, zcat.status.success()), (b"one\ntwo\n".to_vec(), true));
    // A kill before the first index.
    fs::write(scene.file("s2.jsonl.gz"), b"torn").unwrap();
    scene.grow("s2", b"three\n");
    assert_eq!(scene.take("s2").generation, 1);
    assert_eq!(scene.restored(&scene.of("s2")[0]), b"three\n");
}

#[test]
fn a_damaged_index_or_file_is_left_as_it_is_and_another_begins() {
    let scene = Scene::new();
    for (session, damage) in [("cut", "data"), ("odd", "index"), ("gap", "gap")] {
        scene.grow(session, b"one\n");
        scene.take(session);
        scene.grow(session, b"two\n");
        scene.take(session);
        let (data, index) =
            (scene.file(&format!("{session}.jsonl.gz")), scene.file(&format!("{session}.json")));
        match damage {
            "data" => fs::write(&data, b"short").unwrap(),
            "index" => fs::write(&index, b"{not json").unwrap(),
            _ => {
                let text = fs::read_to_string(&index).unwrap();
                fs::write(&index, text.replacen("\"bytes\":4", "\"bytes\":3", 1)).unwrap();
            }
        }
        let before = (fs::read(&data).unwrap(), fs::read(&index).unwrap());
        scene.grow(session, b"three\n");
        assert_eq!(scene.take(session).generation, 2, "{session}");
        assert_eq!((fs::read(&data).unwrap(), fs::read(&index).unwrap()), before, "{session}");
        let newest = scene.of(session).into_iter().max_by_key(|it| it.generation).unwrap();
        assert_eq!(scene.restored(&newest), b"one\ntwo\nthree\n");
    }
}

#[test]
fn a_damaged_member_is_named_and_nothing_is_written() {
    let scene = Scene::new();
    for part in 0..3 {
        scene.grow("s1", &noise(1_000, part + 1));
        scene.take("s1");
    }
    let backup = scene.of("s1").remove(0);
    let to = scene.folder.path().join("back.jsonl");
    assert_eq!(scene.backups().restore_to(&backup, &to).unwrap(), 3_000);
    assert_eq!(fs::read(&to).unwrap(), fs::read(scene.transcript("s1")).unwrap());
    assert_eq!(fs::metadata(&to).unwrap().permissions().mode() & 0o777, 0o600);
    let again = scene.backups().restore_to(&backup, &to).unwrap_err();
    assert!(matches!(again, RestoreError::Exists { .. }), "{again}");
    fs::remove_file(&to).unwrap();
    std::os::unix::fs::symlink("nowhere", &to).unwrap();
    assert!(matches!(scene.backups().restore_to(&backup, &to).unwrap_err(), RestoreError::Exists { .. }));
    fs::remove_file(&to).unwrap();
    // A whole member, but of other bytes: somebody put another file in its place.
    let mut other = backup.clone();
    other.members[2].print = backup.members[0].print.clone();
    let error = scene.backups().restore_to(&other, &to).unwrap_err();
    assert!(error.to_string().contains("part 3 of"), "{error}");
    let mut bytes = fs::read(backup.path.shown()).unwrap();
    let middle = usize::try_from(backup.members[1].packed_offset).unwrap() + 200;
    bytes[middle] ^= 0x40;
    fs::write(backup.path.shown(), bytes).unwrap();
    let error = scene.backups().restore_to(&backup, &to).unwrap_err();
    assert!(
        error.to_string().contains("part 2 of") && error.to_string().contains("from byte 1000"),
        "{error}"
    );
    assert!(!to.exists());
    let left = fs::read_dir(scene.folder.path()).unwrap().flatten();
    assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".tmp")));
}

#[test]
fn over_the_limit_the_session_backed_up_longest_ago_goes_never_the_one_just_written() {
    let scene = Scene::new();
    for (at, session) in ["old", "middle", "new"].iter().enumerate() {
        scene.grow(session, &noise(10_000, at as u64 + 1));
        scene.take(session);
    }
    scene.grow("old", &noise(10, 9));
    scene.take("old");
    assert_eq!(scene.sessions(), ["middle", "new", "old"]);
    scene.grow("fresh", &noise(10_000, 7));
    scene.try_take("fresh", 34_000).unwrap();
    assert_eq!(scene.sessions(), ["fresh", "new", "old"], "`old` was written to after `middle`");
    assert!(scene.backups().bytes() <= 34_000);
    scene.grow("fresh", &noise(15_000, 8));
    scene.try_take("fresh", 34_000).unwrap();
    assert_eq!(scene.sessions(), ["fresh"], "room for 25,000 bytes of its own");
    // It never makes room at its own cost: what is there is worth more than what is new.
    scene.grow("fresh", &noise(15_000, 9));
    let error = scene.try_take("fresh", 34_000).unwrap_err();
    assert!(matches!(error, BackupError::TooLarge { bytes_max: 34_000 }), "{error}");
    assert_eq!(scene.of("fresh")[0].bytes(), 25_000);
    let taken = scene.backups().bytes();
    assert_eq!(scene.backups().remove("fresh", Patience::Hook).unwrap(), taken);
    assert_eq!(scene.backups().bytes(), 0);
    assert!(!scene.file("fresh.json").exists() && !scene.file("fresh.jsonl.gz").exists());
}

#[test]
fn two_writers_take_turns() {
    let scene = Scene::new();
    scene.grow("s1", b"one\n");
    let held = Lock::acquire(
        &throughline_store::door::outside::at(&scene.folder.path().join("data/backups/locks/s1.lock")),
        Patience::Hook,
    )
    .unwrap();
    assert!(matches!(scene.try_take("s1", GIB).unwrap_err(), BackupError::Lock(_)));
    drop(held);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            let (backups, transcript) = (scene.backups(), scene.transcript("s1"));
            threads.spawn(move || {
                for _ in 0..20 {
                    let moment = BackupMoment {
                        project: "p-1",
                        session: "s1",
                        transcript: &transcript,
                        tokens: None,
                        now: Timestamp::UNIX_EPOCH,
                        bytes_max: GIB,
                        patience: Patience::Person,
                    };
                    backups.take(&moment).unwrap();
                }
            });
        }
        for number in 0..50 {
            scene.grow("s1", format!("line {number}\n").as_bytes());
        }
    });
    scene.take("s1");
    assert_eq!(scene.of("s1").len(), 1, "one generation");
    assert_eq!(scene.restored(&scene.of("s1")[0]), fs::read(scene.transcript("s1")).unwrap());
}

#[test]
fn names_from_outside_stay_in_the_folder() {
    let scene = Scene::new();
    scene.grow("x", b"one\n");
    let moment = BackupMoment {
        project: "../../outside",
        session: "../../../evil.2",
        transcript: &scene.transcript("x"),
        tokens: None,
        now: Timestamp::UNIX_EPOCH,
        bytes_max: GIB,
        patience: Patience::Hook,
    };
    scene.backups().take(&moment).unwrap();
    let backup = scene.backups().all().remove(0);
    assert!(backup.path.shown().starts_with(scene.folder.path().join("data/backups/")), "{:?}", backup.path);
    assert_eq!(backup.session, "../../../evil.2");
    let relative = BackupMoment { transcript: Path::new("x.jsonl"), ..moment };
    assert_eq!(scene.backups().take(&relative).unwrap(), Taken::default());
}

#[test]
fn a_step_is_due_as_the_table_says() {
    let rules = config::Backup { transcripts: true, ..config::Backup::default() };
    assert_eq!(config::Backup::default().next_step(117_000, 0), None, "off by default");
    let none = |rules: config::Backup| rules.next_step(117_000, 200_000);
    #[rustfmt::skip]
    let table = [
        // limit, used, next: from 50K every 10K, and at 30, 15, 5 % remaining
        (117_000, 0, 50_000),
        (117_000, 49_999, 50_000),
        (117_000, 50_000, 60_000),
        (117_000, 59_999, 60_000),
        (117_000, 75_000, 80_000),
        (117_000, 80_000, 81_900),
        (117_000, 81_900, 90_000),
        (117_000, 98_000, 99_450),
        (117_000, 110_500, 111_150),
        (117_000, 116_000, 120_000),
        (40_000, 0, 28_000),
        (40_000, 34_000, 38_000),
        (40_000, 38_000, 50_000),
        (967_000, 676_899, 676_900),
        (967_000, 676_900, 680_000),
    ];
    for (limit, used, next) in table {
        assert_eq!(rules.next_step(limit, used), Some(next), "{used} of {limit}");
    }
    let by_percent = config::Backup { every_tokens: 0, ..rules.clone() };
    assert_eq!(by_percent.next_step(100_000, 0), Some(70_000));
    assert_eq!(none(by_percent), None, "beyond the last per cent there is no step");
    let by_tokens = config::Backup { remaining_percent: vec![], ..rules.clone() };
    assert_eq!(by_tokens.next_step(100_000, 69_000), Some(70_000));
    assert_eq!(
        none(config::Backup { remaining_percent: vec![101, u64::MAX], every_tokens: 0, ..rules.clone() }),
        None
    );
    let huge =
        config::Backup { from_tokens: u64::MAX, every_tokens: u64::MAX, remaining_percent: vec![], ..rules };
    assert_eq!(none(huge), Some(u64::MAX));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn after_any_growth_every_byte_comes_back(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3_000), 1..12)) {
        let scene = Scene::new();
        for part in &parts {
            scene.grow("s1", part);
            scene.take("s1");
        }
        let whole = parts.concat();
        if whole.is_empty() {
            prop_assert!(scene.of("s1").is_empty());
        } else {
            prop_assert_eq!(scene.of("s1").len(), 1);
            prop_assert_eq!(scene.restored(&scene.of("s1")[0]), whole);
        }
    }
}
