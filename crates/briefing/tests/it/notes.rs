//! The page of notes: what it says, what it leaves alone, and that no event is told twice.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the texts this way")]

use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;
use throughline_briefing::notes::{Commit, CurrentState, Mark, NotesEntry, Page, Update, When, since};
use throughline_domain::ledger::Ledger;
use throughline_domain::{State, Timestamp, time};

use crate::arbitrary::loose_text;
use crate::session::{ledger, place};

fn now() -> Timestamp {
    time::parse("2026-02-11T08:45:10Z").unwrap()
}

fn state() -> State {
    let document = json!({
        "sd": {"id": "EXP-7", "title": "Export as CSV", "phase": "phase-1", "progress": 0.4},
        "decisions": [
            {"id": "D1", "decision": "Stream rows", "rationale": "files of 2 GB exist"},
            {"id": "D2", "decision": "Quote every field"},
        ],
    });
    State::read(&document.to_string()).unwrap().0
}

fn session() -> Ledger {
    ledger(json!({
        "version": 1, "turn": 20,
        "said": [{"text": "Write the exporter so that the old importer reads it", "place": place(1)}],
        "tasks": [
            {"id": "1", "subject": "stream the rows", "status": "completed", "changed": place(9)},
            {"id": "2", "subject": "quote every field", "status": "in_progress", "changed": place(10)},
            {"id": "3", "subject": "write the footer", "status": "pending", "changed": place(3)},
        ],
        "segments": [{
            "id": "1", "subject": "stream the rows", "start": 2, "end": 9, "files": ["src/export.rs"],
            "outcomes": ["Rows are streamed; 14 tests pass."],
        }],
        "commands": [
            {"normal": "cargo test export", "kind": "test", "succeeded": false, "last": place(12),
             "result": ["test result: FAILED. 13 passed; 1 failed"]},
            {"normal": "cargo build", "kind": "build", "succeeded": true, "last": place(13)},
        ],
        "errors": [{"from": "cargo test export", "is_certain": true, "lines": ["index out of bounds"], "place": place(12)}],
        "findings": [
            {"kind": "decision", "quote": "I'll go with a temporary file because a rename is atomic.", "place": place(8)},
        ],
    }))
}

fn written(
    old: Option<&str>,
    state: &State,
    ledger: &Ledger,
    commits: &[String],
    at: Timestamp,
) -> Option<Page> {
    let mark = old.map_or_else(Mark::default, |old| Page::mark(old).unwrap_or_default());
    let commit = |words: &String| Commit { words: words.clone(), at: None };
    let commits: Vec<Commit> = commits.iter().map(commit).collect();
    let happened = since(mark, state, ledger, &commits);
    let current = CurrentState::of(state, ledger, &["explorer=a1".to_owned()]);
    Page::updated(
        old,
        &Update {
            session: "2f467a84",
            parent: Some("0e0e0e0e"),
            now: at,
            state: &current,
            entries: &happened.entries,
            mark: happened.mark,
            bytes_max: 64 << 10,
            aside: "notes-1.md",
        },
    )
}

/// An editor of another system saved the page: it keeps one way to end a line.
#[test]
fn a_page_with_carriage_returns_gets_lines_that_end_so_too() {
    let first = written(None, &state(), &Ledger::default(), &[], now()).unwrap().text;
    let edited = format!("{first}\nmine\n").replace('\n', "\r\n");
    let page = written(Some(&edited), &state(), &session(), &[], now()).unwrap().text;
    assert!(page.contains("\r\nmine\r\n") && page.contains("stream the rows"), "{page:?}");
    assert_eq!(page.matches('\n').count(), page.matches("\r\n").count(), "{page:?}");
    assert_eq!(page.matches("<!-- throughline: begin").count(), 1, "{page:?}");
    assert!(written(Some(&page), &state(), &session(), &[], now()).is_none(), "nothing new");
    let mixed = format!("{first}\nmine\r\nalso mine\n");
    let page = written(Some(&mixed), &state(), &session(), &[], now()).unwrap().text;
    assert!(page.contains("\nmine\r\nalso mine\n"), "each line stays as it was: {page:?}");
}

