//! Payload: what the client writes to a hook's stdin, one function per event.
//!
//! Each returns the value, so that a test can change a field before it prints it. The fields come in the client's
//! order.

use serde_json::{Value, json};

use crate::home::TempHome;

const PROMPT_ID: &str = "0f0e0d0c-0b0a-4908-8706-050403020100";
const TOOL_USE_ID: &str = "toolu_test0001";
const AGENT_ID: &str = "a0123456789abcdef";

/// A session begins; `source` is startup, resume, compact, clear or fork.
#[must_use]
pub fn session_start(home: &TempHome, session_id: &str, source: &str) -> Value {
    let context = if source == "compact" { prompt() } else { json!({}) };
    let mut fields = json!({"source": source});
    match source {
        "resume" => extend(
            &mut fields,
            json!({
                "seconds_since_last_response": 26,
                "context_tokens": 15_662,
                "prompt_cache_likely_expired": false,
                "estimated_cache_write_usd": 0.0783,
            }),
        ),
        "startup" | "compact" => extend(&mut fields, json!({"model": "claude-sonnet-4-5"})),
        _ => {}
    }
    payload(home, session_id, context, "SessionStart", fields)
}

/// The user sends a prompt.
#[must_use]
pub fn user_prompt_submit(home: &TempHome, session_id: &str, text: &str) -> Value {
    let context = json!({"prompt_id": PROMPT_ID, "permission_mode": "acceptEdits"});
    payload(home, session_id, context, "UserPromptSubmit", json!({"prompt": text}))
}

/// A tool is about to run.
#[must_use]
pub fn pre_tool_use(home: &TempHome, session_id: &str, tool: &str, input: &Value) -> Value {
    let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": TOOL_USE_ID});
    working(home, session_id, "PreToolUse", fields)
}

/// A tool has run.
#[must_use]
pub fn post_tool_use(
    home: &TempHome,
    session_id: &str,
    tool: &str,
    input: &Value,
    response: &Value,
) -> Value {
    let fields = json!({
        "tool_name": tool,
        "tool_input": input,
        "tool_response": response,
        "tool_use_id": TOOL_USE_ID,
        "duration_ms": 12,
    });
    working(home, session_id, "PostToolUse", fields)
}

/// A tool has failed.
#[must_use]
pub fn post_tool_use_failure(
    home: &TempHome,
    session_id: &str,
    tool: &str,
    input: &Value,
    error: &str,
) -> Value {
    let fields = json!({
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": TOOL_USE_ID,
        "error": error,
        "is_interrupt": false,
        "duration_ms": 12,
    });
    working(home, session_id, "PostToolUseFailure", fields)
}

/// All tools of one answer have run: name, input and response of each.
#[must_use]
pub fn post_tool_batch(home: &TempHome, session_id: &str, calls: &[(&str, Value, Value)]) -> Value {
    let calls = calls.iter().enumerate().map(|(index, (tool, input, response))| {
        let id = format!("toolu_test{index:04}");
        json!({"tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": response})
    });
    working(home, session_id, "PostToolBatch", json!({"tool_calls": calls.collect::<Vec<_>>()}))
}

/// A compaction is about to begin; `trigger` is auto or manual, `focus` what the user wrote after `/compact`.
#[must_use]
pub fn pre_compact(home: &TempHome, session_id: &str, trigger: &str, focus: Option<&str>) -> Value {
    prompted(home, session_id, "PreCompact", json!({"trigger": trigger, "custom_instructions": focus}))
}

/// A compaction is done.
#[must_use]
pub fn post_compact(home: &TempHome, session_id: &str, trigger: &str, summary: &str) -> Value {
    prompted(home, session_id, "PostCompact", json!({"trigger": trigger, "compact_summary": summary}))
}

/// A subagent begins.
#[must_use]
pub fn subagent_start(home: &TempHome, session_id: &str, agent_type: &str) -> Value {
    let context = json!({"prompt_id": PROMPT_ID, "agent_id": AGENT_ID, "agent_type": agent_type});
    payload(home, session_id, context, "SubagentStart", json!({}))
}

/// A subagent has ended. With an empty `agent_type` this is how a compaction's summary is first seen.
#[must_use]
pub fn subagent_stop(home: &TempHome, session_id: &str, agent_type: &str, last_message: &str) -> Value {
    let transcript = home.transcript_path(session_id).with_extension("");
    let context = json!({
        "prompt_id": PROMPT_ID,
        "permission_mode": "acceptEdits",
        "agent_id": AGENT_ID,
        "agent_type": agent_type,
        "effort": {"level": "medium"},
    });
    let fields = json!({
        "stop_hook_active": false,
        "agent_transcript_path": transcript.join(format!("subagents/agent-{AGENT_ID}.jsonl")),
        "last_assistant_message": last_message,
        "background_tasks": [],
        "session_crons": [],
    });
    payload(home, session_id, context, "SubagentStop", fields)
}

