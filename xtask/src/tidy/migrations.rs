//! Migrations: a migration that has been signed never changes; users' databases have already run it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

/// Where schemas live: the archive's on each machine, the fleet's on a server.
const FOLDERS: [&str; 2] = ["crates/store/migrations", "crates/fleet/migrations"];
/// In each of them, lines of `NNNN_name.sql <hash>`, oldest first.
const CHECKSUMS: &str = "CHECKSUMS";
const BLESS: &str = "run `cargo xtask tidy --bless-migrations`";

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for folder in FOLDERS {
        if tree.has(folder) {
            Folder { path: folder, tree }.check(report);
        } else {
            report.skipped.push(format!("migrations: there is no {folder}"));
        }
    }
}

/// Signs migrations that have no line yet. Refuses while a signed one differs: a signature is never replaced.
pub(crate) fn bless(root: &Path, tree: &Tree) -> Result<usize, String> {
    let mut signed = 0;
    for folder in FOLDERS {
        signed += Folder { path: folder, tree }.bless(root)?;
    }
    Ok(signed)
}

/// Where the signatures are.
pub(crate) fn signature_files() -> String {
    FOLDERS.map(|folder| format!("{folder}/{CHECKSUMS}")).join(", ")
}

/// One folder of migrations.
struct Folder<'t> {
    path: &'static str,
    tree: &'t Tree,
}

impl<'t> Folder<'t> {
    fn check(&self, report: &mut Report) {
        let migrations = self.migrations();
        let signed = self.signed(&mut report.findings);
        report.findings.extend(self.broken_promises(&migrations, &signed));
        for name in migrations.keys().filter(|name| !signed.contains_key(*name)) {
            report.findings.push(Finding::new(self.file(name), 1, "not signed yet", BLESS));
        }
        self.check_numbers(&migrations, &mut report.findings);
    }

    fn bless(&self, root: &Path) -> Result<usize, String> {
        let migrations = self.migrations();
        let mut findings = Vec::new();
        let signed = self.signed(&mut findings);
        findings.extend(self.broken_promises(&migrations, &signed));
        if let Some(first) = findings.first() {
            return Err(format!("nothing was signed: {first}"));
        }
        let checksums = self.file(CHECKSUMS);
        let mut text = self.tree.text(&checksums).unwrap_or_default().to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let new: Vec<_> = migrations.iter().filter(|(name, _)| !signed.contains_key(**name)).collect();
        for (name, content) in &new {
            let _ = writeln!(text, "{name} {}", hash(content));
        }
        if !new.is_empty() {
            std::fs::write(root.join(&checksums), text)
                .map_err(|error| format!("could not write {checksums}: {error}"))?;
        }
        Ok(new.len())
    }

    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    fn migrations(&self) -> BTreeMap<&'t str, &'t str> {
        self.tree
            .texts()
            .filter_map(|(path, text)| Some((path.strip_prefix(self.path)?.strip_prefix('/')?, text)))
            .filter(|(name, _)| Path::new(name).extension() == Some("sql".as_ref()))
            .collect()
    }

    fn signed(&self, findings: &mut Vec<Finding>) -> BTreeMap<&'t str, (usize, &'t str)> {
        let mut signed = BTreeMap::new();
        let checksums = self.file(CHECKSUMS);
        for (index, line) in self.tree.text(&checksums).unwrap_or_default().lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_new = match words.as_slice() {
                [name, hash] => signed.insert(*name, (index + 1, *hash)).is_none(),
                _ => false,
            };
            if !is_new {
                let remedy = "restore the file from git; only --bless-migrations adds lines";
                let what = "not a signature, or a second one";
                findings.push(Finding::new(checksums.as_str(), index + 1, what, remedy));
            }
        }
        signed
    }

    fn broken_promises(
        &self,
        migrations: &BTreeMap<&str, &str>,
        signed: &BTreeMap<&str, (usize, &str)>,
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (name, (line, expected)) in signed {
            match migrations.get(name) {
                None => {
                    let what = format!("the signed migration {name} is gone");
                    let remedy = "restore it; databases have run it";
                    findings.push(Finding::new(self.file(CHECKSUMS), *line, what, remedy));
                }
                Some(content) if hash(content) != *expected => findings.push(Finding::new(
                    self.file(name),
                    1,
                    "a signed migration was edited",
                    "restore it and write the change as a new migration",
                )),
                Some(_) => {}
            }
        }
        findings
    }

    /// `0001_…`, `0002_…`: no number twice, none left out, so that the number is the schema version.
    fn check_numbers(&self, migrations: &BTreeMap<&str, &str>, findings: &mut Vec<Finding>) {
        for (index, name) in migrations.keys().enumerate() {
            let expected = format!("{:04}_", index + 1);
            if !name.starts_with(&expected) {
                let what = format!("expected a name that begins `{expected}`");
                let remedy = "number migrations without a gap";
                findings.push(Finding::new(self.file(name), 1, what, remedy));
                return;
            }
        }
    }
}

