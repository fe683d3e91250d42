//! Text measured as the agent's client measures it: in UTF-16 units, cut without breaking a character.

use crate::unseen::shown;

/// Length in UTF-16 units (JavaScript's `length`).
///
/// ```
/// assert_eq!(throughline_domain::text::utf16_len("a😀"), 3);
/// ```
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The longest beginning of `text` that has at most `units_max` UTF-16 units; never half a surrogate pair.
///
/// ```
/// use throughline_domain::text::cut_utf16;
/// assert_eq!(cut_utf16("ab😀", 3), "ab");
/// assert_eq!(cut_utf16("ab😀", 4), "ab😀");
/// ```
#[must_use]
pub fn cut_utf16(text: &str, units_max: usize) -> &str {
    // A character has at least as many bytes as units.
    if text.len() <= units_max {
        return text;
    }
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > units_max {
            return &text[..at];
        }
    }
    text
}

/// `text` on one line, at most `units_max` units, with `…` only where something was cut.
///
/// ```
/// use throughline_domain::text::one_line;
/// assert_eq!(one_line("two\n  lines", 40), "two lines");
/// assert_eq!(one_line("abcdef", 4), "abc…");
/// ```
#[must_use]
pub fn one_line(text: &str, units_max: usize) -> String {
    if text.len() <= units_max && is_one_plain_line(text.as_bytes()) {
        return text.to_owned();
    }
    let mut joined = String::with_capacity(text.len().min(units_max.saturating_mul(4)));
    let text = shown(text);
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
        if joined.len() > units_max.saturating_mul(4) {
            break;
        }
    }
    shorten(&joined, units_max)
}

/// Whether a text is letters of ASCII with single blanks between them: as most are, and then nothing has to be done.
fn is_one_plain_line(bytes: &[u8]) -> bool {
    let is_visible = bytes.iter().fold(true, |all, byte| all & (0x20..=0x7e).contains(byte));
    is_visible
        && bytes.first() != Some(&b' ')
        && bytes.last() != Some(&b' ')
        && memchr::memmem::find(bytes, b"  ").is_none()
}

/// `text` cut to `units_max` units, the last of them `…` where something was cut.
///
/// ```
/// use throughline_domain::text::shorten;
/// assert_eq!(shorten("abcdef", 1), "…");
/// assert_eq!(shorten("abcdef", 0), "");
/// ```
#[must_use]
pub fn shorten(text: &str, units_max: usize) -> String {
    if utf16_len(text) <= units_max {
        return text.to_owned();
    }
    match units_max.checked_sub(1) {
        Some(units) => format!("{}…", cut_utf16(text, units).trim_end()),
        None => String::new(),
    }
}

/// Text without control sequences and characters other than newline and tab, and without what nobody sees: nothing stored
/// may move a terminal's cursor or say something else than it shows.
///
/// ```
/// use throughline_domain::text::printable;
/// assert_eq!(printable("a\r\nb\u{1b}[2Jc\u{2028}d\u{202e}"), "a\nbc\nd");
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    let text = shown(text);
    // Whoever quotes line by line must see every line that a reader sees.
    if text.contains(['\u{2028}', '\u{2029}']) {
        text.replace(['\u{2028}', '\u{2029}'], "\n")
    } else {
        text.into_owned()
    }
}

/// `84000` as `84,000`.
///
/// ```
/// use throughline_domain::text::thousands;
/// assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
/// ```
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A short, stable fingerprint of a text (64 bits, eight bytes at a step). For labels and change tests, not for security.
///
/// ```
/// use throughline_domain::text::fingerprint;
/// assert_ne!(fingerprint(b"a"), fingerprint(b"a\0"));
/// ```
#[must_use]
pub fn fingerprint(bytes: &[u8]) -> u64 {
    const KEY: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = KEY ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in chunks.by_ref() {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = folded_multiply(hash ^ u64::from_le_bytes(word), KEY);
    }
    let mut last = [0; 8];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    folded_multiply(hash ^ u64::from_le_bytes(last), KEY ^ 0xff51_afd7_ed55_8ccd)
}

/// Both halves of the full product: every input bit reaches every output bit in a step or two.
fn folded_multiply(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    #[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
    let low = product as u64;
    let high = (product >> 64) as u64;
    low ^ high
}
/// Roughly how many words a text has; where no spaces stand between them, two characters count as one.
///
/// ```
/// use throughline_domain::text::word_count;
/// assert_eq!(word_count("never touch the API"), 4);
/// assert_eq!(word_count("不要修改公共接口"), 4);
/// ```
#[must_use]
pub fn word_count(text: &str) -> usize {
    if text.is_ascii() {
        let words = text.as_bytes().split(|byte| matches!(byte, b'\t'..=b'\r' | b' '));
        return words.filter(|word| !word.is_empty()).count();
    }
    let is_wide =
        |c: char| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}');
    let of_word = |word: &str| {
        let wide = word.chars().filter(|c| is_wide(*c)).count();
        if wide == 0 { 1 } else { wide.div_ceil(2) }
    };
    text.split_whitespace().map(of_word).sum()
}
