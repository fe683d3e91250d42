//! Hook replies: what the client does with a hook's standard output, and how much of it.

use throughline_domain::text::{cut_utf16, utf16_len};

use crate::hook::{Event, HookPayload, Reply};

/// The client passes a text of any size on (2 MB were seen to reach the model whole). This is our own cap, as everywhere.
pub const REPLY_UNITS_MAX: usize = 10_000;

/// The bytes for standard output. Plain text would be shown to the user and reach no model, so a reply is always JSON.
///
/// The client writes `&lt;` and `&gt;` for angle brackets, and puts the text between `<hook_context>` marks: before the prompt
/// (SessionStart, headless), behind it (BeforeAgent), behind the tool's result (AfterTool).
#[must_use]
pub fn encode(reply: &Reply, payload: &HookPayload) -> String {
    let Reply::Text(text) = reply else { return String::new() };
    let reaches = matches!(payload.event, Event::SessionStart | Event::UserPromptSubmit | Event::PostToolUse);
    if text.is_empty() || !reaches {
        return String::new();
    }
    let text = if utf16_len(text) > REPLY_UNITS_MAX { cut_utf16(text, REPLY_UNITS_MAX) } else { text };
    let output = serde_json::json!({
        "hookSpecificOutput": { "hookEventName": payload.event_name, "additionalContext": text }
    });
    output.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(event: Event, name: &str) -> HookPayload {
        HookPayload { event, event_name: name.to_owned(), ..HookPayload::default() }
    }

    #[test]
    fn a_reply_names_the_clients_own_event_and_stays_within_the_cap() {
        let reply = Reply::Text("é😀".repeat(9_000));
        let json: serde_json::Value =
            serde_json::from_str(&encode(&reply, &payload(Event::PostToolUse, "AfterTool"))).unwrap();
        assert_eq!(json["hookSpecificOutput"]["hookEventName"], "AfterTool");
        let text = json["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(utf16_len(text) <= REPLY_UNITS_MAX && utf16_len(text) > REPLY_UNITS_MAX - 2);
    }

    #[test]
    fn what_would_reach_nobody_is_not_said() {
        let reply = Reply::Text("hello".to_owned());
        for silent in [Event::Stop, Event::SessionEnd, Event::PreCompact, Event::Other] {
            assert_eq!(encode(&reply, &payload(silent, "x")), "");
        }
        assert_eq!(encode(&Reply::Nothing, &payload(Event::SessionStart, "SessionStart")), "");
    }
}
