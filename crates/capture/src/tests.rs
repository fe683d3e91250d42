//! Whole sessions of our own making, line by line, and what the ledger then holds.

use std::borrow::Cow;

use expect_test::{Expect, expect};
use throughline_domain::ledger::{Act, CommandKind, Ledger, Phase};
use throughline_domain::transcript::{Block, Escaped, Line, Tool, ToolAnswer, ToolCall, What};

use crate::absorb;

mod properties;
mod questions;

/// A session that is written line by line.
#[derive(Default)]
pub(crate) struct Session {
    pub(crate) ledger: Ledger,
    offset: u64,
    responses: u32,
}

impl Session {
    pub(crate) fn line(&mut self, what: What<'_>) -> &mut Self {
        let cwd = Some(Cow::Borrowed("/home/dev/repo"));
        absorb(
            &mut self.ledger,
            &Line { uuid: None, session: None, timestamp: None, cwd, is_sidechain: false, what },
            self.offset,
        );
        self.offset += 100;
        self
    }

    pub(crate) fn user(&mut self, text: &str) -> &mut Self {
        self.line(What::UserSaid(text.into()))
    }

    pub(crate) fn agent(&mut self, text: &str) -> &mut Self {
        self.respond(Block::Said(text.into()))
    }

    pub(crate) fn call(&mut self, tool: Tool, call: ToolCall<'_>) -> &mut Self {
        self.respond(Block::Called(Box::new(ToolCall { tool, ..call })))
    }

    pub(crate) fn respond(&mut self, block: Block<'_>) -> &mut Self {
        self.responses += 1;
        let id = format!("msg_{}", self.responses);
        self.line(responded(&id, block))
    }

    pub(crate) fn answer(&mut self, call_id: &str, raw: &str, is_error: bool) -> &mut Self {
        self.line(What::ToolsAnswered(vec![answer(call_id, raw, is_error)]))
    }

    pub(crate) fn shell(&mut self, command: &str, raw: &str, is_error: bool) -> &mut Self {
        let call = ToolCall {
            id: "c".into(),
            name: "Sh".into(),
            command: Some(command.into()),
            ..ToolCall::default()
        };
        self.call(Tool::Shell, call).answer("c", raw, is_error)
    }

    pub(crate) fn task(&mut self, call_id: &str, subject: &str) -> &mut Self {
        let call = ToolCall { id: call_id.into(), purpose: Some(subject.into()), ..ToolCall::default() };
        self.call(Tool::TaskCreate, call)
    }

    pub(crate) fn task_is(&mut self, id: &str, status: &str) -> &mut Self {
        let call = ToolCall { task_id: Some(id.into()), status: Some(status.into()), ..ToolCall::default() };
        self.call(Tool::TaskUpdate, call)
    }

    pub(crate) fn file(&mut self, tool: Tool, path: &str, text: &str) -> &mut Self {
        self.call(tool, ToolCall { path: Some(path.into()), text: Some(text.into()), ..ToolCall::default() })
    }
}

fn responded<'a>(id: &'a str, block: Block<'a>) -> What<'a> {
    What::Responded { message_id: Some(id), model: Some("m"), context_tokens: None, blocks: vec![block] }
}

fn answer<'a>(call_id: &'a str, raw: &'a str, is_error: bool) -> ToolAnswer<'a> {
    ToolAnswer { call_id: call_id.into(), text: Escaped::of(raw), is_error, ..ToolAnswer::default() }
}

