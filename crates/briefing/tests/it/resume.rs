//! The resume context: what changed while nobody was there, as much of it as its age calls for.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes the texts this way")]

use expect_test::expect;
use serde_json::json;
use throughline_briefing::resume::{FilesSince, GitChanges, Length, Pause};
use throughline_briefing::{Cap, resume};
use throughline_domain::ledger::Ledger;
use throughline_domain::{State, Timestamp, time};

use crate::example::state;
use crate::session::ledger;

fn at(text: &str) -> Timestamp {
    time::parse(text).unwrap()
}

fn changes() -> GitChanges {
    GitChanges {
        branch_now: Some("main".to_owned()),
        commits: vec!["77aa001 release: 1.4 (Ann)".to_owned()],
        commit_count: 1,
        files_changed: 3,
        history_rewritten: true,
    }
}

fn told(length: Length, now: &str) -> String {
    let ledger = ledger(json!({
        "tasks": [
            {"id": "1", "subject": "stream the rows", "status": "completed"},
            {"id": "2", "subject": "write the footer", "status": "pending"},
            {"id": "3", "subject": "quote every field", "status": "in_progress"},
        ],
        "stand": {"said": "Now I'll measure a file of 2 GB."},
    }));
    let files = FilesSince {
        changed: vec!["src/export.rs".to_owned(), "src/quote.rs".to_owned()],
        gone: vec!["src/old.rs".to_owned()],
    };
    let pause = Pause {
        last_active: Some(at("2026-02-11T08:45:10Z")),
        now: at(now),
        ledger: Some(&ledger),
        git: Some(&changes()),
        files: &files,
        length,
    };
    resume::render(&state(), &pause, Cap::tokens(400))
}

#[test]
fn in_full() {
    expect![[r#"
        [throughline:resume]
        Back after 24 h 14 min (last activity 2026-02-11 08:45 UTC).
        Working on EXP-7 · phase EXEC
        Next, as it was left: measure a file of 2 GB
        Task, in progress: quote every field
        Task, open: write the footer
        A1: Answer in German (output style)
        Git: branch moved from "feature/export" to "main".
        Git: the recorded commit is no longer in the history.
        Git: 1 new commit, 3 files changed:
          "77aa001 release: 1.4 (Ann)"
        Changed since you saw them, read them again: src/export.rs, src/quote.rs
        No longer there: src/old.rs
        [/throughline]"#]]
    .assert_eq(&told(Length::Full, "2026-02-12T09:00:00Z"));
}

#[test]
fn beside_a_briefing() {
    expect![[r#"
        [throughline:resume]
        Back after 24 h 14 min (last activity 2026-02-11 08:45 UTC).
        Phase: EXEC
        Git: branch moved from "feature/export" to "main".
        Git: the recorded commit is no longer in the history.
        Git: 1 new commit, 3 files changed:
          "77aa001 release: 1.4 (Ann)"
        Changed since you saw them, read them again: src/export.rs, src/quote.rs
        No longer there: src/old.rs
        [/throughline]"#]]
    .assert_eq(&told(Length::Changes, "2026-02-12T09:00:00Z"));
}

#[test]
fn when_it_is_old() {
    expect![[r#"
        [throughline:resume]
        This is 5 days old (last activity 2026-02-11 08:45 UTC, now 2026-02-16): look before you rely on it.
        Working on EXP-7 · phase EXEC
        Next, as it was left: measure a file of 2 GB
        A1: Answer in German
        Git: branch moved from "feature/export" to "main".
        Git: the recorded commit is no longer in the history.
        Git: 1 new commit, 3 files changed.
        Changed since you saw them, read them again: src/export.rs, src/quote.rs
        No longer there: src/old.rs
        [/throughline]"#]]
    .assert_eq(&told(Length::Old, "2026-02-16T09:00:00Z"));
}

#[test]
fn when_nothing_changed_and_nobody_knows_since_when() {
    let pause = Pause {
        last_active: None,
        now: at("2026-02-12T09:00:00Z"),
        ledger: None,
        git: Some(&GitChanges::default()),
        files: &FilesSince::default(),
        length: Length::Full,
    };
    expect![[r#"
        [throughline:resume]
        Back after a pause.
        Working on EXP-7 · phase EXEC
        Next, as it was left: measure a file of 2 GB
        A1: Answer in German (output style)
        Git: nothing new since.
        [/throughline]"#]]
    .assert_eq(&resume::render(&state(), &pause, Cap::tokens(400)));
}

#[test]
fn what_was_left_to_do_next_is_what_was_set_then_what_was_asked_then_what_was_said() {
    let said = |state: &State, ledger: &Ledger| {
        let files = FilesSince::default();
        let now = time::parse("2026-02-12T09:00:00Z").unwrap();
        let pause = Pause {
            last_active: None,
            now,
            ledger: Some(ledger),
            git: None,
            files: &files,
            length: Length::Full,
        };
        let text = resume::render(state, &pause, Cap::tokens(400));
        text.lines().find_map(|line| line.strip_prefix("Next, as it was left: ").map(str::to_owned))
    };
    let mut state = State::read(r#"{"decisions":["go"]}"#).unwrap().0;
    let mut ledger = Ledger::default();
    assert_eq!(said(&state, &ledger), None);
    ledger.findings = serde_json::from_value(json!([{"kind": "plan", "quote": "1. a 2. b"}])).unwrap();
    assert_eq!(said(&state, &ledger).as_deref(), Some("\"1. a 2. b\""));
    "All is pushed.".clone_into(&mut ledger.stand.said);
    assert_eq!(said(&state, &ledger).as_deref(), Some("\"1. a 2. b\""), "the last words announce nothing");
    "Now the tests.".clone_into(&mut ledger.stand.said);
    ledger.stand.announces = true;
    assert_eq!(said(&state, &ledger).as_deref(), Some("\"Now the tests.\""));
    ledger.findings = serde_json::from_value(json!([{"kind": "question", "quote": "Which one?"}])).unwrap();
    assert_eq!(said(&state, &ledger).as_deref(), Some("the user's answer to \"Which one?\""));
    state.sd.next = Some("ship".to_owned());
    assert_eq!(said(&state, &ledger).as_deref(), Some("ship"));
}
