//! What is next: the first situation that holds, told in a known form, and nothing in it can be forged or is endless.

use proptest::prelude::*;
use serde_json::{Value, json};
use throughline_briefing::continuation::{
    Advice, Fill, Session, UNITS_MAX, Variant, WorkStanding, as_json, decide, plain,
};
use throughline_domain::State;
use throughline_domain::ledger::Ledger;
use throughline_domain::text::utf16_len;

use crate::arbitrary::state;
use crate::session::{any_ledger, ledger, place};

const LIVE: Option<Session<'static>> = Some(Session { id: "s1", is_live: true });
const OVER: Option<Session<'static>> = Some(Session { id: "s1", is_live: false });
const EARLY: Option<Fill> = Some(Fill { percent: 12, warning: 70 });

pub(crate) fn of(document: &Value) -> State {
    State::read(&document.to_string()).unwrap().0
}

pub(crate) fn task(id: &str, subject: &str, status: &str) -> Value {
    json!({"id": id, "subject": subject, "status": status, "created": place(1), "changed": place(2)})
}

pub(crate) fn standing<'a>(state: &'a State, ledger: &'a Ledger) -> WorkStanding<'a> {
    WorkStanding { state, ledger, session: LIVE, fill: EARLY, purified: None, is_dirty: Some(false) }
}

fn variant(state: &Value, told: Value) -> Variant {
    let (state, ledger) = (of(state), ledger(told));
    decide(&standing(&state, &ledger)).variant
}

pub(crate) fn failing() -> Value {
    json!({
        "turn": 20,
        "commands": [{
            "normal": "cargo test -p export", "verbatim": "cd app && cargo test -p export 2>&1 | tail -20",
            "kind": "test", "last": place(18), "succeeded": false,
        }],
        "errors": [{
            "lines": ["assertion failed: left == right"], "is_certain": true, "from": "cargo test -p export",
            "place": place(18),
        }],
        "tasks": [task("3", "quote every field", "in_progress")],
    })
}

/// Each row takes away what made the row above it.
#[test]
fn the_table_is_asked_from_the_top() {
    let mut state = json!({
        "sd": {"id": "SD-1", "phase": "EXEC", "progress": 1, "blocking": "a key", "next": "measure"},
        "openQuestions": [{"question": "Which port?", "priority": "high"}],
        "summaries": {"pendingActions": ["one", "two"]},
    });
    let mut told = failing();
    told["findings"] = json!([
        {"kind": "question", "quote": "Shall I go on?", "place": place(19)},
        {"kind": "plan", "quote": "Split the parser.", "place": place(19)},
    ]);
    let mut rows = Vec::new();
    let mut note = |state: &Value, told: &Value| rows.push(variant(state, told.clone()).word());
    note(&state, &told);
    state["sd"]["blocking"] = Value::Null;
    note(&state, &told);
    told["findings"].as_array_mut().unwrap().remove(0);
    note(&state, &told);
    state["openQuestions"] = json!([]);
    note(&state, &told);
    told["errors"][0]["resolved_turn"] = 19.into();
    note(&state, &told);
    told["tasks"][0]["status"] = "pending".into();
    note(&state, &told);
    told["tasks"][0]["status"] = "completed".into();
    note(&state, &told);
    state["sd"]["progress"] = 0.5.into();
    note(&state, &told);
    told["tasks"] = json!([]);
    note(&state, &told);
    state["sd"]["next"] = Value::Null;
    note(&state, &told);
    state["summaries"]["pendingActions"] = json!([]);
    note(&state, &told);
    told["findings"] = json!([]);
    note(&state, &told);
    state["sd"]["phase"] = Value::Null;
    note(&state, &told);
    let expected = [
        "blocked",
        "blocked",
        "blocked",
        "failing-tests",
        "in-progress",
        "last-plan",
        "milestone-complete",
        "phase-complete",
        "stated-next",
        "options",
        "stated-next",
        "plan-phase",
        "nothing",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_check_that_passed_or_is_long_past_or_was_none_does_not_fail() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut told = failing();
        change(&mut told);
        variant(&json!({}), told)
    };
    assert_eq!(with(&|_| {}), Variant::FailingTests);
    assert_eq!(with(&|told| told["turn"] = 90.into()), Variant::InProgress, "nobody ran it again");
    assert_eq!(with(&|told| told["commands"][0]["kind"] = "run".into()), Variant::InProgress, "no check");
    assert_eq!(with(&|told| told["commands"][0]["succeeded"] = true.into()), Variant::InProgress);
    let only_looks_so = |told: &mut Value| {
        told["errors"][0]["is_certain"] = false.into();
        told["commands"][0]["succeeded"] = Value::Null;
    };
    assert_eq!(with(&only_looks_so), Variant::InProgress);
}

#[test]
fn the_words_that_say_that_it_is_over() {
    for phase in ["COMPLETED", "done", " Complete ", "[finished]", "shipped"] {
        assert_eq!(
            variant(&json!({"sd": {"phase": phase}}), json!({})),
            Variant::MilestoneComplete,
            "{phase}"
        );
    }
    for phase in ["incomplete", "phase-1", "not done", ""] {
        assert_ne!(
            variant(&json!({"sd": {"phase": phase}}), json!({})),
            Variant::MilestoneComplete,
            "{phase}"
        );
    }
    assert_eq!(variant(&json!({"sd": {"id": "A", "progress": 100}}), json!({})), Variant::MilestoneComplete);
    assert_ne!(variant(&json!({"sd": {"id": "A", "progress": 0.99}}), json!({})), Variant::MilestoneComplete);
}

