//! Lint reasons: whoever silences a lint says why, in the attribute itself.

use proc_macro2::{TokenStream, TokenTree};

use super::Report;
use super::finding::Finding;
use super::rust_source::{attribute_content, for_each_token};
use super::tree::Tree;

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for (path, source) in tree.rust_sources() {
        for_each_token(&source.tokens, &mut |before, tree| {
            if let Some(content) = attribute_content(before, tree) {
                check_attribute(path, &content, &mut report.findings);
            }
        });
    }
}

/// Looks into `cfg_attr(…)` as well.
fn check_attribute(path: &str, content: &TokenStream, findings: &mut Vec<Finding>) {
    for_each_token(content, &mut |before, tree| {
        let ([.., TokenTree::Ident(name)], TokenTree::Group(lints)) = (before, tree) else { return };
        if (name == "expect" || name == "allow") && !gives_reason(&lints.stream()) {
            let what = format!("`{name}` without a reason");
            let remedy = "write `expect(lint, reason = \"…\")`";
            findings.push(Finding::new(path, name.span().start().line, what, remedy));
        }
    });
}

fn gives_reason(lints: &TokenStream) -> bool {
    let words: Vec<String> = lints.clone().into_iter().map(|tree| tree.to_string()).collect();
    words.windows(3).any(|three| three[0] == "reason" && three[1] == "=" && three[2].len() > "\"\"".len())
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
    fn a_silenced_lint_needs_a_reason_in_every_form() {
        for bad in [
            "#[allow(dead_code)]\nfn f() {}",
            "#![expect(dead_code)]\nfn f() {}",
            "fn f() { #[expect(unused)]\nlet a = 1; }",
            "#[cfg_attr(test, allow(dead_code))]\nfn f() {}",
            "#[expect(dead_code, reason = \"\")]\nfn f() {}",
        ] {
            assert_eq!(findings(bad), 1, "{bad}");
        }
    }

    #[test]
    fn a_reason_or_a_method_of_the_same_name_passes() {
        for good in [
            "#[expect(dead_code, reason = \"used on macOS\")]\nfn f() {}",
            "#![cfg_attr(test, allow(dead_code, reason = \"shared\"))]",
            "fn f() { a.expect(\"why\"); allow(1); }",
        ] {
            assert_eq!(findings(good), 0, "{good}");
        }
    }
}
