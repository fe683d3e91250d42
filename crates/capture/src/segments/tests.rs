//! Sessions with and without tasks, and the stretches of work that they are cut into.

use std::borrow::Cow;

use throughline_domain::ledger::{Ledger, Segment};
use throughline_domain::transcript::{Block, Escaped, Line, Tool, ToolAnswer, ToolCall, What};

use super::{SEGMENT_BYTES_MAX, SEGMENTS_MAX};
use crate::absorb;
use crate::summaries::{cold, recall, summary_of};

/// A session that is written line by line.
#[derive(Default)]
struct Session {
    ledger: Ledger,
    lines: u64,
}

impl Session {
    fn line(&mut self, what: What<'_>) -> &mut Self {
        let cwd = Some(Cow::Borrowed("/home/dev/repo"));
        let line = Line { uuid: None, session: None, timestamp: None, cwd, is_sidechain: false, what };
        absorb(&mut self.ledger, &line, self.lines * 100);
        self.lines += 1;
        self
    }

    fn user(&mut self, text: &str) -> &mut Self {
        self.line(What::UserSaid(text.into()))
    }

    fn respond(&mut self, block: Block<'_>) -> &mut Self {
        let id = format!("msg_{}", self.lines);
        let blocks = vec![block];
        self.line(What::Responded {
            message_id: Some(&id),
            model: Some("m"),
            context_tokens: Some(9_000),
            blocks,
        })
    }

    fn agent(&mut self, text: &str) -> &mut Self {
        self.respond(Block::Said(text.into()))
    }

    fn call(&mut self, tool: Tool, call: ToolCall<'_>) -> &mut Self {
        self.respond(Block::Called(Box::new(ToolCall { tool, ..call })))
    }

    fn answer(&mut self, text: &str, is_error: bool) -> &mut Self {
        let text = Escaped::of(text);
        self.line(What::ToolsAnswered(vec![ToolAnswer {
            call_id: "c".into(),
            text,
            is_error,
            ..ToolAnswer::default()
        }]))
    }

    fn shell(&mut self, command: &str, text: &str, is_error: bool) -> &mut Self {
        let call = ToolCall { id: "c".into(), command: Some(command.into()), ..ToolCall::default() };
        self.call(Tool::Shell, call).answer(text, is_error)
    }

    fn edit(&mut self, path: &str) -> &mut Self {
        let path = format!("/home/dev/repo/{path}");
        self.call(Tool::Edit, ToolCall { path: Some(path.into()), ..ToolCall::default() })
    }

    /// The client answers with a sentence, not with JSON.
    fn task(&mut self, number: u32, subject: &str) -> &mut Self {
        let call = ToolCall { id: "c".into(), purpose: Some(subject.into()), ..ToolCall::default() };
        self.call(Tool::TaskCreate, call)
            .answer(&format!("Task #{number} created successfully: {subject}"), false)
    }

    fn task_is(&mut self, number: u32, status: &str) -> &mut Self {
        let id = number.to_string();
        let call = ToolCall { task_id: Some(id.into()), status: Some(status.into()), ..ToolCall::default() };
        self.call(Tool::TaskUpdate, call)
    }

    fn todos(&mut self, rows: &[(&str, &str)]) -> &mut Self {
        let todos =
            rows.iter().map(|(subject, status)| ((*subject).into(), (*status).into())).collect::<Vec<_>>();
        self.call(Tool::TodoWrite, ToolCall { todos, ..ToolCall::default() })
    }

    fn turns_pass(&mut self, count: u32) -> &mut Self {
        for _ in 0..count {
            self.call(Tool::Other, ToolCall::default());
        }
        self
    }

    fn segment(&self, id: &str) -> &Segment {
        let found = self.ledger.segments.iter().find(|segment| segment.id == id);
        found.unwrap_or_else(|| panic!("no segment {id}: {:?}", self.ledger.segments))
    }

    fn cold_ids(&self) -> Vec<&str> {
        cold(&self.ledger, 20).into_iter().map(|segment| segment.id.as_str()).collect()
    }
}

