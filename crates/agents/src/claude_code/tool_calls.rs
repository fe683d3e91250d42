//! The tool calls of a payload: counted, and of command lines the ends of what they printed. Read in passing, bounded.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::hook::Ran;

/// Command lines of one event that are kept: the last ones.
const RAN_MAX: usize = 6;
/// What a run was about stands at its beginning, how it ended at its end.
const HEAD_BYTES: usize = 200;
const TAIL_BYTES: usize = 800;

/// How many calls a list has; 0 for a value of any other type. The command lines go into the list.
pub(super) struct Calls<'a>(pub(super) &'a mut Vec<Ran>);

impl<'de> DeserializeSeed<'de> for Calls<'_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Calls<'_> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while let Some(call) = seq.next_element_seed(Part::Call)? {
            count += 1;
            if call.is_shell && !call.ran.id.is_empty() {
                if self.0.len() == RAN_MAX {
                    self.0.remove(0);
                }
                self.0.push(call.ran);
            }
        }
        Ok(count)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u64, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(0)
    }

    fn visit_str<E>(self, _: &str) -> Result<u64, E> {
        Ok(0)
    }

    fn visit_bool<E>(self, _: bool) -> Result<u64, E> {
        Ok(0)
    }

    fn visit_i64<E>(self, _: i64) -> Result<u64, E> {
        Ok(0)
    }

    fn visit_u64<E>(self, _: u64) -> Result<u64, E> {
        Ok(0)
    }

    fn visit_f64<E>(self, _: f64) -> Result<u64, E> {
        Ok(0)
    }

    fn visit_unit<E>(self) -> Result<u64, E> {
        Ok(0)
    }
}

/// What is read: a call, or a part of it. A value of any type is fine everywhere.
#[derive(Clone, Copy)]
enum Part {
    Call,
    Name,
    Id,
    /// A text, an object with the two streams, or a list of texts.
    Answer,
}

#[derive(Default)]
struct CallFields {
    is_shell: bool,
    ran: Ran,
}

impl CallFields {
    fn hear(&mut self, text: &str) {
        if self.ran.head.is_empty() {
            text[..text.floor_char_boundary(HEAD_BYTES)].clone_into(&mut self.ran.head);
        }
        if text.len() > HEAD_BYTES {
            let from = text.len() - text.len().min(TAIL_BYTES);
            text[text.ceil_char_boundary(from)..].clone_into(&mut self.ran.tail);
        }
    }

    /// What a part of an answer told: of several, the first head and the last tail count.
    fn join(&mut self, other: Self) {
        if self.ran.head.is_empty() {
            self.ran.head = other.ran.head;
        } else if !other.ran.head.is_empty() && other.ran.tail.is_empty() {
            self.ran.tail = other.ran.head;
        }
        if !other.ran.tail.is_empty() {
            self.ran.tail = other.ran.tail;
        }
    }
}

impl<'de> DeserializeSeed<'de> for Part {
    type Value = CallFields;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<CallFields, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part {
    type Value = CallFields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CallFields, A::Error> {
        let mut found = CallFields::default();
        while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            match (self, key.as_ref()) {
                (Self::Call, "tool_name") => found.is_shell = map.next_value_seed(Self::Name)?.is_shell,
                (Self::Call, "tool_use_id") => found.ran.id = map.next_value_seed(Self::Id)?.ran.id,
                (Self::Call, "tool_response") => found.join(map.next_value_seed(Self::Answer)?),
                (Self::Answer, "stdout" | "stderr" | "text" | "content") => {
                    found.join(map.next_value_seed(Self::Answer)?);
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<CallFields, A::Error> {
        let mut found = CallFields::default();
        while let Some(part) = seq.next_element_seed(self)? {
            found.join(part);
        }
        Ok(found)
    }

    fn visit_str<E>(self, text: &str) -> Result<CallFields, E> {
        let mut found = CallFields::default();
        match self {
            Self::Call => {}
            Self::Name => found.is_shell = matches!(text, "Bash" | "PowerShell"),
            Self::Id => text[..text.floor_char_boundary(HEAD_BYTES)].clone_into(&mut found.ran.id),
            Self::Answer => found.hear(text),
        }
        Ok(found)
    }

    fn visit_bool<E>(self, _: bool) -> Result<CallFields, E> {
        Ok(CallFields::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<CallFields, E> {
        Ok(CallFields::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<CallFields, E> {
        Ok(CallFields::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<CallFields, E> {
        Ok(CallFields::default())
    }

    fn visit_unit<E>(self) -> Result<CallFields, E> {
        Ok(CallFields::default())
    }
}

#[cfg(test)]
mod tests {
    use crate::claude_code::hook_payload::parse;

    #[test]
    fn command_lines_are_kept_by_the_ends_of_what_they_printed() {
        let long = format!("first {} last", "x".repeat(5_000));
        let payload = serde_json::json!({
            "hook_event_name": "PostToolBatch", "session_id": "s",
            "tool_calls": [
                {"tool_name": "Read", "tool_input": {}, "tool_use_id": "a", "tool_response": "text"},
                {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "b", "tool_response": "Exit code 2\nboom"},
                {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c", "tool_response": {"stdout": long, "stderr": "", "interrupted": false}},
                {"tool_name": "Bash", "tool_use_id": "d", "tool_response": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
                {"tool_name": 7, "tool_use_id": null, "tool_response": true}, 9,
            ],
        });
        let (payload, problem) = parse(payload.to_string().as_bytes());
        assert_eq!(problem, None);
        assert_eq!(payload.tool_calls, 6);
        let ids: Vec<&str> = payload.ran.iter().map(|ran| ran.id.as_str()).collect();
        assert_eq!(ids, ["b", "c", "d"]);
        assert_eq!((payload.ran[0].head.as_str(), payload.ran[0].tail.as_str()), ("Exit code 2\nboom", ""));
        assert!(payload.ran[1].head.starts_with("first") && payload.ran[1].tail.ends_with("last"));
        assert!(payload.ran[1].head.len() + payload.ran[1].tail.len() <= 1_000);
        assert_eq!((payload.ran[2].head.as_str(), payload.ran[2].tail.as_str()), ("one", "two"));
    }
}
