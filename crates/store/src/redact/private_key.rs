//! Private keys: the block between its lines, also on one line in JSON, also when one of the two lines is gone.

use super::Found;

/// Longest block: an RSA key of 16,384 bits has half of it.
const BLOCK_BYTES_MAX: usize = 32 << 10;
/// Least of a block whose other line is gone; a header alone, as code and prose name it, is no key.
const PART_BYTES_MIN: usize = 16;
const LINE_BYTES_MAX: usize = 80;
const DASHES: &[u8] = b"-----";

/// The block around `PRIVATE KEY` in a first or a last line.
pub(super) fn block_at(text: &str, word: usize, word_end: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    if bytes[word..word_end].eq_ignore_ascii_case(b"private-lines") {
        return putty(bytes, word_end);
    }
    let floor = word.saturating_sub(LINE_BYTES_MAX);
    let dashes = memchr::memmem::rfind(&bytes[floor..word], DASHES).map(|at| floor + at)?;
    let line = &bytes[dashes + DASHES.len()..word];
    let line_end = word_end
        + bytes[word_end..]
            .iter()
            .take(16)
            .take_while(|byte| byte.is_ascii_uppercase() || **byte == b' ')
            .count();
    if line.starts_with(b"END") {
        return tail_before(bytes, dashes, line_end + dashes_at(bytes, line_end));
    }
    if !line.starts_with(b"BEGIN") || !bytes[line_end..].starts_with(DASHES) {
        return None;
    }
    let body = line_end + DASHES.len();
    let (end, amount) = body_end(bytes, body);
    let last_line = &bytes[end..];
    if !last_line.starts_with(b"-----END") {
        let is_part = amount >= PART_BYTES_MIN;
        return is_part.then_some(Found { start: dashes, end, kind: "private-key", is_certain: true });
    }
    let name = last_line[DASHES.len()..]
        .iter()
        .take(LINE_BYTES_MAX)
        .position(|byte| !byte.is_ascii_uppercase() && *byte != b' ');
    let end = end + DASHES.len() + name.unwrap_or(3);
    let end = end + dashes_at(bytes, end);
    (amount >= 4).then_some(Found { start: dashes, end, kind: "private-key", is_certain: true })
}

fn dashes_at(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take(DASHES.len()).take_while(|byte| **byte == b'-').count()
}

/// Where a block's lines end, and how many bytes of them are key. Line ends may be spelt out, as in JSON.
fn body_end(bytes: &[u8], body: usize) -> (usize, usize) {
    let limit = bytes.len().min(body + BLOCK_BYTES_MAX);
    let (mut at, mut end, mut amount) = (body, body, 0);
    loop {
        at += line_end_at(&bytes[at..limit]);
        if bytes[at..limit].starts_with(DASHES) {
            return (at, amount);
        }
        let run = bytes[at..limit].iter().take_while(|byte| is_base64(**byte)).count();
        let behind = bytes.get(at + run).copied();
        // `Proc-Type: 4,ENCRYPTED`, `Comment: …`
        let header = bytes[at..limit]
            .iter()
            .take(24)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
            .count();
        if header > 3 && bytes[at + header..limit].starts_with(b": ") {
            at +=
                bytes[at..limit].iter().position(|byte| matches!(byte, b'\n' | b'\\')).unwrap_or(limit - at);
            continue;
        }
        let is_line = run > 0
            && behind.is_none_or(|byte| {
                matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | b'\'' | b' ' | b'-' | b'`' | b'<' | 0xE2)
            });
        let is_prose = amount > 0 && run < PART_BYTES_MIN && behind == Some(b' ');
        if !is_line || is_prose {
            return (end, amount);
        }
        at += run;
        amount += run;
        end = at;
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// How many bytes are line ends and blanks.
fn line_end_at(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' | b'\r' | b' ' | b'\t' | b'>' | b'|' => at += 1,
            // A line that a diff takes away, an item of a list, a comment.
            b'-' | b'*' | b'#'
                if at > 0 && bytes.get(at + 1).is_some_and(|byte| is_base64(*byte) || *byte == b' ') =>
            {
                at += 1;
            }
            b'\\' if matches!(bytes.get(at + 1), Some(b'n' | b'r')) => at += 2,
            b'\\' if bytes.get(at + 1) == Some(&b'\\') => at += 1,
            b'0'..=b'9' if at > 0 => match number_at(&bytes[at..]) {
                Some(length) => at += length,
                None => break,
            },
            _ => break,
        }
    }
    at
}

