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
    // `my password's …`
    let end = if bytes[end..].starts_with(b"'s ") { end + 2 } else { end };
    if bytes.get(end) != Some(&b' ') {
        return None;
    }
    if said() == Some(Says::Token)
        && let Some(found) = pair_after(text, end)
    {
        return Some(found);
    }
    let limit = bytes.len().min(end + REACH_BYTES);
    let mut at = end;
    // Behind the bare word `pass` anything may follow.
    let mut may_follow = true;
    let mut is_first = true;
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
            let said = said()?;
            let chosen = matches!(said, Says::Password | Says::Pass);
            let may_be = said != Says::Pass || !(is_first || value::is_wordy(secret));
            if may_be && value::stands_out(secret, chosen) {
                let kind = if chosen { "password" } else { "token" };
                return Some(Found { start, end: start + secret.len(), kind, is_certain: false });
            }
        }
        is_first = false;
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

/// `use … as the password`: the secret before the word that says what it is.
pub(super) fn secret_before(text: &str, start: usize, said: impl Fn() -> Option<Says>) -> Option<Found> {
    let floor = text.ceil_char_boundary(start.saturating_sub(REACH_BYTES));
    let before = text[floor..start].rsplit('\n').next()?;
    let mut words = before.split(' ').rev().filter(|word| !word.is_empty());
    let mut word = words.next()?;
    if matches!(word, "the" | "my" | "your" | "its" | "a" | "our" | "new") {
        word = words.next()?;
    }
    if word != "as" {
        return None;
    }
    let secret = words.next()?.trim_matches(['"', '\'', '`']);
    let chosen = matches!(said()?, Says::Password);
    if !value::stands_out(secret, chosen) {
        return None;
    }
    let at = secret.as_ptr() as usize - text.as_ptr() as usize;
    let kind = if chosen { "password" } else { "token" };
    Some(Found { start: at, end: at + secret.len(), kind, is_certain: false })
}

/// `admin / …`, `admin:…` behind a word that says login: the second of the two.
pub(super) fn pair_after(text: &str, end: usize) -> Option<Found> {
    let limit = text.floor_char_boundary(end + REACH_BYTES);
    let line = text[end..limit].split('\n').next()?;
    // `login: admin / …`, not `login page / …`.
    let may_be_apart = [":", " are ", " is ", " =", "="].iter().any(|it| line.starts_with(it));
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).take(WORDS_MAX).collect();
    for (number, word) in words.iter().enumerate() {
        let is_user = |user: &str| {
            user.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && user.len() <= 40
                && user
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'))
        };
        let apart = (may_be_apart && *word == "/" && number > 0 && is_user(words[number - 1]))
            .then(|| words.get(number + 1))
            .flatten();
        let joined = word.split_once(['/', ':']).filter(|(user, _)| is_user(user)).map(|(_, secret)| secret);
        let Some(secret) = apart.copied().or(joined) else { continue };
        let secret = secret.trim_matches(['"', '\'', '`', '(', ')', ',', '.']);
        if value::stands_out(secret, true) {
            let at = secret.as_ptr() as usize - text.as_ptr() as usize;
            return Some(Found { start: at, end: at + secret.len(), kind: "password", is_certain: false });
        }
    }
    None
}
