//! Sizes: how long files and functions may be. Blank lines and comments are free: explaining costs nothing.

use syn::visit::{self, Visit};

use super::Report;
use super::finding::Finding;
use super::ratchet::{Measure, Ratchet};
use super::rust_source::RustSource;
use super::tree::Tree;

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;
const TEST_FUNCTION_LINES_MAX: usize = 100;

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    let mut measures = Vec::new();
    for (path, source) in tree.rust_sources() {
        measures.push(Measure {
            path: path.to_owned(),
            line: 1,
            name: None,
            lines: source.code_line_count(),
            limit: FILE_LINES_MAX,
        });
        match functions(path, source) {
            Ok(functions) => measures.extend(functions),
            Err(error) => report.findings.push(Finding::new(
                path,
                error.span().start().line,
                format!("could not parse: {error}"),
                "make it compile",
            )),
        }
    }
    let ratchet = Ratchet::read(tree, report);
    ratchet.judge(&measures, &mut report.findings);
}

/// `code lines a file: median 80, p90 200, max 300`: the shape of the tree in one line.
pub(crate) fn spread(tree: &Tree) -> String {
    let mut counts: Vec<usize> = tree.rust_sources().map(|(_, source)| source.code_line_count()).collect();
    counts.sort_unstable();
    let Some(&max) = counts.last() else { return "no Rust file".to_owned() };
    let at = |percent: usize| counts[(counts.len() - 1) * percent / 100];
    format!("code lines a file: median {}, p90 {}, max {max}", at(50), at(90))
}

fn functions(path: &str, source: &RustSource) -> syn::Result<Vec<Measure>> {
    let file: syn::File = syn::parse2(source.tokens.clone())?;
    let in_tests = path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs");
    let mut found = Functions { path, source, in_tests, measures: Vec::new() };
    found.visit_file(&file);
    Ok(found.measures)
}

struct Functions<'a> {
    path: &'a str,
    source: &'a RustSource,
    in_tests: bool,
    measures: Vec<Measure>,
}

impl Functions<'_> {
    fn measure(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        let is_test = self.in_tests || attributes.iter().any(|attribute| attribute.path().is_ident("test"));
        let braces = block.brace_token.span;
        let lines = self.source.code_lines_between(braces.open().start().line, braces.close().end().line);
        self.measures.push(Measure {
            path: self.path.to_owned(),
            line: signature.ident.span().start().line,
            name: Some(signature.ident.to_string()),
            lines,
            limit: if is_test { TEST_FUNCTION_LINES_MAX } else { FUNCTION_LINES_MAX },
        });
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let outside = self.in_tests;
        self.in_tests |= module.attrs.iter().any(is_cfg_test);
        visit::visit_item_mod(self, module);
        self.in_tests = outside;
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.attrs, &function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.attrs, &function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.attrs, &function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

fn is_cfg_test(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::ratchet;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let mut report = Report::default();
        check(&Tree::of(files), &mut report);
        report.findings.iter().map(Finding::to_string).collect()
    }

    fn function(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    work();\n\n    // free\n".repeat(lines))
    }

    #[test]
    fn a_file_may_have_600_lines_of_code_and_not_601() {
        let file = |lines: usize| format!("//! x\n{}", "fn a() {}\n\n// free\n".repeat(lines));
        assert_eq!(findings(&[("a.rs", &file(600))]), Vec::<String>::new());
        let found = findings(&[("a.rs", &file(601))]);
        assert!(found[0].starts_with("a.rs:1: the file has 601 lines of code, limit 600"), "{found:?}");
    }

    #[test]
    fn a_function_may_have_70_lines_of_code_and_not_71_wherever_it_hides() {
        assert_eq!(findings(&[("a.rs", &function(70))]), Vec::<String>::new());
        for hidden in [
            function(71),
            format!("mod m {{\n{}}}\n", function(71)),
            format!("impl A {{\n{}}}\n", function(71)),
            format!("trait A {{\n{}}}\n", function(71)),
            format!("fn outer() {{\n{}}}\n", function(71)).replace("fn outer", "#[test]\nfn outer"),
        ] {
            let found = findings(&[("a.rs", &hidden)]);
            assert!(
                found.len() == 1 && found[0].contains("`long` has 71 lines of code, limit 70"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_test_may_have_100_lines() {
        for (path, wrapped) in [
            ("a.rs", |body: &str| format!("#[test]\n{body}")),
            ("a.rs", |body: &str| format!("#[cfg(test)]\nmod tests {{\n{body}}}\n")),
            ("crates/a/tests/it/main.rs", str::to_owned as fn(&str) -> String),
            ("crates/a/src/tests.rs", str::to_owned),
        ] as [(&str, fn(&str) -> String); 4]
        {
            assert_eq!(findings(&[(path, &wrapped(&function(100)))]), Vec::<String>::new());
            assert_eq!(findings(&[(path, &wrapped(&function(101)))]).len(), 1, "{path}");
        }
    }

    #[test]
    fn the_ratchet_list_excuses_exactly_what_it_names() {
        let excused = [("a.rs", &*function(80)), (ratchet::LIST, "80 a.rs long\n")];
        assert_eq!(findings(&excused), Vec::<String>::new());
        let elsewhere = [("b.rs", &*function(80)), (ratchet::LIST, "80 a.rs long\n")];
        assert_eq!(findings(&elsewhere).len(), 2, "the long function, and the entry without a use");
    }

    #[test]
    fn the_spread_names_median_p90_and_max() {
        let files: Vec<(String, String)> =
            (1..=10).map(|n| (format!("f{n:02}.rs"), "fn a() {}\n".repeat(n))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
        assert_eq!(spread(&Tree::of(&files)), "code lines a file: median 5, p90 9, max 10");
    }
}
