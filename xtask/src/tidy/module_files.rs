//! Module files: a file that no `mod` line names is never compiled, and a test in it never runs.

use std::collections::BTreeSet;

use proc_macro2::TokenTree;

use super::Report;
use super::finding::Finding;
use super::rust_source::{RustSource, for_each_token};
use super::tree::Tree;

/// Roots and module files: they declare, nobody declares them by their own name.
const ROOTS: &[&str] = &["main", "lib", "mod", "build"];

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for (path, _) in tree.rust_sources() {
        let Some(module) = Module::of(path) else { continue };
        let parents = module.parents();
        let declared = parents
            .iter()
            .filter_map(|parent| tree.files.get(parent)?.rust.as_ref()?.as_ref().ok())
            .any(|source| declared_modules(source).contains(module.name));
        if !declared {
            let what = format!("no parent module declares `mod {};`", module.name);
            report.findings.push(Finding::new(path, 1, what, "declare it, or delete the file"));
        }
    }
}

struct Module<'a> {
    folder: &'a str,
    name: &'a str,
}

impl<'a> Module<'a> {
    /// The module that a file under `src/` or `tests/it/` is; `None` for a root.
    fn of(path: &'a str) -> Option<Self> {
        let is_inside = path.contains("/src/") && !path.contains("/src/bin/") || path.contains("/tests/it/");
        let (folder, file) = path.rsplit_once('/').filter(|_| is_inside)?;
        let name = file.strip_suffix(".rs")?;
        if name == "mod" {
            let (folder, name) = folder.rsplit_once('/')?;
            return Some(Self { folder, name });
        }
        (!ROOTS.contains(&name)).then_some(Self { folder, name })
    }

    fn parents(&self) -> Vec<String> {
        let beside = ["mod", "main", "lib"].map(|name| format!("{}/{name}.rs", self.folder));
        beside.into_iter().chain([format!("{}.rs", self.folder)]).collect()
    }
}

fn declared_modules(source: &RustSource) -> BTreeSet<String> {
    let mut declared = BTreeSet::new();
    for_each_token(&source.tokens, &mut |before, tree| {
        if let ([.., TokenTree::Ident(keyword)], TokenTree::Ident(name)) = (before, tree)
            && keyword == "mod"
        {
            declared.insert(name.to_string());
        }
        // `#[path = "save_tests.rs"]` gives the module another file.
        if let ([.., TokenTree::Ident(key), TokenTree::Punct(_)], TokenTree::Literal(file)) = (before, tree)
            && key == "path"
        {
            let file = file.to_string();
            declared.extend(file.trim_matches('"').strip_suffix(".rs").map(str::to_owned));
        }
    });
    declared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let mut report = Report::default();
        check(&Tree::of(files), &mut report);
        report.findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_test_file_that_main_does_not_declare_fails() {
        let main = ("crates/a/tests/it/main.rs", "mod save;");
        let save = ("crates/a/tests/it/save.rs", "");
        assert_eq!(findings(&[main, save]), Vec::<String>::new());
        let found = findings(&[main, save, ("crates/a/tests/it/load.rs", "// mod load;")]);
        assert!(found.len() == 1 && found[0].contains("load.rs:1: no parent module declares"), "{found:?}");
    }

    #[test]
    fn source_files_and_folders_of_modules_are_found_in_both_layouts() {
        let good = [
            ("crates/a/src/lib.rs", "mod one; mod two; #[path = \"two_tests.rs\"] mod tests;"),
            ("crates/a/src/two_tests.rs", ""),
            ("crates/a/src/one.rs", "mod inner;"),
            ("crates/a/src/one/inner.rs", ""),
            ("crates/a/src/two/mod.rs", "pub(crate) mod deep;"),
            ("crates/a/src/two/deep.rs", ""),
            ("crates/a/src/bin/tool.rs", ""),
            ("crates/a/benches/cost.rs", ""),
        ];
        assert_eq!(findings(&good), Vec::<String>::new());
        let lost =
            [good[0], good[2], good[4], good[5], ("crates/a/src/one/lost.rs", ""), ("xtask/src/lost.rs", "")];
        assert_eq!(findings(&lost).len(), 2);
    }
}
