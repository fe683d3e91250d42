//! Message: what an entry carries, taken apart in passing: one walk over it, whoever spoke.

use throughline_domain::transcript::ToolCall;

use super::scan::{Raw, Walk};
use super::tool_input;

/// Parts of one message that are kept: a client writes one, some a handful.
const PARTS_MAX: usize = 4_096;

/// A message of the user or the model.
#[derive(Default)]
pub(super) struct Message<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) usage: Option<Raw<'a>>,
    pub(super) content: Option<Content<'a>>,
}

/// What a message, or an answer of a tool, consists of: a text, or a list of parts.
pub(super) enum Content<'a> {
    Text(Raw<'a>),
    Parts(Vec<Part<'a>>),
}

/// One part of a content, by the fields that any kind of part may have.
#[derive(Default)]
pub(super) struct Part<'a> {
    pub(super) kind: Option<&'a [u8]>,
    /// The text of a part that has one, or a part that is nothing but a text.
    pub(super) text: Option<Raw<'a>>,
    /// What a tool is called with.
    pub(super) call: Option<Box<ToolCall<'a>>>,
    /// The call that an answer belongs to, and the answer.
    pub(super) call_id: Option<Raw<'a>>,
    pub(super) content: Option<Raw<'a>>,
    pub(super) is_error: bool,
    /// Whether it is a text without anything around it.
    pub(super) is_bare: bool,
}

impl<'a> Message<'a> {
    /// Puts the message that stands here into its place; nothing when it is something else. `None`: there is no JSON here.
    pub(super) fn read(walk: &mut Walk<'a>, into: &mut Option<Self>) -> Option<()> {
        *into = None;
        let Some(mut level) = walk.enter_object() else { return walk.value().map(|_| ()) };
        let mut message = Self::default();
        while let Some(key) = walk.key(&mut level) {
            if key == b"content" {
                if Content::read(walk, &mut message.content).is_none() {
                    break;
                }
                continue;
            }
            let Some(value) = walk.value() else { break };
            match key {
                b"id" => message.id = value.plain(),
                b"model" => message.model = value.plain(),
                b"usage" => message.usage = Some(value),
                _ => {}
            }
        }
        walk.leave(&level)?;
        *into = Some(message);
        Some(())
    }
}

impl<'a> Content<'a> {
    /// The content of a value that was passed over before.
    pub(super) fn of(value: Raw<'a>) -> Option<Self> {
        let mut content = None;
        Self::read(&mut Walk::over(value.0), &mut content)?;
        content
    }

    fn read(walk: &mut Walk<'a>, into: &mut Option<Self>) -> Option<()> {
        let Some(mut level) = walk.enter_array() else {
            let value = walk.value()?;
            *into = value.inside().map(|_| Self::Text(value));
            return Some(());
        };
        *into = None;
        let mut parts = Vec::new();
        while walk.step(&mut level).is_some() {
            let Some(part) = Part::read(walk) else { break };
            if parts.len() < PARTS_MAX {
                parts.push(part);
            }
        }
        walk.leave(&level)?;
        *into = Some(Self::Parts(parts));
        Some(())
    }
}

impl<'a> Part<'a> {
    fn read(walk: &mut Walk<'a>) -> Option<Self> {
        let Some(mut level) = walk.enter_object() else {
            let text = walk.value()?;
            return Some(Self { text: Some(text), is_bare: true, ..Self::default() });
        };
        let mut part = Self::default();
        let (mut id, mut name, mut input) = (None, None, None);
        while let Some(key) = walk.key(&mut level) {
            // Its kind stands before it in every client's lines; where it does not, it is looked into afterwards.
            if key == b"input" && part.kind == Some(b"tool_use") {
                let mut call = ToolCall::default();
                if tool_input::read(walk, &mut call).is_none() {
                    break;
                }
                (part.call, input) = (Some(Box::new(call)), None);
                continue;
            }
            let Some(value) = walk.value() else { break };
            match key {
                b"type" => part.kind = value.inside(),
                b"text" => part.text = Some(value),
                b"id" => id = value.text(),
                b"name" => name = value.text(),
                b"input" => input = Some(value),
                b"tool_use_id" => part.call_id = Some(value),
                b"content" => part.content = Some(value),
                b"is_error" => part.is_error = value.is_true(),
                _ => {}
            }
        }
        walk.leave(&level)?;
        if part.kind == Some(b"tool_use") {
            let call = part.call.get_or_insert_default();
            if let Some(input) = input {
                **call = ToolCall::default();
                tool_input::read(&mut Walk::over(input.0), call);
            }
            call.id = id.unwrap_or_default();
            call.name = name.unwrap_or_default();
            call.tool = tool_input::tool(&call.name);
        }
        Some(part)
    }
}
