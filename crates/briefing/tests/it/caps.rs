//! Whatever the state holds and however small the cap is: never over it, and never without the marks.

use proptest::prelude::*;
use throughline_briefing::briefing::Occasion;
use throughline_briefing::resume::{FilesSince, GitChanges, Length, Pause};
use throughline_briefing::{
    Cap, Facts, RecentFile, Scope, banner, briefing, fragment, handoff, preservation, purification, resume,
    snapshot,
};
use throughline_domain::budget::estimate_tokens;
use throughline_domain::ledger::{Ledger, Task};
use throughline_domain::purity::Purification;
use throughline_domain::text::utf16_len;
use throughline_domain::{Detail, Kind, State, Timestamp, time};

use crate::arbitrary::{loose_text, state};

fn now() -> Timestamp {
    time::parse("2026-03-02T10:00:00Z").unwrap()
}

/// Every fragment that can be made of a state, by name.
fn fragments(state: &State, facts: &Facts<'_>, loose: &str, cap: Cap) -> Vec<(&'static str, String)> {
    let started = Occasion::Started { idle_seconds: 4_000 };
    let changes = GitChanges {
        branch_now: Some(loose.to_owned()),
        commits: vec![loose.to_owned(); 3],
        commit_count: 3,
        files_changed: 1,
        history_rewritten: true,
    };
    let files = FilesSince { changed: vec![loose.to_owned(); 12], gone: vec![loose.to_owned()] };
    let loose_ledger = &loose_ledger(loose);
    let kept = Purification {
        at: time::iso(now()),
        score: 37,
        causes: vec![loose.to_owned(); 7],
        text: format!("{loose}\n{}", purification::kept(state, &Ledger::default())),
        ..Purification::default()
    };
    let made = [
        ("purification", purification::render(&kept, now(), cap)),
        ("compacted", briefing::render(state, facts, &Occasion::Compacted, cap).map(|chosen| chosen.text)),
        ("started", briefing::render(state, facts, &started, cap).map(|chosen| chosen.text)),
        ("banner", banner::render(state, facts, cap).map(|chosen| chosen.text)),
        ("preservation", preservation::render(state, facts, Some(loose), loose, &Ledger::default(), cap)),
        ("resume", Some(resume::render(state, &pause(&changes, &files, loose_ledger, Length::Full), cap))),
        (
            "changes",
            Some(resume::render(state, &pause(&changes, &files, loose_ledger, Length::Changes), cap)),
        ),
        ("old", Some(resume::render(state, &pause(&changes, &files, loose_ledger, Length::Old), cap))),
    ];
    made.into_iter()
        .filter_map(|(name, text)| text.map(|text| (name, text)))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

fn pause<'a>(
    changes: &'a GitChanges,
    files: &'a FilesSince,
    ledger: &'a Ledger,
    length: Length,
) -> Pause<'a> {
    Pause { last_active: Some(now()), now: now(), ledger: Some(ledger), git: Some(changes), files, length }
}

/// A session whose tasks and announcements say anything.
fn loose_ledger(loose: &str) -> Ledger {
    let task =
        |status: &str| Task { subject: loose.to_owned(), status: status.to_owned(), ..Task::default() };
    let mut ledger = Ledger { tasks: vec![task("in_progress"), task("pending")], ..Ledger::default() };
    loose.clone_into(&mut ledger.stand.said);
    ledger
}

fn has_naked_controls(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\n' && c != '\t')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_over_its_cap_and_every_text_is_marked_once(
        state in state(), loose in loose_text(), units in 0_usize..10_000, dice in any::<u8>(),
    ) {
        let untrusted: Vec<String> =
            state.all_entries().map(|entry| entry.id.to_string()).filter(|_| dice % 3 == 0).collect();
        let scope = if dice % 2 == 0 { Scope::Whole } else { Scope::Shared };
        let files = [RecentFile { name: "notes.md", content: loose.clone(), age_seconds: 60 }];
        let facts = Facts { untrusted: &untrusted, scope, recent_files: &files, ..Facts::default() };
        for (name, text) in fragments(&state, &facts, &loose, Cap { units }) {
            prop_assert!(utf16_len(&text) <= units, "{name}: {} of {units}", utf16_len(&text));
            prop_assert!(estimate_tokens(&text) <= units.div_ceil(4) as u64, "{name}");
            prop_assert!(fragment::is_ours(&text));
            prop_assert!(text.starts_with("[throughline:"), "{name}: {text}");
            prop_assert!(text.ends_with("\n[/throughline]"), "{name}: {text}");
            prop_assert_eq!(text.matches("[throughline:").count(), 1, "{}: {}", name, text);
            prop_assert_eq!(text.matches("[/throughline]").count(), 1, "{}: {}", name, text);
            let folded = text.to_lowercase();
            prop_assert!(!folded.contains("<system-reminder") && !folded.contains("</system-reminder"), "{name}");
            prop_assert!(!has_naked_controls(&text), "{name}: {text:?}");
            prop_assert!(!text.contains('\u{2028}') && !text.contains('\u{2029}'), "{name}: {text:?}");
        }
    }

    #[test]
    fn blocking_constraints_are_said_whenever_there_is_room_for_a_paragraph(
        state in state(), units in 800_usize..10_000,
    ) {
        let chosen = briefing::render(&state, &Facts::default(), &Occasion::Compacted, Cap { units });
        let text = chosen.map(|chosen| chosen.text).unwrap_or_default();
        for entry in state.entries(Kind::Constraint) {
            if matches!(entry.detail, Detail::Constraint { blocking: true, .. }) {
                prop_assert!(text.contains(&format!("\n{} [BLOCKING]: ", entry.id)), "{} in {text}", entry.id);
            }
        }
    }

    #[test]
    fn texts_for_people_are_bounded_and_clean(state in state(), loose in loose_text()) {
        let handed = handoff::render(&state, &handoff::Work::default(), None);
        prop_assert!(estimate_tokens(&handed) <= 1_200, "{}", estimate_tokens(&handed));
        let parts = snapshot::SnapshotParts {
            now: now(), trigger: &loose, git: &state.git, diff_stat: &loose, staged_stat: &loose,
            modified_last_hour: std::slice::from_ref(&loose),
        };
        let notice = resume::one_line_notice(&state, Some(&loose), Some(0), Some(now()), now()).unwrap_or_default();
        prop_assert!(notice.lines().count() <= 3 && utf16_len(&notice) < 700);
        for text in [handed, banner::summary(&state), snapshot::render(&parts), notice] {
            prop_assert!(!has_naked_controls(&text), "{text:?}");
        }
    }

    #[test]
    fn rendering_twice_says_the_same(state in state()) {
        let render = || briefing::render(&state, &Facts::default(), &Occasion::Compacted, Cap::tokens(1_200));
        prop_assert_eq!(render(), render());
    }
}

