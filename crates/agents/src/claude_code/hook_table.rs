//! Hook table: the events we ask the client for, how long each may take, and how each client release spells them.

use serde_json::{Map, Value, json};

use super::version::Version;
use crate::settings::hook_entry::HookEntry;
use crate::settings::shell_words;

/// The first release that starts a hook directly (`command` + `args`) instead of through the shell.
pub const EXEC_FORM_SINCE: Version = Version::new(2, 1, 139);

/// One event we register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookRule {
    /// The event as the settings spell it.
    pub event: &'static str,
    /// After this the client kills the hook and goes on.
    pub timeout_s: u32,
    /// The oldest release that knows the event.
    pub since: Version,
    /// From this release on another event does the work of this one.
    pub until: Option<Version>,
    /// Which tools it is called for; everything when absent.
    pub matcher: Option<&'static str>,
}

/// Every event we register, in the order in which they are written.
///
/// `PostToolBatch` is in no release note; it is known to be documented before 2.1.139, so that is where we trust it.
/// Older clients get `PostToolUse`, with a matcher: each call of it is waited for, so only tools that change things.
/// (`Agent` is what `Task` is called since 2.1.63.)
pub const HOOKS: [HookRule; 12] = [
    rule("SessionStart", 10, Version::new(1, 0, 62)),
    rule("UserPromptSubmit", 5, Version::new(1, 0, 54)),
    rule("PostToolBatch", 5, POST_TOOL_BATCH_SINCE),
    HookRule {
        until: Some(POST_TOOL_BATCH_SINCE),
        matcher: Some("Agent|Bash|Edit|Write|MultiEdit|NotebookEdit|Task.*|TodoWrite"),
        ..rule("PostToolUse", 5, Version::new(1, 0, 38))
    },
    rule("PreCompact", 15, Version::new(1, 0, 48)),
    rule("SubagentStart", 5, Version::new(2, 0, 43)),
    rule("SubagentStop", 5, Version::new(1, 0, 41)),
    rule("PostCompact", 5, Version::new(2, 1, 76)),
    rule("Stop", 5, Version::new(1, 0, 38)),
    rule("SessionEnd", 2, Version::new(1, 0, 85)),
    rule("TaskCreated", 5, Version::new(2, 1, 84)),
    rule("TaskCompleted", 5, Version::new(2, 1, 33)),
];

const POST_TOOL_BATCH_SINCE: Version = Version::new(2, 1, 139);

const fn rule(event: &'static str, timeout_s: u32, since: Version) -> HookRule {
    HookRule { event, timeout_s, since, until: None, matcher: None }
}

/// The rules that hold for a client; an unknown version gets the newest ones.
pub fn rules_for(client: Option<Version>) -> impl Iterator<Item = &'static HookRule> {
    HOOKS.iter().filter(move |rule| match client {
        Some(version) => rule.since <= version && rule.until.is_none_or(|until| version < until),
        None => rule.until.is_none(),
    })
}

/// The hooks for a client, each calling `binary hook`.
#[must_use]
pub fn hooks_for(client: Option<Version>, binary: &str) -> Vec<HookEntry> {
    rules_for(client).map(|rule| entry(rule, handler(client, binary, &["hook"], rule))).collect()
}

/// The content of the plugin's `hooks/hooks.json`: the newest rules, called through the plugin's launcher.
#[must_use]
pub fn plugin_hooks() -> Value {
    let events: Map<String, Value> = rules_for(None)
        .map(|rule| {
            let handler = handler(None, "${CLAUDE_PLUGIN_ROOT}/bin/throughline", &["hook", "--plugin"], rule);
            (rule.event.to_owned(), json!([entry(rule, handler).group()]))
        })
        .collect();
    json!({
        "description": "Keeps the project's decisions, constraints, questions and evidence alive through compaction.",
        "hooks": events,
    })
}

fn entry(rule: &HookRule, handler: Map<String, Value>) -> HookEntry {
    HookEntry { event: rule.event, matcher: rule.matcher, handler }
}

fn handler(client: Option<Version>, binary: &str, args: &[&str], rule: &HookRule) -> Map<String, Value> {
    let mut handler = Map::new();
    handler.insert("type".to_owned(), json!("command"));
    if client.is_none_or(|version| version >= EXEC_FORM_SINCE) {
        handler.insert("command".to_owned(), json!(binary));
        handler.insert("args".to_owned(), json!(args));
    } else {
        let line = format!("{} {}", shell_words::quote(binary), args.join(" "));
        handler.insert("command".to_owned(), json!(line));
    }
    handler.insert("timeout".to_owned(), json!(rule.timeout_s));
    handler
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(client: Option<&str>, expected: &Expect) {
        let client = client.map(|printed| Version::parse(printed).unwrap());
        let show = |entry: HookEntry| {
            let handler = serde_json::to_string(&entry.handler).unwrap();
            format!("{} {} {handler}\n", entry.event, entry.matcher.unwrap_or("-"))
        };
        let shown: String = hooks_for(client, "/opt/it's/throughline").into_iter().map(show).collect();
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_new_client_is_called_directly_and_by_batches() {
        check(
            Some("2.1.325 (Claude Code)"),
            &expect![[r#"
                SessionStart - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":10}
                UserPromptSubmit - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":5}
                PostToolBatch - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":5}
                PreCompact - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":15}
                SubagentStart - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":5}
                SubagentStop - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":5}
                PostCompact - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":5}
                Stop - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":5}
                SessionEnd - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":2}
                TaskCreated - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":5}
                TaskCompleted - {"type":"command","command":"/opt/it's/throughline","args":["hook"],"timeout":5}
            "#]],
        );
    }

    #[test]
    fn an_unknown_version_gets_the_newest_rules() {
        assert_eq!(
            hooks_for(None, "/x/throughline"),
            hooks_for(Some(Version::new(9, 0, 0)), "/x/throughline")
        );
    }

    #[test]
    fn a_client_without_batches_gets_a_matched_post_tool_use_through_the_shell() {
        check(
            Some("2.1.80"),
            &expect![[r#"
            SessionStart - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":10}
            UserPromptSubmit - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
            PostToolUse Agent|Bash|Edit|Write|MultiEdit|NotebookEdit|Task.*|TodoWrite {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
            PreCompact - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":15}
            SubagentStart - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
            SubagentStop - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
            PostCompact - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
            Stop - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
            SessionEnd - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":2}
            TaskCompleted - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
        "#]],
        );
    }

    #[test]
    fn a_very_old_client_gets_only_what_it_knows() {
        check(
            Some("1.0.50"),
            &expect![[r#"
            PostToolUse Agent|Bash|Edit|Write|MultiEdit|NotebookEdit|Task.*|TodoWrite {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
            PreCompact - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":15}
            SubagentStop - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
            Stop - {"type":"command","command":"'/opt/it'\\''s/throughline' hook","timeout":5}
        "#]],
        );
        assert!(hooks_for(Some(Version::new(0, 9, 0)), "/x/throughline").is_empty());
    }

    #[test]
    fn no_hook_may_take_long() {
        for rule in HOOKS {
            assert!((1..=15).contains(&rule.timeout_s), "{}", rule.event);
        }
    }
}
