//! Ids: never given twice, found under any name, and kept across everything that happens to a file.

use serde_json::json;
use throughline_domain::budget::{Limits, truncate_for_budget};
use throughline_domain::{Detail, Entry, EntryId, Kind, State};

fn read(text: &str) -> State {
    State::read(text).unwrap().0
}

fn add_decision(state: &mut State, text: &str) -> String {
    let id = state.next_id(Kind::Decision);
    let detail = Detail::Decision { rationale: String::new(), reversible: true };
    let extra = serde_json::Map::new();
    let entry = Entry { id, alias: None, text: text.to_owned(), timestamp: String::new(), detail, extra };
    state.entries_mut(Kind::Decision).push(entry);
    id.to_string()
}

/// Numbers taken from the length of the list gave D11, D11, D11 once the list was full.
#[test]
fn the_number_goes_on_after_the_cap_and_across_the_file() {
    let mut state = State::empty();
    let mut given = Vec::new();
    for count in 1..=14 {
        given.push(add_decision(&mut state, &format!("decision {count}")));
        truncate_for_budget(&mut state, &Limits::default(), "2026-03-01T10:00:00.000Z");
        state = read(&state.to_json().to_string());
    }
    let expected: Vec<String> = (1..=14).map(|number| format!("D{number}")).collect();
    assert_eq!(given, expected);
    assert_eq!(state.entries(Kind::Decision).len(), 10);
    assert_eq!(state.entries(Kind::Decision)[0].id.to_string(), "D5");
}

#[test]
fn an_id_that_is_there_twice_is_renumbered_without_touching_the_first() {
    let text = json!({"decisions": [
        {"id": "D11", "decision": "a"}, {"id": "D11", "decision": "b"}, {"decision": "c"}, {"id": "d3", "decision": "d"},
    ]});
    let (mut state, problems) = State::read(&text.to_string()).unwrap();
    let ids: Vec<_> =
        state.entries(Kind::Decision).iter().map(|entry| format!("{} {}", entry.id, entry.text)).collect();
    assert_eq!(ids, ["D11 a", "D12 b", "D13 c", "D3 d"], "order is age: it stays");
    assert_eq!(problems.len(), 1);
    assert_eq!(add_decision(&mut state, "e"), "D14");
}

#[test]
fn the_same_words_twice_keep_their_two_ids() {
    let state = read(r#"{"summaries":{"pendingActions":["call back","call back","call back"]}}"#);
    let mut again = state.clone();
    for _ in 0..3 {
        again = read(&again.to_json().to_string());
    }
    assert_eq!(state, again);
    let ids: Vec<_> = again.entries(Kind::Action).iter().map(|entry| entry.id.to_string()).collect();
    assert_eq!(ids, ["P1", "P2", "P3"]);
}

#[test]
fn bare_strings_keep_id_and_time_when_their_neighbours_go() {
    let mut state = read(r#"{"summaries":{"pendingActions":["one","two","three"]}}"#);
    state.entries_mut(Kind::Action)[2].timestamp = "2026-03-01T10:00:00Z".to_owned();
    state.remove("P1".parse().unwrap());
    let again = read(&state.to_json().to_string());
    assert_eq!(again, state);
    assert_eq!(again.find("p3").unwrap().timestamp, "2026-03-01T10:00:00Z");
    let mut by_hand = again.to_json();
    by_hand["summaries"]["pendingActions"] = json!(["two", "a new one"]);
    let edited = read(&by_hand.to_string());
    let ids: Vec<_> = edited.entries(Kind::Action).iter().map(|entry| entry.id.to_string()).collect();
    assert_eq!(ids, ["P2", "P4"]);
}

#[test]
fn numbers_at_the_end_of_their_range_neither_overflow_nor_repeat() {
    let cases = [
        (json!({"decisions": [{"id": "D4294967295", "decision": "a"}]}), "D4294967296"),
        (json!({"counters": {"D": 4_294_967_295_u64}}), "D4294967296"),
        (json!({"decisions": [{"id": "D1737730800000", "decision": "a"}]}), "D2"),
        (json!({"decisions": [{"id": "D99999999999999999999999", "decision": "a"}]}), "D2"),
        (json!({"counters": {"D": u64::MAX}}), "D1"),
        (json!({"counters": {"D": (1_u64 << 53) - 2}, "decisions": ["a"]}), "D1"),
        (json!({"counters": {"D": (1_u64 << 53) - 1}, "decisions": ["a", "b"]}), "D3"),
    ];
    for (document, next) in cases {
        let mut state = read(&document.to_string());
        assert_eq!(read(&state.to_json().to_string()), state, "{document}");
        assert_eq!(add_decision(&mut state, "next"), next, "{document}");
        let mut again = read(&state.to_json().to_string());
        assert_eq!(again, state, "{document}");
        let more = add_decision(&mut again, "one more");
        assert!(state.find(&more).is_none(), "{document}");
    }
    let big = read(r#"{"decisions":[{"id":"D1737730800000","decision":"a"}]}"#);
    assert_eq!(big.find("D1737730800000").unwrap().id.to_string(), "D1", "a foreign number still resolves");
}

#[test]
fn our_own_id_wins_over_the_same_word_used_as_a_foreign_one() {
    let mut state = read(
        r#"{"decisions":[{"id":"C1","decision":"misfiled"}],"constraints":[{"id":"C1","constraint":"real"}]}"#,
    );
    assert_eq!(state.find("c1").unwrap().text, "real");
    assert_eq!(state.find_mut("C1").unwrap().text, "real");
    assert_eq!(state.find("D1").unwrap().alias.as_deref(), Some("C1"));
    let unnamed = read(r#"{"decisions":[{"id":"","alias":"","decision":"x"}]}"#);
    assert!(unnamed.find("").is_none());
}

#[test]
fn an_id_is_letters_and_a_number_and_nothing_else() {
    for good in ["D1", "d1", "A20", "u3", "P9007199254740991"] {
        assert!(good.parse::<EntryId>().is_ok(), "{good}");
    }
    for bad in
        ["", "D", "1", "D0", "D01", "D1 ", " D1", "D-1", "D1.0", "X1", "D٣", "DD1", "D9007199254740992"]
    {
        assert!(bad.parse::<EntryId>().is_err(), "{bad}");
    }
}
