//! What leaves a full working set, and in which order.

use serde_json::{Map, Value, json};
use throughline_domain::budget::{Left, Limits, estimate_tokens, file_bytes, measure, truncate_for_budget};
use throughline_domain::{
    AnchorPriority, Detail, Entry, EvidenceType, Kind, Priority, Resolution, State, text,
};

const NOW: &str = "2026-03-01T10:00:00.000Z";

fn add(state: &mut State, words: &str, detail: Detail) -> String {
    let id = state.next_id(detail.kind());
    let timestamp = "2026-02-28T09:00:00.000Z".to_owned();
    let entry = Entry { id, alias: None, text: words.to_owned(), timestamp, detail, extra: Map::new() };
    state.entries_mut(id.kind).push(entry);
    id.to_string()
}

fn decision() -> Detail {
    Detail::Decision { rationale: String::new(), reversible: true }
}

fn constraint(blocking: bool) -> Detail {
    Detail::Constraint { source: "user".to_owned(), blocking, category: None }
}

fn question(priority: Priority) -> Detail {
    Detail::Question { context: String::new(), priority, resolution: None }
}

fn answered(priority: Priority) -> Detail {
    let resolution = Some(Resolution { text: "yes".to_owned(), resolved_at: NOW.to_owned() });
    Detail::Question { context: String::new(), priority, resolution }
}

fn anchor(priority: AnchorPriority) -> Detail {
    Detail::Anchor { anchor_type: "context".to_owned(), priority, agent: None, session: None }
}

fn evidence() -> Detail {
    Detail::Evidence { evidence_type: EvidenceType::Output, source: "make".to_owned(), context: None }
}

/// Adds one after the other, as verbs do, and gives what left in the order in which it left.
fn leaving(details: Vec<Detail>) -> Vec<String> {
    let mut state = State::empty();
    let mut gone = Vec::new();
    for detail in details {
        add(&mut state, "words", detail);
        for (entry, left) in truncate_for_budget(&mut state, &Limits::default(), NOW) {
            assert_eq!(left, Left::SectionFull);
            gone.push(entry.id.to_string());
        }
    }
    gone
}

#[test]
fn each_section_keeps_its_number_of_newest_entries() {
    let highlight = Detail::Highlight;
    let directive = Detail::Directive { source: "compact".to_owned() };
    for (detail, room) in [
        (decision(), 10),
        (constraint(false), 10),
        (question(Priority::Medium), 5),
        (evidence(), 15),
        (highlight, 5),
        (Detail::Action, 10),
        (directive, 10),
        (anchor(AnchorPriority::Normal), 20),
    ] {
        let prefix = detail.kind().prefix();
        let gone = leaving(vec![detail; room + 3]);
        assert_eq!(gone, [1, 2, 3].map(|number| format!("{prefix}{number}")), "room for {room}");
    }
}

#[test]
fn answered_questions_leave_first_then_the_low_ones_and_high_ones_stay() {
    use Priority::{High, Low, Medium};
    let mut details = vec![question(High), question(Low), answered(High), question(Medium), question(Low)];
    assert_eq!(leaving(details.clone()), [""; 0]);
    details.extend([question(High), question(High), question(Medium), question(High), question(High)]);
    assert_eq!(leaving(details), ["Q3", "Q2", "Q5", "Q4", "Q8"]);
}

#[test]
fn a_new_question_that_matters_less_leaves_before_an_old_one_that_matters_more() {
    let mut details = vec![question(Priority::High); 5];
    details.push(question(Priority::Low));
    assert_eq!(leaving(details), ["Q6"]);
}

#[test]
fn blocking_constraints_outlive_all_others() {
    let mut details = vec![constraint(true); 9];
    details.extend([constraint(false), constraint(false), constraint(true), constraint(true)]);
    assert_eq!(leaving(details), ["C10", "C11", "C1"]);
}

/// The rule of others cut twenty critical anchors to five when the twenty-first came.
#[test]
fn the_twenty_first_critical_anchor_evicts_one() {
    use AnchorPriority::{Critical, High, Normal};
    assert_eq!(leaving(vec![anchor(Critical); 21]), ["A1"]);
    let mut mixed = vec![anchor(Critical), anchor(High), anchor(Normal)];
    mixed.extend(vec![anchor(Critical); 17]);
    mixed.extend([anchor(Critical), anchor(Critical), anchor(Critical), anchor(Normal)]);
    assert_eq!(leaving(mixed), ["A3", "A2", "A1", "A24"]);
}

