//! Lint config: clippy reads the nearest clippy.toml and merges nothing, so the shared part must be the same in all.

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

const SHARED: &str = "clippy.toml";
/// The part in which rooms differ.
const OWN: &str = "disallowed-methods";

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    let configs: Vec<(&str, &str)> =
        tree.texts().filter(|(path, _)| *path == SHARED || path.ends_with("/clippy.toml")).collect();
    let shared = tree.text(SHARED).and_then(|text| text.parse::<toml::Table>().ok()).map(without_own);
    for (path, text) in configs {
        let Ok(config) = text.parse::<toml::Table>() else {
            report.findings.push(Finding::new(path, 1, "could not read the TOML", "correct it"));
            continue;
        };
        check_reasons(path, &config, &mut report.findings);
        if shared.as_ref().is_some_and(|shared| *shared != without_own(config)) {
            let what = format!("the settings besides `{OWN}` differ from those of the root");
            report.findings.push(Finding::new(path, 1, what, format!("copy them from {SHARED}")));
        }
    }
}

fn check_reasons(path: &str, config: &toml::Table, findings: &mut Vec<Finding>) {
    let methods = config.get(OWN).and_then(toml::Value::as_array);
    for method in methods.into_iter().flatten() {
        let reason = method.get("reason").and_then(toml::Value::as_str).unwrap_or_default();
        if reason.is_empty() {
            let name = method.get("path").unwrap_or(method).as_str().unwrap_or_default();
            let what = format!("`{name}` is forbidden without a reason");
            findings.push(Finding::new(path, 1, what, "say why, and what to call in its place"));
        }
    }
}

fn without_own(mut config: toml::Table) -> toml::Table {
    config.remove(OWN);
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(at_root: &str, in_room: &str) -> usize {
        let mut report = Report::default();
        check(&Tree::of(&[(SHARED, at_root), ("crates/a/clippy.toml", in_room)]), &mut report);
        report.findings.len()
    }

    #[test]
    fn rooms_may_differ_in_what_they_forbid_and_in_nothing_else() {
        let forbids = "lines = 70\ndisallowed-methods = [{ path = \"a::b\", reason = \"use c\" }]\n";
        assert_eq!(findings(forbids, "lines = 70\n"), 0);
        assert_eq!(findings(forbids, "lines = 71\n"), 1);
        assert_eq!(findings(forbids, ""), 1);
        assert_eq!(findings("lines = [", "lines = 70\n"), 1);
    }

    #[test]
    fn what_is_forbidden_has_a_reason() {
        for bad in ["\"a::b\"", "{ path = \"a::b\" }", "{ path = \"a::b\", reason = \"\" }"] {
            assert_eq!(findings("", &format!("disallowed-methods = [{bad}]\n")), 1, "{bad}");
        }
    }
}
