//! Each kind of noise, by small sessions of our own making.

use throughline_domain::ledger::Ledger;
use throughline_domain::purity::{Level, Purity, Scale};
use throughline_domain::transcript::{Tool, ToolCall, What};

use crate::tests::Session;

const LONG: &str = "a line of output that is long enough to take some room in the context, and then some more of it, \
                    so that nobody would call it short\\n";

fn purity(ledger: &Ledger) -> Purity {
    Scale::default().rate_stretch(&ledger.stretch, ledger.turn)
}

/// Counts without their decay: the turns are few.
fn counts(session: &Session) -> [u32; 5] {
    let stretch = &session.ledger.stretch;
    let all = [stretch.failed, stretch.failed_again, stretch.repeated, stretch.rereads, stretch.abandoned];
    all.map(|weight| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        let count = weight.at(session.ledger.turn, 40.0).round() as u32;
        count
    })
}

fn read(session: &mut Session, path: &str, text: &str) {
    let call = ToolCall { id: "r".into(), path: Some(path.to_owned().into()), ..ToolCall::default() };
    session.call(Tool::Read, call).answer("r", text, false);
}

fn edit(session: &mut Session, path: &str, text: &str, is_error: bool) {
    let call = ToolCall {
        id: "e".into(),
        path: Some(path.to_owned().into()),
        text: Some(text.to_owned().into()),
        ..ToolCall::default()
    };
    session.call(Tool::Edit, call).answer(
        "e",
        if is_error { "<tool_use_error>no" } else { "done" },
        is_error,
    );
}

#[test]
fn calls_that_fail_count_and_those_that_never_ran_do_not() {
    let mut session = Session::default();
    session
        .shell("cargo test", "Exit code 101\\nerror: x", true)
        .shell("make", "Command was aborted before it ran", true)
        .shell("ls", "<tool_use_error>Sibling tool call errored</tool_use_error>", true)
        .shell("npm ci", "<tool_use_error>Cancelled: parallel tool call</tool_use_error>", true);
    read(&mut session, "/r/gone.rs", "");
    let call = ToolCall { id: "r".into(), path: Some("/r/gone.rs".into()), ..ToolCall::default() };
    session.call(Tool::Read, call).answer("r", "<tool_use_error>File does not exist.</tool_use_error>", true);
    assert_eq!(counts(&session), [2, 0, 0, 0, 0]);
}

#[test]
fn the_same_failure_with_nothing_changed_is_a_circle_and_after_a_change_it_is_work() {
    let mut session = Session::default();
    session.shell("cargo test", "Exit code 101\\nerror: one", true);
    edit(&mut session, "/r/a.rs", "x", false);
    session.shell("cargo test", "Exit code 101\\nerror: another", true);
    assert_eq!(counts(&session), [2, 0, 0, 0, 0], "a second try after a change, with another end");
    session.shell("cargo test", "Exit code 101\\nerror: yet another", true);
    assert_eq!(counts(&session), [3, 1, 0, 0, 0], "nothing was changed");
    let tried = &session.ledger.stretch.tried;
    assert_eq!((tried[0].what.as_str(), tried[0].times), ("cargo test", 2));
}

#[test]
fn what_fails_in_the_same_way_or_three_times_is_a_circle_whatever_was_changed() {
    let mut same = Session::default();
    same.shell("go test ./x", "Exit code 1\\nFAIL x 0.31s", true);
    edit(&mut same, "/r/a.go", "x", false);
    same.shell("go test ./x", "Exit code 1\\nFAIL x 0.48s", true);
    assert_eq!(counts(&same)[1], 1, "only the time is another one");
    let mut thrice = Session::default();
    for (at, end) in ["one", "two", "three", "four"].into_iter().enumerate() {
        edit(&mut thrice, "/r/a.go", &format!("{end} {at}"), false);
        thrice.shell("go test ./x", &format!("Exit code 1\\nFAIL {end}"), true);
    }
    assert_eq!(counts(&thrice)[1], 2, "the third and the fourth");
    thrice.shell("go test ./x", "ok  x", false);
    assert_eq!(counts(&thrice)[1], 1, "it works now: that counts half");
    assert!(thrice.ledger.stretch.tried.is_empty());
}

