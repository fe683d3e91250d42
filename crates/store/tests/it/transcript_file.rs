//! The transcript file against growth, cuts, rotation, odd files and random histories: each line once, in order.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use tempfile::TempDir;
use throughline_store::transcript_file::{Cursor, LINE_BYTES_MAX, Reading, read_on};

/// A transcript, what was read of it so far, and how far.
struct Scene {
    _folder: TempDir,
    path: PathBuf,
    cursor: Cursor,
    lines: Vec<(u64, String)>,
}

/// Whether the clock stands at the last write or some time after it.
#[derive(Clone, Copy, Debug)]
enum Writer {
    Busy,
    Quiet,
}

impl Scene {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("session.jsonl");
        Self { _folder: folder, path, cursor: Cursor::default(), lines: Vec::new() }
    }

    fn append(&self, text: impl AsRef<[u8]>) {
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path).unwrap();
        file.write_all(text.as_ref()).unwrap();
    }

    fn cut(&self, bytes: u64) {
        OpenOptions::new().write(true).open(&self.path).unwrap().set_len(bytes).unwrap();
    }

    fn read(&mut self, bytes_max: u64, writer: Writer) -> Reading {
        let modified =
            fs::metadata(&self.path).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let now = modified + Duration::from_secs(if matches!(writer, Writer::Quiet) { 3 } else { 1 });
        // The cursor lives in a file between two readings.
        let kept: Cursor = serde_json::from_str(&serde_json::to_string(&self.cursor).unwrap()).unwrap();
        let mut lines = Vec::new();
        let (cursor, reading) = read_on(&self.path, &kept, bytes_max, now, |at, line| {
            lines.push((at, String::from_utf8_lossy(line).into_owned()));
        })
        .unwrap();
        assert_eq!(reading.lines, lines.len() as u64);
        if reading.restarted {
            self.lines.clear();
        }
        self.lines.extend(lines);
        self.cursor = cursor;
        reading
    }

    fn texts(&self) -> Vec<&str> {
        self.lines.iter().map(|(_, text)| text.as_str()).collect()
    }
}

const ALL: u64 = u64::MAX;

#[test]
fn each_reading_goes_on_where_the_last_one_ended() {
    let mut scene = Scene::new();
    assert_eq!(scene.read(ALL, Writer::Quiet), Reading::default());
    scene.append("{\"a\":1}\n{\"b\":2}\n{\"c\"");
    assert_eq!(scene.read(ALL, Writer::Busy).lines, 2);
    assert_eq!(scene.read(ALL, Writer::Quiet).lines, 0);
    scene.append(":3}\r\n\n \n{\"d\":4}\n");
    assert_eq!(scene.read(ALL, Writer::Busy).lines, 2);
    assert_eq!(scene.texts(), ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}\r", "{\"d\":4}"]);
    assert_eq!(scene.lines.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 8, 16, 28]);
}

#[test]
fn a_whole_last_line_counts_in_a_quiet_file_and_only_once() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n{\"b\":2}");
    assert_eq!(scene.read(ALL, Writer::Busy).lines, 1);
    assert_eq!(scene.read(ALL, Writer::Quiet).lines, 1);
    assert_eq!(scene.read(ALL, Writer::Quiet).lines, 0);
    scene.append("\n{\"c\":3}\n");
    assert_eq!(scene.read(ALL, Writer::Busy).lines, 1);
    assert_eq!(scene.texts(), ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]);
}

#[test]
fn a_torn_last_line_never_counts_however_quiet_it_is() {
    let mut scene = Scene::new();
    for torn in ["{\"a\":1", "7", "\"x\"", "{\"a\":1}}"] {
        fs::write(&scene.path, torn).unwrap();
        assert_eq!(scene.read(ALL, Writer::Quiet).lines, 0, "{torn}");
    }
}

