//! Decisions: which sentences settle something, and which only consider it.

use crate::markup;

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Agent,
    User,
}

/// Better no decision than a wrong one: a form that settles something, and nothing in it that takes it back.
pub(crate) fn decides(sentence: &str, by: By) -> bool {
    let lower = markup::bare(sentence).to_lowercase().replace('’', "'");
    let lower = lower.as_str();
    // "Going with that approach." says nothing to who does not know which.
    if lower.contains('?') || lower.ends_with(':') || lower.split_whitespace().count() < 5 {
        return false;
    }
    let settled = settles(lower)
        || match by {
            // What the user tells of a failure is where the work begins, not what was settled.
            By::User => user_settles(lower),
            By::Agent => names_cause(lower) || prefers(lower),
        };
    settled && !is_open(lower)
}

/// "We decided to …", "Decision: …", "going with …".
fn settles(lower: &str) -> bool {
    const STARTS: &[&str] = &[
        "decision:",
        "decision -",
        "decision —",
        "decided:",
        "decisions:",
        "design decision:",
        "chosen approach:",
        "approach chosen:",
    ];
    #[rustfmt::skip]
    const SAYS: &[&str] = &[
        "i decided", "we decided", "i've decided", "we've decided", "was decided", "decided to ",
        "decided on ", "decided against ", "i chose", "we chose", "chose to ", "i'm going with",
        "we're going with", "i'll go with", "we'll go with", "i went with", "we went with", "opted to ",
        "opted for ", "settled on ", "let's go with", "the decision is", "the decision was", "going with ",
    ];
    STARTS.iter().any(|start| lower.starts_with(start)) || SAYS.iter().any(|says| contains_words(lower, says))
}

/// "The root cause is …", "the fix was to …".
fn names_cause(lower: &str) -> bool {
    const NOUNS: &[&str] = &[
        "root cause",
        "the fix",
        "the real issue",
        "the real problem",
        "the actual issue",
        "the actual problem",
        "the actual bug",
        "the actual cause",
        "the real cause",
        "the real bug",
    ];
    // "The fix is sound" praises; "the fix is to …" tells.
    const TOLD: &[&str] = &[" is to ", " was to ", " is a ", " was a ", ": ", ":** ", " — "];
    NOUNS.iter().any(|noun| {
        lower.find(noun).is_some_and(|at| {
            let behind = lower[at + noun.len()..].trim_start_matches(['*', '_']);
            let is_cause = !noun.ends_with("fix")
                && [" is ", " was ", " turned out "].iter().any(|told| behind.starts_with(told));
            (is_cause || TOLD.iter().any(|told| behind.starts_with(told)))
                && lower[..at].split_whitespace().count() <= 6
        })
    }) || explains_failure(lower)
}

/// "The bug occurred because …", "the problem was that …". In the present tense ("the problem is that …") it is a step of a
/// search more often than its end.
fn explains_failure(lower: &str) -> bool {
    const SAYS: &[&str] = &[
        "the issue was that ",
        "the problem was that ",
        "the bug was that ",
        "the bug occurred because ",
        "the bug occurs because ",
        "this happened because ",
        "it failed because ",
        "the failure was caused by ",
        "was caused by ",
        "the test failed because ",
        "the tests failed because ",
    ];
    SAYS.iter().any(|says| lower.find(says).is_some_and(|at| at < 30))
}

/// "I'll use X instead of Y because …": somebody acts, something is preferred, and a reason stands there.
fn prefers(lower: &str) -> bool {
    const ACTS: &[&str] = &[
        "i'll ",
        "i will ",
        "we'll ",
        "we will ",
        "i used ",
        "we used ",
        "i'm using ",
        "we use ",
        "i switched ",
        "we switched ",
        "switched to ",
        "i kept ",
        "we keep ",
        "keeping ",
        "now uses ",
        "now use ",
    ];
    const REASONS: &[&str] = &[
        "because ",
        "since ",
        "so that ",
        "so it ",
        "so we ",
        "so the ",
        ", so ",
        "to avoid ",
        "to keep ",
        " — ",
        "which ",
    ];
    (lower.contains("instead of") || lower.contains("rather than"))
        && ACTS.iter().any(|act| lower.find(act).is_some_and(|at| at < 40))
        && REASONS.iter().any(|reason| lower.contains(reason))
}

/// "Let's use X instead", "ok, go with option B".
fn user_settles(lower: &str) -> bool {
    const STARTS: &[&str] =
        &["go with ", "we'll use ", "we will use ", "i'd go with ", "i want to go with ", "we go with "];
    const LETS: &[&str] = &[
        "use", "keep", "go", "stick", "rename", "set", "focus", "drop", "remove", "switch", "abandon", "not",
        "make", "call", "leave",
    ];
    let lower = ["ok", "okay", "yes", "yeah", "no", "then", "so"].iter().fold(lower, |rest, word| {
        rest.strip_prefix(word).and_then(|rest| rest.strip_prefix([',', ' '])).map_or(rest, str::trim_start)
    });
    let lets = lower.find("let's ").filter(|at| *at < 60).map(|at| &lower[at + 6..]);
    STARTS.iter().any(|start| lower.starts_with(start))
        || lets.and_then(|rest| rest.split(' ').next()).is_some_and(|verb| LETS.contains(&verb))
}

/// What is only considered, wished or asked.
fn is_open(lower: &str) -> bool {
    #[rustfmt::skip]
    const OPEN: &[&str] = &[
        "user decided", "could", "would", "might", "maybe", "perhaps", "whether", "probably", "possibly", "likely",
        "should we", "either", "if you", "if we", "unless", "let me", "not sure", "option a",
        "alternatively", "we can ", "you can ", "you could", "suggest", "recommend", "seems", "may be",
        "suspect", "hypothes", "i think", "need to decide", "to be decided", "haven't decided",
        "not decided", "hasn't decided", "find the root cause", "before deciding", "decide whether",
        "want me to", "how you", "your call", "up to you", "do you", "shall ", "to find",
        "i need to understand", "undecided", "depends on",
    ];
    lower.starts_with("if ")
        || lower.starts_with("or ")
        || lower.starts_with("does ")
        || OPEN.iter().any(|word| contains_start(lower, word))
}

/// Whether a phrase stands at the beginning of a word in a text.
fn contains_start(text: &str, phrase: &str) -> bool {
    word_starts(text, phrase).next().is_some()
}

/// Whether a phrase stands in a text as whole words.
pub(crate) fn contains_words(text: &str, phrase: &str) -> bool {
    word_starts(text, phrase)
        .any(|at| phrase.ends_with(' ') || !text[at + phrase.len()..].starts_with(char::is_alphanumeric))
}

/// Where a phrase stands at the beginning of a word. Phrases are many and texts short: no search worth preparing.
fn word_starts(text: &str, phrase: &str) -> impl Iterator<Item = usize> {
    let first = phrase.as_bytes().first().copied().unwrap_or_default();
    memchr::memchr_iter(first, text.as_bytes()).filter(move |at| {
        text.as_bytes()[*at..].starts_with(phrase.as_bytes()) && !text[..*at].ends_with(char::is_alphanumeric)
    })
}
