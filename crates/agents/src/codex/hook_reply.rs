//! Hook replies: where this client hands a hook's words to the model, in which form, and how much of them.
//!
//! An answer with a key that an event does not know is rejected whole, so nothing is said where nothing would arrive.

use throughline_domain::text::{cut_utf16, utf16_len};

use crate::hook::{Event, Reply};

/// No text of ours has more UTF-16 units.
pub const REPLY_UNITS_MAX: usize = 10_000;

/// What a hook's entry has to say (`additionalContextLimit`) so that the client hands over all of it. It counts a token for
/// every four bytes, and a unit has three bytes at most. Without this it is 2,500: what is longer is cut in its middle, and
/// kept whole in a file that anybody may read.
///
/// Only for [`SPEAKING`] events: at any other the client warns its user, at every start.
pub const CONTEXT_LIMIT_TOKENS: usize = REPLY_UNITS_MAX * 3 / 4;

/// The events whose hooks may say something, as the client's settings spell them.
pub const SPEAKING: [&str; 3] = ["SessionStart", "UserPromptSubmit", "PostToolUse"];

/// The bytes for standard output, in the form that this event's text reaches the model in; none where it would not.
#[must_use]
pub fn encode(reply: &Reply, event: Event, event_name: &str) -> String {
    let Reply::Text(text) = reply else { return String::new() };
    let reaches_the_model =
        matches!(event, Event::SessionStart | Event::UserPromptSubmit | Event::PostToolUse);
    if text.is_empty() || !reaches_the_model {
        return String::new();
    }
    let text = if utf16_len(text) > REPLY_UNITS_MAX { cut_utf16(text, REPLY_UNITS_MAX) } else { text };
    let output =
        serde_json::json!({"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}});
    output.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_the_model_is_one_key_that_the_event_knows() {
        let reply = Reply::Text("say \"hi\"\n".to_owned());
        for (event, name) in [
            (Event::SessionStart, "SessionStart"),
            (Event::UserPromptSubmit, "UserPromptSubmit"),
            (Event::PostToolUse, "PostToolUse"),
        ] {
            let said: serde_json::Value = serde_json::from_str(&encode(&reply, event, name)).unwrap();
            let expected = serde_json::json!({
                "hookSpecificOutput": {"hookEventName": name, "additionalContext": "say \"hi\"\n"}
            });
            assert_eq!(said, expected);
        }
    }

    #[test]
    fn where_no_word_would_arrive_none_is_said() {
        let reply = Reply::Text("x".to_owned());
        for event in [
            Event::PreCompact,
            Event::PostCompact,
            Event::Stop,
            Event::SessionEnd,
            Event::SubagentStart,
            Event::SubagentStop,
            Event::Other,
        ] {
            assert_eq!(encode(&reply, event, "x"), "");
        }
        assert_eq!(encode(&Reply::Nothing, Event::SessionStart, "SessionStart"), "");
        assert_eq!(encode(&Reply::Text(String::new()), Event::SessionStart, "SessionStart"), "");
    }

    #[test]
    fn the_limit_that_is_asked_for_holds_the_longest_text() {
        let longest = "字".repeat(REPLY_UNITS_MAX + 5);
        let said = encode(&Reply::Text(longest), Event::SessionStart, "SessionStart");
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        let text = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert_eq!(utf16_len(text), REPLY_UNITS_MAX);
        assert!(text.len().div_ceil(4) <= CONTEXT_LIMIT_TOKENS);
    }
}