fn check(session: &mut Session, expected: &Expect) {
    let ledger = &session.ledger;
    let mut shown = String::new();
    for it in &ledger.files {
        let state = if it.is_uncommitted(ledger.commit_turn) { " uncommitted" } else { "" };
        shown +=
            &format!("file {} e{} r{} m{}{state} {}\n", it.path, it.edits, it.reads, it.mentions, it.did);
    }
    for it in &ledger.commands {
        let ended = match it.succeeded {
            None => "?",
            Some(true) => "ok",
            Some(false) => "failed",
        };
        shown += &format!("{:?} x{} {ended}: {} {:?}\n", it.kind, it.count, it.normal, it.result);
    }
    for it in &ledger.errors {
        let state = if it.resolved_turn.is_some() { "was" } else { "is" };
        shown += &format!("error {state} {:?} of {}\n", it.lines, it.from);
    }
    for it in &ledger.tasks {
        shown += &format!("task {} {} {}\n", it.id, it.status, it.subject);
    }
    for it in &ledger.said {
        shown += &format!("said {:?} {:?}\n", it.text, it.directives);
    }
    for it in &ledger.findings {
        shown += &format!("{:?} {:?}\n", it.kind, it.quote);
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_small_session_is_told_in_its_own_words() {
    let mut session = Session::default();
    session
        .user("Make the reader fast. Never use regex in src/scan.rs.")
        .file(Tool::Read, "/home/dev/repo/src/scan.rs", "")
        .file(Tool::Edit, "/home/dev/repo/src/scan.rs", "    let x = 1;\nfn scan_line(line: &str) {")
        .agent("The root cause was that every line is copied. I looked at scan.rs again.")
        .shell(
            "cd /home/dev/repo && cargo test 2>&1 | tail -3",
            "test result: FAILED. 1 passed; 1 failed",
            false,
        )
        .shell("cargo test", "test result: ok. 2 passed; 0 failed", false)
        .agent("Done.\\n\\nShall I commit it?");
    check(
        &mut session,
        &expect![[r#"
            file src/scan.rs e1 r1 m2 uncommitted fn scan_line(line: &str) {
            Test x2 ok: cargo test ["test result: ok. 2 passed; 0 failed"]
            error was ["test result: FAILED. 1 passed; 1 failed"] of cargo test
            said "Make the reader fast. Never use regex in src/scan.rs." ["Never use regex in src/scan.rs."]
            Decision "The root cause was that every line is copied."
            Question "Done.\\n\\nShall I commit it?"
        "#]],
    );
}

#[test]
fn a_task_is_known_by_the_id_in_its_answer_whether_field_or_text() {
    let mut session = Session::default();
    session.task("call_a", "Write the reader").answer(
        "call_a",
        "Task #7 created successfully: Write the reader",
        false,
    );
    session.task("call_b", "Write the tests");
    let told = ToolAnswer { task_id: Some("8".into()), ..answer("call_b", "ok", false) };
    session.line(What::ToolsAnswered(vec![told]));
    session.task("call_c", "Refused").answer("call_c", "no", true);
    session.task_is("7", "completed").task_is("8", "in_progress");
    check(
        &mut session,
        &expect![[r#"
            task 7 completed Write the reader
            task 8 in_progress Write the tests
        "#]],
    );
}

#[test]
fn a_completed_or_deleted_task_is_not_open() {
    let mut session = Session::default();
    for (id, status) in [("1", "completed"), ("2", "deleted"), ("3", "in_progress")] {
        session
            .task("c", &format!("Task of {id}"))
            .answer("c", &format!("Task #{id} created"), false)
            .task_is(id, status);
    }
    let open: Vec<&str> =
        session.ledger.tasks.iter().filter(|task| task.is_open()).map(|task| task.subject.as_str()).collect();
    assert_eq!(open, ["Task of 3"]);
}

#[test]
fn a_new_list_takes_the_place_of_the_old_one() {
    let mut session = Session::default();
    for rows in [vec![("a", "in_progress"), ("b", "pending")], vec![("a", "completed"), ("c", "pending")]] {
        let todos = rows.into_iter().map(|(subject, status)| (subject.into(), status.into())).collect();
        session.call(Tool::TodoWrite, ToolCall { todos, ..ToolCall::default() });
    }
    check(
        &mut session,
        &expect![[r#"
            task  completed a
            task  pending c
        "#]],
    );
    assert_eq!((session.ledger.tasks[0].created.turn, session.ledger.tasks[0].changed.turn), (1, 2));
}

/// The second half of an alternative succeeds whatever the first one did.
#[test]
fn a_check_with_a_way_out_behind_it_is_not_said_to_have_passed() {
    for (line, passed) in [
        ("cargo test -p import", Some(true)),
        ("cargo test -p import || true", None),
        ("cargo test -p import || echo 'it failed'", None),
        ("cargo test -p import; echo done", None),
    ] {
        let mut session = Session::default();
        session.shell(line, "   Compiling import v0.1.0\ndone", false);
        assert_eq!(session.ledger.commands[0].succeeded, passed, "{line}");
        session.shell(line, "test result: ok. 3 passed; 0 failed", false);
        assert_eq!(session.ledger.commands[0].succeeded, Some(true), "{line}: what it printed tells");
    }
}

/// The client shows the list to the user, who can refuse it.
#[test]
fn a_list_that_was_refused_is_no_list() {
    let mut session = Session::default();
    session.task("t", "By its id").answer("t", "Task #7 created", false);
    for (id, rows, is_refused) in [
        ("c1", vec![("a", "in_progress"), ("b", "pending")], false),
        ("c2", vec![("b", "in_progress"), ("c", "pending")], true),
    ] {
        let todos = rows.into_iter().map(|(subject, status)| (subject.into(), status.into())).collect();
        session.call(Tool::TodoWrite, ToolCall { id: id.into(), todos, ..ToolCall::default() });
        session.answer(id, "The user doesn't want to proceed with this tool use.", is_refused);
    }
    let tasks: Vec<(&str, &str)> =
        session.ledger.tasks.iter().map(|task| (task.subject.as_str(), task.status.as_str())).collect();
    assert_eq!(tasks, [("By its id", "pending"), ("a", "in_progress"), ("b", "pending")]);
    assert_eq!(session.ledger.pending, Vec::new());
}

#[test]
fn tasks_in_progress_are_the_last_to_be_cut() {
    let mut session = Session::default();
    for number in 0..260 {
        session.task("c", &format!("Number {number}")).answer("c", &format!("Task #{number} created"), false);
        if number == 0 {
            session.task_is("0", "in_progress");
        }
    }
    assert_eq!(session.ledger.tasks.len(), 200);
    assert_eq!(session.ledger.tasks[0].subject, "Number 0");
}

#[test]
fn turns_are_responses_and_not_lines() {
    let mut session = Session::default();
    for id in ["a", "a", "a", "b"] {
        session.line(responded(id, Block::Said("x".into())));
        session.answer("none", "x", false);
    }
    assert_eq!(session.ledger.turn, 2);
    for _ in 0..2 {
        session.line(What::Responded { message_id: None, model: None, context_tokens: None, blocks: vec![] });
    }
    session.user("go on");
    session.line(What::Responded { message_id: None, model: None, context_tokens: None, blocks: vec![] });
    assert_eq!(session.ledger.turn, 4);
}

#[test]
fn context_use_never_grows_past_a_compaction() {
    let mut session = Session::default();
    let full =
        What::Responded { message_id: Some("a"), model: None, context_tokens: Some(160_000), blocks: vec![] };
    session.line(full);
    session.line(What::Compacted {
        trigger: Some("auto"),
        tokens_before: Some(160_000),
        tokens_after: Some(9_000),
    });
    session.line(What::Summary("we decided to do everything, never ask".into()));
    assert_eq!(session.ledger.context_tokens, Some(9_000));
    assert_eq!(session.ledger.compactions.len(), 1);
    assert!(session.ledger.said.is_empty() && session.ledger.findings.is_empty());
}

#[test]
fn is_error_counts_and_so_does_the_exit_code() {
    let mut session = Session::default();
    session.shell("make all", "a.c:3:1: error: expected ';'", true).shell(
        "./run.sh",
        "Exit code 2\\nError: no such host",
        false,
    );
    check(
        &mut session,
        &expect![[r#"
            file run.sh e0 r0 m1 
            Build x1 failed: make all ["a.c:3:1: error: expected ';'"]
            Run x1 failed: ./run.sh ["Error: no such host"]
            error is ["a.c:3:1: error: expected ';'"] of make all
            error is ["Error: no such host"] of ./run.sh
        "#]],
    );
}

#[test]
fn a_refused_call_is_no_error_of_the_code() {
    let mut session = Session::default();
    session.shell("cargo build", "The user doesn't want to proceed with this tool use.", true);
    assert!(session.ledger.errors.is_empty());
    assert!(session.ledger.commands.is_empty(), "it was never run");
    let stand = &session.ledger.stand;
    assert_eq!((stand.act, stand.what.as_str()), (Act::Refused, "cargo build"));
}

#[test]
fn a_refused_run_leaves_what_is_known_of_the_one_before() {
    let mut session = Session::default();
    session.shell("cargo build", "Finished in 2 s", false);
    session.shell("cargo build", "The user doesn't want to proceed with this tool use.", true);
    let build = &session.ledger.commands[0];
    assert_eq!((build.count, build.succeeded), (1, Some(true)));
    assert_eq!(session.ledger.refusals[0].what, "cargo build");
}

#[test]
fn a_test_that_passes_in_another_run_does_not_fail() {
    let fails = "--- FAIL: TestTrailer_Existing (0.00s)\\nFAIL";
    for (later, said) in [
        ("go test ./a -run TestTrailer -count=1", "ok  \\ta\\t0.4s"),
        ("go test -v ./...", "--- PASS: TestTrailer_Existing (0.01s)\\n--- FAIL: TestOther (0.00s)\\nFAIL"),
    ] {
        let mut session = Session::default();
        session.shell("go test ./a -run TestTrailer_Existing -v", fails, true);
        session.shell(later, said, said.contains("FAIL"));
        let open: Vec<_> = session.ledger.errors.iter().filter(|it| it.resolved_turn.is_none()).collect();
        assert!(open.iter().all(|error| !error.lines[0].contains("Existing")), "{later}: {open:?}");
    }
}

#[test]
fn a_look_at_a_far_place_is_kept_whole_and_a_look_around_is_not() {
    let mut session = Session::default();
    let loops = "for p in web android; do gh api /users/me/packages/container/$p/versions --paginate; done";
    session.shell(loops, "33", false);
    session.shell("grep -i condense /home/dev/repo/.tool/logs/2026-01-21.log | tail -5", "x", false);
    session.shell("git show notes:a7/6f/full.jsonl | head", "x", false);
    session.shell("ls -la src && cat /etc/hosts", "x", false);
    let kept: Vec<&str> = session.ledger.commands.iter().map(|command| command.normal.as_str()).collect();
    let expected = [
        loops,
        "grep -i condense /home/dev/repo/.tool/logs/2026-01-21.log | tail -5",
        "git show notes:a7/6f/full.jsonl | head",
    ];
    assert_eq!(kept, expected);
}

#[test]
fn a_check_that_passes_in_another_manner_is_the_same_check() {
    let mut session = Session::default();
    session.shell("python3 -m unittest", "FAILED (errors=1)\\nAssertionError: 1 != 2", true);
    session.shell("python3 -m unittest -v 2>&1 | tail -5", "Ran 12 tests in 0.1s\\n\\nOK", false);
    let ledger = &session.ledger;
    assert_eq!(ledger.commands.len(), 1, "{:?}", ledger.commands);
    assert!(ledger.errors.iter().all(|error| error.resolved_turn.is_some()));
    assert_ne!(ledger.commands[0].succeeded, Some(false));
}

#[test]
fn an_edit_that_was_refused_or_failed_changed_nothing() {
    for said in [
        "The user doesn't want to proceed with this tool use.",
        "<tool_use_error>String to replace not found",
    ] {
        let mut session = Session::default();
        session.file(Tool::Edit, "/home/dev/repo/src/a.rs", "fn a() {}");
        session.line(What::ToolsAnswered(vec![answer("", said, true)]));
        assert!(session.ledger.files.is_empty(), "{said}");
    }
}

#[test]
fn what_the_user_says_with_a_refusal_is_heard() {
    let mut session = Session::default();
    let refusal = ToolAnswer {
        user_said: Some("no, use make instead".into()),
        ..answer("c", "The user doesn't want it", true)
    };
    session.line(What::ToolsAnswered(vec![refusal]));
    check(
        &mut session,
        &expect![[r#"
            said "no, use make instead" ["no, use make instead"]
        "#]],
    );
}

#[test]
fn a_wider_run_that_passes_resolves_and_says_so() {
    let mut session = Session::default();
    session.shell("go test ./pkg/a -run TestX", "--- FAIL: TestX (0.00s)", true).shell(
        "go test ./...",
        "ok  \\tx/pkg/a\\t0.1s",
        false,
    );
    let error = &session.ledger.errors[0];
    assert_eq!((error.resolved_turn, error.resolved_by.as_deref()), (Some(2), Some("go test ./...")));
}

#[test]
fn a_commit_settles_what_was_changed_before_it() {
    let mut session = Session::default();
    session.file(Tool::Edit, "src/a.rs", "fn alpha() {}").shell(
        "git add -A && git commit -m 'a'",
        "[main 1a2b3c4] a",
        false,
    );
    session.file(Tool::Write, "src/b.rs", "fn b() {}");
    check(
        &mut session,
        &expect![[r#"
            file src/a.rs e1 r0 m0 fn alpha() {}
            file src/b.rs e1 r0 m0 uncommitted created
        "#]],
    );
}

#[test]
fn a_bare_name_is_the_one_file_that_has_it() {
    let mut session = Session::default();
    session
        .user("look at reader.rs")
        .file(Tool::Read, "/home/dev/repo/src/reader.rs", "")
        .agent("In reader.rs and other.rs");
    check(
        &mut session,
        &expect![[r#"
            file src/reader.rs e0 r1 m2 
            file other.rs e0 r0 m1 
            said "look at reader.rs" []
        "#]],
    );
}

#[test]
fn a_file_given_to_a_tool_is_no_other_of_that_name() {
    let mut session = Session::default();
    session
        .file(Tool::Read, "src/lib.rs", "")
        .file(Tool::Edit, "/home/dev/repo/lib.rs", "mod alpha;")
        .agent("see lib.rs, dev/src/lib.rs");
    check(
        &mut session,
        &expect![[r#"
            file src/lib.rs e0 r1 m0 
            file lib.rs e1 r0 m1 uncommitted mod alpha;
            file dev/src/lib.rs e0 r0 m1 
        "#]],
    );
}

#[test]
fn a_copied_line_counts_once_and_a_subagents_words_not_at_all() {
    let mut ledger = Ledger::default();
    let mut line = Line {
        session: None,
        uuid: Some("u1"),
        timestamp: None,
        cwd: None,
        is_sidechain: false,
        what: What::UserSaid("use tabs".into()),
    };
    absorb(&mut ledger, &line, 0);
    absorb(&mut ledger, &line, 100);
    line.uuid = Some("u2");
    line.is_sidechain = true;
    absorb(&mut ledger, &line, 200);
    assert_eq!(ledger.said.len(), 1);
    let call = ToolCall { tool: Tool::Edit, path: Some("a.rs".into()), ..ToolCall::default() };
    let edit = Line { uuid: Some("u3"), what: responded("m", Block::Called(Box::new(call))), ..line };
    absorb(&mut ledger, &edit, 300);
    assert_eq!((ledger.turn, ledger.files.len()), (0, 1));
}

#[test]
fn words_that_waited_in_the_queue_count_once() {
    let mut session = Session::default();
    session
        .line(What::Queued("please use tabs".into()))
        .agent("ok")
        .user("please use tabs")
        .user("yes")
        .user("yes");
    let said: Vec<&str> = session.ledger.said.iter().map(|word| word.text.as_str()).collect();
    assert_eq!(said, ["please use tabs", "yes", "yes"]);
}

#[test]
fn what_a_compaction_shall_keep_is_a_directive() {
    let mut session = Session::default();
    session.line(What::Command { name: "/compact".into(), args: "the cursor rules".into() });
    session.line(What::Command { name: "/clear".into(), args: "".into() });
    check(
        &mut session,
        &expect![[r#"
            said "/compact the cursor rules" ["the cursor rules"]
        "#]],
    );
}

#[test]
fn kinds_survive_a_round_trip() {
    let mut session = Session::default();
    session.shell("cargo clippy", "ok", false);
    let text = serde_json::to_string(&session.ledger).expect("a ledger is plain data");
    let back: Ledger = serde_json::from_str(&text).expect("it was just written");
    assert_eq!(back.commands[0].kind, CommandKind::Lint);
    assert_eq!(back, session.ledger);
}

#[test]
fn a_pipe_hides_how_a_check_ended_unless_its_own_words_tell() {
    let mut session = Session::default();
    session
        .shell("pip3 install lz4 2>&1 | tail -1", "hint: see the manual", false)
        .shell("go test ./... | tail -1", "ok  \\texample\\t0.1s", false)
        .shell("make lint", "", false);
    let ended: Vec<Option<bool>> = session.ledger.commands.iter().map(|it| it.succeeded).collect();
    assert_eq!(ended, [None, Some(true), Some(true)]);
}

#[test]
fn a_subagents_report_names_files_and_directs_nobody() {
    let mut session = Session::default();
    session.user(
        "<task-notification><result>Never edit src/a.rs, see tests/b.rs .</result></task-notification>",
    );
    let files: Vec<&str> = session.ledger.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["src/a.rs", "tests/b.rs"]);
    assert!(session.ledger.said.is_empty());
}

#[test]
fn a_script_for_once_that_failed_is_told_and_a_mere_look_is_not() {
    let mut session = Session::default();
    session
        .shell("python3 - <<'E'\nimport x\nE", "ModuleNotFoundError: No module named 'x'", true)
        .shell("ls nowhere", "ls: cannot access 'nowhere': No such file or directory", true)
        .shell("curl http://x", "Permission for this action was denied by the classifier", true);
    let lines: Vec<&str> = session.ledger.errors.iter().map(|error| error.lines[0].as_str()).collect();
    assert_eq!(lines, ["ModuleNotFoundError: No module named 'x'"]);
}

#[test]
fn a_run_behind_another_wrapper_is_the_same_run() {
    let mut session = Session::default();
    session.shell("rtk bun run test", "error: unrecognized subcommand 'bun'", true).shell(
        "bun run test",
        "5 pass",
        false,
    );
    assert!(session.ledger.errors[0].resolved_turn.is_some());
}

#[test]
fn whose_turn_it_is_and_what_was_done_last_is_known() {
    let mut session = Session::default();
    session.user("Make the reader fast, please.");
    assert_eq!(session.ledger.stand.phase, Phase::Asked);
    session.agent("I see. Now let me change the scanner:").file(
        Tool::Edit,
        "/home/dev/repo/src/scan.rs",
        "x",
    );
    let stand = session.ledger.stand.clone();
    assert_eq!((stand.phase, stand.act), (Phase::Working, Act::Edited));
    assert_eq!((stand.said.as_str(), stand.what.as_str()), ("Now let me change the scanner:", "src/scan.rs"));
    session.line(What::Interrupted);
    assert_eq!(session.ledger.stand.phase, Phase::Stopped);
    session.user("Go on with the other file").agent("All 12 tests pass, and it is committed.");
    let stand = &session.ledger.stand;
    assert_eq!((stand.phase, stand.told.as_str()), (Phase::Told, "All 12 tests pass, and it is committed."));
}

#[test]
fn what_our_own_program_prints_is_nobodys_result() {
    let mut session = Session::default();
    session.shell("make test; throughline list", "all tests passed\\nerror: D1 is recorded", false);
    let make = &session.ledger.commands[0];
    assert_eq!((make.normal.as_str(), make.succeeded, make.result.len()), ("make test", None, 0));
    assert!(session.ledger.errors.is_empty());
    session.shell("make test", "error: it fails", true);
    assert_eq!(session.ledger.commands[0].succeeded, Some(false));
}