#[test]
fn a_cut_file_begins_anew_and_says_so() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n{\"b\":2}\n");
    scene.read(ALL, Writer::Busy);
    scene.cut(8);
    assert!(scene.read(ALL, Writer::Busy).restarted);
    assert_eq!(scene.texts(), ["{\"a\":1}"]);
    scene.cut(0);
    let reading = scene.read(ALL, Writer::Busy);
    assert!(reading.restarted && scene.texts().is_empty());
    assert!(!scene.read(ALL, Writer::Busy).restarted);
}

#[test]
fn a_rotated_file_begins_anew_even_when_it_is_longer() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n");
    scene.read(ALL, Writer::Busy);
    fs::rename(&scene.path, scene.path.with_extension("old")).unwrap();
    scene.append("{\"other\":1}\n{\"other\":2}\n");
    let reading = scene.read(ALL, Writer::Busy);
    assert!(reading.restarted);
    assert_eq!(scene.texts(), ["{\"other\":1}", "{\"other\":2}"]);
}

#[test]
fn a_copy_in_the_files_place_goes_on() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n");
    scene.read(ALL, Writer::Busy);
    let copy = scene.path.with_extension("copy");
    fs::copy(&scene.path, &copy).unwrap();
    fs::rename(&copy, &scene.path).unwrap();
    scene.append("{\"b\":2}\n");
    assert!(!scene.read(ALL, Writer::Busy).restarted);
    assert_eq!(scene.texts(), ["{\"a\":1}", "{\"b\":2}"]);
}

#[test]
fn a_file_written_over_in_place_begins_anew() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n".repeat(1_000));
    scene.read(ALL, Writer::Busy);
    let mut file = OpenOptions::new().write(true).open(&scene.path).unwrap();
    file.seek(SeekFrom::Start(7_995)).unwrap();
    file.write_all(b"9").unwrap();
    assert!(scene.read(ALL, Writer::Busy).restarted);
    assert_eq!(scene.texts().len(), 1_000);
}

#[test]
fn of_a_long_file_the_end_is_read_first_and_all_of_it_from_the_start_in_slices() {
    let mut scene = Scene::new();
    let all: Vec<String> = (0..100_000).map(|number| format!("{{\"number\":{number}}}")).collect();
    scene.append(all.join("\n") + "\n");
    let reading = scene.read(100_000, Writer::Busy);
    assert!(!reading.more && !reading.restarted && reading.bytes <= 100_000, "{reading:?}");
    assert_eq!(scene.lines.last().unwrap().1, *all.last().unwrap());
    assert_eq!(scene.cursor.front_bytes(), scene.lines[0].0, "the front ends where the first line begins");
    scene.append("{\"new\":1}\n");
    assert_eq!(scene.read(100_000, Writer::Busy).lines, 1);

    (scene.cursor, scene.lines) = (Cursor::at_start(), Vec::new());
    let mut slices = 1;
    while scene.read(300_000, Writer::Busy).more {
        slices += 1;
    }
    assert!(slices >= 5, "{slices}");
    assert_eq!((scene.texts().len(), scene.cursor.front_bytes()), (all.len() + 1, 0));
    assert!(scene.texts().iter().zip(&all).all(|(read, written)| read == written));
}

#[test]
fn a_cut_between_two_slices_begins_anew() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n".repeat(1_000));
    scene.read(4_800, Writer::Busy);
    assert_eq!(scene.cursor.front_bytes(), 3_200);
    scene.cut(4_000);
    assert!(scene.read(ALL, Writer::Busy).restarted);
    assert_eq!((scene.texts().len(), scene.cursor.front_bytes()), (500, 0));
}

#[test]
fn a_limit_stops_at_a_lines_end_and_the_rest_follows() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n");
    scene.read(ALL, Writer::Busy);
    scene.append("{\"b\":2}\n".repeat(100));
    let reading = scene.read(20, Writer::Quiet);
    assert_eq!((reading.lines, reading.bytes, reading.more), (3, 24, true));
    while scene.read(50, Writer::Quiet).more {}
    assert_eq!(scene.texts().len(), 101);
}

