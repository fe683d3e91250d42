//! Control sequences: what a terminal obeys instead of showing it is taken out whole, in its 7-bit and its 8-bit form.

use std::borrow::Cow;

/// Longest parameters of a sequence. What goes on for longer hides more than it moves, and is shown.
const PARAMETER_BYTES_MAX: usize = 64;
/// Longest control string (a title, a link, a picture). A longer one is shown: nobody hides a page in a title.
const STRING_BYTES_MAX: usize = 4096;

/// The text without sequences that a terminal obeys, and without control characters other than newline and tab.
///
/// A string that never ends, ends on another line or is too long loses its beginning alone: what stands behind it must
/// not vanish from a reader's eyes because of two bytes. What went back to the start of a line begins a new one.
///
/// ```
/// use throughline_domain::sequences::plain;
/// assert_eq!(plain("\u{1b}[31mred\u{1b}[0m \u{9b}2Jx\u{1b}]0;title\u{7}y\u{1b}(Bz"), "red xyz");
/// assert_eq!(plain("10%\r20%\r\na\u{8}b\u{1b}]never ends"), "10%\n20%\nabnever ends");
/// ```
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    // Without a branch, so that it runs over sixteen bytes at a step: nearly every text has nothing of the kind.
    let may_have = bytes.iter().fold(false, |any, &byte| any | is_suspect(byte));
    let Some(first) = may_have.then(|| next_control(bytes, 0)).flatten() else { return Cow::Borrowed(text) };
    let mut kept = String::with_capacity(text.len());
    let (mut from, mut next) = (0, Some(first));
    while let Some(at) = next {
        let (end, instead) = control(bytes, at);
        kept.push_str(&text[from..at]);
        kept.push_str(instead);
        from = end;
        next = next_control(bytes, end);
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// Whether a control character may begin here: all of C0 but tab and newline, DEL, the first byte of C1.
fn is_suspect(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0b..=0x1f | 0x7f | 0xc2)
}

fn next_control(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find(|&at| is_suspect(bytes[at]) && (bytes[at] != 0xc2 || c1(bytes, at).is_some()))
}

/// The character of C1 that stands here in UTF-8.
fn c1(bytes: &[u8], at: usize) -> Option<u8> {
    let second = *bytes.get(at + 1)?;
    (bytes[at] == 0xc2 && (0x80..=0x9f).contains(&second)).then_some(second)
}

/// Where the control that begins at `at` ends, and what stands in its place. All that it takes in is whole characters.
fn control(bytes: &[u8], at: usize) -> (usize, &'static str) {
    match (bytes[at], c1(bytes, at)) {
        (b'\r', _) if bytes.get(at + 1) == Some(&b'\n') => (at + 1, ""),
        (b'\r' | 0x0b | 0x0c, _) => (at + 1, "\n"),
        (0x1b, _) => (escape_end(bytes, at), ""),
        (_, Some(0x85)) => (at + 2, "\n"),
        (_, Some(0x9b)) => (parameters_end(bytes, at + 2), ""),
        (_, Some(0x90 | 0x98 | 0x9d..=0x9f)) => (string_end(bytes, at + 2), ""),
        (_, Some(_)) => (at + 2, ""),
        _ => (at + 1, ""),
    }
}

fn escape_end(bytes: &[u8], escape: usize) -> usize {
    let at = escape + 1;
    match bytes.get(at) {
        Some(b'[') => parameters_end(bytes, at + 1),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => string_end(bytes, at + 1),
        // A character set, a size of letters: named by one more character.
        Some(0x20..=0x2f) => {
            let last =
                at + bytes[at..].iter().take(4).take_while(|byte| (0x20..=0x2f).contains(*byte)).count();
            if matches!(bytes.get(last), Some(0x30..=0x7e)) { last + 1 } else { last }
        }
        Some(0x30..=0x7e) => at + 1,
        _ => at,
    }
}

/// The end of a control sequence: parameters, intermediates, one final character, as far as they are there.
fn parameters_end(bytes: &[u8], start: usize) -> usize {
    let count = |from: usize, range: std::ops::RangeInclusive<u8>| {
        bytes[from..].iter().take(PARAMETER_BYTES_MAX + 1).take_while(|byte| range.contains(byte)).count()
    };
    let mut at = start + count(start, 0x30..=0x3f);
    at += count(at, 0x20..=0x2f);
    match bytes.get(at) {
        _ if at - start > PARAMETER_BYTES_MAX => start,
        Some(0x40..=0x7e) => at + 1,
        _ => at,
    }
}

/// The end of a control string: behind its terminator, or where it is broken off; `start` where it has neither.
fn string_end(bytes: &[u8], start: usize) -> usize {
    for at in (start..bytes.len()).take(STRING_BYTES_MAX) {
        match (bytes[at], c1(bytes, at)) {
            // The bell, and the two characters that cancel.
            (0x07 | 0x18 | 0x1a, _) => return at + 1,
            (0x1b, _) if bytes.get(at + 1) == Some(&b'\\') => return at + 2,
            (_, Some(0x9c)) => return at + 2,
            // Another sequence begins, and this one is over.
            (0x1b, _) | (_, Some(_)) => return at,
            (b'\n' | b'\r', _) => return start,
            _ => {}
        }
    }
    start
}
