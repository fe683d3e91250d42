//! Hook replies: what the client does with a hook's standard output, and how much of it.

use throughline_domain::text::{cut_utf16, utf16_len};

use crate::hook::{Event, Reply};

/// Over this many UTF-16 units the client replaces a hook's text by a preview, silently.
pub const REPLY_UNITS_MAX: usize = 10_000;

/// The bytes for standard output, in the form that this event's text reaches the model in.
///
/// Events whose text the client would drop or choke on get nothing.
#[must_use]
pub fn encode(reply: &Reply, event: Event, event_name: &str) -> String {
    let Reply::Text(text) = reply else { return String::new() };
    if text.is_empty() {
        return String::new();
    }
    let text = if utf16_len(text) > REPLY_UNITS_MAX { cut_utf16(text, REPLY_UNITS_MAX) } else { text };
    match event {
        // Plain text reaches the model here; JSON in a PreCompact reply would land in the prompt as it is.
        Event::SessionStart | Event::PreCompact => text.to_owned(),
        Event::UserPromptSubmit | Event::PostToolUse | Event::PostToolUseFailure | Event::PostToolBatch => {
            let output = serde_json::json!({
                "hookSpecificOutput": { "hookEventName": event_name, "additionalContext": text }
            });
            output.to_string()
        }
        Event::PostCompact
        | Event::SubagentStart
        | Event::SubagentStop
        | Event::TaskCreated
        | Event::TaskCompleted
        | Event::Stop
        | Event::SessionEnd
        | Event::Other => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_never_passes_the_clients_cap() {
        let text = "é😀".repeat(9_000);
        let plain = encode(&Reply::Text(text), Event::SessionStart, "SessionStart");
        assert!(utf16_len(&plain) <= REPLY_UNITS_MAX);
        assert!(plain.ends_with('é') || plain.ends_with('😀'));
    }

    #[test]
    fn tool_events_answer_in_json_and_the_silent_ones_not_at_all() {
        let reply = Reply::Text("say \"hi\"".to_owned());
        let json: serde_json::Value =
            serde_json::from_str(&encode(&reply, Event::PostToolBatch, "PostToolBatch")).unwrap();
        assert_eq!(json["hookSpecificOutput"]["hookEventName"], "PostToolBatch");
        assert_eq!(json["hookSpecificOutput"]["additionalContext"], "say \"hi\"");
        for silent in [Event::PostCompact, Event::Stop, Event::SessionEnd, Event::SubagentStop, Event::Other]
        {
            assert_eq!(encode(&reply, silent, "x"), "");
        }
    }
}
