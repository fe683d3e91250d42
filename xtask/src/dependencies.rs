//! Dependencies: what the lock file brings in, against `deny.toml`: licences, banned crates, where they come from.
//!
//! `cargo deny check` does this and more (advisories, which it has to download); this part needs nothing but cargo.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, Licensee};

use crate::{Outcome, say, say_err};

/// What the source of a package from a registry begins with.
const REGISTRY: &str = "registry+";

/// What `deny.toml` says, as far as it is looked at here.
struct Rules {
    allowed: Vec<Licensee>,
    banned: Vec<(String, String)>,
}

/// `cargo xtask dependencies`.
pub(crate) fn run(root: &Path, _: &[String]) -> Result<Outcome, String> {
    let text =
        std::fs::read_to_string(root.join("deny.toml")).map_err(|error| format!("deny.toml: {error}"))?;
    let rules = rules_in(&text)?;
    let packages = packages(root)?;
    let findings: Vec<String> = packages.iter().flat_map(|package| findings(package, &rules)).collect();
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
    let banned =
        list("bans", "deny").iter().map(|it| (text_of(it, "crate"), text_of(it, "reason"))).collect();
    Ok(Rules { allowed, banned })
}

/// Every package of the lock file that does not belong to this workspace, as cargo describes it.
fn packages(root: &Path) -> Result<Vec<Value>, String> {
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
    Ok(packages.into_iter().filter(|package| !package["source"].is_null()).collect())
}

fn findings(package: &Value, rules: &Rules) -> Vec<String> {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    let (name, version) = (text("name"), text("version"));
    let mut found = Vec::new();
    if !text("source").starts_with(REGISTRY) {
        found.push(format!("{name} {version}: comes from {}; use the registry", text("source")));
    }
    if let Some((_, reason)) = rules.banned.iter().find(|(banned, _)| banned == name) {
        found.push(format!("{name} {version}: banned in deny.toml ({reason})"));
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
        let rules = rules_in(
            "[licenses]\nallow = [\"MIT\", \"Apache-2.0 WITH LLVM-exception\"]\n[bans]\ndeny = [{ crate = \"chrono\", reason = \"jiff\" }]\n",
        )
        .unwrap();
        findings(&json!({ "name": name, "version": "1.0.0", "license": licence, "source": source }), &rules)
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
    fn what_this_repository_brings_in_is_allowed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert!(matches!(run(root, &[]), Ok(Outcome::Good)));
    }
}
