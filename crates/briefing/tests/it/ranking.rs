//! The ranking of a session's part: what goes first where room is short, and what takes the room that is left.

use serde_json::{Value, json};
use throughline_briefing::session::{Known, Reader};

use crate::session::{ledger, place, render, weight};

#[test]
fn what_no_better_thing_wants_is_spent_on_what_ranks_next() {
    let name =
        |at: u64| json!({"name": format!("parse_line_{at}"), "weight": weight(2, at), "last": place(at)});
    let names: Vec<Value> = (0..100).map(name).collect();
    let said: Vec<Value> = (0..20)
        .map(|at| json!({"text": "", "place": place(at), "directives": [format!("Use the form number {at} here.")]}))
        .collect();
    let of = |names: &[Value]| ledger(json!({"turn": 100, "names": names, "said": said}));
    let told = |text: &str| text.matches("parse_line_").count();
    let full = render(&of(&names), &Known::nothing(), Reader::Compacted, 1_200);
    assert_eq!((told(&full), full.matches("Use the form").count()), (100, 20), "{full}");
    // The same room is not spent where somebody else has to read it all.
    let started = render(&of(&names), &Known::nothing(), Reader::Started, 1_200);
    assert_eq!((told(&started), started.matches("Use the form").count()), (60, 12), "{started}");
    // A file, however old, is better than the names that only fill; words are, too.
    let mut crowded = of(&names);
    let files = json!(
        (0..60)
            .map(|at| json!({"path": format!("src/old_module_{at}.rs"), "reads": 1,
        "weight": weight(1, 1), "last": place(1)}))
            .collect::<Vec<_>>()
    );
    crowded.files = serde_json::from_value(files).unwrap();
    let text = render(&crowded, &Known::nothing(), Reader::Compacted, 800);
    assert_eq!(
        (text.matches("old_module_").count(), text.matches("Use the form").count()),
        (60, 20),
        "{text}"
    );
    assert!((1..100).contains(&told(&text)), "{text}");
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
