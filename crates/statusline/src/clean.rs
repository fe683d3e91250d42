//! Text from outside: what could move a terminal's cursor is taken out, what is left is measured in columns.

use throughline_domain::sequences::plain;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text without control characters, escape sequences and marks that turn the direction of writing; on one line.
///
/// ```
/// use throughline_statusline::clean;
/// assert_eq!(clean("\u{1b}[31mred\u{1b}]0;title\u{7} \u{202e}moon\n"), "red moon");
/// ```
#[must_use]
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for character in plain(text).chars() {
        match character {
            '\n' | '\t' | '\u{2028}' | '\u{2029}' => cleaned.push(' '),
            _ if is_invisible(character) => {}
            _ => cleaned.push(character),
        }
    }
    cleaned.trim().to_owned()
}

/// Marks that turn the direction of writing, or take no room at all.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Columns that a text takes on a terminal: wide characters two, an emoji of several characters two.
///
/// ```
/// use throughline_statusline::width;
/// assert_eq!(width("⚠️ 日本 📦"), 2 + 1 + 4 + 1 + 2);
/// ```
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// The longest beginning of a clean text that takes at most `columns_max`, its last column `mark` where it was cut.
pub(crate) fn cut(text: &str, columns_max: usize, mark: &str) -> String {
    if width(text) <= columns_max {
        return text.to_owned();
    }
    let room = columns_max.saturating_sub(width(mark));
    let mut kept = 0;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        // What follows with no width of its own (a joiner, a variation) belongs to the character before it.
        if character.width().unwrap_or(0) > 0 && width(&text[..end]) > room {
            break;
        }
        kept = end;
    }
    let mut kept = &text[..kept];
    // A variation may make the character before it wider than it was alone.
    while width(kept) > room {
        kept = &kept[..kept.char_indices().next_back().map_or(0, |(at, _)| at)];
    }
    let mark = if columns_max < width(mark) { "" } else { mark };
    format!("{}{mark}", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        for (dirty, left) in [
            ("\u{1b}[2J\u{1b}[Hgone", "gone"),
            ("a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\b", "alinkb"),
            ("a\u{1b}(0b\u{1b}c", "ab"),
            ("\u{9b}31mred\u{9d}title\u{9c}!", "red!"),
            ("a\u{0}\u{7}\u{8}\u{7f}b", "ab"),
            ("one\r\ntwo\tthree", "one two three"),
            ("abc\u{202e}txt.exe\u{2066}", "abctxt.exe"),
            ("\u{1b}", ""),
            ("\u{1b}[31", ""),
            ("\u{1b}]never ends", "never ends"),
            ("zero\u{200b}width", "zerowidth"),
        ] {
            assert_eq!(clean(dirty), left, "{dirty:?}");
        }
    }

    #[test]
    fn wide_characters_and_emoji_are_counted_as_terminals_do() {
        for (text, columns) in [
            ("abc", 3),
            ("é", 1),
            ("e\u{301}", 1),
            ("日本", 4),
            ("📦", 2),
            ("⚠", 1),
            ("⚠️", 2),
            ("♻️", 2),
            ("👨‍👩‍👧", 2),
            ("🔴", 2),
            ("│", 1),
            ("█", 1),
        ] {
            assert_eq!(width(text), columns, "{text}");
        }
    }

    #[test]
    fn a_cut_never_splits_what_belongs_together_nor_passes_its_columns() {
        assert_eq!(cut("feature/long", 7, "…"), "featur…");
        assert_eq!(cut("日本語", 4, "…"), "日…");
        assert_eq!(cut("⚠️⚠️", 3, "…"), "⚠️…");
        assert_eq!(cut("abc", 3, "…"), "abc");
        assert_eq!(cut("abc", 1, "…"), "…");
        assert_eq!(cut("abc", 0, "…"), "");
        assert_eq!(cut("abc", 2, "~"), "a~");
        for columns in 0..12 {
            for text in [
                "日本語テキスト",
                "e\u{301}e\u{301}e\u{301}e\u{301}",
                "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧",
                "⚠️♻️⚠️♻️",
                "plain text here",
            ] {
                assert!(width(&cut(text, columns, "…")) <= columns, "{text} in {columns}");
            }
        }
    }
}