/// Two tasks one after the other, both on the same file.
fn two_tasks() -> Session {
    let mut session = Session::default();
    session
        .user("please add the login flow and its tests")
        .task(1, "Implement the login flow")
        .task(2, "Write the tests")
        .edit("src/earlier.rs")
        .task_is(1, "in_progress")
        .agent("Let me look at the code first.")
        .edit("src/login.rs")
        .edit("src/session.rs")
        .shell("cargo test login", "error[E0308]: mismatched types", true)
        .edit("src/login.rs")
        .shell("cargo test login", "test result: ok. 3 passed", false)
        .agent("The login flow works with PKCE for public clients.")
        .task_is(1, "completed")
        .task_is(2, "in_progress")
        .edit("src/login.rs")
        .edit("tests/login.rs");
    session
}

#[test]
fn a_task_ends_with_what_was_done_in_its_own_turns() {
    let session = two_tasks();
    let first = session.segment("1");
    assert_eq!(first.files, ["src/session.rs", "src/login.rs"], "nothing from before, nothing from after");
    assert_eq!(first.commands, ["cargo test login"]);
    assert_eq!(first.outcomes, ["The login flow works with PKCE for public clients."], "no announcements");
    assert_eq!(first.errors.len(), 1, "{:?}", first.errors);
    assert!(first.errors[0].contains("E0308") && first.errors[0].contains("cargo test login"));
    assert!(first.start > 1 && first.end > Some(first.start));
    assert_eq!(session.segment("2").end, None, "work on it goes on");
    let finished = session.ledger.finished_segments();
    assert_eq!(finished, [first], "the request is not counted beside its tasks");
}

#[test]
fn a_task_is_cold_twenty_turns_after_its_end_and_its_last_mention() {
    let mut session = two_tasks();
    let end = session.segment("1").end.unwrap();
    let passed = u32::try_from(session.ledger.turn - end).unwrap();
    session.turns_pass(19 - passed);
    assert_eq!(session.cold_ids(), Vec::<&str>::new(), "one turn too early");
    session.turns_pass(1);
    assert_eq!(session.cold_ids(), ["1"]);
    session.agent("I compared this with \"implement the LOGIN flow\" again.");
    assert_eq!(session.cold_ids(), Vec::<&str>::new(), "it is spoken of");
    session.turns_pass(20);
    assert_eq!(session.cold_ids(), ["1"]);
    session.task_is(1, "in_progress").turns_pass(30);
    assert_eq!(session.cold_ids(), Vec::<&str>::new(), "it was taken up again");
}

#[test]
fn what_was_deleted_or_set_back_leaves_no_segment() {
    let mut session = Session::default();
    session.task(1, "Never mind this one").task_is(1, "in_progress").edit("a.rs").task_is(1, "deleted");
    session.task(2, "Later perhaps, not now").task_is(2, "in_progress").task_is(2, "pending").turns_pass(30);
    assert_eq!(session.ledger.segments, []);
}

#[test]
fn a_task_that_was_never_marked_as_begun_counts_from_its_creation() {
    let mut session = Session::default();
    session.task(7, "Fix the parser").edit("src/parser.rs").task_is(7, "completed");
    assert_eq!(session.segment("7").files, ["src/parser.rs"]);
}

#[test]
fn the_rows_of_a_list_are_tasks_too() {
    let mut session = Session::default();
    session
        .todos(&[("write the parser", "in_progress"), ("write the tests", "pending")])
        .edit("src/parser.rs")
        .todos(&[("write the parser", "completed"), ("write the tests", "in_progress")])
        .todos(&[("something else altogether", "in_progress"), ("came done", "completed")])
        .turns_pass(25);
    let cold = cold(&session.ledger, 20);
    let subjects: Vec<_> = cold.iter().map(|segment| segment.subject.as_str()).collect();
    assert_eq!(subjects, ["write the parser"], "a row that left the list undone is no finished work");
    assert_eq!(cold[0].files, ["src/parser.rs"]);
    assert!(cold[0].id.starts_with("list-"));
}