#[test]
fn the_time_of_the_last_cut_is_set_only_by_a_cut() {
    let mut state = State::empty();
    for _ in 0..10 {
        add(&mut state, "words", decision());
    }
    truncate_for_budget(&mut state, &Limits::default(), NOW);
    assert_eq!(state.token_metrics.last_truncation, None);
    add(&mut state, "words", decision());
    truncate_for_budget(&mut state, &Limits::default(), NOW);
    assert_eq!(state.token_metrics.last_truncation.as_deref(), Some(NOW));
    truncate_for_budget(&mut state, &Limits::default(), "2027-01-01T00:00:00.000Z");
    assert_eq!(state.token_metrics.last_truncation.as_deref(), Some(NOW));
}

#[test]
fn the_status_changes_at_800_and_above_1200() {
    let limits = Limits::default();
    let words: Vec<_> = [0, 799, 800, 1_200, 1_201].map(|tokens| limits.budget_status(tokens)).to_vec();
    assert_eq!(words, ["healthy", "healthy", "warning", "warning", "over_budget"]);
    for (tokens, word) in [(799, "healthy"), (800, "warning"), (1_200, "warning"), (1_201, "over_budget")] {
        let mut state = State::empty();
        measure(&mut state, &limits);
        let used = state.token_metrics.estimated_tokens;
        // `"pad":"",` is nine units more than nothing; the estimate rounds up.
        let bare = text::utf16_len(&without_metrics(&state));
        state.extra.insert("pad".to_owned(), "x".repeat(tokens * 4 - bare - 9).into());
        measure(&mut state, &limits);
        assert!(used < 800);
        assert_eq!(state.token_metrics.estimated_tokens, tokens as u64);
        assert_eq!(state.token_metrics.budget_status, word);
    }
}

fn without_metrics(state: &State) -> String {
    let mut value = state.to_json();
    value.as_object_mut().unwrap().shift_remove("tokenMetrics");
    value.to_string()
}

#[test]
fn an_estimate_counts_utf16_units_and_rounds_up() {
    for (words, tokens) in
        [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("😀😀", 1), ("😀😀a", 2), ("한국어말씀", 2)]
    {
        assert_eq!(estimate_tokens(words), tokens, "{words}");
    }
}

#[test]
fn the_cut_at_500_units_never_leaves_half_a_character() {
    let pairs = "😀".repeat(300);
    let odd = format!("a{pairs}");
    assert_eq!(text::utf16_len(text::cut_utf16(&pairs, 500)), 500);
    assert_eq!(text::utf16_len(text::cut_utf16(&odd, 500)), 499);
    assert!(text::cut_utf16(&odd, 500).ends_with('😀'));
}

#[test]
fn long_texts_leave_until_the_file_is_small_and_the_precious_stay() {
    let mut state = State::empty();
    let long = "long words ".repeat(180);
    for _ in 0..10 {
        add(&mut state, &long, decision());
        add(&mut state, &long, constraint(false));
        add(&mut state, "note", Detail::Action);
    }
    for _ in 0..15 {
        add(&mut state, &long[..500], evidence());
    }
    let kept = [
        add(&mut state, &long, question(Priority::High)),
        add(&mut state, &long, anchor(AnchorPriority::Critical)),
    ];
    state.entries_mut(Kind::Constraint)[0].detail = constraint(true);
    let evicted = truncate_for_budget(&mut state, &Limits::default(), NOW);
    assert!(file_bytes(&state) <= 15 * 1024, "{} bytes", file_bytes(&state));
    assert!(file_bytes(&state) > 12 * 1024, "no more leaves than must: {} bytes", file_bytes(&state));
    for id in kept.iter().map(String::as_str).chain(["C1"]) {
        assert!(state.find(id).is_some(), "{id} stays");
    }
    assert!(evicted.iter().all(|(entry, left)| !entry.is_precious() && *left == Left::FileFull));
    assert_eq!(state.entries(Kind::Action).len(), 10, "short ones do not pay for the long ones");
}

#[test]
fn precious_entries_alone_too_large_leave_too_and_blocking_constraints_last() {
    let mut state = State::empty();
    let long = "w".repeat(2_000);
    for _ in 0..5 {
        add(&mut state, &long, question(Priority::High));
    }
    for _ in 0..5 {
        add(&mut state, &long, constraint(true));
    }
    for _ in 0..5 {
        add(&mut state, &long, anchor(AnchorPriority::Critical));
    }
    let evicted = truncate_for_budget(&mut state, &Limits::default(), NOW);
    assert!(file_bytes(&state) <= 15 * 1024);
    let order: Vec<_> = evicted.iter().map(|(entry, _)| entry.id.to_string()).collect();
    assert!(order.contains(&"Q1".to_owned()));
    assert_eq!(state.entries(Kind::Constraint).len(), 5, "left: {order:?}");
}

