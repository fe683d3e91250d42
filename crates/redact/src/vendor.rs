//! Vendors: a secret that is known by the name of its vendor before it.

use super::Found;
use super::named::is_name;
use super::shape::{Reach, Vendor, reach};
use super::value;

/// How much may stand between a vendor's name and the operator.
const VENDOR_REST_BYTES_MAX: usize = 20;

/// Names of things that are no secrets, between a vendor's name and a value.
const HARMLESS: [&str; 14] = [
    "commit",
    "sha",
    "hash",
    "digest",
    "checksum",
    "version",
    "rev",
    "ref",
    "integrity",
    "build",
    "uuid",
    "trace",
    "span",
    "etag",
];

/// A vendor's secret behind its name.
pub(super) fn vendor_at(text: &str, rows: &[Vendor], word: usize, word_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let is_inside = word
        .checked_sub(1)
        .is_some_and(|at| bytes[at].is_ascii_lowercase() && bytes[word].is_ascii_lowercase());
    if is_inside {
        return None;
    }
    let rest = bytes[word_end..].iter().take(VENDOR_REST_BYTES_MAX);
    let mut at = word_end + rest.take_while(|byte| is_name(**byte) || matches!(byte, b' ' | b'\t')).count();
    let between = &text[word_end..at];
    at += bytes[at..]
        .iter()
        .take(3)
        .take_while(|byte| matches!(byte, b'"' | b'\'' | b' ' | b'\\' | b']'))
        .count();
    let operator = bytes[at..]
        .iter()
        .take(3)
        .take_while(|byte| matches!(byte, b'=' | b':' | b'>' | b',' | b'|' | b'?'))
        .count();
    if operator == 0 {
        return None;
    }
    at += operator;
    at += bytes[at..]
        .iter()
        .take(5)
        .take_while(|byte| matches!(byte, b'"' | b'\'' | b'`' | b' ' | b'\\' | b'=' | b'('))
        .count();
    let row = rows.iter().find_map(|row| match reach(row.pattern, bytes, at) {
        Reach::Whole(end) if !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) => Some((row, end)),
        _ => None,
    });
    let (row, end) = row?;
    let secret = &text[at..end];
    let lower = between.to_ascii_lowercase();
    let is_harmless = HARMLESS.iter().any(|word| lower.contains(word)) || lower.ends_with("id");
    let has_digit = secret.bytes().any(|byte| byte.is_ascii_digit());
    let is_random =
        has_digit && !value::is_wordy(secret) && value::entropy_tenths(secret) >= row.entropy_tenths.max(25);
    (!is_harmless && is_random && !value::holds_placeholder(secret)).then_some(Found {
        start: at,
        end,
        kind: row.kind,
        is_certain: false,
    })
}