#[test]
fn without_tasks_the_users_requests_take_their_place() {
    let mut session = Session::default();
    session
        .user("Please make the parser faster, it takes seconds")
        .edit("src/parser.rs")
        .user("go on")
        .edit("src/lexer.rs")
        .agent("The parser now takes 40 ms.\n\nLong explanation follows here.")
        .user("what does the lexer do with tabs?")
        .agent("It counts a tab as one column.")
        .user("now document the public functions")
        .turns_pass(25);
    assert_eq!(session.cold_ids(), ["turn-1"], "a question that changed nothing is no work");
    let segment = session.segment("turn-1");
    assert_eq!(segment.subject, "Please make the parser faster, it takes seconds");
    assert_eq!(segment.files, ["src/parser.rs", "src/lexer.rs"], "'go on' continues");
    assert_eq!(segment.outcomes, ["The parser now takes 40 ms."]);
    session.task(1, "A first task").task_is(1, "in_progress");
    assert_eq!(session.cold_ids(), Vec::<&str>::new(), "now there are tasks");
}

#[test]
fn a_summary_says_what_the_segment_holds_and_brings_it_back() {
    let session = two_tasks();
    let summary = summary_of(session.segment("1"), "s1", "2026-02-17T14:30:00Z");
    let text = serde_json::to_string_pretty(&summary).unwrap();
    expect_test::expect![[r#"
        {
          "session_id": "s1",
          "task_id": "1",
          "subject": "Implement the login flow",
          "start_turn": 4,
          "end_turn": 12,
          "compressed_at": "2026-02-17T14:30:00Z",
          "files_modified": [
            "src/session.rs",
            "src/login.rs"
          ],
          "commands_run": [
            "cargo test login"
          ],
          "key_outcomes": [
            "The login flow works with PKCE for public clients."
          ],
          "errors_resolved": [
            "error[E0308]: mismatched types (resolved: `cargo test login` passed)"
          ]
        }"#]]
    .assert_eq(&text);
    let mut empty = Ledger::default();
    recall(&mut empty, vec![summary.clone(), summary]);
    assert_eq!(empty.segments, [session.segment("1").clone()], "once");
}

#[test]
fn segments_stay_within_their_bounds() {
    let mut session = Session::default();
    let long = "an outcome that takes a lot of room ".repeat(6);
    for number in 1..=200 {
        session.task(number, &format!("Task number {number} {}", "x".repeat(250)));
        session.task_is(number, "in_progress");
        for file in 0..20 {
            session.edit(&format!("src/a/rather/long/folder/name/{number}/file_{file}.rs"));
        }
        session.agent(&long).agent(&long).task_is(number, "completed");
    }
    let segments = &session.ledger.segments;
    assert!(segments.len() <= SEGMENTS_MAX, "{}", segments.len());
    assert!(serde_json::to_string(segments).unwrap().len() < 2 * SEGMENT_BYTES_MAX);
    assert_eq!(segments.last().unwrap().id, "200", "the newest stay");
    assert!(segments.iter().all(|segment| segment.files.len() <= 15 && segment.outcomes.len() <= 6));
}

#[test]
fn an_outcome_is_a_sentence_that_tells_a_result() {
    let outcome = |text| crate::outcome_words::in_text(text).unwrap_or_default();
    assert_eq!(outcome("All 12 tests pass. Now run lint."), "All 12 tests pass.");
    assert_eq!(outcome("**Cache**: it is now keyed by path."), "Cache: it is now keyed by path.");
    let found = "I found the issue! The test fails because the folder is missing.";
    assert_eq!(outcome(found), "The test fails because the folder is missing.");
    for announcement in [
        "Let me check whether it works.",
        "Now update the header, which is done in `head.rs`.",
        "Update the label that was added before.",
        "All clean.",
        "The tests now need to be updated.",
        "I added these files:",
        "Is it fixed now or not?",
        "",
        "😀",
    ] {
        assert_eq!(outcome(announcement), "", "{announcement}");
    }
}
