//! Hook payloads: what our plugin writes to a hook's standard input, with the names that Claude Code's hooks use.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use throughline_domain::Problem;

use super::compaction_point::{Limits, Settings, compacts_at};
use crate::claude_code;
use crate::hook::HookPayload;

/// What it says beyond that: numbers.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Numbers {
    context_tokens: Value,
    client_pid: Value,
    turns: Value,
    limit: Value,
    compaction: Value,
}

/// Reads a payload. Broken off or malformed, it gives what stood before the break, and the problem.
#[must_use]
pub fn parse(bytes: &[u8]) -> (HookPayload, Option<Problem>) {
    let (mut payload, problem) = claude_code::hook_payload::parse(bytes);
    if problem.is_some() {
        return (payload, problem);
    }
    let numbers: Numbers = serde_json::from_slice(bytes).unwrap_or_default();
    let limits: Limits = read(numbers.limit);
    payload.context_tokens = numbers.context_tokens.as_u64().filter(|tokens| *tokens > 0);
    payload.client_pid = numbers.client_pid.as_u64().and_then(|pid| pid.try_into().ok());
    payload.window_tokens = Some(limits.context).filter(|tokens| *tokens > 0);
    payload.compacts_at_tokens = compacts_at(limits, read::<Settings>(numbers.compaction));
    if let Some(turns) = numbers.turns.as_u64() {
        payload.turns = turns;
        payload.tool_calls = turns;
    }
    (payload, None)
}

/// One odd value must not cost the others.
fn read<T: DeserializeOwned + Default>(value: Value) -> T {
    serde_json::from_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::Event;

    #[test]
    fn what_the_plugin_tells_is_read() {
        let (payload, problem) = parse(
            br#"{"hook_event_name":"PostToolUse","session_id":"ses_1","cwd":"/home/me/app",
                "transcript_path":"/home/me/.local/share/opencode/opencode.db/ses_1","client_pid":77,"turns":4,
                "model":"m","context_tokens":30000,"limit":{"context":40000,"output":4000},"compaction":{"prune":true}}"#,
        );
        assert_eq!(problem, None);
        assert_eq!((payload.event, payload.session_id.as_str()), (Event::PostToolUse, "ses_1"));
        assert_eq!((payload.context_tokens, payload.window_tokens), (Some(30_000), Some(40_000)));
        assert_eq!((payload.compacts_at_tokens, payload.client_pid), (Some(36_000), Some(77)));
        assert_eq!((payload.turns, payload.tool_calls), (4, 4));
    }

    #[test]
    fn a_field_of_another_type_costs_only_itself() {
        let (payload, problem) = parse(
            br#"{"hook_event_name":"Stop","session_id":"s","context_tokens":"many","client_pid":-1,"turns":1.5,
                "limit":[],"compaction":{"auto":"no"}}"#,
        );
        assert_eq!((payload.event, payload.session_id.as_str(), problem), (Event::Stop, "s", None));
        assert_eq!((payload.context_tokens, payload.client_pid, payload.turns), (None, None, 0));
        assert_eq!((payload.window_tokens, payload.compacts_at_tokens), (None, None));
    }

    #[test]
    fn bytes_of_any_kind_are_a_payload_or_a_problem() {
        for bytes in [
            &b""[..],
            b"[]",
            b"null",
            b"{\"session_id\":\"s\",",
            b"\xff{}",
            b"{\"limit\":{\"context\":1e400}}",
        ] {
            let (payload, problem) = parse(bytes);
            assert_eq!(payload.event, Event::Other);
            assert!(problem.is_some() || payload.window_tokens.is_none(), "{bytes:?}");
        }
    }
}
