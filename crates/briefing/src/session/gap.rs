//! The gap: what a text that the agent will have anyway says already, word by word.

use std::collections::HashMap;

use memchr::memmem::Finder;
use throughline_domain::overlap;

/// Of a sentence this much must be there for it to count as said.
const SENTENCE_BYTES: usize = 120;

/// What the agent will know without us: the client's summary, as far as it is known.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The text with runs of white space as one space.
    flat: String,
    /// The same in lower case.
    lower: String,
}

impl Known {
    /// Nothing is known: the text stands alone.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The client's summary. Of a raw one only what stands inside `<summary>` will be in the context.
    #[must_use]
    pub fn summary(raw: &str) -> Self {
        let inner = raw
            .split_once("<summary>")
            .map_or(raw, |(_, rest)| rest.rsplit_once("</summary>").map_or(rest, |(inner, _)| inner));
        let flat = squeeze(inner);
        let lower = flat.to_lowercase();
        Self { flat, lower }
    }

    /// What stands in another text is known, too.
    #[must_use]
    pub fn and(self, text: &str) -> Self {
        let other = squeeze(text);
        Self {
            lower: format!("{} {}", self.lower, other.to_lowercase()),
            flat: format!("{} {other}", self.flat),
        }
    }

    /// Whether anything is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.flat.is_empty()
    }

    /// Whether a command is there, as it is run.
    pub(super) fn has_command(&self, normal: &str) -> bool {
        contains(&self.flat, &squeeze(normal))
    }

    /// Whether a sentence is there.
    pub(super) fn has_sentence(&self, sentence: &str) -> bool {
        if self.lower.is_empty() && !sentence.trim().is_empty() {
            return false;
        }
        let wanted = squeeze(sentence).to_lowercase();
        let end =
            (0..=SENTENCE_BYTES.min(wanted.len())).rev().find(|it| wanted.is_char_boundary(*it)).unwrap_or(0);
        contains(&self.lower, &wanted[..end])
    }

    /// How much of what a sentence names precisely is there: 0 where nothing is known, 1 where all of it is.
    pub(super) fn share(&self, sentence: &str) -> f64 {
        if self.flat.is_empty() {
            return 0.0;
        }
        overlap::share(sentence, &self.lower)
    }

    /// Whether an identifier is there as a word of its own.
    pub(super) fn has_word(&self, word: &str) -> bool {
        let is_inside =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        self.places(word).any(|(before, after)| !is_inside(before) && !is_inside(after))
    }

    /// Whether a file is there: by its path, by its last two parts, or by its name where no other file has it.
    pub(super) fn has_file(&self, path: &str, names: &HashMap<&str, usize>) -> bool {
        if contains(&self.flat, path) {
            return true;
        }
        let base = base_of(path);
        if let Some(folder) = path.strip_suffix(base).and_then(|rest| rest.strip_suffix('/')) {
            let parent = base_of(folder);
            if folder.contains('/') && contains(&self.flat, &format!("{parent}/{base}")) {
                return true;
            }
        }
        let is_part = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'.'))
        };
        let ends_name = |byte: Option<&u8>| {
            byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'))
        };
        names.get(base).is_none_or(|count| *count <= 1)
            && self.places(base).any(|(before, after)| !is_part(before) && ends_name(after))
    }

    /// The bytes before and after each place where a word stands.
    fn places<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (Option<&'a u8>, Option<&'a u8>)> {
        let bytes = self.flat.as_bytes();
        let finder = memchr::memmem::find_iter(bytes, word.as_bytes());
        finder.map(move |at| (at.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(at + word.len())))
    }
}

/// The last part of a path.
pub(super) fn base_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn contains(text: &str, wanted: &str) -> bool {
    !wanted.is_empty() && Finder::new(wanted).find(text.as_bytes()).is_some()
}

fn squeeze(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(word);
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_inside_the_summary_will_be_known() {
        let known =
            Known::summary("<analysis>ran make check</analysis>\n<summary>\nran  make   lint\n</summary>");
        assert!(known.has_command("make lint"));
        assert!(!known.has_command("make check"));
    }

    #[test]
    fn a_file_is_known_by_its_name_only_where_no_other_has_it() {
        let known = Known::summary("we changed main.rs and api/mod.rs");
        let names = HashMap::from([("main.rs", 1), ("mod.rs", 2)]);
        assert!(known.has_file("src/main.rs", &names));
        assert!(known.has_file("src/api/mod.rs", &names));
        assert!(!known.has_file("src/db/mod.rs", &names));
        assert!(!known.has_file("src/domain.rs", &names), "a part of another word");
    }

    #[test]
    fn sentences_count_by_their_beginning_and_words_as_words() {
        let known = Known::summary("The user said: Never touch\nthe public API. parse_line stays.");
        assert!(known.has_sentence("never touch the public api."));
        assert!(!known.has_sentence("always touch the public api."));
        assert!(known.has_word("parse_line"));
        assert!(!known.has_word("parse_lin"));
    }
}
