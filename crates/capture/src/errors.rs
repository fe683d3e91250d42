//! Errors: the lines of a failed run that tell what is wrong, and whether it was made right since.

use memchr::memmem;
use throughline_domain::ledger::{ErrorSeen, Ledger, TranscriptPlace};
use throughline_domain::text::shorten;

use crate::kinds;

const LINES_MAX: usize = 3;
const LINE_UNITS_MAX: usize = 300;
/// Lines of an answer that are looked at.
const SCAN_LINES_MAX: usize = 2_000;

/// A run failed: keeps the lines that tell. Of one command, only its newest failure is open.
pub(crate) fn failed(ledger: &mut Ledger, text: &str, from: &str, is_certain: bool, place: TranscriptPlace) {
    let lines = telling_lines(text);
    let Some(first) = lines.first() else { return };
    // The end of a text in which nothing looks like an error may be anything.
    let is_certain = is_certain && tells(first);
    let is_same = |error: &ErrorSeen| kinds::is_same_run(&error.from, from);
    ledger.errors.retain(|error| !is_same(error) || error.lines.first() != lines.first());
    // The newest run tells how things stand: what it says no more is over, what it says still stands in its own lines.
    for error in ledger.errors.iter_mut().filter(|error| error.resolved_turn.is_none() && is_same(error)) {
        error.resolved_turn = Some(place.turn);
    }
    ledger.errors.push(ErrorSeen {
        lines,
        is_certain,
        from: from.to_owned(),
        place,
        resolved_turn: None,
        resolved_by: None,
    });
}

/// A script for once failed: only lines that look like an error count, and nothing is certain about what they mean now.
pub(crate) fn failed_once(ledger: &mut Ledger, text: &str, from: &str, place: TranscriptPlace) {
    if text.lines().take(SCAN_LINES_MAX).any(|line| tells(line.trim())) {
        failed(ledger, text, from, false, place);
    }
}

/// A command succeeded: its own errors are over, and those of narrower runs of the same tool.
pub(crate) fn resolve(ledger: &mut Ledger, normal: &str, turn: u64) {
    for error in ledger.errors.iter_mut().filter(|error| error.resolved_turn.is_none()) {
        if kinds::is_same_run(&error.from, normal) {
            error.resolved_turn = Some(turn);
        } else if covers(normal, &error.from) {
            error.resolved_turn = Some(turn);
            error.resolved_by = Some(normal.to_owned());
        }
    }
}

/// Whether a success of `run` says that the failure of `failed` is over: the same run, or one that includes it.
pub(crate) fn is_over_after(run: &str, failed: &str) -> bool {
    kinds::is_same_run(run, failed) || covers(run, failed)
}

/// Whether a run of `wide` includes that of `narrow`: the same tool, no choice among tests, and the same or larger targets.
fn covers(wide: &str, narrow: &str) -> bool {
    let (wide, narrow): (Vec<&str>, Vec<&str>) = (wide.split(' ').collect(), narrow.split(' ').collect());
    let (wide, narrow) = (kinds::behind_wrappers(&wide), kinds::behind_wrappers(&narrow));
    let is_same_tool =
        wide.first() == narrow.first() && wide.len() > 1 && narrow.len() > 1 && wide.get(1) == narrow.get(1);
    let is_tool_alone = wide.len() == 1 && wide.first() == narrow.first();
    if is_tool_alone {
        return narrow.iter().skip(1).all(|word| word.starts_with('-') || word.contains(['/', '.', ':']));
    }
    if !is_same_tool {
        return false;
    }
    if let Some((choice, of)) = choice(wide).zip(choice(narrow)) {
        return is_wider(choice, of) && tags(wide).eq(tags(narrow));
    }
    if wide.iter().any(|word| chooses(word)) {
        return false;
    }
    let (wide_targets, narrow_targets) = (targets(wide), targets(narrow));
    tags(wide).eq(tags(narrow))
        && (wide_targets.is_empty() && wide.len() == 2
            || !narrow_targets.is_empty()
                && narrow_targets
                    .iter()
                    .all(|target| wide_targets.iter().any(|whole| includes(whole, target))))
}

/// Which tests a run picks by their names.
fn choice<'w>(words: &[&'w str]) -> Option<&'w str> {
    const BY_NAME: &[&str] = &["-run", "-k", "-t", "--filter", "--grep", "-g", "--tests"];
    words.iter().enumerate().find_map(|(at, word)| {
        let flag = word.split('=').next().unwrap_or(word);
        BY_NAME
            .contains(&flag)
            .then(|| word.split_once('=').map(|(_, name)| name).or_else(|| words.get(at + 1).copied()))?
    })
}

