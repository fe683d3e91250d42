//! Text measured as the agent's client measures it: in UTF-16 units, cut without breaking a character.

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
    let mut joined = String::with_capacity(text.len().min(units_max.saturating_mul(4)));
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

/// Text without control characters other than newline and tab: nothing stored may move a terminal's cursor.
#[must_use]
pub fn printable(text: &str) -> String {
    text.replace("\r\n", "\n").chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect()
}

/// A short, stable fingerprint of a text (FNV-1a, 64 bits). For labels and change tests, not for security.
#[must_use]
pub fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash ^= u64::from(*byte);
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}
