//! Dependencies: what the lock file brings in, against `deny.toml`: licences, banned crates, where they come from.
//!
//! `cargo deny check` does this and asks for the newest advisories, which it has to download; this part needs nothing but
//! cargo, and knows the advisories of the day when `cargo xtask advisories` last ran.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, Licensee};

use crate::{Outcome, advisories, say, say_err};

/// What the source of a package from a registry begins with.
const REGISTRY: &str = "registry+";

/// What `deny.toml` says, as far as it is looked at here.
struct Rules {
    allowed: Vec<Licensee>,
    banned: Vec<Ban>,
    /// Advisories that do not touch us, by their ids.
    ignored: Vec<String>,
}

/// A crate that must not come in.
struct Ban {
    name: String,
    reason: String,
    /// The crates that may bring it all the same.
    wrappers: Vec<String>,
}

/// A package of the lock file, and the names of those that depend on it.
struct Package {
    described: Value,
    wanted_by: Vec<String>,
}

/// `cargo xtask dependencies`.
pub(crate) fn run(root: &Path, _: &[String]) -> Result<Outcome, String> {
    let text =
        std::fs::read_to_string(root.join("deny.toml")).map_err(|error| format!("deny.toml: {error}"))?;
    let rules = rules_in(&text)?;
    let packages = packages(root)?;
    let mut findings: Vec<String> = packages.iter().flat_map(|package| findings(package, &rules)).collect();
    let (weaknesses, remarks) = advisories::check(root, &rules.ignored)?;
    findings.extend(weaknesses);
    for remark in remarks {
        say(&remark);
    }
    for finding in &findings {
        say_err(finding);
    }
    if findings.is_empty() {
        say(&format!("dependencies: {} packages, all allowed", packages.len()));
        return Ok(Outcome::Good);
    }
    say_err(&format!("dependencies: {} finding(s)", findings.len()));
    Ok(Outcome::Bad)
}

fn rules_in(text: &str) -> Result<Rules, String> {
    let table: toml::Table = text.parse().map_err(|error| format!("deny.toml: {error}"))?;
    let list = |section: &str, key: &str| -> Vec<toml::Value> {
        let value = table.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_array);
        value.cloned().unwrap_or_default()
    };
    let allowed = list("licenses", "allow")
        .iter()
        .filter_map(toml::Value::as_str)
        .map(|name| Licensee::parse(name).map_err(|error| format!("deny.toml: {name}: {error}")))
        .collect::<Result<Vec<_>, _>>()?;
    let text_of = |value: &toml::Value, key: &str| {
        value.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned()
    };
    let wrappers_of = |value: &toml::Value| {
        let names = value.get("wrappers").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        names.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect()
    };
    let ban = |it: &toml::Value| Ban {
        name: text_of(it, "crate"),
        reason: text_of(it, "reason"),
        wrappers: wrappers_of(it),
    };
    let banned = list("bans", "deny").iter().map(ban).collect();
    // An exception is an id, or a table with the id and the reason.
    let id = |it: &toml::Value| it.as_str().map_or_else(|| text_of(it, "id"), str::to_owned);
    let ignored = list("advisories", "ignore").iter().map(id).collect();
    Ok(Rules { allowed, banned, ignored })
}

/// Every package of the lock file that does not belong to this workspace, as cargo describes it.
fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let nodes = metadata["resolve"]["nodes"].as_array().cloned().unwrap_or_default();
    let name_of = |id: &Value| {
        let found = packages.iter().find(|package| &package["id"] == id);
        found.and_then(|package| package["name"].as_str()).unwrap_or_default().to_owned()
    };
    let wanted_by = |id: &Value| {
        let wants = |node: &&Value| node["dependencies"].as_array().is_some_and(|ids| ids.contains(id));
        nodes.iter().filter(wants).map(|node| name_of(&node["id"])).collect()
    };
    let foreign = packages.iter().filter(|package| !package["source"].is_null());
    Ok(foreign
        .map(|package| Package { wanted_by: wanted_by(&package["id"]), described: package.clone() })
        .collect())
}

fn findings(package: &Package, rules: &Rules) -> Vec<String> {
    let text = |key: &str| package.described[key].as_str().unwrap_or_default();
    let (name, version) = (text("name"), text("version"));
    let mut found = Vec::new();
    if !text("source").starts_with(REGISTRY) {
        found.push(format!("{name} {version}: comes from {}; use the registry", text("source")));
    }
    if let Some(ban) = rules.banned.iter().find(|ban| ban.name == name)
        && (ban.wrappers.is_empty() || package.wanted_by.iter().any(|it| !ban.wrappers.contains(it)))
    {
        found.push(format!("{name} {version}: banned in deny.toml ({})", ban.reason));
    }
    // Older manifests separate alternatives by a slash.
    let licence = text("license").replace('/', " OR ");
    match Expression::parse(&licence) {
        Ok(expression)
            if expression.evaluate(|wanted| rules.allowed.iter().any(|it| it.satisfies(wanted))) => {}
        Ok(_) => found.push(format!("{name} {version}: licence `{licence}` is not allowed in deny.toml")),
        Err(_) => found.push(format!("{name} {version}: licence `{licence}` cannot be read")),
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(name: &str, licence: &str, source: &str) -> Vec<String> {
        found_under(&["ours"], name, licence, source)
    }

    fn found_under(wanted_by: &[&str], name: &str, licence: &str, source: &str) -> Vec<String> {
        let rules = rules_in(
            "[licenses]\nallow = [\"MIT\", \"Apache-2.0 WITH LLVM-exception\"]\n[bans]\ndeny = [{ crate = \"openssl\", reason = \"static\" }, { crate = \"chrono\", wrappers = [\"rmcp\"], reason = \"jiff\" }]\n",
        )
        .unwrap();
        let described = json!({ "name": name, "version": "1.0.0", "license": licence, "source": source });
        let wanted_by = wanted_by.iter().map(|&name| name.to_owned()).collect();
        findings(&Package { described, wanted_by }, &rules)
    }

    #[test]
    fn what_is_allowed_passes() {
        for licence in ["MIT", "MIT OR GPL-3.0-only", "MIT/GPL-2.0-only", "Apache-2.0 WITH LLVM-exception"] {
            assert_eq!(found("a", licence, REGISTRY), Vec::<String>::new(), "{licence}");
        }
    }

    #[test]
    fn a_licence_a_ban_and_a_strange_source_are_found() {
        for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0", "", "nonsense"] {
            assert_eq!(found("a", licence, REGISTRY).len(), 1, "{licence}");
        }
        assert_eq!(found("chrono", "MIT", REGISTRY).len(), 1);
        assert_eq!(found("a", "MIT", "git+https://example.org/a").len(), 1);
    }

    #[test]
    fn a_banned_crate_may_come_with_those_that_the_ban_names_alone() {
        assert_eq!(found_under(&["rmcp"], "chrono", "MIT", REGISTRY), Vec::<String>::new());
        assert_eq!(found_under(&["rmcp", "ours"], "chrono", "MIT", REGISTRY).len(), 1);
        assert_eq!(found_under(&["rmcp"], "openssl", "MIT", REGISTRY).len(), 1);
    }

    #[test]
    fn what_this_repository_brings_in_is_allowed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert!(matches!(run(root, &[]), Ok(Outcome::Good)));
    }
}