/// FNV-1a, 64 bits: it guards against an absent-minded edit, not against an adversary.
fn hash(content: &str) -> String {
    let hash = content.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "crates/store/migrations/0001_first.sql";
    const SECOND: &str = "crates/store/migrations/0002_second.sql";
    const CHECKSUMS: &str = "crates/store/migrations/CHECKSUMS";
    const FLEET: &str = "crates/fleet/migrations/0001_fleet.sql";

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let mut report = Report::default();
        check(&Tree::of(files), &mut report);
        report.findings.iter().map(Finding::to_string).collect()
    }

    fn signature(name: &str, content: &str) -> String {
        format!("{name} {}\n", hash(content))
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_eq!(hash("foobar"), "85944171f73967e8");
    }

    #[test]
    fn a_signed_migration_passes_and_an_edit_of_it_fails() {
        let signed = signature("0001_first.sql", "a");
        assert_eq!(findings(&[(FIRST, "a"), (CHECKSUMS, &signed)]), Vec::<String>::new());
        assert!(findings(&[(FIRST, "b"), (CHECKSUMS, &signed)])[0].contains("was edited"));
        assert!(findings(&[(CHECKSUMS, &signed)])[0].contains("is gone"));
    }

    #[test]
    fn an_unsigned_migration_and_a_second_signature_fail() {
        assert!(findings(&[(FIRST, "a")])[0].contains("not signed yet"));
        let twice = signature("0001_first.sql", "b") + &signature("0001_first.sql", "a");
        assert!(findings(&[(FIRST, "a"), (CHECKSUMS, &twice)])[0].contains("a second one"));
    }

    #[test]
    fn the_schema_of_the_server_is_signed_as_well() {
        assert!(findings(&[(FLEET, "a")])[0].contains("0001_fleet.sql:1: not signed yet"));
        let signed = signature("0001_fleet.sql", "a");
        let edited = [(FLEET, "b"), ("crates/fleet/migrations/CHECKSUMS", signed.as_str())];
        assert!(findings(&edited)[0].contains("was edited"));
    }

    #[test]
    fn numbers_have_no_gap() {
        let signed = signature("0002_second.sql", "a");
        assert!(findings(&[(SECOND, "a"), (CHECKSUMS, &signed)])[0].contains("begins `0001_`"));
    }

    #[test]
    fn a_tree_without_migrations_is_skipped_aloud() {
        let mut report = Report::default();
        check(&Tree::of(&[]), &mut report);
        assert!(report.findings.is_empty() && report.skipped.len() == 2);
    }

    #[test]
    fn blessing_adds_new_lines_and_never_changes_old_ones() {
        let root = std::env::temp_dir().join(format!("tidy-bless-{}", std::process::id()));
        std::fs::create_dir_all(root.join(FOLDERS[0])).unwrap();
        let signed = signature("0001_first.sql", "a");
        let tree = Tree::of(&[(FIRST, "a"), (SECOND, "b"), (CHECKSUMS, &signed)]);
        assert_eq!(bless(&root, &tree), Ok(1));
        let written = std::fs::read_to_string(root.join(CHECKSUMS)).unwrap();
        assert_eq!(written, format!("{signed}{}", signature("0002_second.sql", "b")));

        let edited = Tree::of(&[(FIRST, "changed"), (SECOND, "b"), (CHECKSUMS, &signed)]);
        assert!(bless(&root, &edited).unwrap_err().contains("was edited"));
        assert_eq!(std::fs::read_to_string(root.join(CHECKSUMS)).unwrap(), written);
        std::fs::remove_dir_all(root).unwrap();
    }
}
