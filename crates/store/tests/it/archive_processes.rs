//! Other processes: killed in the middle of a fold, folding at the same time, out of room, without permission.
//!
//! The test binary starts itself again as the child; `child` below is its entrance.

#![expect(clippy::disallowed_methods, reason = "what is tested is other processes: they are started here")]

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;
use throughline_store::archive::{Archive, ArchiveError, Filter};
use throughline_store::outbox::{Batch, Op};

use crate::archive::{PROJECT, ROOT, WAIT, archive_in, batch, decision, leave};
use crate::archive_damage::Dice;

const NOBODY: u32 = 65_534;

/// What a child does: `fold <from> <to>`, one batch after the other, a line on stdout for each that is in.
#[test]
fn child() {
    let Ok(path) = std::env::var("ARCHIVE_TEST_PATH") else { return };
    let number = |name: &str| std::env::var(name).unwrap().parse::<u64>().unwrap();
    let (from, to) = (number("ARCHIVE_TEST_FROM"), number("ARCHIVE_TEST_TO"));
    if let Err(error) = fold_and_say(Path::new(&path), from, to) {
        say(&format!("failed {}", word_of(&error)));
    }
    say("done");
}

fn fold_and_say(path: &Path, from: u64, to: u64) -> Result<(), ArchiveError> {
    let mut archive = Archive::open(&throughline_store::door::outside::at(path), WAIT)?;
    for number in from..to {
        let folded = archive.fold_batches(PROJECT, ROOT, &[three_events(number)], &[true]);
        if folded.is_err() {
            // What was acknowledged can still be read in this process, and the file is whole.
            assert_eq!(archive.quick_check()?, Vec::<String>::new());
            archive.search("entry", None, 10)?;
        }
        folded?;
        say(&format!("in {number}"));
    }
    Ok(())
}

fn say(line: &str) {
    // One write, past the test harness: a kill leaves whole lines.
    std::io::stdout().write_all(format!("\n{line}\n").as_bytes()).unwrap();
}

fn word_of(error: &ArchiveError) -> &'static str {
    match error {
        ArchiveError::Locked { .. } => "locked",
        ArchiveError::Corrupt { .. } => "corrupt",
        ArchiveError::Newer { .. } => "newer",
        ArchiveError::Io { .. } => "io",
        ArchiveError::Other { .. } => "other",
    }
}

/// Two entries come and one of them goes: a fold that is torn would show.
fn three_events(number: u64) -> Batch {
    let text = format!("entry {number} {}", "with some words to fill a page ".repeat(20));
    let events = vec![
        decision(Op::Add, 2 * number, &text),
        decision(Op::Add, 2 * number + 1, &text),
        leave(2 * number, &text, "section full"),
    ];
    batch(number, events)
}

/// The child's command, to be started by `program` (the test binary itself, or a shell that sets limits first).
fn child_command(mut program: Command, path: &Path, from: u64, to: u64) -> Command {
    program
        .args(["--exact", "archive_processes::child", "--nocapture", "--test-threads=1"])
        .env("ARCHIVE_TEST_PATH", path)
        .env("ARCHIVE_TEST_FROM", from.to_string())
        .env("ARCHIVE_TEST_TO", to.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    program
}

fn this_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

fn start(path: &Path, from: u64, to: u64) -> Child {
    child_command(Command::new(this_program()), path, from, to).spawn().unwrap()
}

/// What a child said until it ended: the batches that are in, and how it failed.
fn heard(child: &mut Child) -> (Vec<u64>, Option<String>) {
    let lines =
        BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).collect::<Vec<_>>();
    child.wait().unwrap();
    let after = |prefix: &'static str| lines.iter().filter_map(move |line| line.strip_prefix(prefix));
    let folded = after("in ").map(|number| number.parse().unwrap()).collect();
    let failure = after("failed ").map(str::to_owned).next();
    (folded, failure)
}

/// Every batch of `numbers` is in as a whole, and no batch is in by halves.
fn assert_whole(path: &Path, numbers: &[u64]) {
    let archive = Archive::open(&throughline_store::door::outside::at(path), WAIT).unwrap();
    assert_eq!(archive.quick_check().unwrap(), Vec::<String>::new());
    let rows = archive.entries(PROJECT, Filter { kind: None, live_only: false, limit: 1_000_000 }).unwrap();
    let find = |id: u64| rows.iter().find(|row| row.id == format!("D{id}"));
    for number in numbers {
        assert_eq!(find(2 * number).unwrap().left_why.as_deref(), Some("section full"), "batch {number}");
        assert_eq!(find(2 * number + 1).unwrap().left_at, None, "batch {number}");
    }
    let left = rows.iter().filter(|row| row.left_at.is_some()).count();
    assert_eq!(rows.len(), 2 * left, "a batch is in by halves");
}

