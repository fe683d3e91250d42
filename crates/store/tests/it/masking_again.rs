//! Masking again: secrets that earlier versions stored are nowhere any more, whatever happens on the way.
#![expect(clippy::disallowed_methods, reason = "one test kills a copy of this process")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use throughline_recall::words::index_line;
use throughline_recall::{CommandOutcome, Passage, PassageKind};
use throughline_redact::RULES_VERSION;
use throughline_store::archive::Archive;
use throughline_store::content_hash::of as hash_of;
use throughline_store::door::{Spot, outside};
use throughline_store::lock::Patience;
use throughline_store::paths::{Home, Project};
use throughline_store::recall::{Batch, NewBlock, Recall};
use throughline_store::remask::{self, Done, Job};

const ROWS: u32 = 450;
const BLOCKS: usize = 70;
/// Tells a child of this test which data folder it is to mask.
const CHILD: &str = "THROUGHLINE_TEST_MASK";
/// So long is every secret; this stands for one where the store would mask it.
const PLACEHOLDER: &str = "placeholderplaceholderplaceholderplaceho";

/// A secret of its own for every place.
fn secret(number: usize) -> String {
    let letters = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
    let mut state = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut text = "ghp_q7".to_owned();
    while text.len() < 40 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push(char::from(letters[usize::try_from(state >> 33).unwrap() % letters.len()]));
    }
    text
}

/// A data folder and a project as an earlier version left them.
struct Old {
    _folder: tempfile::TempDir,
    home: Home,
    project: Project,
    claude: PathBuf,
    secrets: usize,
}

