//! The ranking of a session's part: what goes first where room is short, and what takes the room that is left.

use serde_json::{Value, json};
use throughline_briefing::session::{Known, Reader};

use crate::session::{ledger, place, render};

#[test]
fn each_part_has_its_share_and_what_nobody_else_wants_is_spent_on_what_ranks_next() {
    let telling = |at: u64| json!({"text": format!("The cause number {at} is not what `parse_{at}` says."), "weight": 3, "place": place(at)});
    let tellings: Vec<Value> = (0..100).map(telling).collect();
    let said: Vec<Value> = (0..20)
        .map(|at| json!({"text": "", "place": place(at), "directives": [format!("Use the form number {at} here.")]}))
        .collect();
    let all = ledger(json!({"turn": 100, "tellings": tellings, "said": said}));
    let count = |text: &str, what: &str| text.matches(what).count();
    let full = render(&all, &Known::nothing(), Reader::Compacted, 1_200);
    assert!(count(&full, "Use the form") == 20 && count(&full, "The cause number") > 50, "{full}");
    assert!(full.contains("number 99 is") && !full.contains("number 3 is"), "the newest stay: {full}");
    let tight = render(&all, &Known::nothing(), Reader::Compacted, 300);
    assert!(count(&tight, "Use the form") >= 5 && count(&tight, "The cause number") >= 4, "{tight}");
}

#[test]
fn what_a_summary_says_in_other_words_is_not_said_again() {
    let tellings = json!([
        {"text": "The lookup in `repo.Reference` fails at line 492 of manual_commit_hooks.go.", "weight": 3, "place": place(8)},
        {"text": "The suite has 1309 tests, none of which covers `StageFiles`.", "weight": 3, "place": place(9)},
    ]);
    let all = ledger(json!({"turn": 10, "tellings": tellings}));
    let summary = "In manual_commit_hooks.go the call repo.Reference (line 492) makes the lookup fail.";
    let text = render(&all, &Known::summary(summary), Reader::Compacted, 800);
    assert!(text.contains("1309 tests") && !text.contains("at line 492"), "{text}");
}

#[test]
fn what_is_forbidden_goes_first_and_what_is_known_takes_no_place() {
    let sentence = |at: u64| {
        format!("Use the long way of doing things number {at} in each of the modules that you see.")
    };
    let mut said = vec![
        json!({"text": "", "place": place(1), "directives": ["Don't open a request upstream before each of the modules that you see has tests of its own."]}),
    ];
    said.extend((2..16).map(|at| json!({"text": "", "place": place(at), "directives": [sentence(at)]})));
    let ledger = ledger(json!({"turn": 20, "said": said}));
    let known: Vec<String> = (8..16).map(sentence).collect();
    let text = render(&ledger, &Known::summary(&known.join(" ")), Reader::Compacted, 180);
    assert!(
        text.contains(
            "Don't open a request upstream before each of the modules that you see has tests of its own."
        ),
        "{text}"
    );
    assert!(text.contains("number 7 in each") && !text.contains("number 8 in each"), "{text}");
}

#[test]
fn what_the_user_pasted_stands_behind_his_own_words_under_its_own_heading() {
    let ledger = ledger(
        json!({"turn": 9, "said": [{"text": "", "place": place(1), "directives": ["Keep the port."],
        "remarks": ["It does not start."], "pasted": ["ERROR: the port is not free", "ERROR: the port is not free"]}]}),
    );
    let text = render(&ledger, &Known::nothing(), Reader::Compacted, 300);
    assert!(
        text.contains(
            "The user's directives:\n- \"Keep the port.\"\nThe user also said:\n- \"It does not start.\"\n\
             The user pasted:\n> ERROR: the port is not free\n[/"
        ),
        "{text}"
    );
}

#[test]
fn an_error_is_told_with_its_reason_and_an_old_one_only_where_room_is_left() {
    let error = |from: &str, lines: &[&str], turn: u64, is_certain: bool| {
        json!({"from": from, "lines": lines,
        "place": place(turn), "is_certain": is_certain})
    };
    let newest =
        error("go test ./a", &["--- FAIL: TestA", "a_test.go:4: got 3, want 4", "FAIL a 0.1s"], 99, true);
    let old = error("deploy", &["fatal: no such host"], 2, true);
    let guessed = error("look", &["Welcome to the tool"], 3, false);
    let all = ledger(json!({"turn": 100, "errors": [old, guessed, newest]}));
    let text = render(&all, &Known::nothing(), Reader::Compacted, 800);
    let expected = "Fails:\n`deploy` (98 responses ago)\n> fatal: no such host\n`go test ./a`\n> --- FAIL: TestA\n\
                    > a_test.go:4: got 3, want 4\n> FAIL a 0.1s\n";
    assert!(text.contains(expected) && !text.contains("Welcome"), "{text}");
    let tight = render(&all, &Known::nothing(), Reader::Compacted, 60);
    assert!(tight.contains("> --- FAIL: TestA") && !tight.contains("got 3"), "{tight}");
    // What the summary says is not said again, nor what stood behind it.
    let known = render(&all, &Known::summary("--- FAIL: TestA"), Reader::Compacted, 800);
    assert!(!known.contains("got 3"), "{known}");
}