#[test]
fn a_kill_at_any_instant_loses_nothing_that_was_acknowledged_and_tears_nothing() {
    let mut dice = Dice(2_026);
    let (mut trials, mut acknowledged) = (0, 0);
    for _ in 0..8 {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("data/throughline.db");
        let mut numbers: Vec<u64> = Vec::new();
        for _ in 0..8 {
            let from = numbers.last().map_or(1, |last| last + 1);
            let mut child = start(&path, from, 1_000_000);
            // The first child is killed while it creates the file and brings the schema up.
            sleep(Duration::from_micros(u64::try_from(dice.roll(60_000)).unwrap()));
            child.kill().unwrap();
            numbers.extend(heard(&mut child).0);
            trials += 1;
            assert_whole(&path, &numbers);
        }
        acknowledged += numbers.len();
        // The outbox still has the last ones: folding everything again adds each exactly once.
        let last = numbers.last().map_or(1, |last| last + 1);
        let batches: Vec<Batch> = (1..=last).map(three_events).collect();
        let mut archive = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap();
        archive.fold_batches(PROJECT, ROOT, &batches, &vec![true; batches.len()]).unwrap();
        assert_eq!(archive.counts(PROJECT).unwrap().entries, 2 * last);
    }
    println!("{trials} kills, {acknowledged} acknowledged folds, all there");
}

#[test]
fn four_processes_that_fold_the_same_outbox_at_once_add_every_entry_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("throughline.db");
    let mut children: Vec<Child> = (0..4).map(|_| start(&path, 1, 101)).collect();
    for child in &mut children {
        let (numbers, failure) = heard(child);
        assert_eq!((numbers.len(), failure), (100, None));
    }
    assert_whole(&path, &(1..=100).collect::<Vec<_>>());
    assert_eq!(
        Archive::open(&throughline_store::door::outside::at(&path), WAIT)
            .unwrap()
            .counts(PROJECT)
            .unwrap()
            .entries,
        200
    );
}

#[test]
fn a_disk_that_fills_up_fails_the_fold_and_nothing_before_it() {
    // A file-size limit with its signal ignored is what a full disk is to a writer: the write fails.
    for limit_kib in [8, 40, 200, 600] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("throughline.db");
        let mut shell = Command::new("bash");
        shell
            .args(["-c", &format!("trap '' XFSZ; ulimit -f {limit_kib}; exec \"$0\" \"$@\"")])
            .arg(this_program());
        let mut child = child_command(shell, &path, 1, 100_000).spawn().unwrap();
        let (numbers, failure) = heard(&mut child);
        assert_eq!(failure.as_deref(), Some("io"), "{limit_kib} KiB, {} batches", numbers.len());
        assert_whole(&path, &numbers);
        // With room again, the same batch goes in.
        let next = numbers.last().map_or(1, |last| last + 1);
        assert_eq!(heard(&mut start(&path, next, next + 1)).0, [next]);
        println!("{limit_kib} KiB of room: {} batches went in", numbers.len());
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_that_names_it() {
    let folder = TempDir::new().unwrap();
    // Another user must be able to start it; the build folder may be closed to others.
    let program = folder.path().join("tests");
    fs::copy(this_program(), &program).unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let path = data.join("throughline.db");
    let try_it = |path: &Path| {
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&data, Permissions::from_mode(0o555)).unwrap();
        let mut command = Command::new(&program);
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let mut child = child_command(command, path, 1, 5).spawn().unwrap();
        let heard = heard(&mut child);
        fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
        heard
    };
    assert_eq!(try_it(&path), (vec![], Some("io".to_owned())), "no archive yet");
    assert_eq!(try_it(&data.join("deeper/throughline.db")), (vec![], Some("io".to_owned())), "no folder yet");

    drop(Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap());
    fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", path.display()));
    }
    assert_eq!(try_it(&path), (vec![], Some("io".to_owned())), "a folder without room for the log");
    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    assert_eq!(try_it(&path), (vec![], Some("io".to_owned())), "a file that is read-only");
    assert_whole(&path, &[]);
}

#[test]
fn a_folder_in_the_place_of_the_file_is_an_error_and_not_damage() {
    let folder = TempDir::new().unwrap();
    let (_, archive) = archive_in(&folder);
    drop(archive);
    let path = folder.path().join("folder.db");
    fs::create_dir(&path).unwrap();
    let error = Archive::open(&throughline_store::door::outside::at(&path), WAIT).unwrap_err();
    assert!(matches!(error, ArchiveError::Io { .. }), "{error:?}");
    assert!(error.to_string().contains("folder.db"), "{error}");
    let beneath = folder.path().join("throughline.db/below/throughline.db");
    assert!(matches!(
        Archive::open(&throughline_store::door::outside::at(&beneath), WAIT).unwrap_err(),
        ArchiveError::Io { .. }
    ));
}
