//! Focus: which words belong to what was asked, and whether the newest calls have to do with it.

use throughline_domain::stretch::Stretch;

use crate::head;
use crate::noise::print;

const FOCUS_MAX: usize = 160;
/// Words of one request; a long one is about everything it names.
const REQUEST_WORDS_MAX: usize = 100;
const REQUEST_BYTES_MAX: usize = 4_000;
/// Words are the same when they begin alike: `checkpoint`, `checkpoints`, `checkpointing`.
const STEM_CHARS: usize = 6;
const WORD_CHARS_MIN: usize = 4;
/// Names of folders further up are those of the machine.
const PATH_PARTS: usize = 3;

/// Words that are in every request and in every path.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "that", "this", "with", "from", "have", "please", "should", "would", "could", "when", "then", "also",
    "into", "need", "want", "there", "what", "which", "where", "make", "like", "just", "some", "more",
    "home", "users", "repo", "file", "files", "code", "line", "lines", "null", "head", "tail", "echo", "grep",
    "find", "true", "name", "type",
];

/// The user asks for something: the agent has to find its way anew.
pub(crate) fn requested(stretch: &mut Stretch, text: &str) {
    stretch.focus.clear();
    (stretch.is_under_way, stretch.off, stretch.directed) = (false, 0, 0);
    for word in words(head(text, REQUEST_BYTES_MAX)).take(REQUEST_WORDS_MAX) {
        add(stretch, word);
    }
}

/// Something else belongs to the request.
pub(crate) fn widened(stretch: &mut Stretch, text: &str) {
    for word in words(head(text, 400)) {
        add(stretch, word);
    }
}

/// A file was changed: that is what the work is about now.
pub(crate) fn changed(stretch: &mut Stretch, path: &str) {
    let path = end_of(path);
    if stretch.is_under_way {
        let is_off = !touches(stretch, &[path]);
        stretch.direct(is_off);
    }
    stretch.is_under_way = true;
    widened(stretch, path);
}

/// Something was looked at or run.
pub(crate) fn looked(stretch: &mut Stretch, texts: &[&str]) {
    if stretch.is_under_way {
        let is_off = !touches(stretch, texts);
        stretch.direct(is_off);
    }
}

/// The last parts of a path.
pub(crate) fn end_of(path: &str) -> &str {
    let from = path.rmatch_indices(['/', '\\']).nth(PATH_PARTS - 1).map_or(0, |(at, _)| at + 1);
    &path[from..]
}

/// Whether a text has a word of the request; one without words is no sign of anything else.
fn touches(stretch: &Stretch, texts: &[&str]) -> bool {
    let mut words = texts.iter().flat_map(|text| words(text)).peekable();
    words.peek().is_none() || words.any(|word| stretch.focus.contains(&word))
}

fn add(stretch: &mut Stretch, word: u32) {
    if stretch.focus.contains(&word) {
        return;
    }
    if stretch.focus.len() >= FOCUS_MAX {
        stretch.focus.remove(0);
    }
    stretch.focus.push(word);
}

/// Fingerprints of a text's words: also of the parts of `camelCase` and `snake_case`.
fn words(text: &str) -> impl Iterator<Item = u32> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(humps).filter_map(|word| {
        let stem: String = word.chars().take(STEM_CHARS).flat_map(char::to_lowercase).collect();
        let is_word = stem.chars().count() >= WORD_CHARS_MIN && !COMMON.contains(&stem.as_str());
        is_word.then(|| print(stem.as_bytes()))
    })
}

/// `parseLine` is `parse` and `Line`.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut was_lower = false;
        let end = rest.char_indices().find_map(|(at, c)| {
            let is_hump = was_lower && c.is_uppercase();
            was_lower = c.is_lowercase();
            is_hump.then_some(at)
        });
        let (hump, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(hump)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(request: &str) -> Stretch {
        let mut stretch = Stretch::default();
        requested(&mut stretch, request);
        stretch
    }

    #[test]
    fn words_are_known_again_however_they_are_written() {
        let stretch = stretch("Please make the checkpoints of a session faster");
        for text in ["parseCheckpoint", "src/checkpoint_test.go", "SESSIONS", "a-session-b"] {
            assert!(touches(&stretch, &[text]), "{text}");
        }
        for text in ["src/parser.rs", "that file"] {
            assert_eq!(touches(&stretch, &[text]), text == "that file", "{text}");
        }
        assert!(touches(&stretch, &["1.5 e.g. x"]), "no word is no sign of anything else");
    }

    #[test]
    fn only_the_end_of_a_path_is_about_the_work() {
        assert_eq!(end_of("/home/dev/repo/src/a/b.rs"), "src/a/b.rs");
        assert_eq!(end_of("b.rs"), "b.rs");
    }

    #[test]
    fn finding_the_way_is_no_drift_and_what_was_changed_is_the_work() {
        let mut stretch = stretch("Fix the login of the importer");
        for _ in 0..20 {
            looked(&mut stretch, &["web/unrelated.ts"]);
        }
        assert_eq!(stretch.directed, 0);
        changed(&mut stretch, "/r/auth/token.go");
        looked(&mut stretch, &["/r/auth/other.go"]);
        looked(&mut stretch, &["docs/billing.md"]);
        assert_eq!((stretch.off, stretch.directed), (0b01, 2));
        requested(&mut stretch, "Now write the billing page");
        assert_eq!((stretch.off, stretch.directed, stretch.is_under_way), (0, 0, false));
    }
}
