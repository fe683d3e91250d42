//! Findings: what was decided and why, what was asked, what is planned; each the sentence itself.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use throughline_domain::ledger::{Finding, FindingKind, Ledger, TranscriptPlace};
use throughline_domain::text::{cut_utf16, utf16_len, word_count};
use throughline_domain::transcript::ToolCall;

use crate::decisions::{By, contains_words, decides};
use crate::{head, markup};

const TEXT_BYTES_MAX: usize = 20_000;
const DECISION_UNITS: std::ops::RangeInclusive<usize> = 24..=400;
const DECISIONS_PER_TEXT_MAX: usize = 4;
const QUESTION_UNITS_MAX: usize = 400;
const PLAN_UNITS_MAX: usize = 900;
const PLAN_LINES_MAX: usize = 12;
/// What is shorter, and asks nothing itself, answers the question before it.
const ANSWER_WORDS_MAX: usize = 12;
/// So often the user may pass over a choice that is his to make.
const PASSES_MAX: u8 = 6;
/// A question that was passed over is forgotten after so many responses.
const PASSED_OVER_TURNS_MAX: u64 = 60;

/// The agent said something: decisions, a plan, and a question where it ends with one.
pub(crate) fn from_agent(ledger: &mut Ledger, text: &str, place: TranscriptPlace) {
    let text = head(text, TEXT_BYTES_MAX);
    if has_hint(text) {
        decisions(ledger, text, By::Agent, place);
        if let Some(plan) = stated_plan(text) {
            push(ledger, FindingKind::Plan, plan, By::Agent, place);
        }
    }
    answered(ledger);
    if let Some(question) = last_question(text) {
        push(ledger, FindingKind::Question, cut_utf16(question, QUESTION_UNITS_MAX), By::Agent, place);
    }
}

/// The user said something: what he settles is settled.
pub(crate) fn from_user(ledger: &mut Ledger, text: &str, place: TranscriptPlace) {
    let text = head(text, 1_600);
    if has_hint(text) {
        decisions(ledger, text, By::User, place);
    }
}

/// The agent went on by itself: nobody was meant to answer. What the user passed over is still asked.
pub(crate) fn answered(ledger: &mut Ledger) {
    ledger.findings.retain(|finding| finding.kind != FindingKind::Question || finding.passes > 0);
}

/// The user spoke: a question that his words answer is asked no more; one that they pass over waits on.
pub(crate) fn heard(ledger: &mut Ledger, text: &str) {
    let turn = ledger.turn;
    for finding in ledger.findings.iter_mut().filter(|it| it.kind == FindingKind::Question) {
        // Whoever passed over it again and again has let it go; a choice between ways is needed sooner or later.
        let passes_max = if finding.quote.contains('\n') { PASSES_MAX } else { 1 };
        if finding.passes >= passes_max || answers(text, &finding.quote, finding.passes > 0) {
            finding.quote.clear();
        }
        finding.passes = finding.passes.saturating_add(1);
    }
    let waits = |it: &Finding| !it.quote.is_empty() && it.place.turn + PASSED_OVER_TURNS_MAX > turn;
    ledger.findings.retain(|it| it.kind != FindingKind::Question || waits(it));
}

/// Whether the user's words may be an answer: short ones just behind it are, and such as speak of what was asked.
fn answers(text: &str, question: &str, is_passed_over: bool) -> bool {
    let text = head(text, 2_000).to_lowercase();
    if !is_passed_over && !text.contains(['?', '？']) && word_count(&text) <= ANSWER_WORDS_MAX {
        return true;
    }
    let question = question.to_lowercase();
    let telling = |word: &&str| word.chars().count() >= 5;
    let asked: Vec<&str> =
        question.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(telling).collect();
    let shared = asked.iter().filter(|word| text.contains(**word)).count();
    shared >= 2 || (shared == 1 && asked.len() <= 2)
}