#[test]
fn an_endless_line_is_passed_over_and_the_next_one_is_read() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n");
    scene.read(ALL, Writer::Busy);
    scene.append("x".repeat(LINE_BYTES_MAX + 10));
    let reading = scene.read(ALL, Writer::Quiet);
    assert_eq!((reading.lines, reading.problems.len()), (0, 1), "{reading:?}");
    scene.append("y".repeat(5_000_000));
    let reading = scene.read(ALL, Writer::Quiet);
    assert_eq!((reading.problems.len(), reading.bytes), (0, 5_000_000));
    scene.append("z\n{\"b\":2}\n");
    assert_eq!(scene.read(ALL, Writer::Busy).lines, 1);
    assert_eq!(scene.texts(), ["{\"a\":1}", "{\"b\":2}"]);
}

#[test]
fn a_line_of_megabytes_is_read_whole_whatever_the_limit() {
    let mut scene = Scene::new();
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(9_000_000));
    scene.append("{}\n");
    scene.read(ALL, Writer::Busy);
    scene.append(format!("{long}\n{{\"b\":2}}\n"));
    while scene.read(1_000, Writer::Busy).more {}
    assert_eq!(scene.texts(), ["{}", &long, "{\"b\":2}"]);
}

#[test]
fn a_gigabyte_of_nothing_costs_a_slice_at_a_time() {
    let mut scene = Scene::new();
    File::create(&scene.path).unwrap().set_len(1 << 30).unwrap();
    for _ in 0..4 {
        let reading = scene.read(1 << 20, Writer::Quiet);
        assert!(reading.lines == 0 && reading.bytes <= LINE_BYTES_MAX as u64 + (2 << 20), "{reading:?}");
    }
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let fifo = folder.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    let refused = |path: &Path| {
        let read = read_on(path, &Cursor::default(), ALL, SystemTime::UNIX_EPOCH, |_, _| {});
        read.expect_err("no transcript").to_string()
    };
    assert!(refused(&fifo).contains("not a regular file"));
    assert!(refused(folder.path()).contains("directory"));
    assert!(refused(Path::new("/dev/zero")).contains("not a regular file"));
    let below = folder.path().join("file/below");
    File::create(folder.path().join("file")).unwrap();
    assert!(refused(&below).contains("could not open"));
}

#[test]
fn a_link_to_a_transcript_is_followed() {
    let scene = Scene::new();
    scene.append("{\"a\":1}\n");
    let link = scene.path.with_extension("link");
    std::os::unix::fs::symlink(&scene.path, &link).unwrap();
    let (_, reading) = read_on(&link, &Cursor::default(), ALL, SystemTime::UNIX_EPOCH, |_, _| {}).unwrap();
    assert_eq!(reading.lines, 1);
}

#[test]
fn a_file_that_grows_while_it_is_read_is_read_up_to_where_it_was() {
    let mut scene = Scene::new();
    scene.append("{\"a\":1}\n{\"b\":2}\n");
    let mut count = 0;
    let path = scene.path.clone();
    let grow = |_: u64, _: &[u8]| {
        count += 1;
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"more\":1}\n").unwrap();
    };
    let (cursor, _) = read_on(&scene.path, &Cursor::default(), ALL, SystemTime::UNIX_EPOCH, grow).unwrap();
    assert_eq!((count, cursor.offset), (2, 16));
    scene.cursor = cursor;
    assert_eq!(scene.read(ALL, Writer::Busy).lines, 2);
}

