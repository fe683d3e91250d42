//! Plugin: the texts of the plugin folder that `init` writes too, so that both ways of installing say the same.

/// `/context-compact`: saves, then shows the line to paste. `init` writes it to `.claude/commands/`.
pub const CONTEXT_COMPACT_COMMAND: &str =
    include_str!("../../../../plugin/throughline/commands/context-compact.md");

/// `/throughline`: shows what is next and what is remembered. `init` writes it, too.
pub const THROUGHLINE_COMMAND: &str = include_str!("../../../../plugin/throughline/commands/throughline.md");

/// The skill that teaches the agent to record. (Not called `throughline`: the client would drop it for the command
/// of that name.)
pub const SKILL: &str = include_str!("../../../../plugin/throughline/skills/record/SKILL.md");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::hook_table;
    use crate::settings::servers::{SERVER_NAME, server_command};
    use expect_test::expect_file;
    use serde_json::Value;

    #[test]
    fn the_plugin_registers_what_the_table_says() {
        let hooks = serde_json::to_string_pretty(&hook_table::plugin_hooks()).unwrap() + "\n";
        expect_file!["../../../../plugin/throughline/hooks/hooks.json"].assert_eq(&hooks);
    }

    #[test]
    fn the_plugin_has_the_version_of_the_binary() {
        let manifest = include_str!("../../../../plugin/throughline/.claude-plugin/plugin.json");
        let manifest: Value = serde_json::from_str(manifest).unwrap();
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(manifest["name"], "throughline");
        let market = include_str!("../../../../plugin/.claude-plugin/marketplace.json");
        let market: Value = serde_json::from_str(market).unwrap();
        assert_eq!(market["plugins"][0]["name"], "throughline");
        assert_eq!(market["plugins"][0]["source"], "./throughline");
    }

    #[test]
    fn the_plugin_starts_our_server_through_its_launcher() {
        let list: Value =
            serde_json::from_str(include_str!("../../../../plugin/throughline/.mcp.json")).unwrap();
        let servers = list["mcpServers"].as_object().unwrap();
        assert_eq!(servers.keys().collect::<Vec<_>>(), [SERVER_NAME]);
        assert_eq!(
            server_command(&servers[SERVER_NAME]),
            Some("${CLAUDE_PLUGIN_ROOT}/bin/throughline"),
            "a bare name is not found by the client"
        );
    }

    #[test]
    fn every_text_opens_with_a_description_and_stays_short() {
        for text in [CONTEXT_COMPACT_COMMAND, THROUGHLINE_COMMAND, SKILL] {
            let (front, body) =
                text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap();
            assert!(front.lines().any(|line| line.starts_with("description: ")));
            assert!(!body.trim().is_empty());
            // Each is read into the agent's context, and paid for there.
            assert!(text.len() < 4_000, "{}", text.len());
        }
        assert!(CONTEXT_COMPACT_COMMAND.contains("throughline save --trigger manual"));
        assert!(THROUGHLINE_COMMAND.contains("Bash(throughline next:*)"));
    }
}
