//! Banned words: names that say nothing, marks of unfinished work, and test attributes that hide a failure.

use proc_macro2::{Ident, TokenStream, TokenTree};

use super::Report;
use super::finding::Finding;
use super::rust_source::{RustSource, attribute_content, for_each_token};
use super::tree::Tree;

/// Parts of a name, and what to write in their place.
const NAMES: &[(&str, &str)] = &[
    ("utils", "name the thing that the code works on"),
    ("helpers", "name what they help to do, or put them under their only caller"),
    ("misc", "give each part a home of its own"),
    ("manager", "say what it does: store, lock, queue, index"),
];

/// Marks in comments.
const MARKS: &[&str] = &["TODO", "FIXME", "XXX"];
const MARK_REMEDY: &str = "do it now, or open an issue and delete the mark";

/// Attributes that keep a test from telling the truth.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("ignore", "delete the test or make it quick; slow trials belong behind an xtask verb"),
    ("should_panic", "assert on the returned error"),
];

/// Files without a lexer of ours: the whole text is searched for marks.
const PLAIN_EXTENSIONS: &[&str] = &["toml", "sh", "sql", "yml", "yaml", "py", "js", "ts"];

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    let findings = &mut report.findings;
    for path in tree.files.keys().filter(|path| !path.contains("/fixtures/")) {
        check_path(path, findings);
    }
    for (path, source) in tree.rust_sources() {
        check_rust(path, source, findings);
    }
    for (path, text) in tree.texts().filter(|(path, _)| is_plain_source(path)) {
        for (index, line) in text.lines().enumerate() {
            check_marks(path, index + 1, line, findings);
        }
    }
}

fn check_path(path: &str, findings: &mut Vec<Finding>) {
    for (word, remedy) in NAMES {
        if path.split(['/', '_', '-', '.']).any(|part| part.eq_ignore_ascii_case(word)) {
            findings.push(Finding::new(path, 1, format!("`{word}` in a file name"), *remedy));
        }
    }
}

fn check_rust(path: &str, source: &RustSource, findings: &mut Vec<Finding>) {
    for (line, comment) in &source.comments {
        check_marks(path, *line, comment, findings);
    }
    for_each_token(&source.tokens, &mut |before, tree| {
        if let Some(content) = attribute_content(before, tree) {
            check_attribute(path, &content, findings);
        }
        match (before, tree) {
            ([.., TokenTree::Ident(name)], TokenTree::Punct(bang))
                if bang.as_char() == '!' && name == "dbg" =>
            {
                let line = name.span().start().line;
                findings.push(Finding::new(path, line, "`dbg!` left behind", "delete it"));
            }
            (_, TokenTree::Ident(name)) => check_name(path, name, findings),
            _ => {}
        }
    });
}

fn check_name(path: &str, name: &Ident, findings: &mut Vec<Finding>) {
    let spelt = name.to_string();
    for (word, remedy) in NAMES {
        if name_parts(&spelt).iter().any(|part| part == word) {
            let what = format!("`{word}` in the name `{spelt}`");
            findings.push(Finding::new(path, name.span().start().line, what, *remedy));
        }
    }
}

/// `SessionManager` and `session_manager` → session, manager.
fn name_parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut after_lower = false;
    for character in name.chars() {
        let starts_part = character == '_' || (character.is_uppercase() && after_lower);
        if starts_part {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| character != '_') {
            part.extend(character.to_lowercase());
        }
        after_lower = character.is_lowercase();
    }
    parts
}

fn check_attribute(path: &str, content: &TokenStream, findings: &mut Vec<Finding>) {
    let mut idents: Vec<Ident> = Vec::new();
    for_each_token(content, &mut |_, tree| {
        if let TokenTree::Ident(ident) = tree {
            idents.push(ident.clone());
        }
    });
    // `cfg_attr(condition, ignore)` hides the attribute behind a condition; elsewhere only the first word counts.
    let looked_at = if idents.first().is_some_and(|first| first == "cfg_attr") { idents.len() } else { 1 };
    for ident in idents.iter().take(looked_at) {
        for (name, remedy) in ATTRIBUTES.iter().filter(|(name, _)| ident == name) {
            let what = format!("`#[{name}]` on a test");
            findings.push(Finding::new(path, ident.span().start().line, what, *remedy));
        }
    }
}

