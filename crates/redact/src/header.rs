//! Headers: `Authorization`, the word `Bearer`, and cookies.

use super::Found;
use super::value::{self, Standing};

const TOKEN_BYTES_MAX: usize = 4_096;
const COOKIES_MAX: usize = 64;
const SCHEMES: [&str; 8] = ["bearer", "basic", "token", "digest", "apikey", "negotiate", "ntlm", "bot"];
/// Cookies that say who somebody is, by a part of their names.
const SESSIONS: [&str; 9] = ["sess", "sid", "auth", "token", "jwt", "login", "remember", "csrf", "user"];

/// What authorizes, behind `Authorization`.
pub(super) fn authorization_at(text: &str, word_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut at = word_end;
    at += count(bytes, at, 4, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b']' | b'`'));
    at += count(bytes, at, 4, |byte| byte == b' ');
    let operator = count(bytes, at, 2, |byte| matches!(byte, b':' | b'=' | b',' | b'>'));
    if operator == 0 || bytes[at..].starts_with(b"::") {
        return None;
    }
    at += operator;
    at += count(bytes, at, 8, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'\\' | b'`'));
    let word = count(bytes, at, 16, |byte| byte.is_ascii_alphanumeric());
    let scheme = text.get(at..at + word).unwrap_or_default();
    if bytes.get(at + word) == Some(&b' ') && SCHEMES.iter().any(|it| scheme.eq_ignore_ascii_case(it)) {
        return credentials(text, at + word + 1, if scheme.eq_ignore_ascii_case("basic") { 6 } else { 8 });
    }
    let found = credentials(text, at, 8)?;
    // `token_type=bearer expires_in=48842`
    let is_field = text[found.start..found.end].split_once('=').is_some_and(|(name, value)| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            && value.starts_with(|letter: char| letter.is_ascii_alphanumeric())
    });
    if is_field {
        return None;
    }
    value::is_token(&text[found.start..found.end], Standing::Loose).then_some(found)
}

/// The token behind `Bearer`.
pub(super) fn bearer_at(text: &str, word: usize, word_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let begins = word.checked_sub(1).is_none_or(|at| !bytes[at].is_ascii_alphanumeric() && bytes[at] != b'_');
    if !begins || !matches!(bytes.get(word_end), Some(b' ' | b':')) {
        return None;
    }
    let at = word_end + count(bytes, word_end, 4, |byte| matches!(byte, b' ' | b':' | b'"' | b'\''));
    let found = credentials(text, at, 8)?;
    // `token_type=bearer expires_in=48842`
    let is_field = text[found.start..found.end].split_once('=').is_some_and(|(name, value)| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            && value.starts_with(|letter: char| letter.is_ascii_alphanumeric())
    });
    if is_field {
        return None;
    }
    value::is_token(&text[found.start..found.end], Standing::Loose).then_some(found)
}

fn credentials(text: &str, at: usize, least: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let length = count(bytes, at, TOKEN_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=' | b':' | b'|' | b'%' | b'!')
    });
    let content = text.get(at..at + length)?.trim_end_matches(['.', ':', '|', ',']);
    let is_name =
        content.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_' | b'-'))
            && value::is_wordy(content);
    if content.len() < least || is_name || value::is_placeholder(content) || is_member(content) {
        return None;
    }
    Some(Found { start: at, end: at + content.len(), kind: "authorization", is_certain: false })
}

/// `self.token`, `config.api_key2`: code.
fn is_member(content: &str) -> bool {
    content.contains('.')
        && content.split('.').all(|part| {
            !part.is_empty() && value::is_wordy(part) && !part.starts_with(|it: char| it.is_ascii_digit())
        })
}

/// The values of cookies behind `Cookie:` or `Set-Cookie:`.
pub(super) fn cookies_at(text: &str, word_end: usize, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = word_end + count(bytes, word_end, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
    // `--cookie '…'`
    let is_flag = bytes.get(at) == Some(&b' ') && matches!(bytes.get(at + 1), Some(b'"' | b'\''));
    if !is_flag && !matches!(bytes.get(at), Some(b':' | b'=')) {
        return;
    }
    at += 1;
    cookies_in(text, at, found);
}

/// The values of cookies that begin at a place.
pub(super) fn cookies_in(text: &str, from: usize, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = from;
    for _ in 0..COOKIES_MAX {
        at += count(bytes, at, 8, |byte| matches!(byte, b' ' | b'"' | b'\'' | b'\\'));
        let name_length = count(bytes, at, 80, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'%')
        });
        let name = &text[at..at + name_length];
        if name_length == 0 || bytes.get(at + name_length) != Some(&b'=') {
            // `HttpOnly; Secure` have no value.
            let Some(b';') = bytes.get(at + name_length).filter(|_| name_length > 0) else { return };
            at += name_length + 1;
            continue;
        }
        let start = at + name_length + 1;
        let length = count(bytes, start, TOKEN_BYTES_MAX, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b';' | b'"' | b'\'' | b'\\' | b'<' | b'>' | b'`')
        });
        let end = start + length;
        let content = &text[start..end];
        let lower = name.to_ascii_lowercase();
        let is_session = SESSIONS.iter().any(|it| lower.contains(it))
            && length >= 8
            && bytes[start..end].iter().any(u8::is_ascii_digit);
        // What counts visitors.
        let is_counter = content.starts_with("GA1.");
        if !value::is_placeholder(content)
            && !is_counter
            && ((is_session && (length >= 20 || !value::is_wordy(content))) || value::is_random(content))
        {
            found.push(Found { start, end, kind: "cookie", is_certain: false });
        }
        at = end;
        if bytes.get(at) != Some(&b';') {
            return;
        }
        at += 1;
    }
}

fn count(bytes: &[u8], at: usize, max: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().skip(at).take(max).take_while(|byte| belongs(**byte)).count()
}

/// What is answered to a mail server that asked for a password, on the next line.
pub(super) fn smtp_answer(text: &str, end: usize) -> Option<Found> {
    let line = text.get(end..text.floor_char_boundary(end + 400))?.lines().nth(1)?;
    let word = line.rsplit(' ').next()?;
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let is_base64 = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    (word.len() >= 8 && is_base64).then_some(Found {
        start,
        end: start + word.len(),
        kind: "password",
        is_certain: false,
    })
}
