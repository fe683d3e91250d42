//! Naming: whether a text names a file.

/// Whether a text names the file: the whole of what was typed, between things that are no part of a name.
#[must_use]
pub fn names(text: &str, wanted: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(wanted).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = &text[at + wanted.len()..];
        let goes_on = behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'))
            || (behind.starts_with('.') && behind[1..].starts_with(char::is_alphanumeric));
        !before.is_some_and(is_part) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_whole_name() {
        assert!(names("see src/parser.rs:12.", "parser.rs"));
        assert!(names("/home/me/app/src/parser.rs", "src/parser.rs"));
        for other in ["old_parser.rs", "parser.rs.bak", "parser.rsx", "my-parser.rs"] {
            assert!(!names(other, "parser.rs"), "{other}");
        }
        assert!(names("it is parser.rs.", "parser.rs"), "the end of a sentence is no part of a name");
    }
}
