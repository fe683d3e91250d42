//! Placeholders: what stands where a value would, and is none.

use super::mark;
use super::value::{self, piece_end};

/// Examples are short.
const PLACEHOLDER_BYTES_MAX: usize = 128;
/// Words of which a value that holds one, and nothing of its own, is an example of a value.
const PLACEHOLDERS: [&str; 28] = [
    "example",
    "sample",
    "changeme",
    "change_me",
    "change-me",
    "changeit",
    "change_this",
    "change-this",
    "placeholder",
    "redacted",
    "dummy",
    "replace",
    "insert",
    "xxxx",
    "****",
    "....",
    "todo",
    "your_",
    "your-",
    "yourtoken",
    "yourpass",
    "yoursecret",
    "yourkey",
    "not-a-real",
    "notreal",
    "_here",
    "-here",
    "not_set",
];
/// What nobody's own value holds.
const CERTAIN_PLACEHOLDERS: [&str; 5] = ["xxxx", "****", "....", "redacted", "not-a-real"];
/// What examples of values are made of besides.
const PLACEHOLDER_PIECES: [&str; 66] = [
    "example",
    "examples",
    "sample",
    "changeme",
    "change",
    "me",
    "this",
    "it",
    "placeholder",
    "dummy",
    "replace",
    "insert",
    "todo",
    "your",
    "my",
    "not",
    "a",
    "real",
    "here",
    "set",
    "api",
    "apikey",
    "key",
    "keys",
    "token",
    "secret",
    "password",
    "passwd",
    "pass",
    "pwd",
    "access",
    "client",
    "auth",
    "test",
    "testing",
    "demo",
    "user",
    "value",
    "string",
    "with",
    "the",
    "abc",
    "abcd",
    "abcdef",
    "def",
    "xyz",
    "foo",
    "bar",
    "sk",
    "pk",
    "ghp",
    "live",
    "prod",
    "dev",
    "id",
    "in",
    "before",
    "production",
    "generated",
    "random",
    "actual",
    "private",
    "fake",
    "yourself",
    "account",
    "fixme",
];
/// Digits that are counted, not drawn.
const COUNTED: &str = "01234567890123456789";
/// So many bytes of its own make a value one.
const OWN_BYTES_MIN: usize = 5;
/// Whether a value is no value: a variable, a template, a mask, an example.
pub(super) fn is_placeholder(value: &str) -> bool {
    let bytes = value.as_bytes();
    let Some(first) = bytes.first() else { return true };
    let all_alike = bytes.iter().all(|byte| byte.eq_ignore_ascii_case(first));
    let is_template = value.starts_with(['<', '{', '@'])
        || value.starts_with(mark::OPENING)
        || [
            "${",
            "%24%7B",
            "%24%28",
            "$(",
            "$[",
            "#{",
            "%{",
            "%(",
            "%s:%s",
            "[redacted",
            "{{",
            "\\$",
            "…",
            "...",
            "&lt;",
            "&#x3C;",
            // References to a store of secrets, numbers of a registry.
            "op://",
            "arn:",
            "vault:",
            "ssm:",
            "secret://",
            "keyvault:",
            "dword:",
        ]
        .iter()
        .any(|it| value.starts_with(it))
        || (value.starts_with('$')
            && bytes[1..].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && !has_digit_inside(&bytes[1..]))
        || (value.starts_with('%') && (value.ends_with('%') || value.len() <= 3))
        || (value.starts_with("__") && value.ends_with("__"))
        || is_tag(value);
    all_alike || is_template || asks_for_value(value) || holds_placeholder(value)
}

/// What stands where a value is to be filled in, in other languages.
const ASKED_FOR: [&str; 12] = [
    "请填写",
    "请输入",
    "填写",
    "入力",
    "입력",
    "wpisz",
    "eintragen",
    "вставьте",
    "введите",
    "вашпароль",
    "votre-mot",
    "tu-contra",
];

/// What is said of a password in a column of them.
const STATED: [&str; 14] = [
    "gesetzt",
    "vergeben",
    "abgelaufen",
    "задан",
    "установлен",
    "設定済み",
    "未設定",
    "已设置",
    "未设置",
    "설정됨",
    "ustawione",
    "definida",
    "définie",
    "ausgeblendet",
];

fn asks_for_value(value: &str) -> bool {
    STATED.contains(&value)
        || value.len() <= 40
            && !value.bytes().any(|byte| byte.is_ascii_digit())
            && ASKED_FOR.iter().any(|it| value.contains(it))
}

/// `!vault`, `!Ref`, `!!binary`: what YAML calls the kind of a value.
fn is_tag(value: &str) -> bool {
    let name = value.trim_start_matches('!');
    name.len() < value.len()
        && (2..=16).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'/'))
}

/// `$1` and `$A` are variables; `$3cret9x` is a password.
fn has_digit_inside(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_digit) && name.len() > 2
}

pub(super) fn holds_placeholder(value: &str) -> bool {
    let head = &value[..value.floor_char_boundary(PLACEHOLDER_BYTES_MAX)];
    let lower = head.to_ascii_lowercase();
    if !PLACEHOLDERS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    // As AWS's pages have it.
    let is_certain = head.ends_with("EXAMPLE") || head.ends_with("EXAMPLEKEY");
    is_certain || CERTAIN_PLACEHOLDERS.iter().any(|word| lower.contains(word)) || !has_own(head)
}

/// Whether more than the words of an example is in a value: `todo-Milk-Eggs-9` is a password.
fn has_own(value: &str) -> bool {
    let mut own = 0;
    let mut is_odd = value.contains(['!', '#', '$', '%', '^', '&', '*', '+', '?', '@', '~']);
    for part in value.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let bytes = part.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let end = piece_end(bytes, at);
            let piece = &part[at..end];
            let is_example = PLACEHOLDER_PIECES.iter().any(|it| piece.eq_ignore_ascii_case(it))
                || (bytes[at].is_ascii_digit()
                    && (at == 0 || end == bytes.len())
                    && (COUNTED.contains(piece) || piece == "00" || piece == "000"));
            if !is_example {
                own += end - at;
                is_odd |= bytes[at].is_ascii_digit();
            }
            at = end;
        }
    }
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    // `put-your-token-here` says what belongs there; `put-the-kettle-here-3` does not.
    let says_what = || {
        let lower = value.to_ascii_lowercase();
        ["key", "token", "pass", "secret", "pwd", "credential", "value", "your"]
            .iter()
            .any(|it| lower.contains(it))
    };
    is_odd && own >= OWN_BYTES_MIN
        || own >= 2 * OWN_BYTES_MIN && (has_digit || value::is_salad(value))
        || (has_digit && own >= OWN_BYTES_MIN || is_odd && own >= 3 || value.contains("NOT")) && !says_what()
}
