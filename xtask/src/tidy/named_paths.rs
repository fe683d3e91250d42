//! Named paths: what the pages name exists, every crate is on the map, and the map stays short.

use super::Report;
use super::finding::Finding;
use super::room_table;
use super::tree::Tree;

const PAGES: &[&str] =
    &[room_table::PAGE, "README.md", "CONTRIBUTING.md", "SECURITY.md", "STYLE.md", "THREATS.md"];
const MAP_LINES_MAX: usize = 150;

/// A word that begins with one of these is taken for a path of this repository.
const ROOTS: &[&str] =
    &["crates/", "scripts/", "xtask/", "fuzz/", "benches/", "docs/", "plugin/", "tests/", ".ci/", ".cargo/"];

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for page in PAGES {
        let Some(text) = tree.text(page) else { continue };
        for (line, path) in named_paths(text) {
            if !tree.has(path) {
                let what = format!("names `{path}`, which does not exist");
                report.findings.push(Finding::new(*page, line, what, "correct or remove the name"));
            }
        }
    }
    let Some(map) = tree.text(room_table::PAGE) else { return };
    let lines = map.lines().count();
    if lines > MAP_LINES_MAX {
        let what = format!("the map has {lines} lines, limit {MAP_LINES_MAX}");
        let remedy = "keep what rarely changes; details belong beside the code";
        report.findings.push(Finding::new(room_table::PAGE, lines, what, remedy));
    }
    for room in tree.crate_folders() {
        let package = format!("`throughline-{room}`");
        if !map.contains(&format!("crates/{room}")) && !map.contains(&package) && !is_first_cell(map, room) {
            let what = format!("crate `{room}` is not on the map");
            report.findings.push(Finding::new(room_table::PAGE, 1, what, format!("name `crates/{room}`")));
        }
    }
}

fn is_first_cell(map: &str, room: &str) -> bool {
    room_table::parse(map).is_some_and(|rows| rows.iter().any(|row| row.room == room))
}

/// Paths in code spans, code blocks and relative links, with their lines.
fn named_paths(page: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (index, line) in page.lines().enumerate() {
        let number = index + 1;
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let code: Vec<&str> =
            if in_block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        let words = code.into_iter().flat_map(str::split_whitespace).filter_map(repository_path);
        found.extend(words.map(|path| (number, path)));
        found.extend(relative_links(line).map(|path| (number, path)));
    }
    found
}

/// `scripts/test,` → `scripts/test`; `crates/<room>/src` → `crates`: what can be checked of the word.
fn repository_path(word: &str) -> Option<&str> {
    let word = word.trim_start_matches(['"', '\'', '(']).trim_start_matches("./");
    if !ROOTS.iter().any(|root| word.starts_with(root)) {
        return None;
    }
    let literal = match word.find(['<', '{', '*', '…', '$']) {
        // Only whole folders before the placeholder are names.
        Some(end) => word[..end].rsplit_once('/').map_or("", |(folder, _)| folder),
        None => word.split([':', '#']).next().unwrap_or_default(),
    };
    let literal = literal.trim_end_matches(['/', ',', '.', ';', ')', '"', '\'']);
    (!literal.is_empty()).then_some(literal)
}

fn relative_links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', ' ', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains(':'))
        .map(|target| target.trim_start_matches("./").trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let mut report = Report::default();
        check(&Tree::of(files), &mut report);
        report.findings.iter().map(Finding::to_string).collect()
    }

    fn missing(page: &str) -> usize {
        findings(&[("README.md", page), ("crates/store/src/lib.rs", ""), ("scripts/test", "")]).len()
    }

    #[test]
    fn a_path_that_exists_passes_as_file_folder_or_pattern() {
        for page in [
            "`crates/store/src/lib.rs` and `crates/store/` and `crates/<room>` and `crates/store/src/{a,b}.rs`",
            "run `scripts/test fast`, see `crates/store/src/lib.rs:12`",
            "```\nscripts/test\n```",
            "[the store](crates/store) [out](https://example.org/a/b) [below](#words)",
            "`src/gone.rs` is no path from the root, and crates/gone is not in backticks",
        ] {
            assert_eq!(missing(page), 0, "{page}");
        }
    }

    #[test]
    fn a_path_that_is_gone_fails_wherever_it_is_named() {
        for page in [
            "see `crates/gone/src`",
            "run `bash scripts/gone fast`",
            "```\n$ scripts/gone\n```",
            "[gone](docs/gone.md)",
            "`crates/gone/*.rs`",
            "`.ci/gone`",
        ] {
            assert_eq!(missing(page), 1, "{page}");
        }
    }

    #[test]
    fn the_map_is_short_and_names_every_crate() {
        let lib = ("crates/store/src/lib.rs", "");
        assert!(findings(&[("ARCHITECTURE.md", "# Map\n"), lib])[0].contains("`store` is not on the map"));
        for map in
            ["`crates/store`\n", "| room | may use |\n|---|---|\n| store | – |\n", "`throughline-store`\n"]
        {
            assert_eq!(findings(&[("ARCHITECTURE.md", map), lib]), Vec::<String>::new());
        }
        assert!(findings(&[("ARCHITECTURE.md", &"x\n".repeat(151))])[0].contains("151 lines, limit 150"));
    }
}
