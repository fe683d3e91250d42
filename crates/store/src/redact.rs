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

/// A text that a secret holds or follows.
struct Hint {
    text: &'static str,
    /// Which of its bytes is looked for: one that is rare in prose and code.
    telling: usize,
    in_capitals_too: bool,
}

/// Of these at least one stands in every text that a rule can match: most texts need no pattern at all.
#[rustfmt::skip]
const HINTS: [Hint; 31] = [
    Hint { text: "sk-", telling: 2, in_capitals_too: false },
    Hint { text: "ghp_", telling: 3, in_capitals_too: false },
    Hint { text: "gho_", telling: 3, in_capitals_too: false },
    Hint { text: "ghs_", telling: 3, in_capitals_too: false },
    Hint { text: "ghu_", telling: 3, in_capitals_too: false },
    Hint { text: "ghr_", telling: 3, in_capitals_too: false },
    Hint { text: "github_pat_", telling: 6, in_capitals_too: false },
    Hint { text: "glpat-", telling: 5, in_capitals_too: false },
    Hint { text: "AKIA", telling: 2, in_capitals_too: false },
    Hint { text: "ASIA", telling: 2, in_capitals_too: false },
    Hint { text: "xox", telling: 2, in_capitals_too: false },
    Hint { text: "AIza", telling: 2, in_capitals_too: false },
    Hint { text: "npm_", telling: 3, in_capitals_too: false },
    Hint { text: "pypi-", telling: 4, in_capitals_too: false },
    Hint { text: "eyJ", telling: 2, in_capitals_too: false },
    Hint { text: "PRIVATE KEY", telling: 3, in_capitals_too: false },
    Hint { text: "://", telling: 1, in_capitals_too: false },
    Hint { text: "sk_live_", telling: 2, in_capitals_too: false },
    Hint { text: "rk_live_", telling: 2, in_capitals_too: false },
    Hint { text: "SG.", telling: 1, in_capitals_too: false },
    Hint { text: "hf_", telling: 2, in_capitals_too: false },
    // What secrets are called.
    Hint { text: "password", telling: 4, in_capitals_too: true },
    Hint { text: "passwd", telling: 4, in_capitals_too: true },
    Hint { text: "pwd", telling: 1, in_capitals_too: true },
    Hint { text: "secret", telling: 2, in_capitals_too: true },
    Hint { text: "token", telling: 2, in_capitals_too: true },
    Hint { text: "api_key", telling: 4, in_capitals_too: true },
    Hint { text: "apikey", telling: 3, in_capitals_too: true },
    Hint { text: "api-key", telling: 4, in_capitals_too: true },
    Hint { text: "authorization", telling: 7, in_capitals_too: true },
    Hint { text: "bearer", telling: 0, in_capitals_too: true },
];

/// For every byte the hints that it may tell, a bit each.
const TOLD_BY: [u32; 256] = {
    let mut told_by = [0; 256];
    let mut at = 0;
    while at < HINTS.len() {
        let byte = HINTS[at].text.as_bytes()[HINTS[at].telling];
        told_by[byte as usize] |= 1 << at;
        if HINTS[at].in_capitals_too {
            told_by[byte.to_ascii_uppercase() as usize] |= 1 << at;
        }
        at += 1;
    }
    told_by
};

/// One pass: every text that is stored comes here, and hardly any holds a secret.
fn may_hold_secret(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        let mut left = TOLD_BY[usize::from(*byte)];
        while left != 0 {
            if HINTS[left.trailing_zeros() as usize].stands_around(bytes, at) {
                return true;
            }
            left &= left - 1;
        }
        false
    })
}

impl Hint {
    /// Whether it stands in a text with its telling byte at `at`.
    fn stands_around(&self, text: &[u8], at: usize) -> bool {
        let wanted = self.text.as_bytes();
        let found = at.checked_sub(self.telling).and_then(|start| text.get(start..start + wanted.len()));
        found.is_some_and(|found| {
            if self.in_capitals_too { found.eq_ignore_ascii_case(wanted) } else { found == wanted }
        })
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
        for hint in &HINTS {
            let name = hint.text;
            let capitals = if hint.in_capitals_too { name.to_uppercase() } else { name.to_owned() };
            for text in [name.to_owned(), capitals, format!("é{name}"), format!("--wkc{name}zé")] {
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
