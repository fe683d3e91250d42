//! Hook table: the events we ask Codex for, and how long each may take.

use serde_json::{Map, Value, json};

use super::hook_reply::{CONTEXT_LIMIT_TOKENS, SPEAKING};
use crate::settings::hook_entry::HookEntry;
use crate::settings::shell_words;

/// Every event that we register, in the order in which they are written, with the seconds after which Codex goes on.
///
/// A person approves each of them, and approves anew what changes: event, command, seconds and limit stay as they are over
/// all versions. (Codex gives the last one 3 s at most.)
pub const HOOKS: [(&str, u32); 9] = [
    ("SessionStart", 10),
    ("UserPromptSubmit", 5),
    ("PostToolUse", 5),
    ("PreCompact", 15),
    ("PostCompact", 5),
    ("SubagentStart", 5),
    ("SubagentStop", 5),
    ("Stop", 5),
    ("SessionEnd", 2),
];

/// The hooks, each calling `binary hook --agent <agent>`.
#[must_use]
pub fn hooks(binary: &str, agent: &str) -> Vec<HookEntry> {
    let command = format!("{} hook --agent {agent}", shell_words::quote(binary));
    let handler = |event: &str, seconds: u32| -> Map<String, Value> {
        let mut handler = Map::from_iter([
            ("type".to_owned(), json!("command")),
            ("command".to_owned(), json!(command)),
            ("timeout".to_owned(), json!(seconds)),
        ]);
        if SPEAKING.contains(&event) {
            handler.insert("additionalContextLimit".to_owned(), json!(CONTEXT_LIMIT_TOKENS));
        }
        handler
    };
    HOOKS.map(|(event, seconds)| HookEntry { event, matcher: None, handler: handler(event, seconds) }).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// Whoever changes a line here makes every user approve our hooks again.
    #[test]
    fn what_a_person_approved_stays_as_it_is() {
        let show = |entry: HookEntry| format!("{} {}", entry.event, Value::Object(entry.handler));
        let shown: Vec<String> = hooks("/opt/it's/throughline", "codex").into_iter().map(show).collect();
        expect![[r#"
            SessionStart {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":10,"additionalContextLimit":7500}
            UserPromptSubmit {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":5,"additionalContextLimit":7500}
            PostToolUse {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":5,"additionalContextLimit":7500}
            PreCompact {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":15}
            PostCompact {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":5}
            SubagentStart {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":5}
            SubagentStop {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":5}
            Stop {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":5}
            SessionEnd {"type":"command","command":"'/opt/it'\\''s/throughline' hook --agent codex","timeout":2}
        "#]]
        .assert_eq(&(shown.join("\n") + "\n"));
    }
}
