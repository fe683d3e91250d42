//! Advisories: which known weaknesses concern the packages of our lock files, from a copy of the RustSec database.
//!
//! `cargo xtask advisories <folder>` writes ids, ranges and dates into `xtask/advisories.toml`, none of the texts;
//! `cargo xtask dependencies` compares the lock files with it, without a network, and says how old it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::version_range::is_in;
use crate::{Outcome, say};

const FILE: &str = "xtask/advisories.toml";
/// What is built from this repository.
const LOCKS: [&str; 2] = ["Cargo.lock", "fuzz/Cargo.lock"];
/// From then on a run says that the file is old.
const AGE_DAYS_MAX: u64 = 120;
const SECONDS_A_DAY: u64 = 86_400;

/// What the generated file holds.
#[derive(Debug, Default)]
pub(crate) struct Advisories {
    /// The day of the database.
    database: String,
    /// The packages that were looked up in it.
    looked_up: BTreeSet<String>,
    known: Vec<Advisory>,
}

#[derive(Debug, Clone, Default)]
struct Advisory {
    id: String,
    package: String,
    date: String,
    /// `vulnerability`, or what the database calls it: `unmaintained`, `unsound`, `notice`.
    kind: String,
    patched: Vec<String>,
    unaffected: Vec<String>,
}

impl Advisory {
    fn concerns(&self, version: &str) -> bool {
        !self.patched.iter().chain(&self.unaffected).any(|range| is_in(version, range))
    }
}

/// `cargo xtask advisories <folder>`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome, String> {
    let [folder] = arguments else {
        return Err(
            "name the folder of a copy of the RustSec database (github.com/rustsec/advisory-db)".to_owned()
        );
    };
    let folder = Path::new(folder);
    let wanted: BTreeSet<String> = locked(root)?.into_iter().map(|(name, _)| name).collect();
    let mut known = Vec::new();
    for name in &wanted {
        known.extend(of_package(&folder.join("crates").join(name))?);
    }
    known.sort_by(|one, other| (&one.package, &one.id).cmp(&(&other.package, &other.id)));
    let advisories = Advisories { database: day_of(folder)?, looked_up: wanted, known };
    fs::write(root.join(FILE), text_of(&advisories)).map_err(|error| format!("{FILE}: {error}"))?;
    let (count, packages) = (advisories.known.len(), advisories.looked_up.len());
    say(&format!("{FILE}: {count} advisories for {packages} packages, as of {}", advisories.database));
    Ok(Outcome::Good)
}

/// What is wrong with the lock files, and what is worth a remark, by the generated file.
pub(crate) fn check(root: &Path, ignored: &[String]) -> Result<(Vec<String>, Vec<String>), String> {
    let text = fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    let advisories = read(&text)?;
    let (mut findings, mut remarks) = (Vec::new(), Vec::new());
    for (name, version) in locked(root)? {
        let (bad, told) = judged(&advisories, &name, &version, ignored);
        findings.extend(bad);
        remarks.extend(told);
    }
    let now =
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs() / SECONDS_A_DAY;
    let age = days(&advisories.database).map(|then| now.saturating_sub(then));
    let age = age.ok_or_else(|| format!("{FILE}: `{}` is no day", advisories.database))?;
    let old = if age > AGE_DAYS_MAX { "; it is time for `cargo xtask advisories`" } else { "" };
    remarks.push(format!("advisories as of {}, {age} days ago{old}", advisories.database));
    Ok((findings, remarks))
}

fn judged(
    advisories: &Advisories,
    name: &str,
    version: &str,
    ignored: &[String],
) -> (Vec<String>, Vec<String>) {
    let (mut findings, mut remarks) = (Vec::new(), Vec::new());
    if !advisories.looked_up.contains(name) {
        findings
            .push(format!("{name} {version}: no advisories were looked up; run `cargo xtask advisories`"));
    }
    for known in advisories.known.iter().filter(|known| known.package == name && known.concerns(version)) {
        let told = format!("{name} {version}: {} ({}, {})", known.id, known.kind, known.date);
        let is_weakness = matches!(known.kind.as_str(), "vulnerability" | "unsound");
        if is_weakness && !ignored.contains(&known.id) { &mut findings } else { &mut remarks }.push(told);
    }
    (findings, remarks)
}

/// Names and versions of all packages from a registry in the lock files.
fn locked(root: &Path) -> Result<BTreeSet<(String, String)>, String> {
    let mut all = BTreeSet::new();
    for lock in LOCKS {
        let text = fs::read_to_string(root.join(lock)).map_err(|error| format!("{lock}: {error}"))?;
        let table: toml::Table = text.parse().map_err(|error| format!("{lock}: {error}"))?;
        for package in table.get("package").and_then(toml::Value::as_array).into_iter().flatten() {
            if package.get("source").is_some() {
                all.insert((word(package, "name"), word(package, "version")));
            }
        }
    }
    Ok(all)
}

fn word(value: &toml::Value, key: &str) -> String {
    value.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned()
}

fn words(value: Option<&toml::Value>, key: &str) -> Vec<String> {
    let list = value.and_then(|value| value.get(key)).and_then(toml::Value::as_array);
    list.into_iter().flatten().filter_map(toml::Value::as_str).map(str::to_owned).collect()
}

/// The advisories of one package's folder; those that were withdrawn are none.
fn of_package(folder: &Path) -> Result<Vec<Advisory>, String> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let name = entry.path().display().to_string();
        let text = fs::read_to_string(entry.path()).map_err(|error| format!("{name}: {error}"))?;
        found.extend(advisory(&text).map_err(|error| format!("{name}: {error}"))?);
    }
    Ok(found)
}

