//! Module docs: every Rust file opens with a `//!` line that says which step it is.

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

const REMEDY: &str = "open with one `//!` line that says which step of the work this file is";

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for (path, file) in &tree.files {
        if let Some(Err(reason)) = &file.rust {
            report.findings.push(Finding::new(
                path,
                1,
                format!("could not lex: {reason}"),
                "make it compile",
            ));
        }
        let Some(text) = file.text.as_deref().filter(|_| file.rust.is_some()) else { continue };
        let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
        let says = first.strip_prefix("//!").map(str::trim);
        if says.is_none_or(str::is_empty) {
            report.findings.push(Finding::new(path, 1, "the file does not say what it is", REMEDY));
        } else if says.is_some_and(|says| says.eq_ignore_ascii_case("placeholder")) {
            report.findings.push(Finding::new(path, 1, "the first line is a placeholder", REMEDY));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> usize {
        let mut report = Report::default();
        check(&Tree::of(&[("a.rs", text)]), &mut report);
        report.findings.len()
    }

    #[test]
    fn the_first_line_says_what_the_file_is() {
        assert_eq!(findings("//! Budget: chooses what fits.\n"), 0);
        for bad in
            ["", "use std::fs;\n", "// plain\n", "//!\n", "\n//! late\n", "//! placeholder\n", "//! a\nfn ("]
        {
            assert_eq!(findings(bad), 1, "{bad:?}");
        }
    }
}
