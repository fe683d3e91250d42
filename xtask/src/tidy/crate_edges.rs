//! Crate edges: who depends on whom in the manifests, against the room table, in both directions.

use std::collections::{BTreeMap, BTreeSet};

use super::Report;
use super::finding::Finding;
use super::room_table::{self, Row};
use super::tree::Tree;

/// The room that only tests may use.
const TEST_ROOM: &str = "testkit";

/// One room's manifest, reduced to the names that it depends on.
#[derive(Debug, Default)]
struct Manifest {
    path: String,
    normal: BTreeSet<String>,
    dev: BTreeSet<String>,
}

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    let Some(page) = tree.text(room_table::PAGE) else {
        let remedy = "write it, with the table `| room | may use |`";
        report.findings.push(Finding::new(room_table::PAGE, 1, "the page is missing", remedy));
        return;
    };
    let Some(rows) = room_table::parse(page) else {
        let remedy = "add a table whose header begins `| room | may use |`";
        report.findings.push(Finding::new(room_table::PAGE, 1, "the room table is missing", remedy));
        return;
    };
    let manifests = manifests(tree, &mut report.findings);
    for (room, manifest) in &manifests {
        check_room(room, manifest, &manifests, &rows, &mut report.findings);
    }
    for row in &rows {
        check_row(row, &manifests, &mut report.findings);
    }
}

fn check_room(
    room: &str,
    manifest: &Manifest,
    rooms: &BTreeMap<String, Manifest>,
    rows: &[Row],
    findings: &mut Vec<Finding>,
) {
    let row = rows.iter().find(|row| row.room == room);
    if row.is_none() && room != "xtask" {
        let what = format!("room `{room}` has no row in the room table");
        findings.push(Finding::new(&manifest.path, 1, what, "add the row to ARCHITECTURE.md"));
        return;
    }
    let may_use = |name: &String| row.is_some_and(|row| row.may_use.contains(name));
    if room != TEST_ROOM && manifest.normal.contains(TEST_ROOM) {
        let what = format!("`{TEST_ROOM}` is a normal dependency");
        findings.push(Finding::new(&manifest.path, 1, what, "move it to [dev-dependencies]"));
    }
    let used = manifest.normal.union(&manifest.dev).filter(|name| rooms.contains_key(*name));
    for name in used.filter(|name| *name != TEST_ROOM && *name != room && !may_use(name)) {
        let what = format!("`{room}` depends on `{name}`, which its row does not allow");
        let remedy = "remove the dependency, or argue for it and add it to the room table in ARCHITECTURE.md";
        findings.push(Finding::new(&manifest.path, 1, what, remedy));
    }
    // A foreign crate that some row names belongs to the rows that name it.
    let owned = |name: &&String| rows.iter().any(|row| row.may_use.contains(name));
    let foreign = manifest.normal.iter().filter(|name| !rooms.contains_key(*name));
    for name in foreign.filter(owned).filter(|name| row.is_some() && !may_use(name)) {
        let what = format!("`{room}` depends on `{name}`, which the room table gives to other rooms only");
        let remedy = "go through the room that owns it, or add it to the row in ARCHITECTURE.md";
        findings.push(Finding::new(&manifest.path, 1, what, remedy));
    }
}

fn check_row(row: &Row, rooms: &BTreeMap<String, Manifest>, findings: &mut Vec<Finding>) {
    let Some(manifest) = rooms.get(&row.room) else {
        let what = format!("the room table names `{}`, which does not exist", row.room);
        findings.push(Finding::new(room_table::PAGE, row.line, what, "remove the row"));
        return;
    };
    for name in row.may_use.iter().filter(|name| !manifest.normal.contains(*name)) {
        let what = format!("the room table lets `{}` use `{name}`, but it does not depend on it", row.room);
        findings.push(Finding::new(room_table::PAGE, row.line, what, "remove the name from the row"));
    }
}

fn manifests(tree: &Tree, findings: &mut Vec<Finding>) -> BTreeMap<String, Manifest> {
    let folders = tree.crate_folders().into_iter().map(|room| (room.to_owned(), format!("crates/{room}")));
    let mut found = BTreeMap::new();
    for (room, folder) in folders.chain([("xtask".to_owned(), "xtask".to_owned())]) {
        let path = format!("{folder}/Cargo.toml");
        let Some(text) = tree.text(&path) else { continue };
        match text.parse::<toml::Table>() {
            Ok(table) => {
                check_package_name(&room, &path, &table, findings);
                found.insert(room, Manifest::read(path, &table));
            }
            Err(error) => {
                let what = format!("could not read the manifest: {}", error.message());
                findings.push(Finding::new(path, 1, what, "correct the TOML"));
            }
        }
    }
    found
}

fn check_package_name(room: &str, path: &str, manifest: &toml::Table, findings: &mut Vec<Finding>) {
    let name = manifest.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str);
    let expected =
        if matches!(room, "throughline" | "xtask") { room.to_owned() } else { format!("throughline-{room}") };
    if name != Some(expected.as_str()) {
        let what = format!("the package in this folder is called `{}`", name.unwrap_or(""));
        findings.push(Finding::new(path, 1, what, format!("call it `{expected}`: folder and package agree")));
    }
}

