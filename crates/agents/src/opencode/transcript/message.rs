//! Message: a line taken apart: whose message it is, when it was written, what it took, and its parts, still as written.

use std::borrow::Cow;

use throughline_domain::transcript::{Line, What};
use throughline_domain::usage::Tokens;

use crate::claude_code::transcript::scan::{Raw, Walk};

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::opencode) enum Role {
    #[default]
    User,
    Assistant,
    /// The summariser of a compaction.
    Summary,
}

/// A message.
#[derive(Debug, Clone, Default)]
pub(in crate::opencode) struct Message<'l> {
    pub(in crate::opencode) id: Option<&'l str>,
    pub(in crate::opencode) session: Option<&'l str>,
    pub(in crate::opencode) at: Option<&'l str>,
    pub(in crate::opencode) ended: Option<&'l str>,
    pub(in crate::opencode) directory: Option<Raw<'l>>,
    /// Whether it is a subagent's: its session is a part of this one.
    pub(in crate::opencode) is_sidechain: bool,
    pub(in crate::opencode) role: Role,
    pub(in crate::opencode) model: Option<&'l str>,
    pub(in crate::opencode) tokens: Tokens,
    /// Whether the answer came to its end.
    pub(in crate::opencode) is_done: bool,
    /// The name of what it failed of.
    pub(in crate::opencode) failure: Option<&'l str>,
    parts: Option<Raw<'l>>,
}

/// A part of a message, by the fields that any kind of part may have.
#[derive(Debug, Clone, Default)]
pub(in crate::opencode) struct Part<'l> {
    pub(in crate::opencode) kind: &'l [u8],
    pub(in crate::opencode) text: Option<Raw<'l>>,
    /// Put there by the client, or hidden from the model.
    pub(in crate::opencode) is_clients_own: bool,
    pub(in crate::opencode) is_auto: bool,
    pub(in crate::opencode) is_overflow: bool,
    pub(in crate::opencode) tool: Option<&'l str>,
    pub(in crate::opencode) call_id: Option<Raw<'l>>,
    pub(in crate::opencode) state: Option<Raw<'l>>,
}

impl<'l> Message<'l> {
    /// Reads a line; `None` for a blank one, and one of somebody who is neither the user nor the model.
    pub(in crate::opencode) fn read(line: &'l [u8]) -> Result<Option<Self>, &'static str> {
        let start = line.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != 0);
        let Some(line) = start.and_then(|start| line.get(start..)) else { return Ok(None) };
        let mut walk = Walk::over(line);
        let Some(mut level) = walk.enter_object() else { return Err("is no JSON object") };
        let mut message = Self::default();
        let mut data = None;
        while let Some(key) = walk.key(&mut level) {
            let Some(value) = walk.value() else { break };
            match key {
                b"id" => message.id = value.plain(),
                b"session" => message.session = value.plain(),
                b"at" => message.at = value.plain(),
                b"ended" => message.ended = value.plain(),
                b"directory" => message.directory = Some(value),
                b"subagent" => message.is_sidechain = value.is_true(),
                b"message" => data = Some(value),
                b"parts" => message.parts = Some(value),
                _ => {}
            }
        }
        if !walk.ended_well(&level) {
            return Err("breaks off, or is no JSON");
        }
        let data = data.filter(|data| data.is_object()).ok_or("is a line without a message")?;
        Ok(message.take(data).then_some(message))
    }

    /// Takes what the message itself says; whether it is one of the user or the model.
    fn take(&mut self, data: Raw<'l>) -> bool {
        let (mut role, mut is_summary, mut has_ended) = (None, false, false);
        for (key, value) in data.members() {
            match key {
                b"role" => role = value.plain(),
                b"modelID" => self.model = value.plain(),
                // Of a prompt it is an object: what was changed after it.
                b"summary" => is_summary = value.is_true(),
                b"finish" => has_ended = value.plain().is_some_and(|how| how != "error"),
                b"tokens" => self.tokens = tokens(value),
                b"error" => {
                    self.failure = value
                        .is_object()
                        .then(|| value.member(b"name").and_then(Raw::plain).unwrap_or("error"));
                }
                _ => {}
            }
        }
        self.is_done = has_ended;
        self.role = match role {
            Some("user") => Role::User,
            Some("assistant") if is_summary => Role::Summary,
            Some("assistant") => Role::Assistant,
            _ => return false,
        };
        true
    }

    /// Its parts, in order.
    pub(in crate::opencode) fn parts(&self) -> impl Iterator<Item = Part<'l>> {
        self.parts.into_iter().flat_map(Raw::elements).map(Part::read)
    }

    /// The folder that it was written in.
    pub(in crate::opencode) fn cwd(&self) -> Option<Cow<'l, str>> {
        self.directory.and_then(Raw::text).filter(|cwd| !cwd.is_empty())
    }

    /// A line of what it says first, under its name.
    pub(super) fn line(&self, at: Option<&'l str>, what: What<'l>) -> Line<'l> {
        Line { uuid: self.id, ..self.later_line(at, what) }
    }

    /// A line of what else it says: under the same name it would be taken for a copy.
    pub(super) fn later_line(&self, at: Option<&'l str>, what: What<'l>) -> Line<'l> {
        Line {
            uuid: None,
            session: self.session,
            timestamp: at.or(self.at),
            cwd: self.cwd(),
            is_sidechain: self.is_sidechain,
            what,
        }
    }
}

impl<'l> Part<'l> {
    fn read(part: Raw<'l>) -> Self {
        let mut read = Self::default();
        for (key, value) in part.members() {
            match key {
                b"type" => read.kind = value.inside().unwrap_or_default(),
                b"text" => read.text = Some(value),
                b"synthetic" | b"ignored" => read.is_clients_own |= value.is_true(),
                b"auto" => read.is_auto = value.is_true(),
                b"overflow" => read.is_overflow = value.is_true(),
                b"tool" => read.tool = value.plain(),
                b"callID" => read.call_id = Some(value),
                b"state" => read.state = Some(value),
                _ => {}
            }
        }
        read
    }
}

/// In this client's counts the input is what was not read from the cache, and the reasoning is no part of the output.
fn tokens(counts: Raw<'_>) -> Tokens {
    let mut tokens = Tokens::default();
    for (key, value) in counts.members() {
        let count = || value.count().unwrap_or(0);
        match key {
            b"input" => tokens.input = count(),
            b"output" | b"reasoning" => tokens.output = tokens.output.saturating_add(count()),
            b"cache" => {
                tokens.cache_read = value.member(b"read").and_then(Raw::count).unwrap_or(0);
                tokens.cache_write_5m = value.member(b"write").and_then(Raw::count).unwrap_or(0);
            }
            _ => {}
        }
    }
    tokens
}