impl Old {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let home = Home::at(top.join("data"));
        let root = top.join("project");
        fs::create_dir_all(root.join(".claude")).unwrap();
        let project = Project::at(&root, None, &home);
        let mut old = Self { _folder: folder, home, project, claude: top.join("claude"), secrets: 0 };
        old.fill_archive();
        old.fill_recall();
        old.fill_files();
        old
    }

    fn next(&mut self) -> String {
        self.secrets += 1;
        secret(self.secrets)
    }

    fn fill_archive(&mut self) {
        drop(Archive::open(&self.home.archive(), Duration::from_secs(1)).unwrap());
        let connection = Connection::open(self.home.archive().shown()).unwrap();
        connection.execute_batch("PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = 0; BEGIN").unwrap();
        let (key, root) = (self.project.key.clone(), self.project.root.to_string_lossy().into_owned());
        connection.execute("INSERT INTO projects VALUES (?1, ?2, 'x', 'x')", params![key, root]).unwrap();
        for number in 0..ROWS {
            let (text, body, old, why) = (self.next(), self.next(), self.next(), self.next());
            connection
                .execute(
                    "INSERT INTO entries VALUES (?1, ?2, 'decision', ?3, ?1, ?4, 'r', ?5, 'user', NULL, 'x', NULL, NULL, NULL, 1)",
                    params![number + 1, key, format!("D{number}"), format!("use {text}"), json!({"why": body}).to_string()],
                )
                .unwrap();
            connection
                .execute(
                    "INSERT INTO entry_history VALUES (?1, 0, ?2, 'edit', 'x', 'user', NULL, ?3, ?4, NULL)",
                    params![format!("b{number}"), number + 1, why, old],
                )
                .unwrap();
        }
        let state = json!({"decisions": [{"id": "D1", "decision": self.next()}]}).to_string();
        connection
            .execute("INSERT INTO working_sets VALUES (1, ?1, 'x', 'h', ?2)", params![key, state])
            .unwrap();
        let summary = format!("Summary: {}", self.next());
        connection
            .execute(
                "INSERT INTO compactions VALUES (1, ?1, 's', 'x', 'auto', ?2, ?3)",
                params![key, self.next(), summary],
            )
            .unwrap();
        let note = json!({"task": {"subject": self.next()}}).to_string();
        connection
            .execute("INSERT INTO notes VALUES (1, ?1, 's', 'e', 1, 'c', ?2)", params![key, note])
            .unwrap();
        connection
            .execute(
                "INSERT INTO receipts VALUES (1, ?1, 's', 'e', 1, 1, ?2, 0, 'v', 'c')",
                params![key, self.next()],
            )
            .unwrap();
        for number in 1..=2 {
            let name = format!("/srv/token={}", self.next());
            connection.execute("INSERT INTO usage_names VALUES (?1, ?2)", params![number, name]).unwrap();
        }
        // What was deleted stays in pages that nobody uses.
        connection.execute_batch("COMMIT; DELETE FROM entry_history WHERE entry_no > 400; DELETE FROM entries WHERE entry_no > 400").unwrap();
    }

    /// The blocks are packed with placeholders, and then as an earlier version would have packed them.
    fn fill_recall(&mut self) {
        let path = self.home.recall();
        let writing = Recall::writing(&path, Patience::Person).unwrap();
        let mut index = Recall::open(&path, Duration::from_secs(1)).unwrap();
        let passage = |text: String| Passage {
            kind: PassageKind::from_number(0).unwrap(),
            outcome: CommandOutcome::Unknown,
            is_sidechain: false,
            at_s: 1_769_000_000,
            turn: 1,
            text,
        };
        let blocks = (0..BLOCKS).map(|number| {
            let texts = ["harbour lights".to_owned(), format!("deploy{number} with {PLACEHOLDER} now")];
            NewBlock::pack("s1", "/p", &texts.map(passage), &[number as u64])
        });
        index.add(&writing, &Batch { blocks: blocks.collect(), files: Vec::new() }).unwrap();
        drop(index);
        let connection = Connection::open(path.shown()).unwrap();
        connection.execute_batch("PRAGMA secure_delete = OFF").unwrap();
        let rows: Vec<(i64, Vec<u8>)> = {
            let mut statement = connection.prepare("SELECT id, text FROM texts ORDER BY id").unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.map(Result::unwrap).collect()
        };
        for (id, packed) in rows {
            let text = inflated(&packed).replace(PLACEHOLDER, &self.next());
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(9));
            encoder.write_all(text.as_bytes()).unwrap();
            connection
                .execute("UPDATE texts SET text = ?2 WHERE id = ?1", params![id, encoder.finish().unwrap()])
                .unwrap();
            connection.execute("DELETE FROM words WHERE rowid = ?1", [id + 1]).unwrap();
            let line = index_line(text.strip_prefix("harbour lights").unwrap());
            connection
                .execute("INSERT INTO words (rowid, line) VALUES (?1, ?2)", params![id + 1, line])
                .unwrap();
        }
        let state = json!([1, 2, 3, [], [["t1", "Bash", self.next(), "why", 1, 1]]]).to_string();
        connection
            .execute("INSERT INTO files VALUES ('/t.jsonl', 1, 1, 1, 1, 1, '{}', ?1)", [state])
            .unwrap();
    }

    fn fill_files(&mut self) {
        let (data, files) = (self.home.root().to_owned(), self.project.files.clone());
        let folder = self.home.project(&self.project.key);
        for path in [
            self.home.log(),
            self.home.session("s1").join("spool.jsonl"),
            folder.join("outbox.jsonl"),
            folder.join("sessions.jsonl"),
            files.join("logs/context-usage.jsonl"),
        ] {
            let lines = format!("{{\"note\":\"é {}\"}}\n{{\"password\":\"{}\"}}\n", self.next(), self.next());
            write(&path.shown(), lines);
        }
        for path in [
            self.home.session("s1").join("ledger.json"),
            self.home.session("s1").join("recent/ledger.json"),
            self.home.session("s1").join("compaction.json"),
            self.home.session("s1").join("glance.json"),
            folder.join("anchor-proposals.json"),
            outside::at(&self.claude).join("data/compressed_context/0123456789ab.json"),
            self.home.root().join("projects/gone-1/last-state.json"),
        ] {
            let text = json!([{"text": format!("use {}", self.next())}, 7]).to_string();
            write(&path.shown(), text);
        }
        let broken = format!("{{\"version\":\"2.0.0\",\"decisions\":[{{\"decision\":\"use {}\"", self.next());
        write(&files.join("unified-session-state.json.corrupt-1").shown(), broken);
        let state = json!({"decisions": [{"id": "D1", "decision": format!("use {}", self.next())}]});
        let state = serde_json::to_string_pretty(&state).unwrap() + "\n";
        write(&files.join("unified-session-state.json").shown(), &state);
        write(&folder.join("last-state.json").shown(), &state);
        let page = format!("<!-- throughline: begin -->\n{}\n<!-- throughline: end -->\n", self.next());
        write(&files.join("sessions/s1/notes.md").shown(), page);
        let text = format!("# Pre-Compaction Snapshot\n\nbranch fix-{}\n", self.next());
        write(&files.join("compaction-snapshot.md").shown(), text);
        let checkpoint = json!({"id": "20260126-153007123-feed", "note": self.next(), "git": {"commit": "3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544"}});
        let bytes = serde_json::to_vec_pretty(&checkpoint).unwrap();
        write(
            &folder.join("checkpoints-made.json").shown(),
            json!({"20260126-153007123-feed": hash_of(&bytes)}).to_string(),
        );
        write(&files.join("checkpoints/20260126-153007123-feed.json").shown(), bytes);
        // What nobody could read stops nothing.
        let broken = [b"{\"cut\": \"".as_slice(), self.next().as_bytes(), b"\xff\xfe"].concat();
        write(&data.join("projects/odd/anchor-proposals.json").shown(), broken);
        write(&data.join("a-folder.jsonl/x.json").shown(), "{");
        std::os::unix::fs::symlink("/dev/zero", data.join("zero.json").shown()).unwrap();
    }

    fn job(&self, deadline: Option<Instant>) -> Job<'_> {
        Job {
            home: &self.home,
            claude_folder: Some(&self.claude),
            user_home: None,
            deadline,
            wait: Duration::from_secs(2),
        }
    }

    /// Every file, and every packed text, in which a piece of a secret stands.
    fn leaks(&self) -> Vec<String> {
        let mut contents = Vec::new();
        for top in [self.home.root(), &self.project.files, &outside::at(&self.claude)] {
            read_all(&top.shown(), &mut contents);
        }
        let connection = Connection::open(self.home.recall().shown()).unwrap();
        let mut statement = connection.prepare("SELECT text FROM texts").unwrap();
        let texts = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
        contents
            .extend(texts.map(|packed| ("a packed text".into(), inflated(&packed.unwrap()).into_bytes())));
        let pieces: std::collections::HashSet<Vec<u8>> = (1..=self.secrets)
            .map(|number| secret(number).to_ascii_lowercase().into_bytes()[12..22].to_vec())
            .collect();
        let holds =
            |bytes: &[u8]| bytes.windows(10).any(|window| pieces.contains(&window.to_ascii_lowercase()));
        contents.iter().filter(|(_, bytes)| holds(bytes)).map(|(name, _)| name.clone()).collect()
    }
}

fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read_all(folder: &Path, contents: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            read_all(&entry.path(), contents);
        } else if kind.is_file() {
            contents.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
        }
    }
}

fn inflated(packed: &[u8]) -> String {
    let mut text = String::new();
    DeflateDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
}

#[track_caller]
fn assert_clean(old: &Old, done: &Done) {
    assert_eq!(done.problems, Vec::<String>::new());
    assert!(done.is_finished);
    assert_eq!(remask::rules_of(&old.home), RULES_VERSION);
    assert_eq!(old.leaks(), Vec::<String>::new());
    let archive = Archive::open(&old.home.archive(), Duration::from_secs(1)).unwrap();
    assert_eq!(archive.quick_check().unwrap(), Vec::<String>::new());
    let connection = Connection::open(old.home.archive().shown()).unwrap();
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM entries WHERE text LIKE 'use [masked:github-pat%'"), 400);
    assert_eq!(count("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'masked'"), 400);
    assert_eq!(count("SELECT count(*) FROM usage_names WHERE name LIKE '%masked%'"), 2);
    let recall = Connection::open(old.home.recall().shown()).unwrap();
    let found = |word: &str| {
        recall
            .query_row("SELECT count(*) FROM words WHERE words MATCH ?1", [index_line(word)], |row| {
                row.get::<_, i64>(0)
            })
            .unwrap()
    };
    assert_eq!((found("harbour"), found("deploy7")), (i64::try_from(BLOCKS).unwrap(), 1));
    let files = &old.project.files;
    let state = fs::read(files.join("unified-session-state.json").shown()).unwrap();
    let copy = fs::read(old.home.project(&old.project.key).join("last-state.json").shown()).unwrap();
    assert_eq!(state, copy, "nobody edited it by hand");
    let checkpoint = fs::read(files.join("checkpoints/20260126-153007123-feed.json").shown()).unwrap();
    let made = fs::read(old.home.project(&old.project.key).join("checkpoints-made.json").shown()).unwrap();
    let made: Value = serde_json::from_slice(&made).unwrap();
    assert_eq!(made["20260126-153007123-feed"], hash_of(&checkpoint), "still one of ours");
    assert!(String::from_utf8_lossy(&checkpoint).contains("3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544"));
}