#[test]
fn looking_at_another_part_of_the_same_failure_is_no_circle() {
    let mut session = Session::default();
    session.shell("go test ./x 2>&1 | tail -5", "--- FAIL: TestA", false).shell(
        "go test ./x 2>&1 | head -80",
        "=== RUN TestA\\n--- FAIL: TestA\\nand more",
        false,
    );
    assert_eq!(counts(&session)[..2], [2, 0]);
}

#[test]
fn the_same_answer_again_is_a_repetition_unless_something_changed_or_it_is_short() {
    let mut session = Session::default();
    let long = LONG.repeat(2);
    session.shell("git log -5", &long, false).shell("git log -5", &long, false);
    assert_eq!(counts(&session)[2], 1);
    session.shell("sed -i s/a/b/ x", "", false).shell("git log -5", &long, false);
    assert_eq!(counts(&session)[2], 1, "a file was changed before");
    session.shell("pwd", "/r", false).shell("pwd", "/r", false);
    assert_eq!(counts(&session)[2], 1, "a short answer");
    session.shell("python3 - <<EOF\nprint(1)\nEOF", &long, false);
    session.shell("python3 - <<EOF\nprint(2)\nEOF", &long, false);
    assert_eq!(counts(&session)[2], 1, "two scripts");
}

#[test]
fn the_same_edit_again_means_that_the_first_one_was_lost() {
    let mut session = Session::default();
    edit(&mut session, "/r/a.rs", "let x = 1;", false);
    edit(&mut session, "/r/b.rs", "let x = 1;", false);
    edit(&mut session, "/r/a.rs", "let y = 1;", false);
    assert_eq!(counts(&session)[2], 0);
    edit(&mut session, "/r/a.rs", "let x = 1;", false);
    assert_eq!(counts(&session)[2], 1);
    edit(&mut session, "/r/a.rs", "let z = 1;", true);
    assert_eq!(counts(&session), [1, 0, 1, 0, 0], "one that failed is a failure");
}

#[test]
fn a_file_read_again_counts_only_if_it_had_not_changed() {
    let mut session = Session::default();
    read(&mut session, "/r/a.rs", "     1\\tfn a() {}");
    read(&mut session, "/r/a.rs", "   100\\tfn z() {}");
    assert_eq!(counts(&session)[3], 0, "another part of it");
    read(&mut session, "/r/a.rs", "     1\\tfn a() {}");
    assert_eq!(counts(&session)[3], 1);
    edit(&mut session, "/r/a.rs", "fn a", false);
    read(&mut session, "/r/a.rs", "     1\\tfn a() {}");
    assert_eq!(counts(&session)[3], 1, "it was changed since");
    read(&mut session, "/r/a.rs", "File unchanged since last read. The content is still current.");
    assert_eq!(counts(&session)[3], 2, "the client says so");
}

#[test]
fn output_is_stale_once_its_file_changed_or_its_command_ran_again() {
    let mut session = Session::default();
    let text = "x".repeat(100_000);
    read(&mut session, "/r/a.rs", &text);
    read(&mut session, "/r/b.rs", &text);
    session.shell("cargo build", &text, false);
    assert!(session.ledger.stretch.signals(3).stale == 0.0);
    edit(&mut session, "/r/a.rs", "x", false);
    assert_eq!(session.ledger.stretch.stale_bytes, 100_000);
    edit(&mut session, "/r/a.rs", "y", false);
    assert_eq!(session.ledger.stretch.stale_bytes, 100_000, "not twice");
    session.shell("cargo build", "done", false);
    assert_eq!(session.ledger.stretch.stale_bytes, 200_000);
    assert!((0.5..0.6).contains(&session.ledger.stretch.signals(6).stale));
}

