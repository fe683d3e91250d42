//! Named tests: a test that a page names behind a file is in that file.

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

const PAGES: &[&str] = &["THREATS.md", "SECURITY.md"];
/// A test's name has several words; one alone in a code span is something else.
const UNDERSCORES_MIN: usize = 1;

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for page in PAGES {
        let Some(text) = tree.text(page) else { continue };
        for (line, file, test) in named_tests(text) {
            if !tree.text(file).is_some_and(|source| has_word(source, test)) {
                let what = format!("names the test `{test}`, which is not in `{file}`");
                report.findings.push(Finding::new(*page, line, what, "name a test that is there"));
            }
        }
    }
}

/// Code spans that are a test's name, with their lines and the file that was named last on the same line.
fn named_tests(page: &str) -> Vec<(usize, &str, &str)> {
    let mut found = Vec::new();
    for (index, line) in page.lines().enumerate() {
        let mut file = "";
        for span in line.split('`').skip(1).step_by(2) {
            // Source has its ending in small letters here.
            #[expect(clippy::case_sensitive_file_extension_comparisons, reason = "names of this repository")]
            if span.ends_with(".rs") && span.contains('/') {
                file = span;
            } else if is_sentence(span) && !file.is_empty() {
                found.push((index + 1, file, span));
            }
        }
    }
    found
}

fn is_sentence(span: &str) -> bool {
    span.matches('_').count() >= UNDERSCORES_MIN
        && span.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether a name stands in a source as a word of its own: behind `fn`, or as the argument of a macro that makes tests.
fn has_word(source: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    source.match_indices(name).any(|(at, _)| {
        !is_part(source[..at].chars().next_back()) && !is_part(source[at + name.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(page: &str) -> usize {
        let mut report = Report::default();
        let files = [("THREATS.md", page), ("crates/a/tests/it.rs", "#[test]\nfn a_thing_holds() {}\n")];
        check(&Tree::of(&files), &mut report);
        report.findings.len()
    }

    #[test]
    fn a_test_that_is_there_passes_and_one_that_is_not_is_named() {
        assert_eq!(findings("| x | `crates/a/tests/it.rs` `a_thing_holds` |"), 0);
        assert_eq!(findings("| x | `crates/a/tests/it.rs` `a_thing_hold`, `a_thing_holds` |"), 1);
        assert_eq!(findings("| x | `crates/b/tests/it.rs` `a_thing_holds` |"), 1);
    }

    #[test]
    fn other_words_in_code_are_no_tests() {
        assert_eq!(findings("`crates/a/tests/it.rs` `trust` `--dry-run` `THROUGHLINE_HOME_IS`"), 0);
        assert_eq!(findings("`a_thing_breaks` without a file"), 0);
    }
}