/// The turn is over.
#[must_use]
pub fn stop(home: &TempHome, session_id: &str, last_message: &str) -> Value {
    let fields = json!({
        "stop_hook_active": false,
        "last_assistant_message": last_message,
        "background_tasks": [],
        "session_crons": [],
    });
    working(home, session_id, "Stop", fields)
}

/// The session is over; `reason` is other, clear or `prompt_input_exit`.
#[must_use]
pub fn session_end(home: &TempHome, session_id: &str, reason: &str) -> Value {
    prompted(home, session_id, "SessionEnd", json!({"reason": reason}))
}

/// A task was put on the agent's list.
#[must_use]
pub fn task_created(home: &TempHome, session_id: &str, task_id: &str, subject: &str) -> Value {
    task_event(home, session_id, "TaskCreated", task_id, subject)
}

/// A task of the agent's list is done.
#[must_use]
pub fn task_completed(home: &TempHome, session_id: &str, task_id: &str, subject: &str) -> Value {
    task_event(home, session_id, "TaskCompleted", task_id, subject)
}

/// What the status line is told, in the form of client 2.1.325: `duration_ms` is the client's own clock, `used` the
/// tokens in the context (mostly from the cache), `None` before the first response.
#[must_use]
pub fn status_line(
    home: &TempHome,
    session_id: &str,
    window: u64,
    used: Option<u64>,
    duration_ms: u64,
) -> Value {
    let usage = used.map(|used| {
        json!({
            "input_tokens": used - used / 4 * 3,
            "output_tokens": 42.min(used),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": used / 4 * 3,
        })
    });
    json!({
        "session_id": session_id,
        "transcript_path": home.transcript_path(session_id),
        "cwd": home.project(),
        "effort": { "level": "medium" },
        "model": { "id": "claude-opus-5-5", "display_name": "Opus 5.5" },
        "workspace": { "current_dir": home.project(), "project_dir": home.project(), "added_dirs": [] },
        "version": "2.1.325",
        "output_style": { "name": "default" },
        "cost": {
            "total_cost_usd": 0.02046,
            "total_duration_ms": duration_ms,
            "total_api_duration_ms": duration_ms / 3,
            "total_lines_added": 1,
            "total_lines_removed": 1,
        },
        "context_window": {
            "total_input_tokens": used.unwrap_or(0),
            "total_output_tokens": 42,
            "context_window_size": window,
            "current_usage": usage,
            "used_percentage": used.map(|used| used * 100 / window),
            "remaining_percentage": used.map(|used| 100_u64.saturating_sub(used * 100 / window)),
        },
        "exceeds_200k_tokens": used.is_some_and(|used| used > 200_000),
        "fast_mode": false,
        "thinking": { "enabled": true },
    })
}

/// The client tells the user something.
#[must_use]
pub fn notification(home: &TempHome, session_id: &str, message: &str) -> Value {
    let fields = json!({"message": message, "notification_type": "idle_prompt"});
    prompted(home, session_id, "Notification", fields)
}

/// Any event, with the fields that all of them have and these.
#[must_use]
pub fn event(home: &TempHome, session_id: &str, name: &str, fields: Value) -> Value {
    payload(home, session_id, json!({}), name, fields)
}

fn payload(home: &TempHome, session_id: &str, context: Value, name: &str, fields: Value) -> Value {
    let mut payload = json!({
        "session_id": session_id,
        "transcript_path": home.transcript_path(session_id),
        "cwd": home.project(),
    });
    extend(&mut payload, context);
    extend(&mut payload, json!({"hook_event_name": name}));
    extend(&mut payload, fields);
    payload
}

fn prompt() -> Value {
    json!({"prompt_id": PROMPT_ID})
}

fn prompted(home: &TempHome, session_id: &str, name: &str, fields: Value) -> Value {
    payload(home, session_id, prompt(), name, fields)
}

fn working(home: &TempHome, session_id: &str, name: &str, fields: Value) -> Value {
    let mut context = prompt();
    extend(&mut context, json!({"permission_mode": "acceptEdits", "effort": {"level": "medium"}}));
    payload(home, session_id, context, name, fields)
}

fn task_event(home: &TempHome, session_id: &str, name: &str, task_id: &str, subject: &str) -> Value {
    let fields = json!({"task_id": task_id, "task_subject": subject, "task_description": subject});
    prompted(home, session_id, name, fields)
}

fn extend(object: &mut Value, fields: Value) {
    if let (Value::Object(object), Value::Object(fields)) = (object, fields) {
        object.extend(fields);
    }
}
