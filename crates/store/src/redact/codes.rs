//! Codes: the list of words, each good for one login, that a service shows once.

use super::Found;

/// How far behind its title the list begins, and how long it is.
const TITLE_BYTES_MAX: usize = 60;
const LIST_BYTES_MAX: usize = 600;

/// The codes behind `recovery codes`.
pub(super) fn each_after(text: &str, from: usize, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let title = bytes[from..].iter().take(TITLE_BYTES_MAX).position(|byte| *byte == b':');
    let Some(start) = title.map(|at| from + at + 1) else { return };
    let end = text.floor_char_boundary(start + LIST_BYTES_MAX);
    let mut at = start;
    for word in text[start..end].split_inclusive([' ', '\n', ',', '\t']) {
        let code =
            word.trim_end_matches([' ', '\n', ',', '\t', '\r']).trim_matches(['"', '\'', '`', '[', ']']);
        let place = at + word.find(code).unwrap_or(0);
        at += word.len();
        let is_sign = code.is_empty()
            || matches!(code, "-" | "*" | "•")
            || code.trim_end_matches('.').parse::<u8>().is_ok();
        if is_sign {
            continue;
        }
        if !is_code(code) {
            return;
        }
        found.push(Found { start: place, end: place + code.len(), kind: "recovery-code", is_certain: false });
    }
}

/// Digits between letters in one to four groups.
fn is_code(word: &str) -> bool {
    let is_group = |group: &str| {
        (4..=12).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    (8..=40).contains(&word.len())
        && digits >= 2
        && word.split('-').count() <= 4
        && word.split('-').all(is_group)
}
