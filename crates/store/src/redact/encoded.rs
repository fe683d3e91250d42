//! Encoded secrets: what is base64 of a text that holds one, and tokens that carry their claims that way.

use super::{Found, value};

/// Shortest run that is decoded: `user:password` of twelve letters has sixteen.
const RUN_BYTES_MIN: usize = 16;
/// Longest run that is decoded; images and archives are longer, and are told by their first bytes anyway.
const RUN_BYTES_MAX: usize = 64 << 10;
/// So many decoded bytes tell whether it is text.
const HEAD_BYTES: usize = 24;
/// Shortest part of a signed token.
const PART_BYTES_MIN: usize = 10;

/// Longest part of one, and most parts: encrypted ones have five.
const JWT_PART_BYTES_MAX: usize = 16 << 10;
const JWT_PARTS_MAX: usize = 5;

/// A signed token at `eyJ`: two or three parts, the second of claims.
pub(super) fn jwt_at(text: &str, word: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let is_inside = word.checked_sub(1).is_some_and(|at| is_url_safe(bytes[at]) && !is_escape(bytes, at));
    if &bytes[word..word + 3] != b"eyJ" || is_inside {
        return None;
    }
    let part = |at: usize| {
        bytes[at.min(bytes.len())..]
            .iter()
            .take(JWT_PART_BYTES_MAX)
            .take_while(|byte| is_url_safe(**byte))
            .count()
    };
    let head = part(word);
    if head < PART_BYTES_MIN {
        return None;
    }
    let dot = word + head;
    let payload = if bytes.get(dot) == Some(&b'.') { part(dot + 1) } else { 0 };
    let is_claims = bytes.get(dot + 1..).is_some_and(|rest| rest.starts_with(b"ey")) && payload >= 2;
    // Encrypted ones have five parts, and the second may be anything or nothing.
    let mut end = dot + 1 + payload;
    if !is_claims {
        let parts = 4.min(
            text[word..]
                .bytes()
                .take(1_024)
                .take_while(|byte| is_url_safe(*byte) || *byte == b'.')
                .filter(|byte| *byte == b'.')
                .count(),
        );
        let is_cut = dot >= bytes.len() && head >= 2 * PART_BYTES_MIN;
        if parts < 4 && !is_cut {
            return None;
        }
        end = dot;
    }
    for _ in 0..JWT_PARTS_MAX {
        if bytes.get(end) == Some(&b'.') {
            end += 1 + part(end + 1);
        }
    }
    while bytes.get(end) == Some(&b'=') {
        end += 1;
    }
    let end = end.min(bytes.len());
    (!value::holds_placeholder(&text[word..end])).then_some(Found {
        start: word,
        end,
        kind: "jwt",
        is_certain: true,
    })
}

/// In JSON a line end is spelt with a letter.
fn is_escape(bytes: &[u8], at: usize) -> bool {
    matches!(bytes[at], b'n' | b't' | b'r') && at > 0 && bytes[at - 1] == b'\\'
}

fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Calls `found` with every run of base64 that decodes to text: where it begins, where it ends, the text.
pub(super) fn each_decoded(text: &str, mut found: impl FnMut(usize, usize, &str)) {
    let bytes = text.as_bytes();
    // Every run of the least length covers one of these places.
    let mut probe = RUN_BYTES_MIN - 1;
    while probe < bytes.len() {
        if !is_encoded(bytes[probe]) {
            probe += RUN_BYTES_MIN;
            continue;
        }
        let start = probe - bytes[..probe].iter().rev().take_while(|byte| is_encoded(**byte)).count();
        let mut end = probe + bytes[probe..].iter().take_while(|byte| is_encoded(**byte)).count();
        let padded = end + bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
        if (RUN_BYTES_MIN..=RUN_BYTES_MAX).contains(&(end - start))
            && let Some(decoded) = decoded_text(&bytes[start..end])
        {
            end = padded;
            found(start, end, &decoded);
        }
        probe = end.max(probe) + RUN_BYTES_MIN;
    }
}

/// The text that a run stands for; `None` when it is binary, or no base64.
fn decoded_text(run: &[u8]) -> Option<String> {
    // Names and paths have no digits and capitals in the mixture that base64 has.
    let has = |belongs: fn(&u8) -> bool| run.iter().take(2 * HEAD_BYTES).any(belongs);
    if !has(u8::is_ascii_uppercase) || !has(u8::is_ascii_lowercase) {
        return None;
    }
    if !is_text(&decode(&run[..run.len().min(HEAD_BYTES / 3 * 4)])?) {
        return None;
    }
    let bytes = decode(run)?;
    if !is_text(&bytes) {
        return None;
    }
    String::from_utf8(bytes).ok()
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'))
}

fn decode(run: &[u8]) -> Option<Vec<u8>> {
    if run.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(run.len() / 4 * 3 + 2);
    for group in run.chunks(4) {
        let mut bits = 0_u32;
        for place in 0..4 {
            bits = bits << 6 | group.get(place).map_or(Some(0), |byte| digit(*byte))?;
        }
        let [_, first, second, third] = bits.to_be_bytes();
        bytes.extend(&[first, second, third][..group.len() - 1]);
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_base64_are_found_and_decoded() {
        let mut found = Vec::new();
        each_decoded(
            "x aGVsbG8gd29ybGQgYWdhaW4= y /usr/lib/python/site-packages/Module QUJDREVGR0hJSktMTU5P",
            |start, end, text| {
                found.push((start, end, text.to_owned()));
            },
        );
        assert_eq!(found, [(2, 26, "hello world again".to_owned()), (66, 86, "ABCDEFGHIJKLMNO".to_owned())]);
    }
}