/// Whether all tests whose names a pattern picks are picked by another: one that stands in its name.
fn is_wider(wide: &str, narrow: &str) -> bool {
    let bare = |name: &str| name.trim_matches(['"', '\'', '^', '$']).to_owned();
    let (wide, narrow) = (bare(wide), bare(narrow));
    narrow.split('|').all(|name| wide.split('|').any(|whole| !whole.is_empty() && name.contains(whole)))
}

/// A run says of a test by name that it passes: what an earlier run said of it is over, whatever that was called.
pub(crate) fn passed(ledger: &mut Ledger, text: &str, turn: u64) {
    for error in ledger.errors.iter_mut().filter(|error| error.resolved_turn.is_none()) {
        let mut names = error.lines.iter().filter_map(|line| failed_test(line));
        let is_over = |name: &str| {
            [
                format!("--- PASS: {name} "),
                format!("test {name} ... ok"),
                format!("{name} PASSED"),
                format!("✓ {name}"),
            ]
            .iter()
            .any(|says| text.contains(says.as_str()))
        };
        let name = names.next();
        if name.is_some_and(is_over) && names.all(is_over) {
            error.resolved_turn = Some(turn);
        }
    }
}

/// The test that a line of a failed run names.
fn failed_test(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("--- FAIL: ") {
        return rest.split(' ').next();
    }
    if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
        return Some(name);
    }
    line.strip_prefix("FAILED ").and_then(|rest| rest.split(' ').next()).filter(|name| name.contains("::"))
}

/// What a run is about: folders and files behind the tool's own words.
fn targets<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let is_target = |word: &&str| word.contains(['/', '.']) && !word.starts_with('-');
    words.iter().skip(2).copied().filter(is_target).collect()
}

fn tags<'w>(words: &[&'w str]) -> impl Iterator<Item = &'w str> {
    words.iter().copied().filter(|word| word.contains("tags") || word.contains("feature"))
}

fn chooses(word: &str) -> bool {
    let is_flag =
        |flag: &&str| word.strip_prefix(*flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    word.starts_with('-') && CHOOSES.iter().any(is_flag)
}

/// Options that pick some of the tests.
const CHOOSES: &[&str] = &[
    "-run",
    "-k",
    "-t",
    "--filter",
    "--test",
    "-m",
    "--grep",
    "-g",
    "--tests",
    "-only-testing",
    "--only",
    "-p",
    "--lib",
    "--bin",
    "--example",
    "-n",
    "-c",
    "--no-run",
    "-list",
    "--collect-only",
];

fn includes(whole: &str, part: &str) -> bool {
    let folder = whole.trim_end_matches("...").trim_end_matches('/');
    let part = part.trim_end_matches("...").trim_end_matches('/');
    if folder == "." {
        return whole.ends_with("...") || whole == "." && part.starts_with('.');
    }
    part == folder || (part.starts_with(folder) && part.as_bytes().get(folder.len()) == Some(&b'/'))
}

/// The lines that tell what is wrong, the most telling first; at most three.
pub(crate) fn telling_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).take(SCAN_LINES_MAX).collect();
    let telling: Vec<usize> = (0..lines.len()).filter(|at| tells(lines[*at])).collect();
    let first = match traceback_end(&lines) {
        Some(at) => at,
        None => match telling.first() {
            Some(at) => *at,
            None => return last_words(&lines),
        },
    };
    let mut chosen = vec![first];
    // What was said before a traceback may be the cause of it.
    chosen.extend(telling.first().filter(|at| **at < first && !lines[**at].starts_with("Traceback")));
    // Where it happened stands near: prefer lines with a place, behind the first, then whatever else tells.
    let near = || {
        (first + 1..lines.len()).take(40).filter(|at| has_place(lines[*at]) && !lines[*at].starts_with("at "))
    };
    let before = (first.saturating_sub(3)..first).rev().filter(|at| lines[*at].starts_with("File \""));
    let near = near().filter(|at| tells(lines[*at])).chain(near().filter(|at| !tells(lines[*at])).take(1));
    for at in before.chain(near).chain(telling.iter().copied()) {
        if chosen.len() >= LINES_MAX {
            break;
        }
        if chosen.iter().all(|other| lines[*other] != lines[at]) {
            chosen.push(at);
        }
    }
    chosen.iter().map(|at| shorten(lines[*at], LINE_UNITS_MAX)).collect()
}

