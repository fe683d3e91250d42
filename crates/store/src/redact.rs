//! The redact seam: whatever is written passes here first, and leaves without keys and passwords.
//!
//! A basic rule set: the well-known key formats and the usual `password=…` spellings. Commit ids and UUIDs survive.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// What stands in place of a secret.
pub const MASK: &str = "[redacted]";

/// Longest text that is searched by patterns at once; longer ones are searched in pieces at line ends.
const PIECE_BYTES: usize = 1 << 20;

/// A text without secrets; borrowed when there were none.
///
/// ```
/// use throughline_store::redact::text;
/// assert_eq!(text("token=abcdefgh12345678"), "token=[redacted]");
/// assert_eq!(text("commit 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544"), "commit 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544");
/// ```
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    if !may_hold_secret(text) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = split_piece(rest);
        clean.push_str(&mask_piece(piece));
        rest = after;
    }
    if clean == text { Cow::Borrowed(text) } else { Cow::Owned(clean) }
}

/// Masks every string inside a JSON value.
pub fn json(value: &mut Value) {
    match value {
        Value::String(string) => {
            if let Cow::Owned(clean) = text(string) {
                *string = clean;
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(json),
        Value::Object(map) => map.values_mut().for_each(json),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A substring, and which of its bytes is looked for: one that is rare in prose and code.
struct Hint(&'static str, usize);

/// Of these and [`NAMES`] at least one stands in every text that a rule can match: most texts need no pattern at all.
const HINTS: [Hint; 21] = [
    Hint("sk-", 2),
    Hint("ghp_", 3),
    Hint("gho_", 3),
    Hint("ghs_", 3),
    Hint("ghu_", 3),
    Hint("ghr_", 3),
    Hint("github_pat_", 6),
    Hint("glpat-", 5),
    Hint("AKIA", 2),
    Hint("ASIA", 2),
    Hint("xox", 2),
    Hint("AIza", 2),
    Hint("npm_", 3),
    Hint("pypi-", 4),
    Hint("eyJ", 2),
    Hint("PRIVATE KEY", 3),
    Hint("://", 1),
    Hint("sk_live_", 2),
    Hint("rk_live_", 2),
    Hint("SG.", 1),
    Hint("hf_", 2),
];

/// What secrets are called, in capitals or not.
const NAMES: [Hint; 10] = [
    Hint("password", 4),
    Hint("passwd", 4),
    Hint("pwd", 1),
    Hint("secret", 2),
    Hint("token", 2),
    Hint("api_key", 4),
    Hint("apikey", 3),
    Hint("api-key", 4),
    Hint("authorization", 7),
    Hint("bearer", 0),
];

/// The bytes at which it is worth to look around.
const TELLING: [bool; 256] = {
    let mut telling = [false; 256];
    let mut at = 0;
    while at < HINTS.len() {
        telling[HINTS[at].0.as_bytes()[HINTS[at].1] as usize] = true;
        at += 1;
    }
    at = 0;
    while at < NAMES.len() {
        let byte = NAMES[at].0.as_bytes()[NAMES[at].1];
        telling[byte as usize] = true;
        telling[byte.to_ascii_uppercase() as usize] = true;
        at += 1;
    }
    telling
};

/// One pass: every text that is stored comes here, and hardly any holds a secret.
fn may_hold_secret(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        TELLING[usize::from(*byte)]
            && (HINTS.iter().any(|hint| hint.stands_at(bytes, at, |found, wanted| found == wanted))
                || NAMES.iter().any(|name| name.stands_at(bytes, at, <[u8]>::eq_ignore_ascii_case)))
    })
}

impl Hint {
    /// Whether it stands in a text with its telling byte at `at`.
    fn stands_at(&self, text: &[u8], at: usize, is_same: fn(&[u8], &[u8]) -> bool) -> bool {
        let wanted = self.0.as_bytes();
        is_same(&text[at..=at], &wanted[self.1..=self.1])
            && at
                .checked_sub(self.1)
                .and_then(|start| text.get(start..start + wanted.len()))
                .is_some_and(|found| is_same(found, wanted))
    }
}

// Everything here is ASCII, and said so: patterns without Unicode tables compile in a fraction of the time, which
// counts in a process that lives for milliseconds.
static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)sk-[A-Za-z0-9_-]{16,}",
        r"|gh[posur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}",
        r"|(?:AKIA|ASIA)[A-Z0-9]{16}",
        r"|xox[a-z]-[A-Za-z0-9-]{10,}",
        r"|AIza[A-Za-z0-9_-]{30,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,}|hf_[A-Za-z0-9]{30,}",
        r"|[sr]k_live_[A-Za-z0-9]{16,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\x00-\x7F]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    ))
    .ok()
});