/// The agent asks the user through a tool.
pub(crate) fn asked(ledger: &mut Ledger, call: &ToolCall<'_>, place: TranscriptPlace) {
    if let Some(question) = call.purpose.as_deref().or(call.text.as_deref()) {
        push(ledger, FindingKind::Question, cut_utf16(question.trim(), QUESTION_UNITS_MAX), By::Agent, place);
    }
}

/// The agent shows a plan through a tool.
pub(crate) fn planned(ledger: &mut Ledger, call: &ToolCall<'_>, place: TranscriptPlace) {
    if let Some(plan) = call.text.as_deref().or(call.purpose.as_deref()) {
        push(ledger, FindingKind::Plan, cut_utf16(plan.trim(), PLAN_UNITS_MAX), By::Agent, place);
    }
}

fn push(ledger: &mut Ledger, kind: FindingKind, quote: &str, by: By, place: TranscriptPlace) {
    if quote.is_empty() {
        return;
    }
    // Said again, it is newer, not more.
    ledger.findings.retain(|finding| finding.kind != kind || finding.quote != quote);
    ledger.findings.push(Finding {
        kind,
        quote: quote.to_owned(),
        by_user: by == By::User,
        place,
        passes: 0,
    });
}

/// One of these stands in every text that may hold a decision or a plan: most texts end here.
static HINTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "decision",
            "decid",
            "chose",
            "go with",
            "going with",
            "went with",
            "opted",
            "settled on",
            "instead of",
            "rather than",
            "root cause",
            "the fix is",
            "the fix was",
            "actual cause",
            "real cause",
            "real issue",
            "real problem",
            "actual issue",
            "actual problem",
            "actual bug",
            "plan",
            "next step",
            "next, i",
            "remaining",
            "steps:",
            "let's",
            "let’s",
            "caused by",
            "because",
            "the issue ",
            "the problem ",
            "the bug ",
        ])
        .ok()
});

fn has_hint(text: &str) -> bool {
    HINTS.as_ref().is_none_or(|hints| hints.is_match(text))
}

fn decisions(ledger: &mut Ledger, text: &str, by: By, place: TranscriptPlace) {
    let found: Vec<&str> = markup::sentences(text)
        .filter(|sentence| {
            DECISION_UNITS.contains(&utf16_len(sentence.text))
                && has_hint(sentence.text)
                && decides(sentence.text, by)
        })
        .map(|sentence| sentence.text)
        .take(DECISIONS_PER_TEXT_MAX)
        .collect();
    for quote in found {
        push(ledger, FindingKind::Decision, quote, by, place);
    }
}

/// The question a text ends with.
pub(crate) fn last_question(text: &str) -> Option<&str> {
    let line = text.trim_end().lines().next_back()?.trim();
    if markup::item_mark(line) > 0 {
        return with_options(text.trim_end());
    }
    if !line.trim_end_matches(['*', '_', ')', '"']).ends_with('?') || line.starts_with(['|', '>']) {
        return None;
    }
    // Short sentences before it ("Two ways: …") belong to the question.
    (utf16_len(line) >= 8).then_some(if utf16_len(line) <= QUESTION_UNITS_MAX {
        line
    } else {
        markup::sentences(line).map(|sentence| sentence.text).last().unwrap_or(line)
    })
}

/// A question whose answers stand below it, as a list at the text's end.
fn with_options(text: &str) -> Option<&str> {
    let (mut options, mut end) = (0, text.len());
    for line in text.rsplit('\n') {
        let start = end - line.len();
        let bare = line.trim();
        if markup::item_mark(bare) > 0 {
            options += 1;
        } else if !bare.is_empty() {
            let asks = bare.contains('?') && !bare.starts_with(['|', '>', '#']);
            return (asks && options >= 2).then(|| text[start..].trim());
        }
        end = start.saturating_sub(1);
    }
    None
}

