//! Escaped text: what stands inside a JSON string, decoded only when somebody wants to read it.

use std::borrow::Cow;

use memchr::memchr;

/// What is read beyond a cut and left out again where a text is masked: a secret is known by what stands around it, and
/// few are longer.
const MARGIN_BYTES: usize = 8 << 10;

/// Text as JSON strings spell it (without the quotes): several pieces, decoded only when somebody wants to read them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Escaped<'a> {
    /// The pieces, each the inside of a JSON string.
    pub pieces: Vec<&'a str>,
    /// How what is decoded is masked, before any of it is cut off.
    pub mask: Option<Mask>,
}

/// Gives a text without its secrets.
#[derive(Debug, Clone, Copy)]
pub struct Mask(pub fn(&str) -> Cow<'_, str>);

impl PartialEq for Mask {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl<'a> Escaped<'a> {
    /// One piece, which nobody masks.
    #[must_use]
    pub fn of(piece: &'a str) -> Self {
        Self { pieces: vec![piece], mask: None }
    }
}

impl Escaped<'_> {
    /// Bytes as written.
    #[must_use]
    pub fn raw_bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// The first `bytes_max` bytes as written, decoded.
    #[must_use]
    pub fn head(&self, bytes_max: usize) -> String {
        let mut head = String::new();
        for piece in &self.pieces {
            if head.len() >= bytes_max {
                break;
            }
            if !head.is_empty() {
                head.push('\n');
            }
            self.head_of(piece, bytes_max - head.len().min(bytes_max), &mut head);
        }
        head
    }

    /// The first `bytes_max` bytes and the last `bytes_max`, decoded; a mark stands for what is left out.
    #[must_use]
    pub fn head_and_tail(&self, bytes_max: usize) -> String {
        let mut whole = String::new();
        for piece in &self.pieces {
            if !whole.is_empty() {
                whole.push('\n');
            }
            if piece.len() <= bytes_max * 2 {
                self.head_of(piece, piece.len(), &mut whole);
            } else {
                self.head_of(piece, bytes_max, &mut whole);
                whole.push_str("\n…\n");
                self.tail_of(piece, bytes_max, &mut whole);
            }
            if whole.len() > bytes_max * 4 {
                break;
            }
        }
        whole
    }

    fn head_of(&self, piece: &str, bytes: usize, out: &mut String) {
        let Some(Mask(mask)) = self.mask else { return unescape_into(safe_head(piece, bytes), out) };
        let raw = safe_head(piece, bytes.saturating_add(MARGIN_BYTES));
        let window = unescape(raw);
        let masked = mask(&window);
        let after = window.bytes().rev().zip(masked.bytes().rev());
        let unsure = if raw.len() < piece.len() { shared(after) } else { 0 };
        let cut = bytes.min(masked.len() - unsure);
        out.push_str(&masked[..masked.floor_char_boundary(cut)]);
    }

    fn tail_of(&self, piece: &str, bytes: usize, out: &mut String) {
        let Some(Mask(mask)) = self.mask else { return unescape_into(safe_tail(piece, bytes), out) };
        let raw = safe_tail(piece, bytes.saturating_add(MARGIN_BYTES));
        let window = unescape(raw);
        let masked = mask(&window);
        let unsure = if raw.len() < piece.len() { shared(window.bytes().zip(masked.bytes())) } else { 0 };
        let cut = masked.len().saturating_sub(bytes).max(unsure);
        let tail = &masked[masked.ceil_char_boundary(cut)..];
        out.push_str(tail.find('\n').map_or(tail, |at| &tail[at + 1..]));
    }
}

/// How much of the margin stands as it was written: there a secret may be that was cut in two. A mark ends it.
fn shared(pairs: impl Iterator<Item = (u8, u8)>) -> usize {
    pairs.take(MARGIN_BYTES).take_while(|(written, masked)| written == masked).count()
}

/// The beginning of an escaped text, not cut inside a character or an escape.
fn safe_head(piece: &str, bytes: usize) -> &str {
    &piece[..boundaries_around(piece, bytes.min(piece.len())).0]
}

/// The end of an escaped text, not cut inside a character or an escape; from a whole line, where one begins in it.
fn safe_tail(piece: &str, bytes: usize) -> &str {
    let tail = &piece[boundaries_around(piece, piece.len().saturating_sub(bytes)).1..];
    match tail.find("\\n") {
        Some(at) if !tail[..at].ends_with('\\') => &tail[at + 2..],
        _ => tail,
    }
}

/// The nearest places at or before, and at or after, `at` that are not inside a character or an escape.
fn boundaries_around(piece: &str, at: usize) -> (usize, usize) {
    let bytes = piece.as_bytes();
    // An escape has at most twelve bytes (a surrogate pair): where none of the twelve before is a backslash, none is open.
    let mut place = at;
    while place > 0 {
        let window = place.saturating_sub(12);
        match bytes[window..place].iter().position(|byte| *byte == b'\\') {
            Some(found) => place = window + found,
            None if piece.is_char_boundary(place) => break,
            None => place -= 1,
        }
    }
    let mut before = place;
    while place < at {
        before = place;
        let length = match (bytes[place], bytes.get(place + 1)) {
            (b'\\', Some(b'u')) if is_high_surrogate(&bytes[place..]) => 12,
            (b'\\', Some(b'u')) => 6,
            (b'\\', _) => 2,
            _ => 1,
        };
        // What looks like an escape may hold any character, or end with the text.
        place = (place + length..bytes.len()).find(|it| piece.is_char_boundary(*it)).unwrap_or(bytes.len());
    }
    let after = place;
    (if place == at { at } else { before }, after)
}

fn is_high_surrogate(bytes: &[u8]) -> bool {
    matches!(bytes, [b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', ..])
}

/// The text that the inside of a JSON string spells; borrowed where it has no escapes.
///
/// What is no escape (`\d`) stands for itself, half a surrogate pair and `\u0000` for a replacement character: a
/// transcript is evidence, and one odd character must not cost the rest.
///
/// ```
/// use throughline_domain::transcript::unescape;
/// assert_eq!(unescape(r"two\nlines \ud83d\ude00 \d \ud83d"), "two\nlines 😀 \\d \u{fffd}");
/// ```
#[must_use]
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr(b'\\', raw.as_bytes()).is_some() {
        let mut text = String::with_capacity(raw.len());
        unescape_into(raw, &mut text);
        Cow::Owned(text)
    } else {
        Cow::Borrowed(raw)
    }
}

fn unescape_into(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let (character, length) = match escape.as_bytes().get(1) {
            Some(b'n') => ('\n', 2),
            Some(b't') => ('\t', 2),
            Some(b'r') => ('\r', 2),
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(byte @ (b'"' | b'\\' | b'/')) => (char::from(*byte), 2),
            Some(b'u') => unicode_escape(escape),
            _ => ('\\', 1),
        };
        out.push(character);
        rest = &escape[length..];
    }
    out.push_str(rest);
}

/// The character of an escape that begins with `\u`, and the escape's length.
fn unicode_escape(escape: &str) -> (char, usize) {
    let Some(unit) = unit_at(escape) else { return ('\\', 1) };
    if let (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) = (unit, escape.get(6..).and_then(unit_at)) {
        let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::from_u32(unit).filter(|it| *it != '\0').unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

/// The UTF-16 unit that a text begins with, when it begins with `\uXXXX`.
fn unit_at(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_decoded_at_both_ends_only() {
        let middle = "x".repeat(100_000);
        let raw = format!("first\\nsecond {middle} last but one\\nlast \\\"word\\\" \\ud83d\\ude00");
        let text = Escaped::of(&raw).head_and_tail(64);
        assert!(text.starts_with("first\nsecond"), "{text}");
        assert!(text.ends_with("last \"word\" 😀"), "{text}");
        assert!(text.len() < 400);
    }

    /// Masks runs of `k` between brackets, as far as both are there: of what is cut in two the rest stays.
    fn without_keys(text: &str) -> Cow<'_, str> {
        let mut masked = text.to_owned();
        while let Some((start, end)) =
            masked.find('<').and_then(|at| Some((at, at + masked[at..].find('>')?)))
        {
            masked.replace_range(start..=end, "[m]");
        }
        Cow::Owned(masked)
    }

    #[test]
    fn a_secret_across_a_cut_is_masked_before_it_is_cut() {
        let key = format!("<{}>", "k".repeat(3_000));
        for (before, behind) in
            [(0, 40_000), (900, 40_000), (990, 40_000), (40_000, 500), (40_000, 990), (0, 0)]
        {
            let raw = format!("first {}{key}{} last", "a".repeat(before), "z".repeat(behind));
            let masked = Escaped { mask: Some(Mask(without_keys)), ..Escaped::of(&raw) };
            for text in [masked.head(1_000), masked.head_and_tail(1_000)] {
                assert!(text.starts_with("first"), "{text}");
                assert!(text.len() <= 2_100 && !text.contains('k'), "{before} {behind}: {text}");
            }
            assert!(masked.head_and_tail(1_000).ends_with("last"));
        }
        let keys = format!("{}end", key.repeat(9));
        let masked = Escaped { mask: Some(Mask(without_keys)), ..Escaped::of(&keys) };
        assert_eq!(masked.head(1_000), "[m][m][m]", "half of one is left out");
        assert_eq!(masked.head_and_tail(1_000), "[m][m][m]\n…\n[m][m][m]end");
    }

    #[test]
    fn what_only_looks_like_an_escape_is_cut_between_characters() {
        for raw in ["\\é\\u12é\\", "\\\u{84}a", "é\\ud83dé\\ud8", "\\u\\u\\u", "\\\\\\\\\\"] {
            let raw = raw.repeat(3);
            for bytes in 0..raw.len() {
                let piece = Escaped::of(&raw);
                assert!(piece.head(bytes).len() <= raw.len() * 3, "{raw}");
                let _ = piece.head_and_tail(bytes);
            }
        }
    }

    #[test]
    fn a_cut_never_lands_inside_an_escape() {
        for bytes in 1..90 {
            let raw = "a\\u00e9\\\\bé\\n\\ud83d\\ude00c".repeat(40);
            let text = Escaped::of(&raw).head_and_tail(bytes);
            assert!(!text.contains("\\u") && !text.contains('\u{fffd}'), "{bytes}: {text}");
        }
    }
}
