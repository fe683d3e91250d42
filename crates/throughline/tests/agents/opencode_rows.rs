//! OpenCode's database as lines: each message once, whole, in order, whatever its client does meanwhile.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use throughline_agents::agent::OPENCODE;
use throughline_agents::opencode::rows;
use throughline_engine::source::{LineReader, Source};
use throughline_store::transcript_file::Cursor;
use throughline_store::transcript_rows;
use throughline_testkit::{OpenCodeRows, TempHome};

const SESSION: &str = "ses_1";
const DAY_MS: i64 = 86_400_000;

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(0)
}

/// A database with one session, made an hour ago.
fn database(home: &TempHome) -> (OpenCodeRows, i64) {
    let rows = OpenCodeRows::make(&home.root().join("opencode.db"));
    let began = now_ms() - 3_600_000;
    rows.session(SESSION, "/home/me/app", None, began);
    (rows, began)
}

/// What is told behind a cursor: the texts of each line, and the cursor behind it.
fn told(database: &Path, cursor: &Cursor) -> (Vec<String>, Cursor) {
    let path = database.join(SESSION);
    let mut lines = Vec::new();
    let source = Source::of(&OPENCODE, &path);
    let (cursor, _) = source
        .read_on(cursor, u64::MAX, SystemTime::now(), |_, line| {
            let line: Value = serde_json::from_slice(line).expect("a line is JSON");
            let parts = line["parts"].as_array().cloned().unwrap_or_default();
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            lines.push(texts.join(","));
        })
        .expect("a database that can be read");
    (lines, cursor)
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[test]
fn each_message_is_told_once_with_its_parts_in_order() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    rows.prompt(SESSION, began, "go \"on\"\n");
    rows.answer(
        SESSION,
        began + 10,
        &[text("one"), json!({"type": "step-start"}), text("two"), text("three")],
    );
    rows.session("ses_2", "/home/me/other", None, began);
    rows.prompt("ses_2", began + 15, "somebody else's");
    let (lines, cursor) = told(rows.path(), &Cursor::at_start());
    assert_eq!(lines, ["go \"on\"\n", "one,two,three"]);
    // The same millisecond: the counter in the id tells them apart.
    rows.prompt(SESSION, began + 20, "more");
    rows.answer(SESSION, began + 20, &[text("four")]);
    let (lines, cursor) = told(rows.path(), &cursor);
    assert_eq!(lines, ["more", "four"]);
    assert_eq!(told(rows.path(), &cursor).0, [""; 0]);
}

#[test]
fn an_answer_is_told_when_nothing_more_is_added_to_it() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    rows.prompt(SESSION, began, "go");
    let open = rows.message(SESSION, began + 10, 2, &json!({"role": "assistant"}));
    rows.part(SESSION, &open, 1, now_ms(), &text("working"));
    // Said while the agent works: it waits, too, or the answer's end would come before its beginning.
    rows.prompt(SESSION, began + 20, "and this");
    let (lines, cursor) = told(rows.path(), &Cursor::at_start());
    assert_eq!(lines, ["go"]);
    let done =
        json!({"role": "assistant", "time": {"created": began + 10, "completed": began + 30}}).to_string();
    rows.connection().execute("UPDATE message SET data = ?1 WHERE id = ?2", [&done, &open]).unwrap();
    assert_eq!(told(rows.path(), &cursor).0, ["working", "and this"]);
}

#[test]
fn what_a_killed_client_left_half_done_is_told_later() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    let half = rows.message(SESSION, began, 2, &json!({"role": "assistant"}));
    rows.part(SESSION, &half, 1, began, &text("half"));
    assert_eq!(told(rows.path(), &Cursor::at_start()).0, [""; 0], "it may be at work");
    // The next answer in the session: this one is over.
    rows.answer(SESSION, began + 100, &[text("whole")]);
    assert_eq!(told(rows.path(), &Cursor::at_start()).0, ["half", "whole"]);

    let other = TempHome::new();
    let rows = OpenCodeRows::make(&other.root().join("opencode.db"));
    let before = now_ms() - 2 * DAY_MS;
    rows.session(SESSION, "/home/me/app", None, before);
    let half = rows.message(SESSION, before, 2, &json!({"role": "assistant"}));
    rows.part(SESSION, &half, 1, before, &text("half"));
    assert_eq!(told(rows.path(), &Cursor::at_start()).0, ["half"], "nobody goes on with it");
}

#[test]
fn a_prompt_waits_for_its_parts() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    rows.prompt(SESSION, began, "long ago");
    let now = now_ms();
    let fresh = rows.message(SESSION, now, 1, &json!({"role": "user"}));
    let (lines, cursor) = told(rows.path(), &Cursor::at_start());
    assert_eq!(lines, ["long ago"]);
    rows.part(SESSION, &fresh, 1, now, &text("just now"));
    rows.answer(SESSION, now + 5, &[text("yes")]);
    assert_eq!(told(rows.path(), &cursor).0, ["just now", "yes"]);
}