#[test]
fn everything_that_was_stored_before_is_masked_by_todays_rules() {
    let old = Old::new();
    let copy = old.home.root().join("backups/p/x.jsonl");
    let settings = old.home.root().join("installs/1/settings.json");
    assert!(remask::is_due(&old.home));
    let leaks = old.leaks();
    assert!(leaks.len() > 20 + BLOCKS, "{leaks:?}");
    let spool = old.home.session("s1").join("spool.jsonl");
    let bytes = fs::metadata(spool.shown()).unwrap().len();
    let done = old.job(None).run().unwrap();
    assert!(done.masked > u64::from(ROWS) && done.masked < 3_000, "{done:?}");
    assert_clean(&old, &done);
    assert_eq!(
        fs::metadata(spool.shown()).unwrap().len(),
        bytes,
        "whoever remembers how far it was read, reads on there"
    );
    // Copies that are not ours to edit stay as they are.
    let telling = secret(9_999);
    write(&copy.shown(), &telling);
    write(&settings.shown(), &telling);
    fs::remove_file(old.home.root().join("masked.json").shown()).unwrap();
    assert_eq!(old.job(None).run().unwrap(), Done { is_finished: true, ..Done::default() });
    assert_eq!(
        fs::read_to_string(copy.shown()).unwrap() + &fs::read_to_string(settings.shown()).unwrap(),
        telling.repeat(2)
    );
}

#[test]
fn hooks_that_have_little_time_get_it_done_together() {
    let old = Old::new();
    let mut runs = 0;
    let mut done = Done::default();
    while remask::is_due(&old.home) {
        runs += 1;
        assert!(runs < 10_000);
        // The first has no time at all, however fast the machine is.
        let time = Duration::from_millis(if runs == 1 { 0 } else { 5 });
        // A child that another test starts at this moment holds the lock until it is a program of its own.
        let Some(now) = old.job(Some(Instant::now() + time)).run() else { continue };
        done = now;
    }
    assert!(runs > 1, "{runs}");
    assert_clean(&old, &done);
}

#[test]
fn whoever_is_killed_is_followed_by_somebody_who_goes_on() {
    let old = Old::new();
    let marker = old.home.root().join("masked.json");
    for step in 0..12 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "masking_again::a_child_masks_what_it_is_told_to"])
            .env(CHILD, old.home.root().shown().parent().unwrap())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        loop {
            let progress: Value =
                serde_json::from_slice(&fs::read(marker.shown()).unwrap_or_default()).unwrap_or_default();
            if progress["step"].as_i64().unwrap_or(-1) >= step || child.try_wait().unwrap().is_some() {
                break;
            }
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    let done = old.job(None).run().unwrap();
    assert_clean(&old, &done);
}

/// Not a test by itself: the process that the test above kills.
#[test]
fn a_child_masks_what_it_is_told_to() {
    let Some(top) = std::env::var_os(CHILD).map(PathBuf::from) else { return };
    let home = Home::at(top.join("data"));
    let claude = top.join("claude");
    let job = Job {
        home: &home,
        claude_folder: Some(&claude),
        user_home: None,
        deadline: None,
        wait: Duration::from_secs(2),
    };
    assert!(job.run().is_some());
}

#[test]
fn a_damaged_database_is_named_and_stops_nothing_else() {
    let old = Old::new();
    fs::write(old.home.archive().shown(), "no database at all, but long enough to be looked at").unwrap();
    let _ = fs::remove_file(old.home.root().join("throughline.db-wal").shown());
    let done = old.job(None).run().unwrap();
    assert!(!done.is_finished && done.problems.iter().any(|it| it.contains("throughline.db")), "{done:?}");
    assert!(remask::is_due(&old.home), "it is tried again");
    let text = fs::read_to_string(old.home.log().shown()).unwrap();
    assert!(text.contains("****"), "{text}");
    let recall = Connection::open(old.home.recall().shown()).unwrap();
    let packed: Vec<u8> = recall.query_row("SELECT text FROM texts LIMIT 1", [], |row| row.get(0)).unwrap();
    assert!(inflated(&packed).contains("[masked:github-pat"), "the index was masked all the same");
    // No hook begins all over again; a person does.
    let hook = old.job(Some(Instant::now() + Duration::from_secs(5))).run().unwrap();
    assert_eq!(hook, Done::default());
}

#[test]
fn where_nothing_was_stored_yet_a_hook_is_done_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let job =
        |deadline| Job { home: &home, claude_folder: None, user_home: None, deadline, wait: Duration::ZERO };
    let soon = Some(Instant::now() + Duration::from_secs(5));
    assert_eq!(job(soon).run(), Some(Done { is_finished: true, ..Done::default() }));
    assert!(!remask::is_due(&home));
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["masked.json", "masked.lock"], "no database is made for it");
}

