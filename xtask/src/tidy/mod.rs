//! Tidy: the rules that no compiler knows, run over the whole tree. Each check is a module and a row in [`CHECKS`].

mod agent_seam;
mod banned_words;
mod blobs;
mod crate_edges;
mod finding;
mod lint_config;
mod lint_reasons;
mod machine_paths;
mod migrations;
mod module_docs;
mod module_edges;
mod module_files;
mod named_paths;
mod named_tests;
mod ratchet;
mod read_limits;
mod room_table;
mod rust_source;
mod sizes;
mod tree;

use std::path::Path;

use crate::{Outcome, say, say_err};
use finding::Finding;
use tree::Tree;

/// What a check found, and which part of its work it could not do.
#[derive(Debug, Default)]
struct Report {
    findings: Vec<Finding>,
    skipped: Vec<String>,
}

type Check = fn(&Tree, &mut Report);

const CHECKS: &[(&str, Check)] = &[
    ("crate edges", crate_edges::check),
    ("module edges", module_edges::check),
    ("agent seam", agent_seam::check),
    ("sizes", sizes::check),
    ("module docs", module_docs::check),
    ("named paths", named_paths::check),
    ("named tests", named_tests::check),
    ("read limits", read_limits::check),
    ("banned words", banned_words::check),
    ("blobs", blobs::check),
    ("migrations", migrations::check),
    ("module files", module_files::check),
    ("machine paths", machine_paths::check),
    ("lint reasons", lint_reasons::check),
    ("lint config", lint_config::check),
];

/// `cargo xtask tidy [--bless-migrations]`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome, String> {
    match arguments {
        [] => {}
        [flag] if flag == "--bless-migrations" => {
            let blessed = migrations::bless(root, &Tree::read(root)?)?;
            say(&format!("tidy: {blessed} new migration(s) signed in {}", migrations::signature_files()));
        }
        _ => return Err("usage: cargo xtask tidy [--bless-migrations]".to_owned()),
    }
    let tree = Tree::read(root)?;
    let report = inspect(&tree);
    for finding in &report.findings {
        say(&finding.to_string());
    }
    for skipped in &report.skipped {
        say_err(&format!("tidy: skipped: {skipped}"));
    }
    if report.findings.is_empty() {
        say(&summary(&tree));
        Ok(Outcome::Good)
    } else {
        say_err(&format!("tidy: {} finding(s); {}", report.findings.len(), sizes::spread(&tree)));
        Ok(Outcome::Bad)
    }
}

fn inspect(tree: &Tree) -> Report {
    let mut report = Report::default();
    for (_, check) in CHECKS {
        check(tree, &mut report);
    }
    report.findings.sort();
    report.findings.dedup();
    report
}

fn summary(tree: &Tree) -> String {
    format!("tidy: {} checks, {} files, no finding; {}", CHECKS.len(), tree.files.len(), sizes::spread(tree))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_tidy() {
        let tree = Tree::read(&crate::repository_root()).unwrap();
        let findings: Vec<String> = inspect(&tree).findings.iter().map(Finding::to_string).collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    #[test]
    fn every_check_is_run() {
        let broken = Tree::of(&[
            ("ARCHITECTURE.md", "| room | may use |\n|---|---|\n| gone | domain |\n`crates/gone/src`\n"),
            ("clippy.toml", "msrv = \"1\"\n"),
            ("crates/a/clippy.toml", "msrv = \"2\"\n"),
            ("crates/a/Cargo.toml", "[package]\nname = \"throughline-a\"\n"),
            ("crates/a/src/utils.rs", "#[allow(dead_code)]\nfn a() {}\n"),
            ("crates/store/migrations/0001_first.sql", "select 1;\n"),
            ("notes.txt", &format!("see /{}/x\n", "root")),
            ("big.bin", &"x".repeat(300 << 10)),
            ("THREATS.md", "| x | `crates/a/src/utils.rs` `a_test_that_is_gone` |\n"),
            (
                "crates/throughline/src/hook/a.rs",
                "//! A hook.\nuse crate::commands;\nuse agents::claude_code;\n",
            ),
            ("crates/a/src/read.rs", "//! Reads.\nconst FILE_BYTES_MAX: u64 = 4 << 10;\n"),
            ("long.rs", &format!("//! long\n{}", "fn a() {}\n".repeat(601))),
        ]);
        for (name, check) in CHECKS {
            let mut report = Report::default();
            check(&broken, &mut report);
            assert!(!report.findings.is_empty(), "{name} found nothing in a tree that breaks every rule");
        }
    }
}