fn check_marks(path: &str, line: usize, text: &str, findings: &mut Vec<Finding>) {
    for mark in MARKS {
        if text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *mark) {
            findings.push(Finding::new(path, line, format!("`{mark}` left behind"), MARK_REMEDY));
        }
    }
}

fn is_plain_source(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, extension)) => PLAIN_EXTENSIONS.contains(&extension) && !path.contains("/fixtures/"),
        None => path.starts_with("scripts/") || path.starts_with(".ci/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        let mut report = Report::default();
        check(&Tree::of(&[(path, text)]), &mut report);
        report.findings.iter().map(Finding::to_string).collect()
    }

    fn check_found(path: &str, text: &str, expected: &str) {
        let found = findings(path, text);
        assert!(found.len() == 1 && found[0].contains(expected), "{path} {text:?}: {found:#?}");
    }

    #[test]
    fn a_name_that_says_nothing_fails_in_every_spelling() {
        check_found("a.rs", "mod utils {}", "`utils` in the name `utils`");
        check_found("a.rs", "struct SessionManager;", "`manager` in the name `SessionManager`");
        check_found("a.rs", "fn f() { let path_helpers = 1; }", "`helpers`");
        check_found("a.rs", "const MISC: u8 = 1;", "`misc`");
        check_found("crates/a/src/utils.rs", "", "`utils` in a file name");
        check_found("crates/a/test-helpers/b.txt", "", "`helpers` in a file name");
    }

    #[test]
    fn words_in_strings_and_longer_words_pass() {
        let text =
            "fn permission() -> &'static str { \"utils manager TODO dbg! #[ignore]\" } // a manager decides";
        assert_eq!(findings("a.rs", text), Vec::<String>::new());
        assert_eq!(findings("a.rs", "fn commands_miscounted(utilities: u8) {}"), Vec::<String>::new());
        assert_eq!(findings("crates/a/tests/fixtures/utils.json", ""), Vec::<String>::new());
    }

    #[test]
    fn marks_of_unfinished_work_fail_in_comments_and_plain_files() {
        check_found("a.rs", "fn f() {} // TODO: later\n", "a.rs:1: `TODO` left behind");
        check_found("a.rs", "\n/// FIXME\nfn f() {}\n", "a.rs:2: `FIXME`");
        check_found("a.rs", "/* one\n XXX */\nfn f() {}\n", "a.rs:2: `XXX`");
        check_found("scripts/test", "# TODO\n", "`TODO`");
        check_found("x.sql", "-- TODO\n", "`TODO`");
        assert_eq!(findings("scripts/test", "mktemp -d /tmp/x.XXXXXX\n"), Vec::<String>::new());
        assert_eq!(findings("STYLE.md", "No TODO.\n"), Vec::<String>::new());
    }

    #[test]
    fn a_forgotten_print_and_dishonest_test_attributes_fail() {
        check_found("a.rs", "fn f() { dbg!(1); }", "`dbg!`");
        check_found("a.rs", "#[test]\n#[ignore]\nfn f() {}", "a.rs:2: `#[ignore]`");
        check_found("a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}", "`#[ignore]`");
        check_found("a.rs", "mod t { #[should_panic(expected = \"x\")]\nfn f() {} }", "`#[should_panic]`");
        check_found("a.rs", "#[cfg_attr(unix, ignore)]\nfn f() {}", "`#[ignore]`");
        assert_eq!(findings("a.rs", "#[serde(ignore)]\nstruct A;"), Vec::<String>::new());
    }
}