/// "Next, I'll …", or a heading with "plan" or "next steps" and the list below it.
fn stated_plan(text: &str) -> Option<&str> {
    let mut from = 0;
    let mut found = None;
    for line in text.split_inclusive('\n') {
        let start = from;
        from += line.len();
        let lower = markup::bare(line.trim()).to_lowercase().replace('’', "'");
        if lower.starts_with("next, i'll ")
            || lower.starts_with("next i'll ")
            || lower.starts_with("next, i will ")
        {
            found = Some(line.trim());
        } else if lower.len() < 120 && markup::item_mark(line.trim()) == 0 && announces_plan(&lower) {
            found = with_list(text, start).or(found);
        }
    }
    found.map(|plan| cut_utf16(plan, PLAN_UNITS_MAX))
}

fn announces_plan(lower: &str) -> bool {
    const WORDS: &[&str] = &["plan", "next steps", "remaining work", "remaining steps", "steps"];
    let line = lower.trim_end_matches(['*', '_', ' ']);
    WORDS.iter().any(|word| {
        contains_words(line, word)
            && (line.ends_with(':')
                || line.ends_with(word)
                || line.starts_with(word)
                || line.contains("here's"))
    }) && !line.contains('?')
}

/// The line at `from` and the list below it; nothing where no list follows.
fn with_list(text: &str, from: usize) -> Option<&str> {
    let mut end = from;
    let mut items = 0;
    for (at, line) in text[from..].split_inclusive('\n').enumerate().take(PLAN_LINES_MAX * 2) {
        let is_item = markup::item_mark(line.trim()) > 0;
        let is_inner = line.starts_with("  ") && items > 0;
        if at > 0 && !is_item && !is_inner && !line.trim().is_empty() {
            break;
        }
        items += usize::from(is_item);
        end += line.len();
        if items >= PLAN_LINES_MAX {
            break;
        }
    }
    (items >= 2).then(|| text[from..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(text: &str) -> Vec<String> {
        let mut ledger = Ledger::default();
        from_agent(&mut ledger, text, TranscriptPlace::default());
        ledger.findings.into_iter().filter(|it| it.kind == FindingKind::Decision).map(|it| it.quote).collect()
    }

    #[test]
    fn what_settles_something_is_kept_word_by_word() {
        for text in [
            "Decision: one file per session, since locks are slow.",
            "I decided to keep the old name because callers rely on it.",
            "**Root cause:** the cursor is not reset after a rotation.",
            "The fix is to flush before the rename.",
            "I'll use memchr instead of a regex, since lines are long.",
            "Going with the second approach: it needs no lock.",
        ] {
            assert_eq!(decided(text), [text], "{text}");
        }
    }

    #[test]
    fn what_is_only_considered_is_no_decision() {
        for text in [
            "We could go with SQLite instead of files.",
            "Should I go with the second approach?",
            "Let me find the root cause first, then decide.",
            "If we decided to use locks, it would be slow.",
            "The root cause might be the cursor.",
            "```\n// decided to keep the lock\n```",
            "> we decided to use tabs",
            "Use X instead of Y.",
            "All tests pass, the fix is backward-compatible.",
            "Going with that approach.",
            "It is up to you whether we decided to wait.",
        ] {
            assert!(decided(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_plan_is_its_heading_and_its_list() {
        let mut ledger = Ledger::default();
        from_agent(
            &mut ledger,
            "Good.\n\nHere's the plan:\n\n1. Read the cursor\n2. Write the test\n\nThat is all.",
            TranscriptPlace::default(),
        );
        assert_eq!(ledger.findings[0].quote, "Here's the plan:\n\n1. Read the cursor\n2. Write the test");
        assert_eq!(ledger.findings[0].kind, FindingKind::Plan);
        assert_eq!(stated_plan("- **Steps** are small:\n  - one\n  - two"), None);
    }

    #[test]
    fn only_a_question_at_the_end_waits_for_an_answer() {
        let mut ledger = Ledger::default();
        from_agent(&mut ledger, "Why did it fail? Because of the cursor.", TranscriptPlace::default());
        assert!(ledger.findings.is_empty());
        from_agent(&mut ledger, "Done.\n\nShall I commit it?", TranscriptPlace::default());
        assert_eq!(ledger.findings[0].quote, "Shall I commit it?");
    }
}