#[test]
fn asking_through_the_agent_is_no_work() {
    let told = |what: &str| {
        json!({
            "segments": [{"id": "turn-4", "subject": "Skip empty rows in the importer.", "start": 4}],
            "stand": {"phase": "working", "act": "ran", "what": what},
        })
    };
    assert_eq!(variant(&json!({}), told("cargo build")), Variant::InProgress);
    assert_eq!(variant(&json!({}), told("throughline next")), Variant::Nothing);
}

#[test]
fn a_request_after_the_last_task_is_in_hand() {
    let said = |turn: u64| json!({"text": "Now rename the columns, please.", "place": place(turn)});
    let told = |turn: u64, phase: &str| json!({"tasks": [task("1", "rows", "completed")], "said": [said(turn)], "stand": {"phase": phase}});
    assert_eq!(variant(&json!({}), told(5, "asked")), Variant::InProgress);
    assert_eq!(variant(&json!({}), told(5, "told")), Variant::PhaseComplete, "it is answered");
    assert_eq!(variant(&json!({}), told(1, "asked")), Variant::PhaseComplete, "the tasks came of it");
}

#[test]
fn whether_to_clear_depends_on_what_is_in_hand_and_how_full_it_is() {
    let (pending, busy) = (json!([task("1", "rows", "pending")]), json!([task("1", "rows", "in_progress")]));
    let at = |percent| Some(Fill { percent, warning: 70 });
    let rows = [
        (&pending, LIVE, at(50), Some(false), Advice::None),
        (&pending, LIVE, at(51), Some(false), Advice::Clear),
        (&pending, LIVE, at(51), None, Advice::Clear),
        (&pending, LIVE, at(69), Some(true), Advice::None),
        (&pending, LIVE, at(70), Some(true), Advice::Compact),
        (&busy, LIVE, at(69), Some(false), Advice::None),
        (&busy, LIVE, at(70), Some(false), Advice::Compact),
        (&busy, LIVE, None, Some(false), Advice::None),
        (&pending, OVER, at(90), Some(false), Advice::None),
        (&pending, None, at(90), Some(false), Advice::None),
    ];
    for (tasks, session, fill, is_dirty, expected) in rows {
        let (state, ledger) = (State::empty(), ledger(json!({"tasks": tasks})));
        let next =
            decide(&WorkStanding { state: &state, ledger: &ledger, session, fill, purified: None, is_dirty });
        assert_eq!(next.clear.advice, expected, "{tasks} {session:?} {fill:?} {is_dirty:?}");
        assert!(!next.clear.why.is_empty(), "never unexplained");
    }
}

#[test]
fn a_session_that_is_over_is_resumed_with_the_prompt() {
    let (state, ledger) = (State::empty(), ledger(json!({"tasks": [task("3", "it's late", "pending")]})));
    let next = decide(&WorkStanding { session: OVER, ..standing(&state, &ledger) });
    let command = next.command.as_ref().unwrap().text();
    assert_eq!(command, r"claude --resume s1 'begin with task #3: it'\''s late'");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_known_it_is_told_in_bounds_and_cleanly(
        state in state(), ledger in any_ledger(), dice in any::<u8>(), percent in 0_u64..120,
    ) {
        let id = if dice % 5 == 0 { "a'b; rm\n" } else { "s1" };
        let session = (dice % 3 > 0).then_some(Session { id, is_live: dice % 3 == 1 });
        let fill = (dice % 2 == 0).then_some(Fill { percent, warning: 70 });
        let standing = WorkStanding { state: &state, ledger: &ledger, session, fill, purified: (dice % 5 == 0).then_some(30), is_dirty: Some(dice % 7 == 0) };
        let next = decide(&standing);
        let line = next.brief.clone().unwrap_or_default();
        prop_assert!(utf16_len(&line) <= 240 && line.lines().count() <= 1, "{line}");
        let text = plain(&next);
        prop_assert!(utf16_len(&text) <= UNITS_MAX, "{}: {text}", utf16_len(&text));
        for text in [&text, &line] {
            let is_stray = |c: char| (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{2028}' | '\u{2029}');
            prop_assert!(!text.contains(is_stray), "{text:?}");
            prop_assert!(!text.contains("[throughline:") && !text.contains("[/throughline]"), "{text}");
            prop_assert!(!text.to_lowercase().contains("<system-reminder"), "{text}");
        }
        prop_assert_eq!(text.lines().filter(|line| *line == "---").count(), 2, "{}", text);
        let value = as_json(&next);
        prop_assert!(value["variant"].is_string() && value["clearFirst"]["why"].is_string());
        if next.variant != Variant::Options {
            prop_assert!(value["command"].as_str().is_some_and(|it| !it.trim().is_empty()), "{}", value);
        }
    }
}

#[test]
fn a_context_that_has_gone_bad_is_cleared_first_whatever_is_in_hand() {
    let state = State::empty();
    let ledger = Ledger::default();
    let bad = WorkStanding { purified: Some(37), is_dirty: Some(true), ..standing(&state, &ledger) };
    let clear = decide(&bad).clear;
    assert_eq!(clear.advice.word(), "clear");
    assert!(clear.why.starts_with("the context has gone bad (purity 37 of 100)"), "{}", clear.why);
}
