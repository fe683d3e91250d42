//! Names: turns the bytes of a path or a subject into text that stays on one line and hides nothing.

use std::fmt::Write as _;

use throughline_domain::unseen::is_unseen;

/// Longest path that is shown; of a longer one the end stays, for there the file's own name is.
const PATH_CHARS_MAX: usize = 400;
/// Longest subject that is shown.
const SUBJECT_CHARS_MAX: usize = 200;

/// A path as plain text: control characters are escaped, a long path loses its beginning.
pub(crate) fn path_text(path: &[u8]) -> String {
    let mut text = String::new();
    for character in String::from_utf8_lossy(path).chars() {
        push_escaped(&mut text, character);
    }
    let chars = text.chars().count();
    if chars <= PATH_CHARS_MAX {
        return text;
    }
    let tail: String = text.chars().skip(chars + 1 - PATH_CHARS_MAX).collect();
    format!("…{tail}")
}

/// A path as `git status --porcelain` prints it: in quotes when it holds a space, a quote, a backslash or a control
/// character, so that ` -> ` and line ends inside a name can be told from ours.
pub(crate) fn path_quoted(path: &[u8]) -> String {
    let special = |byte: &u8| *byte <= b' ' || *byte == b'"' || *byte == b'\\' || *byte == 0x7f;
    if !path.iter().any(special) {
        return path_text(path);
    }
    let escaped: Vec<u8> = path
        .iter()
        .flat_map(|&byte| match byte {
            b'"' | b'\\' => vec![b'\\', byte],
            _ => vec![byte],
        })
        .collect();
    format!("\"{}\"", path_text(&escaped))
}

/// A commit's subject or an author's name as one line of plain text.
pub(crate) fn subject_text(subject: &[u8]) -> String {
    let text = String::from_utf8_lossy(subject);
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == SUBJECT_CHARS_MAX {
            shown.push('…');
            break;
        }
        push_escaped(&mut shown, character);
    }
    shown
}

fn push_escaped(text: &mut String, character: char) {
    match character {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\u{7}' => text.push_str("\\a"),
        '\u{8}' => text.push_str("\\b"),
        '\u{b}' => text.push_str("\\v"),
        '\u{c}' => text.push_str("\\f"),
        '\0'..='\u{1f}' | '\u{7f}' => {
            let _ = write!(text, "\\{:03o}", u32::from(character));
        }
        // Line ends and direction marks beyond ASCII: git prints them as they are, a reader sees something else.
        // A tag or a selector carries words that nobody sees.
        c if matches!(c, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}') || is_unseen(c) => {
            let _ = write!(text, "\\u{{{:x}}}", u32::from(character));
        }
        _ => text.push(character),
    }
}

#[cfg(test)]
mod tests {
    use super::{PATH_CHARS_MAX, path_quoted, path_text, subject_text};

    #[test]
    fn a_name_stays_on_one_line() {
        assert_eq!(path_text(b"a\nM  fake"), "a\\nM  fake");
        assert_eq!(path_quoted(b"a\nM  fake"), "\"a\\nM  fake\"");
        assert_eq!(path_text("a\u{2028}b\u{202e}c".as_bytes()), "a\\u{2028}b\\u{202e}c");
        assert_eq!(subject_text(b"\x1b[31mred"), "\\033[31mred");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(path_text(b"caf\xe9"), "caf\u{fffd}");
    }

    #[test]
    fn a_long_path_keeps_its_end() {
        let long = format!("{}/main.rs", "d".repeat(5000));
        let shown = path_text(long.as_bytes());
        assert_eq!(shown.chars().count(), PATH_CHARS_MAX);
        assert!(shown.starts_with('…') && shown.ends_with("/main.rs"));
        assert_eq!(subject_text("ä".repeat(1000).as_bytes()).chars().count(), 201);
    }
}