/// A foreign field of 20 KB would otherwise empty the working set at every save.
#[test]
fn what_others_wrote_never_pushes_out_everything_of_ours() {
    let mut state = State::empty();
    state.extra.insert("theirs".to_owned(), "x".repeat(20_000).into());
    for _ in 0..10 {
        add(&mut state, &"words ".repeat(40), decision());
    }
    assert!(truncate_for_budget(&mut state, &Limits::default(), NOW).is_empty());
    for decision in state.entries_mut(Kind::Decision) {
        decision.text = "words ".repeat(330);
    }
    truncate_for_budget(&mut state, &Limits::default(), NOW);
    assert_eq!(state.entries(Kind::Decision).len(), 3);
    assert_eq!(state.extra["theirs"].as_str().map(str::len), Some(20_000));
}

#[test]
fn decision_lines_over_their_cap_become_decisions_oldest_first() {
    let mut state = State::empty();
    add(&mut state, "the newest", decision());
    state.key_decisions = (1..=13).map(|number| format!("line {number}")).collect();
    assert!(truncate_for_budget(&mut state, &Limits::default(), NOW).is_empty());
    assert_eq!(state.key_decisions.len(), 10);
    assert_eq!(state.key_decisions[0], "line 4");
    let decisions: Vec<_> =
        state.entries(Kind::Decision).iter().map(|entry| format!("{} {}", entry.id, entry.text)).collect();
    assert_eq!(decisions, ["D2 line 1", "D3 line 2", "D4 line 3", "D1 the newest"]);
    state.key_decisions.splice(0..0, (1..=20).map(|number| format!("older {number}")));
    let evicted = truncate_for_budget(&mut state, &Limits::default(), NOW);
    assert_eq!(evicted.len(), 14);
    assert_eq!(evicted[0].0.text, "older 1");
    assert!(state.find("D1").is_some());
}

#[test]
fn long_decision_lines_make_room_like_any_other_entry() {
    let mut state = State::empty();
    state.key_decisions = vec!["line ".repeat(600); 10];
    add(&mut state, "must hold", constraint(true));
    let evicted = truncate_for_budget(&mut state, &Limits::default(), NOW);
    assert!(file_bytes(&state) <= 15 * 1024);
    assert!(state.find("C1").is_some());
    assert_eq!(evicted.len() + state.entries(Kind::Decision).len() + state.key_decisions.len(), 10);
}

/// A repository with thousands of changed files made a state of 22,000 tokens.
#[test]
fn the_git_section_is_bounded_by_whole_lines_and_counts_the_rest() {
    let mut state = State::empty();
    state.git.status =
        (0..5_000).map(|number| format!(" M src/file{number}.rs")).collect::<Vec<_>>().join("\n");
    state.git.modified_files = vec!["some/long/path/".repeat(20); 40];
    state.git.recent_commits = vec!["abc1234 subject".to_owned(); 9];
    truncate_for_budget(&mut state, &Limits::default(), NOW);
    assert_eq!(state.git.status.lines().count(), 50);
    assert_eq!(state.git.changed_files, 5_000);
    assert!(state.git.status.starts_with(" M src/file0.rs\n"));
    assert_eq!(state.git.recent_commits.len(), 5);
    assert!(file_bytes(&state) < 8_000, "{}", file_bytes(&state));
}

#[test]
fn the_file_is_within_its_size_also_with_the_stamps_of_the_save() {
    for words in (0..400).step_by(7) {
        let mut state = State::empty();
        for _ in 0..10 {
            add(&mut state, &"w".repeat(1_000 + words), decision());
        }
        truncate_for_budget(&mut state, &Limits::default(), NOW);
        NOW.clone_into(&mut state.timestamp);
        assert!(file_bytes(&state) <= 15 * 1024, "{words}: {}", file_bytes(&state));
    }
}

#[test]
fn limits_of_zero_empty_the_working_set_and_return_all_of_it() {
    let mut state = State::empty();
    add(&mut state, "a", decision());
    add(&mut state, "b", constraint(true));
    state.key_decisions = vec!["c".to_owned()];
    let limits = Limits {
        entries_max: [0; Kind::ALL.len()],
        key_decisions_max: 0,
        file_bytes_max: 0,
        ..Limits::default()
    };
    assert_eq!(truncate_for_budget(&mut state, &limits, NOW).len(), 3);
    assert!(state.is_blank());
    assert_eq!(state.to_json()["counters"], json!({"D": 2, "C": 1}));
    assert_eq!(state.to_json()["decisions"], Value::Array(Vec::new()));
}