static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i-u)(\b[a-z0-9_.-]*(?:password|passwd|pwd|secret|token|api[_-]?key)["']?\s*[:=]\s*["']?"#,
        r#"|\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+|\bbearer\s+)([!#-&(*+\-./0-9:<-_a-~]{8,})"#,
    ))
    .ok()
});

static URL_PASSWORD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)([a-z][a-z0-9+.-]*://[!-.0-9;-?A-~]*:)([!-.0-?A-~]+)@").ok());

fn mask_piece(piece: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(piece);
    if let Some(keys) = KEYS.as_ref()
        && keys.is_match(&masked)
    {
        masked = Cow::Owned(keys.replace_all(&masked, MASK).into_owned());
    }
    if let Some(urls) = URL_PASSWORD.as_ref()
        && urls.is_match(&masked)
    {
        let replace = |found: &Captures<'_>| format!("{}{MASK}@", &found[1]);
        masked = Cow::Owned(urls.replace_all(&masked, replace).into_owned());
    }
    if let Some(named) = NAMED.as_ref()
        && named.is_match(&masked)
    {
        let replace = |found: &Captures<'_>| {
            if looks_secret(&found[2]) { format!("{}{MASK}", &found[1]) } else { found[0].to_owned() }
        };
        masked = Cow::Owned(named.replace_all(&masked, replace).into_owned());
    }
    masked
}

/// `token = next_token(input)` is code, not a secret: a secret has a digit, or is long, and is no call or path.
fn looks_secret(value: &str) -> bool {
    let code = value.contains(['(', '<', '$', '{', '[']) || value.contains("::") || value == MASK;
    !code && (value.bytes().any(|byte| byte.is_ascii_digit()) || value.len() >= 24)
}

fn split_piece(text: &str) -> (&str, &str) {
    if text.len() <= PIECE_BYTES {
        return (text, "");
    }
    let line_end = memchr::memrchr(b'\n', &text.as_bytes()[..PIECE_BYTES]).map(|at| at + 1);
    let mut at = line_end.unwrap_or(PIECE_BYTES);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    text.split_at(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        assert!(KEYS.is_some() && NAMED.is_some() && URL_PASSWORD.is_some());
    }

    #[test]
    fn every_hint_is_found_wherever_it_stands() {
        for Hint(hint, _) in &HINTS {
            for text in [(*hint).to_owned(), format!("é{hint}"), format!("--{hint}é")] {
                assert!(may_hold_secret(&text), "{text}");
            }
        }
        for Hint(name, _) in &NAMES {
            for text in [(*name).to_owned(), name.to_uppercase(), format!("wkc{name}z")] {
                assert!(may_hold_secret(&text), "{text}");
            }
        }
        for text in ["", "the walk back to work is a quick one", "ssk", "passwor", "x-y_z/w", "étoke"] {
            assert!(!may_hold_secret(text), "{text}");
        }
    }

    #[test]
    fn keys_and_passwords_are_masked() {
        for (dirty, clean) in [
            (concat!("key sk", "-ant-", "api03-", "AbCdEfGh0123456789 done"), "key [redacted] done"),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"),
            ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
            ("postgres://app:hunter2@db.example/x", "postgres://app:[redacted]@db.example/x"),
            ("PASSWORD='correct-horse-9'", "PASSWORD='[redacted]'"),
            ("\"api_key\": \"0123456789abcdef\"", "\"api_key\": \"[redacted]\""),
            ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted]"),
            ("curl -H 'bearer abc.def-123456'", "curl -H 'bearer [redacted]'"),
            ("ghr_abcdefghijklmnopqrstuvwxyz0123456789", "[redacted]"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest",
                "[redacted]\nrest",
            ),
        ] {
            assert_eq!(text(dirty), clean);
        }
    }

    #[test]
    fn code_commit_ids_and_uuids_survive() {
        for text_in in [
            "let token = next_token(input);",
            "password: String,",
            "commit 3a12c3e0f9d84c7b8a6e5d4c3b2a190817263544",
            "session 2f467a84-03d0-40d7-985c-b16b5ec832db",
            "the token budget is 1200; secret: none",
            "https://example.org/path?q=1",
        ] {
            assert_eq!(text(text_in), text_in);
        }
    }

    #[test]
    fn a_long_text_is_masked_in_pieces() {
        let long = format!("{}\ntoken=abcdefgh12345678\n{}", "é".repeat(700_000), "x".repeat(1_200_000));
        let clean = text(&long);
        assert!(clean.contains("token=[redacted]") && !clean.contains("abcdefgh12345678"));
    }
}