#[test]
fn messages_that_were_taken_back_cost_none_of_the_later_ones() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    rows.prompt(SESSION, began, "one");
    rows.answer(SESSION, began + 10, &[text("two")]);
    let (_, cursor) = told(rows.path(), &Cursor::at_start());
    // An undo: the rows are gone, and SQLite gives their numbers again.
    rows.connection().execute_batch("DELETE FROM part; DELETE FROM message;").unwrap();
    rows.prompt(SESSION, began + 20, "three");
    assert_eq!(told(rows.path(), &cursor).0, ["three"]);
}

#[test]
fn a_writing_client_neither_waits_for_us_nor_keeps_us_waiting() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    rows.prompt(SESSION, began, "one");
    rows.connection().execute_batch("BEGIN IMMEDIATE").unwrap();
    rows.prompt(SESSION, began + 10, "not yet there");
    let asked = std::time::Instant::now();
    assert_eq!(told(rows.path(), &Cursor::at_start()).0, ["one"]);
    assert!(asked.elapsed() < Duration::from_secs(2));
    rows.connection().execute_batch("COMMIT").unwrap();
    assert_eq!(told(rows.path(), &Cursor::at_start()).0, ["one", "not yet there"]);
}

#[test]
fn sessions_are_listed_with_their_folders_and_last_places() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    rows.prompt(SESSION, began, "one");
    rows.answer(SESSION, began + 10, &[text("two")]);
    rows.session("ses_2", "/home/me/app", Some(SESSION), began + 5);
    let listed = transcript_rows::sessions(rows.path(), rows::SESSIONS).unwrap();
    let (_, cursor) = told(rows.path(), &Cursor::at_start());
    let shown: Vec<_> = listed.iter().map(|row| (row.id.as_str(), row.last_position)).collect();
    assert_eq!(shown, [(SESSION, cursor.offset)], "a subagent's is a part of it");
    assert_eq!((listed[0].folder.as_str(), listed[0].changed_ms), ("/home/me/app", began));
}

#[test]
fn what_subagents_wrote_stands_in_between_as_theirs() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    rows.prompt(SESSION, began, "go");
    let working = rows.message(SESSION, began + 10, 2, &json!({"role": "assistant"}));
    rows.part(SESSION, &working, 1, now_ms(), &text("I ask somebody"));
    rows.session("ses_2", "/home/me/app", Some(SESSION), began + 20);
    rows.prompt("ses_2", began + 20, "look around");
    rows.answer("ses_2", began + 30, &[text("seen")]);
    let (lines, cursor) = told(rows.path(), &Cursor::at_start());
    assert_eq!(lines, ["go"], "nothing is told before what stands in front of it");
    let done =
        json!({"role": "assistant", "time": {"created": began + 10, "completed": began + 40}}).to_string();
    rows.connection().execute("UPDATE message SET data = ?1 WHERE id = ?2", [&done, &working]).unwrap();
    assert_eq!(told(rows.path(), &cursor).0, ["I ask somebody", "look around", "seen"]);
    let path = rows.path().join(SESSION);
    let mut whose = Vec::new();
    let mut reader = LineReader::afresh(&OPENCODE);
    let take = |_: u64, line: &[u8]| {
        let problem = reader.each(line, |line| {
            assert_eq!(line.session, Some(SESSION));
            whose.push(line.is_sidechain);
        });
        assert_eq!(problem, None);
    };
    Source::of(&OPENCODE, &path).read_on(&Cursor::at_start(), u64::MAX, SystemTime::now(), take).unwrap();
    assert_eq!(whose, [false, false, true, true]);
}

#[test]
fn a_part_of_several_megabytes_is_left_out() {
    let home = TempHome::new();
    let (rows, began) = database(&home);
    let picture = json!({"type": "file", "mime": "image/png", "url": "x".repeat(5_000_000)});
    rows.answer(SESSION, began, &[text("before"), picture, text("after")]);
    assert_eq!(told(rows.path(), &Cursor::at_start()).0, ["before,after"]);
}

#[test]
fn the_lines_of_a_long_session_are_found_by_an_index() {
    let home = TempHome::new();
    let (rows, _) = database(&home);
    let mut plan = rows.connection().prepare(&format!("EXPLAIN QUERY PLAN {}", rows::LINES)).unwrap();
    let steps: Vec<String> =
        plan.query_map([SESSION, "0"], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
    // `f` and `t` are what was found already.
    let is_whole = |step: &&String| {
        step.starts_with("SCAN ") && !["SCAN f", "SCAN t", "SCAN growing"].contains(&step.as_str())
    };
    let scanned: Vec<&String> = steps.iter().filter(is_whole).collect();
    assert_eq!(scanned, Vec::<&String>::new(), "{steps:#?}");
}
