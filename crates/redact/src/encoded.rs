//! Encoded secrets: what is base64 of a text that holds one, and tokens that carry their claims that way.

use super::{Found, ends_escape, escaped, value};

/// Shortest run that is decoded: `user:password` of twelve letters has sixteen.
const RUN_BYTES_MIN: usize = 16;
/// Longest run that is decoded; images and archives are longer, and are told by their first bytes anyway.
const RUN_BYTES_MAX: usize = 64 << 10;
/// So many decoded bytes tell whether it is text.
const HEAD_BYTES: usize = 24;
/// What is drawn at random behind a token's word.
const PREFIXED_BYTES_MIN: usize = 32;
/// Where that word says secret, less is enough.
const TOKEN_BYTES_MIN: usize = 20;
const PREFIXED_BYTES_MAX: usize = 200;
/// An encoded first line of a key is no longer.
const HEAD_LINE_BYTES: usize = 64;
/// Shortest part of a signed token.
const PART_BYTES_MIN: usize = 10;

/// Longest part of one, and most parts: encrypted ones have five.
const JWT_PART_BYTES_MAX: usize = 16 << 10;
const JWT_PARTS_MAX: usize = 5;

/// A signed token at `eyJ`: two or three parts, the second of claims.
pub(super) fn jwt_at(text: &str, word: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let is_inside = word.checked_sub(1).is_some_and(|at| is_url_safe(bytes[at]) && !ends_escape(bytes, word));
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
        // A page's own data, cut short, begins as a token does.
        let is_data = bytes[..word].ends_with(b";base64,");
        let is_cut = dot >= bytes.len() && head >= 2 * PART_BYTES_MIN && !is_data;
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

fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// A private key that was encoded once more, as Kubernetes does; `word` is the beginning of its first line.
pub(super) fn key_at(text: &str, word: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let length = bytes[word..].iter().take(RUN_BYTES_MAX).take_while(|byte| is_encoded(**byte)).count();
    let head = decode(&bytes[word..word + length.min(HEAD_LINE_BYTES) / 4 * 4])?;
    let end = word + length + bytes[word + length..].iter().take(2).take_while(|byte| **byte == b'=').count();
    memchr::memmem::find(&head, b"PRIVATE KEY").map(|_| Found {
        start: word,
        end,
        kind: "private-key",
        is_certain: true,
    })
}

fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The letters of base64 that a value has for certain where it stands `offset` bytes behind a group's beginning.
pub(super) fn inside(value: &[u8], offset: usize, is_url_safe: bool) -> Vec<u8> {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(value);
    // Only whole groups: the last one may hold what stands behind.
    bytes.truncate(bytes.len() / 3 * 3);
    let mut letters = Vec::with_capacity(bytes.len() / 3 * 4);
    for group in bytes.chunks_exact(3) {
        let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
        letters.extend([18, 12, 6, 0].map(|shift| letter(bits >> shift & 63, is_url_safe)));
    }
    // The first letters hold bits of what stands before.
    letters.drain(..[0, 2, 3][offset].min(letters.len()));
    letters
}

fn letter(digit: u32, is_url_safe: bool) -> u8 {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    match LETTERS[digit as usize & 63] {
        b'+' if is_url_safe => b'-',
        b'/' if is_url_safe => b'_',
        letter => letter,
    }
}

/// The whole run of base64 around a part of it.
pub(super) fn run_around(bytes: &[u8], start: usize, end: usize) -> (usize, usize) {
    let before = bytes[..start].iter().rev().take(RUN_BYTES_MAX).take_while(|byte| is_encoded(**byte));
    let behind = bytes[end..].iter().take(RUN_BYTES_MAX).take_while(|byte| is_encoded(**byte));
    let (start, end) = (start - before.count(), end + behind.count());
    (start, end + bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count())
}

/// What a run of letters, digits and the signs of base64 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run<'t> {
    /// Base64 of this text.
    Text(&'t str),
    /// A short word and much that was drawn at random, as services make their tokens.
    Prefixed,
}

/// Words in a token's own beginning that say what it is.
const TELLING: [&str; 20] = [
    "sk", "pat", "tok", "token", "secret", "sec", "apikey", "api", "auth", "oauth", "live", "prod", "svc",
    "priv", "pw", "pass", "access", "refresh", "bot", "admin",
];
/// Words that say so even of what could be a hash.
const CERTAIN: [&str; 9] = ["sk", "pat", "tok", "token", "secret", "apikey", "live", "prod", "priv"];

/// Where a token begins that no rule names but that has the form of all of them: a short word or some, and much that was
/// drawn at random. Ids of that form are shorter, hashes have no capitals.
fn prefixed(run: &[u8]) -> Option<usize> {
    let start = run.iter().rposition(|byte| matches!(byte, b'/' | b'+')).map_or(0, |at| at + 1);
    let bytes = &run[start..];
    let sign = bytes.iter().position(|byte| matches!(byte, b'_' | b'-'))?;
    // Cheap looks first: most runs are names and paths.
    if !(TOKEN_BYTES_MIN..=PREFIXED_BYTES_MAX).contains(&bytes.len())
        || bytes.len() - sign <= TOKEN_BYTES_MIN
        || !bytes[0].is_ascii_alphabetic()
        || !bytes[sign..].iter().any(u8::is_ascii_digit)
    {
        return None;
    }
    let token = std::str::from_utf8(bytes).ok()?;
    let (words, tail) = words_and_tail(token)?;
    if tail.len() < TOKEN_BYTES_MIN {
        return None;
    }
    let is = |all: &[&str]| words.iter().any(|word| all.iter().any(|it| word.eq_ignore_ascii_case(it)));
    let first = words.first()?.to_ascii_lowercase();
    let is_digest = ["sha", "md5", "blake", "h1"].iter().any(|it| first.starts_with(it))
        // `pk_live_…`: a payment service's key that every page shows.
        || first == "pk" && is(&["live", "test"]);
    let drawn: String = tail.chars().filter(char::is_ascii_alphanumeric).collect();
    let has = |least: usize, belongs: fn(&u8) -> bool| drawn.bytes().filter(belongs).count() >= least;
    let is_mixed =
        has(1, u8::is_ascii_digit) && has(6, u8::is_ascii_uppercase) && has(6, u8::is_ascii_lowercase);
    let is_hex = drawn.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_unnamed = drawn.len() >= PREFIXED_BYTES_MIN
        && is_mixed
        && value::is_salad(&drawn)
        && value::entropy_tenths(&drawn) >= 40;
    let is_named = is(&TELLING)
        && drawn.len() >= TOKEN_BYTES_MIN
        && has(3, u8::is_ascii_digit)
        && has(3, u8::is_ascii_alphabetic)
        && (!is_hex || (is(&CERTAIN) && drawn.len() == tail.len()))
        && !value::is_wordy(tail)
        && !value::holds_placeholder(token);
    (!is_digest && (is_unnamed || is_named)).then_some(start)
}

/// The words at a token's beginning, each of letters of one kind, and the rest.
fn words_and_tail(token: &str) -> Option<(Vec<&str>, &str)> {
    let is_word = |word: &str| {
        let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        (1..=12).contains(&word.len())
            && word.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && (capitals == 0 || capitals + digits == word.len())
            && digits <= 2
    };
    let mut words = Vec::new();
    let mut rest = token;
    while let Some((word, behind)) = rest.split_once(['_', '-'])
        && is_word(word)
        && words.len() < 4
    {
        words.push(word);
        rest = behind;
    }
    (!words.is_empty() && words[0].len() > 1).then_some((words, rest))
}

/// Calls `found` with every run that is worth a look: where it begins, where it ends, what it is.
pub(super) fn each_run(text: &str, mut found: impl FnMut(usize, usize, Run<'_>)) {
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
        if (RUN_BYTES_MIN..=RUN_BYTES_MAX).contains(&(end - start)) {
            if let Some(decoded) = decoded_text(&bytes[start..end]) {
                end = padded;
                found(start, end, Run::Text(&decoded));
            } else {
                each_part(bytes, start, end, &mut found);
            }
        }
        probe = end.max(probe) + RUN_BYTES_MIN;
    }
}

/// The same for the parts of a path: a slash is a sign of base64, too.
fn each_part(bytes: &[u8], start: usize, end: usize, found: &mut impl FnMut(usize, usize, Run<'_>)) {
    if let Some(at) = prefixed(&bytes[start..end]) {
        found(start + at, end, Run::Prefixed);
        return;
    }
    let mut at = start;
    for part in bytes[start..end].split(|byte| *byte == b'/') {
        if part.len() >= RUN_BYTES_MIN
            && part.len() < end - start
            && let Some(decoded) = decoded_text(part)
        {
            found(at, at + part.len(), Run::Text(&decoded));
        }
        at += part.len() + 1;
    }
}

/// The text that a run stands for; `None` when it is binary, or no base64.
fn decoded_text(run: &[u8]) -> Option<String> {
    if run.iter().all(u8::is_ascii_hexdigit) {
        return escaped::hex_text(run);
    }
    // Names and paths have no digits and capitals in the mixture that base64 has.
    let has = |belongs: fn(&u8) -> bool| run.iter().take(2 * HEAD_BYTES).any(belongs);
    if !has(u8::is_ascii_uppercase) || !has(u8::is_ascii_lowercase) {
        return None;
    }
    let head = decode(&run[..run.len().min(HEAD_BYTES / 3 * 4)])?;
    if let Some(head) = narrowed(&head) {
        return is_text(&head)
            .then(|| narrowed(&decode(run)?).and_then(|all| String::from_utf8(all).ok()))?;
    }
    if !is_text(&head) {
        return None;
    }
    let bytes = decode(run)?;
    if !is_text(&bytes) {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// Letters of two bytes each, the second of which is nothing: as Windows writes them.
fn narrowed(bytes: &[u8]) -> Option<Vec<u8>> {
    let is_wide = bytes.len() > 7 && bytes.iter().skip(1).step_by(2).all(|byte| *byte == 0);
    is_wide.then(|| bytes.iter().step_by(2).copied().collect())
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'))
}

pub(super) fn decode(run: &[u8]) -> Option<Vec<u8>> {
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
        each_run(
            "x aGVsbG8gd29ybGQgYWdhaW4= y /usr/lib/python/site-packages/Module QUJDREVGR0hJSktMTU5P",
            |start, end, run| {
                if let Run::Text(text) = run {
                    found.push((start, end, text.to_owned()));
                }
            },
        );
        assert_eq!(found, [(2, 26, "hello world again".to_owned()), (66, 86, "ABCDEFGHIJKLMNO".to_owned())]);
    }
}