/// The length of a line's number, as `cat -n`, `grep -n` and the client itself print it, if one stands here.
fn number_at(bytes: &[u8]) -> Option<usize> {
    let digits = bytes.iter().take(7).take_while(|byte| byte.is_ascii_digit()).count();
    match bytes[digits..] {
        [b'\t' | b':' | b'|', ..] => Some(digits + 1),
        [0xE2, 0x86, 0x92, ..] => Some(digits + "→".len()),
        _ => None,
    }
}

/// What is left of a block before its last line: going back, line by line, as long as they are lines of a key.
fn tail_before(bytes: &[u8], dashes: usize, end: usize) -> Option<Found> {
    let floor = dashes.saturating_sub(BLOCK_BYTES_MAX);
    let (mut start, mut at) = (dashes, dashes);
    let mut is_key = false;
    while at > floor {
        let (run, between) = line_before(&bytes[floor..at]);
        let line = &bytes[at - between - run..at - between];
        at -= between + run;
        if run > 0 && number_at(&bytes[at..]).is_some() {
            continue;
        }
        // Of a key's lines only the last may be short; a word above it belongs to somebody else.
        if run == 0 || !(start == dashes || is_of_key(line)) {
            break;
        }
        is_key |= is_of_key(line);
        start = at;
    }
    is_key.then_some(Found { start, end, kind: "private-key", is_certain: true })
}

/// Of what ends with line ends, blanks and what stands before a line: how many bytes of base64 are before them, and how
/// many they are.
fn line_before(bytes: &[u8]) -> (usize, usize) {
    let mut at = bytes.len();
    while let Some(byte) = at.checked_sub(1).map(|last| bytes[last]) {
        let is_escape = matches!(byte, b'n' | b'r') && at > 1 && bytes[at - 2] == b'\\';
        at -= match byte {
            b'\n' | b'\r' | b' ' | b'\t' | b'>' | b'|' | b'\\' | b'#' | b'*' | b'-' | b':' => 1,
            0x92 if bytes[..at].ends_with("→".as_bytes()) => "→".len(),
            _ if is_escape => 2,
            _ => break,
        };
    }
    let run = bytes[..at].iter().rev().take_while(|byte| is_base64(**byte)).count();
    // The letter of a spelt line end is none of the line.
    let is_escape =
        run > 0 && run < at && bytes[at - run - 1] == b'\\' && matches!(bytes[at - run], b'n' | b'r');
    (run - usize::from(is_escape), bytes.len() - at)
}

/// Whether base64 is a line of a key, not a word or a path.
fn is_of_key(line: &[u8]) -> bool {
    let has = |belongs: fn(&u8) -> bool| line.iter().any(belongs);
    line.len() >= PART_BYTES_MIN
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(|byte| byte.is_ascii_digit() || *byte == b'+')
}

/// PuTTY's form: a number of lines, and the lines.
fn putty(bytes: &[u8], word_end: usize) -> Option<Found> {
    let head =
        bytes[word_end..].iter().take(8).take_while(|byte| matches!(byte, b':' | b' ' | b'0'..=b'9')).count();
    let start = word_end + head + line_end_at(&bytes[word_end + head..]);
    let (end, amount) = body_end(bytes, start);
    (amount >= PART_BYTES_MIN * 2).then_some(Found { start, end, kind: "private-key", is_certain: true })
}
