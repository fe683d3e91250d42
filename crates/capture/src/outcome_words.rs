//! Outcome words: which sentence of the agent tells what came out, and which only says what it will do.

use throughline_domain::text::one_line;

use crate::decisions::contains_words;
use crate::markup;

const OUTCOME_UNITS: usize = 250;
/// "All clean" tells nothing later.
const OUTCOME_WORDS_MIN: usize = 4;
const EXCLAIMED_WORDS_MIN: usize = 6;
/// What came out is said at a text's beginning.
const OUTCOME_BYTES: usize = 1_000;

/// Of a text of the agent the first sentence that tells a result. Better none than an announcement.
pub(crate) fn in_text(text: &str) -> Option<String> {
    let text = crate::head(text.trim(), OUTCOME_BYTES);
    // A row of a list says how something goes on, not how it ended.
    let sentences =
        markup::sentences(text).filter(|sentence| !sentence.is_item).map(|sentence| sentence.text);
    let sentence = sentences.into_iter().find(|it| tells_result(it))?;
    // `#546 is green` is no heading.
    let unheaded = sentence.trim_start_matches('#');
    let told = if unheaded.starts_with(' ') { unheaded } else { sentence };
    let told = told.trim_start_matches(['*', '-', '>', ' ']).replace("**", "");
    Some(one_line(&told, OUTCOME_UNITS))
}

/// Words with which an agent says what it is about to do.
#[rustfmt::skip]
const ANNOUNCES: &[&str] = &[
    "let", "let's", "let’s", "lets", "i'll", "i’ll", "i'm", "i’m", "we'll", "now", "next", "first", "then", "looking",
    "checking", "update", "add", "remove", "run", "fix", "step", "create", "write", "check", "verify", "mark", "move",
    "rename", "replace", "read", "use", "to", "if", "once", "wait", "phase",
];
/// Words with which it says what is so now.
#[rustfmt::skip]
const TELLS: &[&str] = &[
    "pass", "passes", "passed", "passing", "works", "worked", "fixed", "fixes", "found", "done", "complete",
    "completed", "created", "added", "updated", "removed", "renamed", "moved", "replaced", "implemented", "wrote",
    "written", "built", "builds", "succeeded", "succeeds", "green", "clean", "cleanly", "resolved", "confirmed",
    "verified", "cause", "caused", "because", "committed", "pushed", "merged", "ready", "finished", "fails", "failed",
    "decided", "chose", "instead", "now", "longer",
];

/// Whether a sentence says what its speaker is about to do.
pub(crate) fn announces(sentence: &str) -> bool {
    #[rustfmt::skip]
    const SAYS: &[&str] = &[
        "let me ", "let's ", "i'll ", "i will ", "i'm going to ", "i am going to ", "i need to ", "i want to ",
        "we need to ", "next step", "time to ", "moving on to ", "going to ",
    ];
    const STARTS: &[&str] = &["now ", "next ", "next, ", "next: ", "first, ", "then ", "remaining: "];
    let lower = markup::bare(sentence).to_lowercase().replace('’', "'");
    (STARTS.iter().any(|start| lower.starts_with(start)) || SAYS.iter().any(|says| lower.contains(says)))
        && !keeps_list(sentence)
}

/// "Happy to do it, just say so": an offer tells nothing about the work.
pub(crate) fn offers(sentence: &str) -> bool {
    const STARTS: &[&str] =
        &["happy to ", "glad to ", "want me to ", "would you like ", "feel free to ", "if you'd like"];
    const SAYS: &[&str] =
        &["let me know", "just say so", "just say the word", "say the word", "just tell me", "if you'd like"];
    let lower = markup::bare(sentence).to_lowercase().replace('’', "'");
    STARTS.iter().any(|start| lower.starts_with(start)) || SAYS.iter().any(|says| lower.contains(says))
}

/// "Let me mark task 4 as completed": keeping the list of tasks is no work.
pub(crate) fn keeps_list(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    (contains_words(&lower, "mark") && lower.contains("task")) || lower.contains("todo list")
}

fn tells_result(sentence: &str) -> bool {
    if sentence.trim_end_matches(['*', '`', ' ']).ends_with([':', '?']) {
        return false;
    }
    let lower = sentence.to_lowercase();
    let mut words = lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
        .filter(|word| !word.is_empty());
    if words.next().is_none_or(|first| ANNOUNCES.contains(&first)) {
        return false;
    }
    let (mut count, mut tells) = (1, false);
    for word in words {
        count += 1;
        tells |= TELLS.contains(&word);
    }
    // "I found the issue!" leaves it to the next sentence which.
    let words_min = if lower.ends_with('!') { EXCLAIMED_WORDS_MIN } else { OUTCOME_WORDS_MIN };
    tells
        && count >= words_min
        && !["let me", "i will", "going to", "need to", "should"].iter().any(|it| lower.contains(it))
}