/// Python says what happened in the last line of a traceback, and of several the last counts.
fn traceback_end(lines: &[&str]) -> Option<usize> {
    let start = lines.iter().rposition(|line| line.starts_with("Traceback (most recent call last)"))?;
    (start + 1..lines.len()).find(|at| names_exception(lines[*at]))
}

/// Nothing that looks like an error: the end of what it said.
fn last_words(lines: &[&str]) -> Vec<String> {
    let said = lines.iter().rev().filter(|line| {
        !line.starts_with("Exit code ")
            && **line != "FAIL"
            && !line.contains("Run with --verbose")
            && line.chars().filter(|c| c.is_alphabetic()).count() >= 4
    });
    said.take(1).map(|line| shorten(line, LINE_UNITS_MAX)).collect()
}

/// Whether a line of a run whose exit code is hidden says by itself that it failed.
pub(crate) fn shows_failure(line: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "--- FAIL", "FAIL\t", "FAIL ", "FAILED", "test result: FAILED", "error[", "error: ", "panic:",
        "Traceback (most", "not ok ", "npm ERR!", "BUILD FAILED", "fatal:", "E   ", "[ERROR]", "make: ***",
        "FAILURE:", "Error: ",
    ];
    let line = line.trim();
    // Nearly every line is told by its first byte.
    let starts =
        |start: &&str| line.as_bytes().first() == start.as_bytes().first() && line.starts_with(*start);
    line == "FAIL"
        || STARTS.iter().any(starts)
        || counts_failures(line)
        || (has_place(line) && says_error(line))
}

/// `3 failed, 10 passed`, `Tests: 1 failed`; but not `0 failed`.
fn counts_failures(line: &str) -> bool {
    let Some(at) = memmem::find(line.as_bytes(), b" failed") else { return false };
    let number = line[..at].rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    !number.is_empty() && number.bytes().any(|digit| digit != b'0') && line.len() < 200
}

/// Whether a line is one that a compiler, a test runner, an interpreter or a shell prints for a failure.
fn tells(line: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "error:",
        "error[",
        "Error:",
        "ERROR",
        "[ERROR]",
        "[error]",
        "--- FAIL",
        "FAIL",
        "panic:",
        "fatal:",
        "fatal error:",
        "Fatal error",
        "PHP Fatal",
        "PHP Parse",
        "npm ERR!",
        "npm error",
        "bash: ",
        "zsh: ",
        "sh: ",
        "/bin/",
        "/usr/bin/",
        "make: ***",
        "make[",
        "✗",
        "×",
        "✘",
        "✖",
        "❌",
        "not ok",
        "E   ",
        "AssertionError",
        "** (",
        "Failure/Error:",
        "e: ",
        "● ",
        "undefined reference",
        "ld: ",
        "Unhandled",
        "Uncaught",
        "error TS",
        "ERR_",
        "! [",
        "Failed to",
        "failed to",
        "cannot ",
        "Cannot ",
        "Error ",
        "CONFLICT",
    ];
    if line.len() < 4 || line.len() > 2_000 || line == "FAIL" {
        return false;
    }
    STARTS.iter().any(|start| line.starts_with(start))
        || (line.starts_with("thread ") && line.contains("panicked"))
        || names_exception(line)
        || (has_place(line) && says_error(line))
        || line.ends_with("command not found")
        || line.contains(": command not found")
        || ["No such file or directory", ": Permission denied", ": Operation not permitted"]
            .iter()
            .any(|reason| line.contains(reason))
        || logs_error(line)
}

/// `mise ERROR no such tool`, `12:03:11 [ERROR] x`: a log's level behind the program or the time.
fn logs_error(line: &str) -> bool {
    let is_level = |word: &str| matches!(word.trim_matches(['[', ']', ':', '|']), "ERROR" | "FATAL");
    line.split(' ').take(4).any(is_level)
}

/// `ValueError: x`, `java.lang.NullPointerException`, `TypeError [ERR_X]: y`: the first word is called so.
fn names_exception(line: &str) -> bool {
    let end = line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    ["Error", "Exception", "SystemExit", "KeyboardInterrupt"].iter().any(|tail| word.ends_with(tail))
        && word.starts_with(char::is_alphabetic)
        && (rest.is_empty() || rest.starts_with([':', '(', ' ']))
}

/// A place stands so far to the front.
const PLACE_BYTES_MAX: usize = 301;