impl Manifest {
    fn read(path: String, table: &toml::Table) -> Self {
        let mut manifest = Self { path, ..Self::default() };
        manifest.collect(table);
        let targets = table.get("target").and_then(toml::Value::as_table);
        for target in targets.into_iter().flat_map(toml::Table::values).filter_map(toml::Value::as_table) {
            manifest.collect(target);
        }
        manifest
    }

    fn collect(&mut self, table: &toml::Table) {
        for section in ["dependencies", "build-dependencies"] {
            self.normal.extend(dependency_names(table.get(section)));
        }
        self.dev.extend(dependency_names(table.get("dev-dependencies")));
    }
}

/// Names as the table spells them: a room without the `throughline-` in front, a renamed crate by its real name.
fn dependency_names(section: Option<&toml::Value>) -> Vec<String> {
    let Some(section) = section.and_then(toml::Value::as_table) else { return Vec::new() };
    section
        .iter()
        .map(|(key, value)| {
            let package = value.get("package").and_then(toml::Value::as_str).unwrap_or(key);
            package.strip_prefix("throughline-").unwrap_or(package).to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "| room | may use | must not |\n|---|---|---|\n| domain | – | x |\n\
                        | store | domain, rusqlite | x |\n| testkit | domain | x |\n";
    const DOMAIN: &str = "[package]\nname = \"throughline-domain\"\n";
    const STORE: &str = "[package]\nname = \"throughline-store\"\n[dependencies]\n\
                         throughline-domain.workspace = true\nrusqlite = \"1\"\n";
    const TESTKIT: &str =
        "[package]\nname = \"throughline-testkit\"\n[dependencies]\nthroughline-domain.workspace = true\n";

    fn findings(page: &str, domain: &str, store: &str) -> Vec<String> {
        let tree = Tree::of(&[
            ("ARCHITECTURE.md", page),
            ("crates/domain/Cargo.toml", domain),
            ("crates/store/Cargo.toml", store),
            ("crates/testkit/Cargo.toml", TESTKIT),
            ("xtask/Cargo.toml", "[package]\nname = \"xtask\"\n[dependencies]\nrusqlite = \"1\"\n"),
        ]);
        let mut report = Report::default();
        check(&tree, &mut report);
        report.findings.iter().map(Finding::to_string).collect()
    }

    fn check_one(page: &str, domain: &str, store: &str, expected: &str) {
        let found = findings(page, domain, store);
        assert!(found.len() == 1 && found[0].contains(expected), "expected `{expected}`, found {found:#?}");
    }

    #[test]
    fn manifests_that_agree_with_the_table_pass() {
        assert_eq!(findings(PAGE, DOMAIN, STORE), Vec::<String>::new());
    }

    #[test]
    fn an_edge_that_the_table_lacks_fails_however_it_is_spelt() {
        for section in [
            "[dependencies]\nthroughline-store.workspace = true\n",
            "[dependencies]\narchive = { package = \"throughline-store\", path = \"../store\" }\n",
            "[dev-dependencies]\nthroughline-store.workspace = true\n",
            "[target.'cfg(unix)'.dependencies]\nthroughline-store.workspace = true\n",
            "[build-dependencies.throughline-store]\nworkspace = true\n",
        ] {
            check_one(PAGE, &format!("{DOMAIN}{section}"), STORE, "`domain` depends on `store`");
        }
    }

    #[test]
    fn an_edge_of_the_table_that_no_longer_exists_fails() {
        let store = STORE.replace("throughline-domain.workspace = true\n", "");
        check_one(PAGE, DOMAIN, &store, "lets `store` use `domain`");
        check_one(PAGE, DOMAIN, &STORE.replace("rusqlite = \"1\"\n", ""), "lets `store` use `rusqlite`");
    }

    #[test]
    fn a_row_without_a_room_and_a_room_without_a_row_fail() {
        check_one(&format!("{PAGE}| sync | – | x |\n"), DOMAIN, STORE, "names `sync`, which does not exist");
        check_one(&PAGE.replace("| domain | – | x |\n", ""), DOMAIN, STORE, "room `domain` has no row");
    }

    #[test]
    fn a_foreign_crate_belongs_to_the_rows_that_name_it() {
        let domain = format!("{DOMAIN}[dependencies]\nrusqlite = \"1\"\nserde = \"1\"\n");
        check_one(PAGE, &domain, STORE, "`domain` depends on `rusqlite`");
    }

    #[test]
    fn testkit_is_for_tests_only() {
        check_one(
            PAGE,
            DOMAIN,
            &format!("{STORE}throughline-testkit.workspace = true\n"),
            "is a normal dependency",
        );
        let dev = format!("{STORE}[dev-dependencies]\nthroughline-testkit.workspace = true\n");
        assert_eq!(findings(PAGE, DOMAIN, &dev), Vec::<String>::new());
    }

    #[test]
    fn a_missing_page_or_table_and_a_broken_manifest_fail() {
        check_one("# Map\n", DOMAIN, STORE, "the room table is missing");
        let found = findings(PAGE, "[package", STORE);
        assert!(found.iter().any(|line| line.contains("could not read the manifest")), "{found:#?}");
        check_one(PAGE, "[package]\nname = \"nouns\"\n", STORE, "is called `nouns`");
    }
}