#[test]
fn work_is_given_up_by_git_by_the_user_and_by_deleting_its_task() {
    let mut session = Session::default();
    session.user("Please change the parser so that it is fast.");
    session.shell("git checkout -- src/a.rs", "", false);
    assert_eq!(counts(&session)[4], 0, "nothing of ours is in it");
    session.file(Tool::Edit, "/home/dev/repo/src/a.rs", "x");
    session.shell("git checkout main", "", false).shell("git restore --staged src/a.rs", "", false);
    session.shell("git checkout -- src/other.rs", "", false).shell("git stash", "", false);
    assert_eq!(counts(&session)[4], 0, "a branch, the index, another file, what can be had back");
    session.shell("git checkout src/a.rs", "", false);
    assert_eq!(counts(&session)[4], 1);
    assert_eq!(session.ledger.stretch.discarded, ["git checkout src/a.rs"]);
    session.agent("Now the other way.");
    session.line(What::Interrupted);
    session.user("no, do it in C");
    assert_eq!(counts(&session)[4], 2, "a stop and its reason are one");
    session.agent("Well.").user("No problem, that is fine, now go on with the docs");
    assert_eq!(counts(&session)[4], 2);
    session.task("t", "Port it").answer("t", "Task #1 created successfully: Port it", false);
    session.task_is("1", "in_progress").task_is("1", "deleted");
    assert_eq!(counts(&session)[4], 3);
    session.shell("rm -rf /", "The user doesn't want to proceed with this tool use.", true);
    assert_eq!(counts(&session)[..], [0, 0, 0, 0, 4], "a refusal is no failure");
}

#[test]
fn taking_back_is_told_from_asking() {
    for text in [
        "no, the other one",
        "Stop",
        "STOP!",
        "That’s not what I meant",
        "ugh, again",
        "ok let's abandon this",
    ] {
        assert!(super::takes_back(text), "{text}");
    }
    for text in
        ["no problem", "Stop hooks are slow, look at them", "This is not urgent", "Notes: none", "e.g. no."]
    {
        assert!(!super::takes_back(text), "{text}");
    }
}

#[test]
fn prose_and_short_words_are_no_sign_of_drift() {
    let mut session = Session::default();
    session.user("Fix the importer, e.g. version 1.5 of it, in src/import.rs");
    session.file(Tool::Edit, "/home/dev/repo/src/import.rs", "x");
    for _ in 0..20 {
        session.agent("See e.g. 1.5, etc. and so on.").shell("git status", "", false).shell(
            "cargo test",
            "ok",
            false,
        );
    }
    assert_eq!(session.ledger.stretch.directed, 0, "prose, version control and checks have no direction");
    for at in 0..20 {
        session.shell(&format!("curl https://elsewhere.example/{at}"), "x", false);
    }
    assert!((session.ledger.stretch.signals(99).drift - 1.0).abs() < 1e-9);
    session.user("Thanks. And what about the weather?");
    assert!(session.ledger.stretch.signals(99).drift == 0.0, "a new request is no drift of the agent's");
}

#[test]
fn a_session_in_circles_is_purified_and_calm_work_is_not() {
    let mut calm = Session::default();
    calm.user("Make the reader fast and keep its tests green");
    for at in 0..40 {
        let path = format!("/home/dev/repo/src/reader_{}.rs", at % 7);
        read(&mut calm, &path, &format!("content {}", "y".repeat(at)));
        edit(&mut calm, &path, &format!("text {at}"), false);
        let (text, is_error) = if at % 8 == 0 { ("Exit code 1\\nerror: z", true) } else { ("ok", false) };
        calm.shell("cargo test", text, is_error);
    }
    assert_eq!(purity(&calm.ledger).level, Level::Clean, "{}", purity(&calm.ledger).why());
    let mut circles = Session::default();
    circles.user("Make the tests green");
    for _ in 0..8 {
        circles.shell("npm test", "Exit code 1\\nTypeError: x is not a function", true);
    }
    let purity = purity(&circles.ledger);
    assert!(purity.level.purifies(), "{} {}", purity.score, purity.why());
}

#[test]
fn messages_reset_nothing_and_a_compaction_begins_anew() {
    let mut quiet = Session::default();
    let mut chatty = Session::default();
    for session in [&mut quiet, &mut chatty] {
        for _ in 0..8 {
            session.shell("npm test", "Exit code 1\\nboom", true);
        }
    }
    for _ in 0..30 {
        chatty.user("go on");
    }
    assert_eq!(purity(&chatty.ledger), purity(&quiet.ledger), "words alone bring nothing back");
    for _ in 0..80 {
        chatty.agent("Thinking.");
    }
    assert_eq!(purity(&chatty.ledger).level, Level::Clean, "two half-lives of responses do");
    quiet.line(What::Compacted { trigger: Some("auto"), tokens_before: None, tokens_after: None });
    assert_eq!((purity(&quiet.ledger).score, quiet.ledger.stretch.since), (100, 8));
}
