//! Overlap: how much of what a sentence names precisely stands in another text, in whatever words.

use memchr::memmem;

/// The share of a sentence's telling words that a text has: 0 to 1. The text is in lower case.
///
/// ```
/// use throughline_domain::overlap::share;
/// let summary = "in manual_commit_hooks.go the lookup fails at line 492";
/// assert!(share("The lookup fails in `manual_commit_hooks.go` (line 492).", summary) > 0.9);
/// assert!(share("1309 tests pass, none of which covers StageFiles.", summary) < 0.1);
/// ```
#[must_use]
pub fn share(sentence: &str, lower_text: &str) -> f64 {
    let (mut all, mut there) = (0.0, 0.0);
    let parts = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '(' | ')' | ',' | ';' | '|');
    for word in sentence.split(parts) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let weight = telling(word);
        if weight > 0.0 {
            all += weight;
            let is_there = memmem::find(lower_text.as_bytes(), word.to_lowercase().as_bytes()).is_some();
            there += if is_there { weight } else { 0.0 };
        }
    }
    if all > 0.0 { there / all } else { 0.0 }
}

/// How much a word tells: a name, a number or a path more than a plain word, a short one nothing.
fn telling(word: &str) -> f64 {
    let is_precise =
        word.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'/' | b'.' | b':'))
            || word.char_indices().skip(1).any(|(_, c)| c.is_uppercase());
    match word.chars().count() {
        0 | 1 => 0.0,
        _ if is_precise => 2.0,
        2..=4 => 0.0,
        _ => 1.0,
    }
}
