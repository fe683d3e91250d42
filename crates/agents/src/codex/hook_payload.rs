//! Hook payloads: Claude Code's dialect, with what this client means differently.

use throughline_domain::Problem;

use super::transcript_place::thread_of;
use crate::claude_code;
use crate::hook::HookPayload;

/// Reads a payload. Broken off or malformed, it gives what stood before the break, and the problem.
///
/// How a command ended is left to the rollout: the answer that a hook is shown has no exit code.
#[must_use]
pub fn parse(bytes: &[u8]) -> (HookPayload, Option<Problem>) {
    let (mut payload, problem) = claude_code::hook_payload::parse(bytes);
    payload.ran.clear();
    // What a subagent does comes under its session's id, with the subagent's own rollout.
    if thread_of(&payload.transcript_path).is_some_and(|thread| thread != payload.session_id) {
        payload.transcript_path.clear();
    }
    (payload, problem)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::Event;

    const SESSION: &str = "01a1ed79-60fa-7d43-9784-b711476d6220";
    const SUBAGENT: &str = "01a1ed79-632b-7842-9110-7d3998c33701";

    fn rollout(thread: &str) -> String {
        format!("/home/me/.codex/sessions/2026/11/18/rollout-2026-11-18T07-05-17-{thread}.jsonl")
    }

    fn read(payload: &serde_json::Value) -> HookPayload {
        let (payload, problem) = parse(payload.to_string().as_bytes());
        assert_eq!(problem, None);
        payload
    }

    #[test]
    fn a_start_and_a_tool_are_read() {
        let start = read(&json!({
            "session_id": SESSION, "transcript_path": rollout(SESSION), "cwd": "/home/me/app",
            "hook_event_name": "SessionStart", "model": "gpt-6.1-sol", "permission_mode": "default", "source": "compact",
        }));
        assert_eq!((start.event, start.source.as_deref()), (Event::SessionStart, Some("compact")));
        assert_eq!((start.model.as_deref(), start.transcript_path), (Some("gpt-6.1-sol"), rollout(SESSION)));
        let tool = read(&json!({
            "session_id": SESSION, "turn_id": "t1", "transcript_path": null, "cwd": "/home/me/app",
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "cargo test"},
            "tool_response": "test result: ok. 3 passed\n", "tool_use_id": "exec-1",
        }));
        assert_eq!((tool.event, tool.tool_calls, tool.transcript_path.as_str()), (Event::PostToolUse, 1, ""));
        assert_eq!(tool.ran, [], "its exit code is not told");
    }

    #[test]
    fn a_subagents_rollout_is_not_taken_for_its_sessions() {
        let stop = read(&json!({
            "session_id": SESSION, "transcript_path": rollout(SUBAGENT), "hook_event_name": "SubagentStop",
            "agent_id": SUBAGENT, "agent_type": "default",
        }));
        assert_eq!((stop.event, stop.transcript_path.as_str()), (Event::SubagentStop, ""));
    }

    #[test]
    fn an_interruption_and_a_request_for_permission_are_events_that_mean_nothing() {
        for name in ["Interrupt", "PermissionRequest", "PreToolUse"] {
            let payload = read(&json!({"session_id": SESSION, "hook_event_name": name}));
            assert_eq!((payload.event, payload.event_name.as_str()), (Event::Other, name));
        }
    }
}