/// The facts at the head of an advisory; its text is not looked at.
fn advisory(text: &str) -> Result<Option<Advisory>, String> {
    let head = text.split_once("```toml").and_then(|(_, rest)| rest.split_once("```"));
    let (head, _) = head.ok_or("it has no head")?;
    let table: toml::Table = head.parse().map_err(|error| format!("{error}"))?;
    let about = table.get("advisory").ok_or("it is no advisory")?;
    if about.get("withdrawn").is_some() {
        return Ok(None);
    }
    let kind = Some(word(about, "informational")).filter(|kind| !kind.is_empty());
    Ok(Some(Advisory {
        id: word(about, "id"),
        package: word(about, "package"),
        date: word(about, "date"),
        kind: kind.unwrap_or_else(|| "vulnerability".to_owned()),
        patched: words(table.get("versions"), "patched"),
        unaffected: words(table.get("versions"), "unaffected"),
    }))
}

/// The day of the last change to the database.
fn day_of(folder: &Path) -> Result<String, String> {
    let output = Command::new("git").arg("-C").arg(folder).args(["log", "-1", "--format=%cs"]).output();
    let output = output.map_err(|error| format!("git: {error}"))?;
    let day = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if days(&day).is_some() { Ok(day) } else { Err(format!("{}: git knows no day of it", folder.display())) }
}

/// Days since 1970 of a day written as 2026-08-21.
fn days(day: &str) -> Option<u64> {
    let mut parts = day.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years begin in March, so that the day that comes and goes is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    days.checked_sub(719_468)
}

fn text_of(advisories: &Advisories) -> String {
    let list = |words: &[String]| words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
    let names: Vec<String> = advisories.looked_up.iter().cloned().collect();
    let mut text = format!(
        "# Written by `cargo xtask advisories`: what the RustSec database knows of the packages in our lock files, whether\n\
         # it concerns the versions there or not. Facts alone: ids, days, ranges.\ndatabase = {:?}\nlooked_up = [\n",
        advisories.database
    );
    for line in names.chunks(6) {
        text.push_str(&format!("    {},\n", list(line)));
    }
    text.push_str("]\n");
    for known in &advisories.known {
        text.push_str(&format!(
            "\n[[advisory]]\nid = {:?}\npackage = {:?}\ndate = {:?}\nkind = {:?}\npatched = [{}]\nunaffected = [{}]\n",
            known.id,
            known.package,
            known.date,
            known.kind,
            list(&known.patched),
            list(&known.unaffected)
        ));
    }
    text
}

fn read(text: &str) -> Result<Advisories, String> {
    let table: toml::Table = text.parse().map_err(|error| format!("{FILE}: {error}"))?;
    let table = toml::Value::Table(table);
    let known = table.get("advisory").and_then(toml::Value::as_array).into_iter().flatten();
    Ok(Advisories {
        database: word(&table, "database"),
        looked_up: words(Some(&table), "looked_up").into_iter().collect(),
        known: known
            .map(|it| Advisory {
                id: word(it, "id"),
                package: word(it, "package"),
                date: word(it, "date"),
                kind: word(it, "kind"),
                patched: words(Some(it), "patched"),
                unaffected: words(Some(it), "unaffected"),
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "```toml\n[advisory]\nid = \"RUSTSEC-2026-0001\"\npackage = \"soap\"\ndate = \"2026-03-20\"\n\
                       [versions]\npatched = [\">= 1.2.3\"]\nunaffected = [\"< 0.5.0\"]\n```\n\n# Slippery\n";

    fn known() -> Advisories {
        let one = advisory(ONE).unwrap().unwrap();
        let other =
            Advisory { id: "RUSTSEC-2026-0002".to_owned(), kind: "unmaintained".to_owned(), ..one.clone() };
        let looked_up = BTreeSet::from(["soap".to_owned()]);
        read(&text_of(&Advisories { database: "2026-08-21".to_owned(), looked_up, known: vec![one, other] }))
            .unwrap()
    }

    #[test]
    fn a_weakness_of_a_locked_version_is_a_finding_and_a_missing_maintainer_a_remark() {
        let (findings, remarks) = judged(&known(), "soap", "1.0.0", &[]);
        assert!(findings[0].contains("soap 1.0.0: RUSTSEC-2026-0001 (vulnerability"), "{findings:?}");
        assert_eq!((findings.len(), remarks.len()), (1, 1));
        let (findings, remarks) = judged(&known(), "soap", "1.0.0", &["RUSTSEC-2026-0001".to_owned()]);
        assert_eq!((findings.len(), remarks.len()), (0, 2));
        for mended in ["1.2.3", "0.4.9"] {
            assert_eq!(judged(&known(), "soap", mended, &[]), (vec![], vec![]));
        }
    }

    #[test]
    fn a_package_that_nobody_looked_up_is_a_finding() {
        let (findings, _) = judged(&known(), "towel", "1.0.0", &[]);
        assert!(findings[0].contains("cargo xtask advisories"), "{findings:?}");
    }

    #[test]
    fn what_was_withdrawn_is_no_advisory() {
        let withdrawn = ONE.replace("date =", "withdrawn = \"2026-04-01\"\ndate =");
        assert!(advisory(&withdrawn).unwrap().is_none());
    }

    #[test]
    fn days_are_counted_as_calendars_do() {
        assert_eq!(days("1970-01-01"), Some(0));
        assert_eq!(days("2000-03-01"), Some(11_017));
        assert_eq!(days("2026-08-21").zip(days("2026-08-22")).map(|(one, next)| next - one), Some(1));
        assert_eq!(days("tomorrow"), None);
    }
}
