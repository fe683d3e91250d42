//! Prose: a secret in a sentence, some words behind the one that says what it is.

use super::Found;
use super::names::Says;
use super::value;

/// How far a sentence is followed.
const REACH_BYTES: usize = 80;
const WORDS_MAX: usize = 7;
/// Longest word that is looked at.
const WORD_BYTES_MAX: usize = 512;
/// Shortest word that is looked at.
const WORD_BYTES_MIN: usize = 8;
/// Words before a value. Anything else may follow a password's name without being one.
const BEFORE: [&str; 13] = ["to", "is", "be", "was", "as", "are", "with", "value", "→", "->", "=>", "=", "/"];

/// The secret in the rest of a sentence; `said` tells what the word at its beginning says.
pub(super) fn secret_after(text: &str, end: usize, said: impl Fn() -> Option<Says>) -> Option<Found> {
    let bytes = text.as_bytes();
    if bytes.get(end) != Some(&b' ') {
        return None;
    }
    let limit = bytes.len().min(end + REACH_BYTES);
    let mut at = end;
    let mut may_follow = true;
    for _ in 0..WORDS_MAX {
        at += bytes[at..].iter().take(REACH_BYTES).take_while(|byte| **byte == b' ').count();
        let length = bytes[at..].iter().take(WORD_BYTES_MAX).position(u8::is_ascii_whitespace);
        let word_end = at + length.unwrap_or(bytes.len().min(at + WORD_BYTES_MAX) - at);
        if at >= limit || word_end == at {
            return None;
        }
        // Cheap looks first: this is asked of every name.
        let has_digit = bytes[at..word_end].iter().any(u8::is_ascii_digit);
        if may_follow && has_digit && word_end - at >= WORD_BYTES_MIN {
            let word = &text[at..text.floor_char_boundary(word_end)];
            let opened = word.trim_start_matches(['"', '\'', '`', '(', '*', '«', '“']);
            let secret = opened.trim_end_matches(['"', '\'', '`', ')', ',', '.', ';', ':', '*', '»', '”']);
            let start = at + word.len() - opened.len();
            let chosen = matches!(said()?, Says::Password);
            if value::stands_out(secret, chosen) {
                let kind = if chosen { "password" } else { "token" };
                return Some(Found { start, end: start + secret.len(), kind, is_certain: false });
            }
        }
        let word = &bytes[at..word_end];
        // The sentence ends, or it is none.
        if matches!(word.last(), Some(b'.' | b';' | b'{' | b'}')) || word.contains(&b'=') && word.len() > 2 {
            return None;
        }
        may_follow = word.ends_with(b":") || BEFORE.iter().any(|it| it.as_bytes() == word);
        at = word_end;
        if bytes.get(at) != Some(&b' ') {
            return None;
        }
    }
    None
}