#[test]
fn ten_long_blocking_constraints_share_a_small_room() {
    let constraints: Vec<_> = (1..=10)
        .map(|number| serde_json::json!({"id": format!("C{number}"), "constraint": "very long words ".repeat(60), "blocking": true}))
        .collect();
    let document = serde_json::json!({"constraints": constraints, "decisions": ["short"]});
    let state = State::read(&document.to_string()).unwrap().0;
    let text =
        briefing::render(&state, &Facts::default(), &Occasion::Compacted, Cap { units: 800 }).unwrap().text;
    assert!(utf16_len(&text) <= 800);
    for number in 1..=10 {
        assert!(text.contains(&format!("\nC{number} [BLOCKING]: very long")), "{text}");
    }
}

#[test]
fn nothing_is_said_when_nothing_is_there_or_nothing_fits() {
    let occasion = Occasion::Started { idle_seconds: 1 };
    let empty = State::empty();
    assert!(briefing::render(&empty, &Facts::default(), &occasion, Cap::tokens(1_200)).is_none());
    assert!(
        preservation::render(
            &empty,
            &Facts::default(),
            Some("focus"),
            "",
            &Ledger::default(),
            Cap::tokens(1_200)
        )
        .is_none()
    );
    assert!(resume::one_line_notice(&empty, None, None, None, now()).is_none());
    let state = State::read(r#"{"decisions":["go"]}"#).unwrap().0;
    for units in 0..50 {
        assert!(
            briefing::render(&state, &Facts::default(), &occasion, Cap { units })
                .is_none_or(|it| utf16_len(&it.text) <= units)
        );
    }
    let pause = Pause {
        last_active: None,
        now: now(),
        ledger: None,
        git: None,
        files: &FilesSince::default(),
        length: Length::Full,
    };
    assert_eq!(resume::render(&state, &pause, Cap { units: 40 }), "");
    let answered = State::read(r#"{"openQuestions":[{"question":"q","resolution":"a"}]}"#).unwrap().0;
    assert!(briefing::render(&answered, &Facts::default(), &occasion, Cap::tokens(1_200)).is_none());
}

#[test]
fn a_hand_made_file_of_megabytes_is_rendered_in_a_moment() {
    let constraints: Vec<_> =
        (0..20_000).map(|n| serde_json::json!({"constraint": format!("c{n}"), "blocking": true})).collect();
    let state = State::read(&serde_json::json!({"constraints": constraints}).to_string()).unwrap().0;
    let untrusted: Vec<String> = state.all_entries().map(|entry| entry.id.to_string()).collect();
    for untrusted in [&[][..], &untrusted[..]] {
        let facts = Facts { untrusted, ..Facts::default() };
        for (name, text) in fragments(&state, &facts, "loose", Cap::tokens(1_200)) {
            assert!(utf16_len(&text) <= 4_800, "{name}");
        }
    }
    assert!(estimate_tokens(&handoff::render(&state, &handoff::Work::default(), None)) <= 1_200);
    assert!(banner::summary(&state).lines().count() < 30);
}

#[test]
fn counts_at_the_end_of_their_range_do_not_overflow() {
    let context = handoff::ContextUse {
        used_tokens: u64::MAX,
        window_tokens: 0,
        health: throughline_domain::Health::Emergency,
        cache_read_tokens: u64::MAX,
        compactions: u64::MAX,
        next: handoff::NextCompaction::At(0),
    };
    assert!(
        handoff::render(&State::empty(), &handoff::Work::default(), Some(&context)).contains("EMERGENCY")
    );
    let state = State::read(r#"{"sd":{"id":"X","progress":1e300}}"#).unwrap().0;
    let text = briefing::render(
        &state,
        &Facts::default(),
        &Occasion::Started { idle_seconds: u64::MAX },
        Cap::tokens(1_200),
    );
    assert!(utf16_len(&text.unwrap().text) < 500);
}