/// Whether a line names a place: `src/a.rs:12`, `a.ts(3,4)`, `File "x.py", line 3`.
fn has_place(line: &str) -> bool {
    if line.starts_with("File \"") && line.contains(", line ") {
        return true;
    }
    let bytes = &line.as_bytes()[..line.len().min(PLACE_BYTES_MAX)];
    memchr::memchr2_iter(b':', b'(', bytes).any(|at| {
        bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
            && at > 3
            && bytes[at.saturating_sub(6)..at].contains(&b'.')
            && bytes[at - 1].is_ascii_alphanumeric()
            && !bytes[at - 1].is_ascii_digit()
    })
}

/// A word of a compiler behind a place. Whole words: "room" is no "oom", "terrors" no "error".
fn says_error(line: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "error", "fatal", "undefined", "cannot", "expected", "unexpected", "undeclared", "unresolved",
        "unused", "missing", "mismatched", "invalid", "imported", "redeclared", "failed", "panicked",
        "want", "got", "unknown", "declared",
    ];
    line.split(|c: char| !c.is_ascii_alphabetic())
        .any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(&telling_lines(text).join("\n"));
    }

    #[test]
    fn the_lines_that_matter_are_kept_and_not_the_first_ones() {
        let noise = "downloading things that nobody reads\n".repeat(100);
        check(
            &format!(
                "Exit code 1\n{noise}--- FAIL: TestParse (0.00s)\n    parse_test.go:41: got 3, want 4\nFAIL\nFAIL\texample/parse\t0.1s\n"
            ),
            &expect![[r"
                --- FAIL: TestParse (0.00s)
                parse_test.go:41: got 3, want 4
                FAIL	example/parse	0.1s"]],
        );
        check(
            "   Compiling x\nerror[E0308]: mismatched types\n  --> src/a.rs:4:9\n   |\nerror: could not compile `x`",
            &expect![[r"
                error[E0308]: mismatched types
                --> src/a.rs:4:9
                error: could not compile `x`"]],
        );
    }

    #[test]
    fn of_a_traceback_the_last_line_tells() {
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    f()\n  File \"b.py\", line 9, in f\n    g()\nValueError: too few\n",
            &expect![[r#"
                ValueError: too few
                File "b.py", line 9, in f"#]],
        );
    }

    #[test]
    fn what_was_said_before_a_traceback_and_behind_a_log_s_level_tells() {
        check(
            "FAILED: curl\nTraceback (most recent call last):\n  File \"<string>\", line 3, in <module>\njson.decoder.JSONDecodeError: Expecting value\n",
            &expect![[r#"
                json.decoder.JSONDecodeError: Expecting value
                FAILED: curl
                File "<string>", line 3, in <module>"#]],
        );
        check(
            "Exit code 1\nmise ERROR No version is set for shim: javap\nmise hint: see the docs",
            &expect!["mise ERROR No version is set for shim: javap"],
        );
        check(
            "looking\ndmesg: read kernel buffer failed: Operation not permitted\n=== ready",
            &expect!["dmesg: read kernel buffer failed: Operation not permitted"],
        );
    }

    #[test]
    fn the_end_of_a_text_without_an_error_is_no_certain_failure() {
        let mut ledger = Ledger::default();
        failed(&mut ledger, "Exit code 1\nWelcome to the tool", "./tool", true, TranscriptPlace::default());
        failed(
            &mut ledger,
            "Exit code 1\nfatal: no such host",
            "./tool push",
            true,
            TranscriptPlace::default(),
        );
        let certain: Vec<bool> = ledger.errors.iter().map(|error| error.is_certain).collect();
        assert_eq!(certain, [false, true]);
    }

    #[test]
    fn a_room_is_no_lack_of_memory() {
        assert!(!tells("there is room for 3 terrors"));
        check("Exit code 3\nroom\nthe room is full", &expect!["the room is full"]);
    }

    #[test]
    fn a_wider_run_covers_a_narrower_one() {
        for (wide, narrow, expected) in [
            ("go test ./...", "go test ./pkg/a -run TestX", true),
            ("go test ./pkg/...", "go test ./pkg/a", true),
            ("go test ./pkg/a -run TestY", "go test ./pkg/a -run TestX", false),
            ("go test -tags=integration ./...", "go test ./...", false),
            ("cargo test", "cargo test --workspace", true),
            ("cargo test", "cargo build", false),
            ("pytest", "pytest tests/a.py::test_x", true),
            ("pytest tests/b.py", "pytest tests/a.py", false),
            ("npm run lint", "npm run build", false),
        ] {
            assert_eq!(covers(wide, narrow), expected, "{wide} / {narrow}");
        }
    }
}
