//! Substance: whether a session did any work, or was opened and left. What did none takes nobody's place.

use crate::ledger::{FindingKind, Ledger};

/// After so many responses there was something to talk about, whatever it was.
const TURNS_ENOUGH: u64 = 8;
/// A longer question is a piece of work by itself.
const QUESTION_WORDS_MAX: usize = 12;

/// Words that greet, thank, agree or try whether anybody is there.
#[rustfmt::skip]
const SMALL_TALK: &[&str] = &[
    "hi", "hello", "hey", "hallo", "yo", "moin", "servus", "hola", "salut", "bonjour", "ciao", "你好", "您好", "こんにちは", "안녕",
    "good", "morning", "evening", "afternoon", "night", "bye", "goodbye", "thanks", "thank", "thx", "ty", "cheers", "danke",
    "you", "there", "claude", "test", "testing", "ping", "ok", "okay", "k", "yes", "yep", "yeah", "no", "nope", "sure", "great",
    "nice", "cool", "perfect", "continue", "go", "on", "ahead", "please", "are", "how", "doing", "today", "again", "well", "and",
    "谢谢", "好", "好的", "ありがとう", "merci", "gracias", "so", "much", "very", "a", "lot", "all", "done", "that", "is", "s",
];

/// Whether a session changed something, or was asked to.
///
/// ```
/// use throughline_domain::ledger::{Ledger, UserWord};
/// use throughline_domain::substance::worked;
/// let after = |text: &str| Ledger { said: vec![UserWord { text: text.to_owned(), ..UserWord::default() }], ..Ledger::default() };
/// assert!(worked(&after("Fix the importer.")) && worked(&after("修复导入器")));
/// assert!(!worked(&after("hi")) && !worked(&after("Thanks, that's all!")) && !worked(&after("What is in README?")));
/// ```
#[must_use]
pub fn worked(ledger: &Ledger) -> bool {
    has_changed(ledger)
        || ledger.turn >= TURNS_ENOUGH
        || ledger.said.iter().any(|word| asks_for_something(&word.text))
}

fn has_changed(ledger: &Ledger) -> bool {
    let is_decided = |kind: FindingKind| kind == FindingKind::Decision;
    !ledger.tasks.is_empty()
        || ledger.commit_turn.is_some()
        || ledger.files.iter().any(|file| file.edits > 0)
        || ledger.findings.iter().any(|finding| is_decided(finding.kind))
}

/// Whether words ask for work: no small talk, and more than a short question that its answer settles.
fn asks_for_something(text: &str) -> bool {
    let text = text.trim();
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is_small_talk = words.iter().all(|word| SMALL_TALK.contains(&word.as_str()));
    let is_question = text.ends_with(['?', '？', '؟']) && words.len() <= QUESTION_WORDS_MAX;
    !is_small_talk && !is_question
}
