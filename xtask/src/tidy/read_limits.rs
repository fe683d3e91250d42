//! Read limits: a number that bounds what is read from outside stands in the one table for them.

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

const TABLE: &str = "crates/domain/src/limits.rs";

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for (path, file) in &tree.files {
        let is_ours =
            path.starts_with("crates/") && path.contains("/src/") && !path.starts_with("crates/testkit/");
        if !is_ours || path == TABLE {
            continue;
        }
        for (index, line) in file.text.as_deref().unwrap_or_default().lines().enumerate() {
            if let Some(name) = limit_with_a_number(line) {
                let what = format!("`{name}` has a number of its own");
                let remedy = format!("give it a row in {TABLE}, and the constant its value");
                report.findings.push(Finding::new(path.clone(), index + 1, what, remedy));
            }
        }
    }
}

/// The name of a limit that is given a number here. Files and pipes are measured in `u64`; what is cut from a text that
/// was read already, in `usize`.
fn limit_with_a_number(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = match line.strip_prefix("pub") {
        Some(rest) => rest.split_once("const ")?.1,
        None => line.strip_prefix("const ")?,
    };
    let (name, rest) = rest.split_once(": ")?;
    let (kind, value) = rest.split_once(" = ")?;
    let is_limit = name.ends_with("BYTES_MAX") && kind == "u64" || name.ends_with("DEPTH_MAX");
    (is_limit && value.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_table_gives_a_read_limit_its_number() {
        for line in [
            "const FILE_BYTES_MAX: u64 = 4 << 20;",
            "pub const BYTES_MAX: u64 = 12;",
            "    pub(crate) const DEPTH_MAX: usize = 8;",
        ] {
            assert!(limit_with_a_number(line).is_some(), "{line}");
        }
        for line in [
            "const FILE_BYTES_MAX: u64 = throughline_domain::limits::PAGE_BYTES_MAX;",
            "const WORD_BYTES_MAX: usize = 64;",
            "const FILES_MAX: usize = 20;",
            "// const FILE_BYTES_MAX: u64 = 4;",
        ] {
            assert_eq!(limit_with_a_number(line), None, "{line}");
        }
        let line = "const FILE_BYTES_MAX: u64 = 4 << 20;\n";
        let files = [
            ("crates/a/src/lib.rs", line),
            (TABLE, line),
            ("crates/a/tests/it.rs", line),
            ("xtask/src/main.rs", line),
        ];
        let mut report = Report::default();
        check(&Tree::of(&files), &mut report);
        assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    }
}
