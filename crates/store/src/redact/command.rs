//! Commands: programs and statements that take a password without giving it a name.

use super::Found;
use super::named::{self, Ends, Value};
use super::value::{self, Standing};

/// How far behind a program's name its flags are looked for.
const LINE_BYTES_MAX: usize = 600;

/// The password in a command that begins with a telling word.
pub(super) fn secret_at(text: &str, word: usize, word_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let begins = word.checked_sub(1).is_none_or(|at| !bytes[at].is_ascii_alphanumeric() && bytes[at] != b'_');
    if text[word..word_end].eq_ignore_ascii_case("basicauth(") {
        return second_argument(text, word_end);
    }
    if !begins {
        return None;
    }
    let limit = bytes.len().min(word_end + LINE_BYTES_MAX);
    let line = &bytes[word_end..limit];
    let end =
        word_end + line.iter().position(|byte| matches!(byte, b'\n' | b'|' | b';')).unwrap_or(line.len());
    let value = match text[word..word_end].to_ascii_lowercase().as_str() {
        "sshpass" => after_flag(bytes, word_end, end, b"-p")?,
        "mysql" => glued_flag(bytes, word_end, end, b"-p")?,
        "redis-cli" => after_flag(bytes, word_end, end, b"-a")?,
        "login" => after_flag(bytes, word_end, end, b"-p")?,
        "curl" => return user_of(text, word_end, end),
        _ => named::value_at(bytes, word_end + 1, Ends::Usual)
            .filter(|value| value.standing == Standing::Quoted)?,
    };
    password(text, value)
}

fn password(text: &str, value: Value) -> Option<Found> {
    let standing = if value.standing == Standing::Quoted { Standing::Quoted } else { Standing::Plain };
    value::is_password(&text[value.start..value.end], standing).then_some(Found {
        start: value.start,
        end: value.end,
        kind: "password",
        is_certain: false,
    })
}

/// `HTTPBasicAuth("user", "password")`.
fn second_argument(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let user = named::value_at(bytes, from, Ends::Usual)?;
    let comma = bytes[user.end..].iter().take(4).position(|byte| *byte == b',')?;
    let at = user.end + comma + 1;
    let blanks = bytes[at..].iter().take(4).take_while(|byte| **byte == b' ').count();
    let value = named::value_at(bytes, at + blanks, Ends::Usual)?;
    (value.standing == Standing::Quoted).then(|| password(text, value))?
}

/// `-p value`, `-pvalue`, `-p'value'`.
fn after_flag(bytes: &[u8], from: usize, end: usize, flag: &[u8]) -> Option<Value> {
    let at = flag_at(bytes, from, end, flag)?;
    let blanks = bytes[at..end].iter().take_while(|byte| **byte == b' ').count();
    named::value_at(bytes, at + blanks, Ends::Usual)
}

/// `-pvalue` alone: with a blank behind it, the flag asks for the password.
fn glued_flag(bytes: &[u8], from: usize, end: usize, flag: &[u8]) -> Option<Value> {
    let at = flag_at(bytes, from, end, flag)?;
    (bytes.get(at) != Some(&b' ')).then(|| named::value_at(bytes, at, Ends::Usual))?
}

/// Behind a flag that stands alone or before its value.
fn flag_at(bytes: &[u8], from: usize, end: usize, flag: &[u8]) -> Option<usize> {
    let places = memchr::memmem::find_iter(&bytes[from..end], flag).map(|at| from + at);
    places.filter(|at| bytes[at - 1] == b' ').map(|at| at + flag.len()).find(|at| *at < end)
}

/// `-u user:password`: only the password goes.
fn user_of(text: &str, from: usize, end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let flags: [&[u8]; 4] = [b"-u", b"--user", b"-U", b"--proxy-user"];
    for flag in flags {
        let Some(mut at) = flag_at(bytes, from, end, flag) else { continue };
        at += bytes[at..end].iter().take_while(|byte| matches!(byte, b' ' | b'=')).count();
        let Some(value) = named::value_at(bytes, at, Ends::Usual) else { continue };
        let content = &text[value.start..value.end];
        let Some(colon) = content.find(':').filter(|colon| !content[*colon..].starts_with("://")) else {
            continue;
        };
        let start = value.start + colon + 1;
        if let Some(found) = password(text, Value { start, end: value.end, standing: Standing::Quoted }) {
            return Some(found);
        }
    }
    None
}
