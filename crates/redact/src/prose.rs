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

/// Ends of words that people say about passwords, and hardly choose for one.
const TALK_ENDS: [&str; 33] = [
    "ing", "ings", "tion", "tions", "sion", "sions", "ment", "ments", "ically", "ually", "ively", "tely",
    "itly", "ently", "antly", "edly", "thly", "urely", "ably", "ously", "ized", "ised", "ated", "ified",
    "ected", "pted", "ered", "exity", "idity", "ility", "ators", "fiers", "fully",
];
/// Words of the same kind that no ending tells.
const TALK_WORDS: [&str; 48] = [
    "afterwards",
    "anywhere",
    "attempts",
    "autofill",
    "characters",
    "checkbox",
    "checkers",
    "criteria",
    "databases",
    "defaults",
    "directive",
    "directives",
    "elsewhere",
    "endpoint",
    "endpoints",
    "everywhere",
    "exchange",
    "failures",
    "fallback",
    "forgotten",
    "generator",
    "handlers",
    "helpers",
    "incorrect",
    "instead",
    "lifecycle",
    "lifetime",
    "lifetimes",
    "managers",
    "mismatch",
    "overrides",
    "parameter",
    "parameters",
    "patterns",
    "plaintext",
    "policies",
    "provided",
    "providers",
    "recovery",
    "reminders",
    "strategies",
    "strategy",
    "strength",
    "unchanged",
    "validator",
    "variable",
    "variables",
    "workflows",
];
/// What goes on behind a word that is talked about. (SQL goes on with others behind a password.)
const TALK_GOES_ON: [&str; 14] =
    ["is", "are", "was", "were", "and", "or", "of", "for", "to", "as", "has", "means", "appears", "document"];
/// What a file of logins has behind a password.
const NETRC_GOES_ON: [&str; 5] = ["machine", "account", "macdef", "default", "port"];
/// Words joined by hyphens, so many of them, are a password that somebody drew from a list of words.
const DRAWN_WORDS_MIN: usize = 3;

/// Whether what stands behind a password's name is a word about passwords: "we set password handling aside".
pub(super) fn is_talk(word: &str) -> bool {
    let last = word.rsplit(['-', '_']).next().unwrap_or(word).to_ascii_lowercase();
    is_plain_word(word.as_bytes())
        && (TALK_ENDS.iter().any(|end| last.ends_with(end)) || TALK_WORDS.contains(&last.as_str()))
}

/// Whether a plain word is followed by another: a sentence, where a command would end.
pub(super) fn goes_on(word: &str, rest: &[u8]) -> bool {
    is_plain_word(word.as_bytes())
        && next_word(rest).is_some_and(|next| !NETRC_GOES_ON.iter().any(|it| it.as_bytes() == next))
}

/// Whether the sentence around a word in quotes is about the word.
pub(super) fn is_talked_about(word: &str, rest: &[u8]) -> bool {
    let next = rest.get(1..).and_then(next_word);
    is_plain_word(word.as_bytes())
        && next.is_some_and(|next| TALK_GOES_ON.iter().any(|it| it.as_bytes() == next))
}

/// One word as sentences have it, maybe joined of two.
pub(super) fn is_plain_word(word: &[u8]) -> bool {
    let tail = word.get(1..).unwrap_or_default();
    word.first().is_some_and(u8::is_ascii_alphabetic)
        && tail.iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'))
        && word.split(|byte| matches!(byte, b'-' | b'_')).count() < DRAWN_WORDS_MIN
}

/// Whether a user, an account or a network was named right before.
pub(super) fn has_user_before(text: &str, start: usize) -> bool {
    let floor = text.ceil_char_boundary(start.saturating_sub(REACH_BYTES));
    let before = text[floor..start].to_ascii_lowercase();
    ["user", "name:", "login", "wifi", "wi-fi", "ssid", "account", "mail", "u:", "admin", "network"]
        .iter()
        .any(|it| before.contains(it))
}

/// Whether the name of a user and nothing else stands before the name of a password, as files of logins have it.
pub(super) fn is_login(before: &[u8]) -> bool {
    let mut words = before.rsplit(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let (user, login) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    !user.ends_with(b":") && (login.ends_with(b"login") || login.ends_with(b"user"))
}

/// The word behind one blank, in small letters.
fn next_word(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.strip_prefix(b" ")?;
    let length = rest.iter().take(WORD_BYTES_MAX).take_while(|byte| byte.is_ascii_lowercase()).count();
    let ends = rest.get(length).is_none_or(|byte| {
        matches!(byte, b' ' | b'.' | b',' | b':' | b';' | b'?' | b'!' | b'\n' | b'\r' | b')')
    });
    (length > 0 && ends).then(|| &rest[..length])
}

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
    if !matches!(word, "as" | "is" | "was") {
        return None;
    }
    let secret = words.next()?.trim_matches(['"', '\'', '`']);
    let chosen = matches!(said()?, Says::Password);
    if !(value::stands_out(secret, chosen) || chosen && is_given(secret)) {
        return None;
    }
    let at = secret.as_ptr() as usize - text.as_ptr() as usize;
    let kind = if chosen { "password" } else { "token" };
    Some(Found { start: at, end: at + secret.len(), kind, is_certain: false })
}

/// `… as the password`: strong, or a word and a number.
fn is_given(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    value::is_strong_or_mixed(word)
        || digits > 1 && word.len() >= 8 && value::is_password(word, value::Standing::Loose)
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
        let is_number = secret.bytes().all(|byte| byte.is_ascii_digit());
        if value::stands_out(secret, true)
            || may_be_apart && !is_number && is_given(secret) && !secret.contains('/')
        {
            let at = secret.as_ptr() as usize - text.as_ptr() as usize;
            return Some(Found { start: at, end: at + secret.len(), kind: "password", is_certain: false });
        }
    }
    None
}

/// `p: …` on the line below `u: …`.
pub(super) fn pass_below_user(text: &str, at: usize, end: usize) -> Option<Found> {
    let word = text[end..].split_whitespace().next()?;
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let is_password = has_user_before(text, at) && value::is_strong_or_mixed(word);
    is_password.then_some(Found { start, end: start + word.len(), kind: "password", is_certain: false })
}
