//! Module edges: inside the binary hooks, verbs and the status line do not call each other; what they share is below them.

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

/// A folder of the binary, and what its files must not name.
const EDGES: [(&str, &[&str]); 3] = [
    ("crates/throughline/src/commands/", &["crate::hook", "crate::statusline"]),
    ("crates/throughline/src/hook/", &["crate::commands", "crate::statusline"]),
    ("crates/throughline/src/statusline/", &["crate::commands", "crate::hook"]),
];

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for (path, file) in &tree.files {
        let Some((_, barred)) = EDGES.iter().find(|(folder, _)| path.starts_with(folder)) else { continue };
        for (index, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            if let Some(name) = barred.iter().find(|name| names(line, name)) {
                let what = format!("names `{name}`");
                let remedy = "move what both need into `crates/engine`, or beside `main.rs`".to_owned();
                report.findings.push(Finding::new(path.clone(), index + 1, what, remedy));
            }
        }
    }
}

/// Whether a line names a module, and not one whose name only begins so.
fn names(line: &str, module: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    line.match_indices(module).any(|(at, _)| ends(&line[at + module.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_and_verbs_do_not_call_each_other() {
        let files = [
            ("crates/throughline/src/commands/a.rs", "use crate::hook::usual;\n"),
            ("crates/throughline/src/commands/b.rs", "use crate::hooked;\nuse crate::output;\n"),
            ("crates/throughline/src/hook/c.rs", "fn f() { crate::commands::g(); }\n"),
            ("crates/throughline/src/main.rs", "use crate::hook; use crate::commands;\n"),
        ];
        let mut report = Report::default();
        check(&Tree::of(&files), &mut report);
        let found: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