#[test]
fn a_database_that_was_set_aside_is_masked_if_it_is_text_and_named_if_not() {
    for pause in [None, Some(Duration::from_millis(5))] {
        let old = Old::new();
        let root = old.home.root();
        let (text, pages) = (root.join("recall.db.corrupt-1"), root.join("throughline.db.corrupt-2"));
        let log = root.join("throughline.db.corrupt-2-wal");
        write(&text.shown(), format!("no database, but {}\n", secret(9_999)));
        for path in [&pages, &log] {
            write(&path.shown(), [b"SQLite format 3\0\xff".as_slice(), secret(9_998).as_bytes()].concat());
        }
        let mut done = Done::default();
        while remask::is_due(&old.home) {
            done = old.job(pause.map(|pause| Instant::now() + pause)).run().unwrap();
        }
        assert!(done.is_finished && done.problems.is_empty(), "{done:?}");
        assert!(fs::read_to_string(text.shown()).unwrap().starts_with("no database, but [masked:github-pat"));
        assert_eq!(done.kept, [pages.clone(), log.clone()]);
        assert_eq!(remask::kept(&old.home), done.kept, "it is told later, too");
        // Who sets one aside today had masked it before.
        write(&root.join("throughline.db.corrupt-3").shown(), b"\0");
        fs::remove_file(log.shown()).unwrap();
        assert_eq!(remask::kept(&old.home), std::slice::from_ref(&pages));
        fs::remove_file(pages.shown()).unwrap();
        assert_eq!(remask::kept(&old.home), Vec::<Spot>::new());
    }
}

/// An index as an earlier version left it: it cut a text into passages first, and masked the one that had a key's first line.
#[test]
fn the_rest_of_a_key_that_was_cut_before_it_was_masked_is_masked_too() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("data"));
    let path = home.recall();
    let key = |number: usize| format!("{}{}", &secret(number)[4..], &secret(number + 100)[8..]);
    let stands_for =
        |number: usize| format!("line {number:02} {}", "of the key ".repeat(9))[..key(1).len()].to_owned();
    let passage = |lines: &[&str]| Passage {
        kind: PassageKind::Output,
        outcome: CommandOutcome::Unknown,
        is_sidechain: false,
        at_s: 1_769_000_000,
        turn: 1,
        text: format!("cat deploy.txt\n> {}", lines.join("\n> ")),
    };
    let lines: Vec<String> = (1..=6).map(stands_for).collect();
    let passages = [
        passage(&["[masked:private-key:12ab]"]),
        passage(&[&lines[0], &lines[1], &lines[2]]),
        passage(&[&lines[3], &lines[4], &lines[5], "and then the harbour lights"]),
    ];
    let writing = Recall::writing(&path, Patience::Person).unwrap();
    let mut index = Recall::open(&path, Duration::from_secs(1)).unwrap();
    let block = NewBlock::pack("s1", "/p", &passages, &[1]);
    index.add(&writing, &Batch { blocks: vec![block], files: Vec::new() }).unwrap();
    drop((index, writing));
    let connection = Connection::open(path.shown()).unwrap();
    let packed: Vec<u8> = connection.query_row("SELECT text FROM texts", [], |row| row.get(0)).unwrap();
    let text =
        (1..=6).fold(inflated(&packed), |text, number| text.replace(&stands_for(number), &key(number)));
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(9));
    encoder.write_all(text.as_bytes()).unwrap();
    connection.execute("UPDATE texts SET text = ?1", [encoder.finish().unwrap()]).unwrap();
    connection.execute("DELETE FROM words WHERE rowid > 0", []).unwrap();
    connection.execute("INSERT INTO words (rowid, line) VALUES (1, ?1)", [index_line(&text)]).unwrap();
    drop(connection);
    write(&home.root().join("masked.json").shown(), r#"{"done":1,"to":1}"#);

    let job = Job {
        home: &home,
        claude_folder: None,
        user_home: None,
        deadline: None,
        wait: Duration::from_secs(2),
    };
    let done = job.run().unwrap();
    assert_eq!((done.problems, done.is_finished), (Vec::new(), true));
    let connection = Connection::open(path.shown()).unwrap();
    let packed: Vec<u8> = connection.query_row("SELECT text FROM texts", [], |row| row.get(0)).unwrap();
    let expected = "cat deploy.txt\n> [masked:private-key:12ab]cat deploy.txt\n> [masked:private-key]cat deploy.txt\n> [masked:private-key]\n> and then the harbour lights";
    assert_eq!(inflated(&packed), expected);
    let mut contents = Vec::new();
    read_all(&home.root().shown(), &mut contents);
    for (name, bytes) in &contents {
        let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
        let left = (1..=6).find(|number| text.contains(&key(*number).to_ascii_lowercase()[4..16]));
        assert_eq!(left, None, "{name}");
    }
}