#[derive(Clone, Debug)]
enum Step {
    Append(String),
    Cut(prop::sample::Index),
    Replace(String),
    Read(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let limit = || prop_oneof![1..64_u64, Just(ALL)];
    let step = prop_oneof![
        4 => "[abc{}\\n ]{0,40}".prop_map(Step::Append),
        1 => any::<prop::sample::Index>().prop_map(Step::Cut),
        1 => "[xyz\\n]{0,60}".prop_map(Step::Replace),
        4 => limit().prop_map(Step::Read),
    ];
    prop::collection::vec(step, 1..24)
}

fn place(at: u64) -> usize {
    usize::try_from(at).unwrap()
}

/// The lines of a part of a file that ends at a line's end.
fn lines_of(text: &str) -> Vec<&str> {
    text.split('\n').filter(|line| !line.trim().is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever happens to the file: what was delivered since the last beginning is what stands before the cursor.
    #[test]
    fn every_complete_line_is_delivered_once_and_in_order(steps in steps()) {
        let mut scene = Scene::new();
        scene.append("");
        for step in steps.into_iter().chain([Step::Read(ALL)]) {
            match step {
                Step::Append(text) => scene.append(text),
                Step::Cut(at) => scene.cut(at.index(fs::read(&scene.path).unwrap().len() + 1) as u64),
                Step::Replace(text) => fs::write(&scene.path, text).unwrap(),
                Step::Read(limit) => {
                    let reading = scene.read(limit, Writer::Busy);
                    let text = fs::read_to_string(&scene.path).unwrap();
                    let whole = text.rfind('\n').map_or(0, |at| at as u64 + 1);
                    prop_assert!(scene.cursor.offset <= whole);
                    prop_assert!(reading.more || scene.cursor.offset == whole);
                    let read = &text[..place(scene.cursor.offset)];
                    prop_assert_eq!(scene.texts(), lines_of(&read[place(scene.cursor.front_bytes())..]));
                    for (at, line) in &scene.lines {
                        prop_assert!(text[place(*at)..].starts_with(line.as_str()));
                    }
                }
            }
        }
        (scene.cursor, scene.lines) = (Cursor::at_start(), Vec::new());
        while scene.read(7, Writer::Busy).more {}
        let text = fs::read_to_string(&scene.path).unwrap();
        prop_assert_eq!(scene.texts(), lines_of(&text[..place(scene.cursor.offset)]));
    }

    /// Line ends that come late, quiet moments in between, any limit: each entry once.
    #[test]
    fn a_late_line_end_makes_no_entry_count_twice(
        parts in prop::collection::vec((any::<bool>(), any::<bool>(), prop_oneof![1..40_u64, Just(ALL)]), 1..20)
    ) {
        let mut scene = Scene::new();
        let mut written = Vec::new();
        let mut is_open = false;
        for (number, (ends, is_quiet, limit)) in parts.into_iter().enumerate() {
            let entry = format!("{{\"number\":{number}}}");
            scene.append(format!("{}{entry}{}", if is_open { "\n" } else { "" }, if ends { "\n" } else { "" }));
            is_open = !ends;
            written.push(entry);
            scene.read(limit, if is_quiet { Writer::Quiet } else { Writer::Busy });
        }
        while scene.read(ALL, Writer::Quiet).more {}
        let front = place(scene.cursor.front_bytes());
        let text = fs::read_to_string(&scene.path).unwrap();
        let left_out = lines_of(&text[..front]).len();
        prop_assert_eq!(scene.texts(), &written[left_out..]);
    }
}

/// What this thread has read so far.
#[cfg(target_os = "linux")]
fn bytes_read() -> u64 {
    let told = fs::read_to_string("/proc/thread-self/io").unwrap();
    told.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok()).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_file_that_is_read_in_pieces_is_read_once() {
    let mut scene = Scene::new();
    scene.cursor = Cursor::at_start();
    let lines: Vec<String> =
        (0..12_000).map(|n| format!("{{\"n\":{n},\"text\":\"{}\"}}\n", "x".repeat(n % 2_000))).collect();
    scene.append(lines.concat());
    let (before, mut pieces) = (bytes_read(), 0);
    while scene.read(1 << 20, Writer::Busy).more {
        pieces += 1;
    }
    let (read, length) = (bytes_read() - before, fs::metadata(&scene.path).unwrap().len());
    assert_eq!((pieces, scene.lines.len()), (length >> 20, lines.len()));
    // The ends of pieces, and the marks by which the file is known again.
    assert!(read < length + (pieces + 1) * (80 << 10), "{read} of {length} bytes in {pieces} pieces");
}
