//! Hook payloads: what the client writes to a hook's standard input. Unknown events and fields are fine.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use throughline_domain::Problem;

use super::tool_calls::Calls;
use crate::hook::{Event, HookPayload};

/// The event that a name means.
fn event_of(name: &str) -> Event {
    match name {
        "SessionStart" => Event::SessionStart,
        "UserPromptSubmit" => Event::UserPromptSubmit,
        "PostToolUse" => Event::PostToolUse,
        "PostToolUseFailure" => Event::PostToolUseFailure,
        "PostToolBatch" => Event::PostToolBatch,
        "PreCompact" => Event::PreCompact,
        "PostCompact" => Event::PostCompact,
        "SubagentStart" => Event::SubagentStart,
        "SubagentStop" => Event::SubagentStop,
        "TaskCreated" => Event::TaskCreated,
        "TaskCompleted" => Event::TaskCompleted,
        "Stop" => Event::Stop,
        "SessionEnd" => Event::SessionEnd,
        _ => Event::Other,
    }
}

/// Reads a payload. Broken off or malformed, it gives what stood before the break, and the problem.
#[must_use]
pub fn parse(bytes: &[u8]) -> (HookPayload, Option<Problem>) {
    match parse_strictly(bytes) {
        (payload, None) => (payload, None),
        // Invalid UTF-8 somewhere inside must not cost the fields that are fine.
        (payload, Some(problem)) if std::str::from_utf8(bytes).is_err() => {
            match parse_strictly(String::from_utf8_lossy(bytes).as_bytes()) {
                (lossy, None) => (lossy, Some(Problem::new("payload", "holds invalid UTF-8"))),
                (lossy, Some(_)) if payload.event_name.is_empty() => (lossy, Some(problem)),
                _ => (payload, Some(problem)),
            }
        }
        other => other,
    }
}

fn parse_strictly(bytes: &[u8]) -> (HookPayload, Option<Problem>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut payload = HookPayload::default();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read = Fields(&mut payload).deserialize(&mut deserializer).and_then(|()| deserializer.end());
    (payload, read.err().map(|error| Problem::new("payload", error.to_string())))
}

/// Fills a payload field by field, so that what was read before an error is kept.
struct Fields<'a>(&'a mut HookPayload);

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a payload object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let payload = self.0;
        while let Some(field) = map.next_key_seed(Key)? {
            let Some(field) = field else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if matches!(field, Field::ToolCalls) {
                payload.tool_calls = map.next_value_seed(Calls(&mut payload.ran))?;
                continue;
            }
            let Some(text) = map.next_value_seed(Text)? else { continue };
            match field {
                Field::EventName => {
                    payload.event = event_of(&text);
                    payload.event_name = text;
                }
                Field::SessionId => payload.session_id = text,
                Field::TranscriptPath => payload.transcript_path = text,
                Field::Cwd => payload.cwd = text,
                Field::Source => payload.source = Some(text),
                Field::Model => payload.model = Some(text),
                Field::Trigger => payload.trigger = Some(text),
                Field::CustomInstructions => payload.custom_instructions = Some(text),
                Field::CompactSummary => payload.compact_summary = Some(text),
                Field::LastAssistantMessage => payload.last_assistant_message = Some(text),
                Field::AgentId => payload.agent_id = Some(text),
                Field::AgentType => payload.agent_type = Some(text),
                Field::PermissionMode => payload.permission_mode = Some(text),
                Field::Reason => payload.reason = Some(text),
                Field::TaskId => payload.task_id = Some(text),
                Field::TaskSubject => payload.task_subject = Some(text),
                Field::ToolUseId => payload.tool_calls = payload.tool_calls.max(1),
                Field::ToolCalls => {}
            }
        }
        Ok(())
    }
}

enum Field {
    EventName,
    SessionId,
    TranscriptPath,
    Cwd,
    Source,
    Model,
    Trigger,
    CustomInstructions,
    CompactSummary,
    LastAssistantMessage,
    AgentId,
    AgentType,
    PermissionMode,
    Reason,
    TaskId,
    TaskSubject,
    ToolUseId,
    ToolCalls,
}

/// A key, told apart without being copied; `None` for one that we do not use.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<Field>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Field>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<Field>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<Field>, E> {
        Ok(Some(match key {
            "hook_event_name" => Field::EventName,
            "session_id" => Field::SessionId,
            "transcript_path" => Field::TranscriptPath,
            "cwd" => Field::Cwd,
            "source" => Field::Source,
            "model" => Field::Model,
            "trigger" => Field::Trigger,
            "custom_instructions" => Field::CustomInstructions,
            "compact_summary" => Field::CompactSummary,
            "last_assistant_message" => Field::LastAssistantMessage,
            "agent_id" => Field::AgentId,
            "agent_type" => Field::AgentType,
            "permission_mode" => Field::PermissionMode,
            "reason" => Field::Reason,
            "task_id" => Field::TaskId,
            "task_subject" => Field::TaskSubject,
            "tool_use_id" => Field::ToolUseId,
            "tool_calls" => Field::ToolCalls,
            _ => return Ok(None),
        }))
    }
}

/// A text, or `None` for a value of any other type: one odd field must not cost the rest.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Some(text))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(number.to_string()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_and_events_are_fine() {
        let (payload, problem) =
            parse(br#"{"hook_event_name":"Brand_New","x":{"y":[1,2]},"session_id":"s"}"#);
        assert_eq!((payload.event, payload.event_name.as_str()), (Event::Other, "Brand_New"));
        assert_eq!(payload.session_id, "s");
        assert_eq!(problem, None);
    }

    #[test]
    fn a_payload_that_breaks_off_keeps_what_stood_before() {
        let (payload, problem) =
            parse(br#"{"session_id":"s","cwd":"/p","hook_event_name":"PostToolUse","tool_input":{"a":"#);
        assert_eq!((payload.event, payload.cwd.as_str()), (Event::PostToolUse, "/p"));
        assert!(problem.is_some());
    }

    #[test]
    fn a_field_of_another_type_costs_only_itself() {
        let (payload, problem) =
            parse(br#"{"session_id":["s"],"source":null,"agent_type":{"a":1},"hook_event_name":"Stop"}"#);
        assert_eq!((payload.event, payload.session_id.as_str()), (Event::Stop, ""));
        assert_eq!((payload.source, payload.agent_type, problem), (None, None, None));
    }

    #[test]
    fn invalid_utf8_in_one_field_costs_only_that_field() {
        let (payload, problem) = parse(b"{\"session_id\":\"s\",\"prompt\":\"\xff\xfe\",\"cwd\":\"/p\\u0000\",\"hook_event_name\":\"Stop\"}");
        assert_eq!((payload.event, payload.session_id.as_str()), (Event::Stop, "s"));
        assert_eq!(payload.cwd, "/p\0");
        assert!(problem.is_none_or(|problem| problem.what.contains("UTF-8")));
    }

    #[test]
    fn what_is_no_object_is_an_empty_payload_and_a_problem() {
        for bytes in [&b""[..], b"[]", b"null", b"7", b"\"x\"", b"{", b"\x00\x01", b"{\"a\""] {
            let (payload, problem) = parse(bytes);
            assert_eq!(payload.event, Event::Other);
            assert!(problem.is_some(), "{bytes:?}");
        }
    }
}