#[test]
fn the_page_of_a_session() {
    let commits = vec!["77aa001 export: rows are streamed (Ann)".to_owned()];
    let page = written(None, &state(), &session(), &commits, now()).unwrap();
    expect![[r##"
        # Session 2f467a84

        Goes on from session 0e0e0e0e.

        <!-- throughline: begin (told up to 20 1000 1200 D2); what stands between these two lines is replaced -->
        ## Current State (last updated: 2026-02-11 08:45 UTC)
        - **Work item:** EXP-7: Export as CSV · phase phase-1 · 40 %
        - **Current item:** #2 quote every field
        - **Blocking on:** nothing
        - **Next:** #3 write the footer
        - **Fails:** `cargo test export`: index out of bounds
        - **Subagents:** explorer=a1
        <!-- throughline: end -->

        ## Progress Log

        ### [2026-02-11 08:45] Task done: #1 stream the rows
        - Rows are streamed; 14 tests pass.
        - Files: src/export.rs

        ### [2026-02-11 08:45] Tests failed: `cargo test export`
        - > test result: FAILED. 13 passed; 1 failed

        ### [2026-02-11 08:45] Commit 77aa001 export: rows are streamed (Ann)

        ### [2026-02-11 08:45] Decided, in the words of the agent
        - "I'll go with a temporary file because a rename is atomic."

        ### [2026-02-11 08:45] Decision D1: Stream rows
        - Because files of 2 GB exist

        ### [2026-02-11 08:45] Decision D2: Quote every field
    "##]]
    .assert_eq(&page.text);
}

#[test]
fn nothing_is_told_twice_and_a_page_that_says_it_all_is_left_alone() {
    let page = written(None, &state(), &session(), &[], now()).unwrap().text;
    let later = time::parse("2026-02-11T09:45:10Z").unwrap();
    assert_eq!(written(Some(&page), &state(), &session(), &[], later), None);

    let mut further = session();
    further.tasks[1].status = "completed".to_owned();
    further.tasks[1].changed.offset = 2_100;
    further.turn = 21;
    let next = written(Some(&page), &state(), &further, &[], later).unwrap().text;
    assert_eq!(next.matches("### ").count(), page.matches("### ").count() + 1, "{next}");
    assert!(next.ends_with("### [2026-02-11 09:45] Task done: #2 quote every field\n"), "{next}");
    assert!(next.contains("- **Current item:** \"Write the exporter"), "{next}");
    assert_eq!(next.matches("## Current State").count(), 1);
}

#[test]
fn a_test_is_told_when_its_result_comes_however_late() {
    let mut running = session();
    running.commands[0].succeeded = None;
    let page = written(None, &state(), &running, &[], now()).unwrap().text;
    assert!(!page.contains("Tests "), "{page}");
    let later = written(Some(&page), &state(), &session(), &[], now()).unwrap().text;
    assert_eq!(later.matches("Tests failed: `cargo test export`").count(), 1, "{later}");
    assert_eq!(written(Some(&later), &state(), &session(), &[], now()), None);
}

#[test]
fn a_transcript_that_was_written_anew_is_told_from_there_on() {
    let page = written(None, &state(), &session(), &[], now()).unwrap().text;
    let mut anew = ledger(json!({"version": 1, "turn": 2, "tasks": [
        {"id": "1", "subject": "begin again", "status": "in_progress", "changed": {"turn": 1, "offset": 40}},
    ]}));
    let page = written(Some(&page), &state(), &anew, &[], now()).unwrap().text;
    anew.turn = 3;
    anew.tasks[0].status = "completed".to_owned();
    anew.tasks[0].changed.offset = 90;
    let page = written(Some(&page), &state(), &anew, &[], now()).unwrap().text;
    assert!(page.ends_with("Task done: #1 begin again\n"), "{page}");
}

#[test]
fn of_many_at_once_the_newest_are_told_and_that_there_were_more() {
    let mut many = session();
    many.tasks = (0..30).map(|at| {
        serde_json::from_value(json!({"id": at.to_string(), "subject": format!("task {at}"), "status": "completed", "changed": place(at)})).unwrap()
    }).collect();
    let page = written(None, &state(), &many, &[], now()).unwrap().text;
    assert!(page.contains("] and 21 more tasks done\n") && page.contains("Task done: #29 task 29"), "{page}");
}

#[test]
fn a_session_without_tasks_is_told_by_its_requests() {
    let mut by_request = session();
    by_request.tasks.clear();
    by_request.segments[0].id = "turn-2".to_owned();
    let page = written(None, &State::empty(), &by_request, &[], now()).unwrap().text;
    assert!(page.contains("Request done: \"stream the rows\""), "{page}");
    assert!(page.contains("- **Work item:** none set"), "{page}");
    assert!(
        page.contains("- **Current item:** \"Write the exporter so that the old importer reads it\""),
        "{page}"
    );
}

#[test]
fn what_somebody_set_by_hand_goes_before_what_was_captured() {
    let mut set = state();
    set.sd.item = Some("the footer".to_owned());
    set.sd.blocking = Some("the mail of the team".to_owned());
    set.sd.next = Some("ask Ann".to_owned());
    let current = CurrentState::of(&set, &session(), &[]);
    assert_eq!(
        [current.item.as_str(), &current.blocking, &current.next, &current.subagents],
        ["the footer", "the mail of the team", "ask Ann", "none"]
    );
}

#[test]
fn what_people_write_around_the_block_stays() {
    let page = written(None, &state(), &session(), &[], now()).unwrap().text;
    let edited = format!(
        "{}\n## My own thoughts\r\nkeep <!-- this --> too\n",
        page.replace("# Session", "# Monday, session")
    );
    let edited = format!("before everything\n{edited}");
    let mut further = session();
    further.tasks[1].status = "completed".to_owned();
    further.tasks[1].changed.offset = 2_100;
    let next = written(Some(&edited), &state(), &further, &[], now()).unwrap().text;
    for kept in [
        "before everything\n",
        "# Monday, session 2f467a84",
        "## My own thoughts\r\nkeep <!-- this --> too\n",
    ] {
        assert!(next.contains(kept), "{kept}: {next}");
    }
    assert!(next.ends_with("Task done: #2 quote every field\n"), "{next}");
}

#[test]
fn marks_that_somebody_damaged_cost_the_marks_alone() {
    let page = written(None, &state(), &session(), &[], now()).unwrap().text;
    let begin = page.lines().find(|line| line.contains("throughline: begin")).unwrap().to_owned();
    let end = "<!-- throughline: end -->";
    let damaged = [
        page.replace(end, ""),
        page.replace(&begin, ""),
        page.replace(&begin, end),
        page.replace(&begin, &format!("{begin}\n{begin}")),
        format!("{page}\n{begin}\nmine\n{end}\n"),
    ];
    for old in damaged {
        let mut set = state();
        set.sd.item = Some("another item".to_owned());
        let next = written(Some(&old), &set, &session(), &[], now()).unwrap().text;
        assert_eq!(next.matches("throughline: begin").count(), 1, "{next}");
        assert_eq!(next.matches(end).count(), 1, "{next}");
        assert!(next.contains("- **Current item:** another item"), "{next}");
        assert!(next.contains("Rows are streamed; 14 tests pass."), "{next}");
    }
}

#[test]
fn a_page_that_grows_too_long_is_put_aside_whole() {
    let page = written(None, &state(), &session(), &[], now()).unwrap().text;
    let current = CurrentState::of(&state(), &session(), &[]);
    let entries = [NotesEntry { title: "Note: one more".to_owned(), ..NotesEntry::default() }];
    let update = Update {
        session: "2f467a84",
        parent: None,
        now: now(),
        state: &current,
        entries: &entries,
        mark: Mark { turn: 20, offset: 1_000, check: 1_200, decision: 2 },
        bytes_max: page.len(),
        aside: "notes-7.md",
    };
    let next = Page::updated(Some(&page), &update).unwrap();
    assert!(next.is_new && next.text.contains("Earlier notes: notes-7.md"), "{}", next.text);
    assert!(next.text.contains("Note: one more") && !next.text.contains("Task done"), "{}", next.text);
    assert_eq!(Page::mark(&next.text), Some(update.mark));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever tasks, commands and people say, it forges neither block nor mark, and a second writing changes nothing.
    #[test]
    fn no_words_pose_as_our_marks(words in loose_text(), own in loose_text()) {
        let mut told = session();
        words.clone_into(&mut told.tasks[0].subject);
        words.clone_into(&mut told.tasks[1].subject);
        words.clone_into(&mut told.commands[0].normal);
        words.clone_into(&mut told.findings[0].quote);
        let page = written(None, &state(), &told, std::slice::from_ref(&words), now()).unwrap().text;
        prop_assert_eq!(page.matches("<!-- throughline: begin").count(), 1);
        prop_assert_eq!(page.matches("<!-- throughline: end -->").count(), 1);
        prop_assert_eq!(written(Some(&page), &state(), &told, &[], now()), None);
        // Somebody's own page, whatever is in it, is still there afterwards, line by line, but for lone marks.
        let own_page = format!("{own}\n{page}\n{own}");
        let mut set = state();
        set.sd.item = Some("another item".to_owned());
        let next = written(Some(&own_page), &set, &told, &[], now()).unwrap().text;
        for line in own.lines().filter(|line| !line.contains("throughline: ")) {
            prop_assert!(next.contains(line), "{line:?} is gone from {next:?}");
        }
    }
}

#[test]
fn an_entry_carries_the_time_of_its_event() {
    let then = now() - std::time::Duration::from_mins(40);
    let entries = [
        NotesEntry { title: "Tests passed".to_owned(), at: When::At(then), ..NotesEntry::default() },
        NotesEntry { title: "Note".to_owned(), ..NotesEntry::default() },
    ];
    let current = CurrentState::default();
    let update = Update {
        session: "s",
        parent: None,
        now: now(),
        state: &current,
        entries: &entries,
        mark: Mark::default(),
        bytes_max: 64 << 10,
        aside: "notes-1.md",
    };
    let text = Page::updated(None, &update).unwrap().text;
    let minute = |at: Timestamp| at.to_string().chars().take(16).collect::<String>().replace('T', " ");
    assert!(text.contains(&format!("### [{}] Tests passed", minute(then))), "{text}");
    assert!(text.contains(&format!("### [{}] Note", minute(now()))), "{text}");
}
