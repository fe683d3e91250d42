//! The agent seam: above `agents` one value says which agent it is; its own names are for what sets it up on a machine.

use super::Report;
use super::finding::Finding;
use super::tree::Tree;

/// Where one agent may be named: what is its alone on a machine (its settings, its window, its lists), and the verbs for it.
const SET_UP: [&str; 7] = [
    "crates/agents/",
    // Whose sessions carry no agent's name in the store.
    "crates/domain/src/usage.rs",
    "crates/engine/src/client_settings.rs",
    "crates/engine/src/servers.rs",
    "crates/engine/src/window.rs",
    "crates/throughline/src/commands/claude_code/",
    "crates/throughline/src/commands/doctor/claude_code/",
];
/// The agents' own names, and their names in what is stored. (One of those is also the name of models.)
const NAMES: [&str; 7] = [
    "agents::claude_code",
    "\"claude-code\"",
    "agents::codex",
    "\"codex\"",
    "agents::gemini",
    "agents::opencode",
    "\"opencode\"",
];

pub(crate) fn check(tree: &Tree, report: &mut Report) {
    for (path, file) in &tree.files {
        let is_source = path.starts_with("crates/") && path.contains("/src/");
        let is_test = path.ends_with("tests.rs") || path.contains("/tests/") || path.contains("/testkit/");
        if !is_source || is_test || SET_UP.iter().any(|place| path.starts_with(place)) {
            continue;
        }
        let text = file.text.as_deref().unwrap_or_default();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (index, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            if let Some(name) = NAMES.iter().find(|name| line.contains(*name)) {
                let what = format!("names {name}");
                let remedy = "take an `agents::agent::Agent`, which was settled at the entrance".to_owned();
                report.findings.push(Finding::new(path.clone(), index + 1, what, remedy));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_agent_is_named_only_where_it_is_set_up() {
        let names = "use throughline_agents::claude_code::version::Version;\n";
        let stored = "fn f() -> bool { agent == \"claude-code\" }\n";
        let files = [
            ("crates/engine/src/ledger.rs", names),
            ("crates/store/src/session/mod.rs", stored),
            ("crates/store/src/doc.rs", "/// Such as \"claude-code\".\nfn f() {}\n"),
            ("crates/throughline/src/hook/mod.rs", "use throughline_agents::agent::USUAL;\n"),
            ("crates/throughline/src/commands/init.rs", "let setup = Setup::named(\"codex\");\n"),
            ("crates/throughline/src/commands/claude_code/install.rs", names),
            ("crates/throughline/tests/it/main.rs", names),
        ];
        let mut report = Report::default();
        check(&Tree::of(&files), &mut report);
        let found: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
