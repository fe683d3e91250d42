//! Hook payloads: what the client writes to a hook's standard input. The fields are Claude Code's, the events' names are not.

use throughline_domain::Problem;

use crate::claude_code;
use crate::hook::{Event, HookPayload};

/// Reads a payload. Broken off or malformed, it gives what stood before the break, and the problem.
#[must_use]
pub fn parse(bytes: &[u8]) -> (HookPayload, Option<Problem>) {
    let (mut payload, problem) = claude_code::hook_payload::parse(bytes);
    payload.event = event_of(&payload.event_name);
    if payload.event == Event::PostToolUse {
        // One call an event; it has no id.
        payload.tool_calls = 1;
    }
    (payload, problem)
}

/// The event that a name means. Names that only others use mean nothing here.
fn event_of(name: &str) -> Event {
    match name {
        "SessionStart" => Event::SessionStart,
        "BeforeAgent" => Event::UserPromptSubmit,
        "AfterTool" => Event::PostToolUse,
        "AfterAgent" => Event::Stop,
        "SessionEnd" => Event::SessionEnd,
        _ => Event::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_events_are_ours_under_other_names() {
        let event = |name: &str| {
            let payload = format!(
                "{{\"session_id\":\"s\",\"transcript_path\":\"/t\",\"cwd\":\"/home/me/app\",\"hook_event_name\":\"{name}\",\"timestamp\":\"2026-11-18T07:08:37.774Z\"}}"
            );
            let (payload, problem) = parse(payload.as_bytes());
            assert_eq!(
                (problem, payload.session_id.as_str(), payload.transcript_path.as_str()),
                (None, "s", "/t")
            );
            (payload.event, payload.tool_calls)
        };
        assert_eq!(event("SessionStart"), (Event::SessionStart, 0));
        assert_eq!(event("BeforeAgent"), (Event::UserPromptSubmit, 0));
        assert_eq!(event("AfterTool"), (Event::PostToolUse, 1));
        assert_eq!(event("AfterAgent"), (Event::Stop, 0));
        assert_eq!(event("SessionEnd"), (Event::SessionEnd, 0));
        for other in ["PreCompress", "BeforeModel", "Stop", "UserPromptSubmit", ""] {
            assert_eq!(event(other), (Event::Other, 0), "{other}");
        }
    }

    #[test]
    fn a_payload_that_breaks_off_keeps_what_stood_before() {
        let (payload, problem) = parse(
            br#"{"session_id":"s","hook_event_name":"AfterTool","tool_name":"read_file","tool_input":{"a"#,
        );
        assert_eq!((payload.event, payload.tool_calls), (Event::PostToolUse, 1));
        assert!(problem.is_some());
    }
}
