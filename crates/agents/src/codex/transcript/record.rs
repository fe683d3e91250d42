//! Record: the fields around what a rollout's line says, and what the lines about session and turn leave for later ones.

use crate::claude_code::transcript::scan::{Raw, Walk};
use crate::transcript::Carried;

use super::open::{Flag, Open};

/// Why a line could not be read. Never holds a word of the line itself: it may reach a log.
pub(in crate::codex) type Reason = &'static str;

/// Longest name of a session, folder or model that is carried on.
const NAME_BYTES_MAX: usize = 4 << 10;

/// One line, still as written.
pub(in crate::codex) struct Record<'a> {
    pub(in crate::codex) kind: &'a [u8],
    pub(in crate::codex) timestamp: Option<&'a str>,
    pub(in crate::codex) payload: Raw<'a>,
    /// What the client notes beside an item.
    pub(in crate::codex) metadata: Option<Raw<'a>>,
    /// Newer clients number their lines, and write down what came of each call.
    pub(in crate::codex) is_numbered: bool,
}

impl<'a> Record<'a> {
    /// Reads a line; `None` where it is empty, or of a type that means nothing to us.
    pub(in crate::codex) fn read(line: &'a [u8]) -> Result<Option<Self>, Reason> {
        // A power cut can leave a run of NULs where the file had grown; the line behind it is sound.
        let is_filling = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
        let start = line.iter().position(|byte| !is_filling(byte)).unwrap_or(line.len());
        let line = line[start..].strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line[start..]);
        if line.is_empty() {
            return Ok(None);
        }
        let mut walk = Walk::over(line);
        let Some(mut level) = walk.enter_object() else { return Err("is no JSON object") };
        let mut record =
            Self { kind: b"", timestamp: None, payload: Raw(b""), metadata: None, is_numbered: false };
        while let Some(key) = walk.key(&mut level) {
            let Some(value) = walk.value() else { break };
            match key {
                b"type" => {
                    record.kind = value.inside().unwrap_or_default();
                    if !is_wanted(record.kind) {
                        return Ok(None);
                    }
                }
                b"timestamp" => record.timestamp = value.plain(),
                b"ordinal" => record.is_numbered = true,
                b"payload" => record.payload = value,
                b"metadata" => record.metadata = Some(value),
                _ => {}
            }
        }
        if walk.ended_well(&level) { Ok(Some(record)) } else { Err("breaks off, or is no JSON") }
    }

    /// The type of what it says, which stands first in it.
    pub(in crate::codex) fn inner(&self) -> &'a [u8] {
        let kind = self.payload.members().find(|(key, _)| *key == b"type");
        kind.and_then(|(_, value)| value.inside()).unwrap_or_default()
    }

    /// Whether the line is about session or turn: then it is noted for later lines, and tells nothing else.
    pub(in crate::codex) fn note(&self, carried: &mut Carried) -> bool {
        match self.kind {
            b"session_meta" => session(self.payload, carried),
            b"turn_context" => turn(self.payload, carried),
            b"event_msg" if self.inner() == b"task_started" => {
                // A compaction that the user asked for is a turn that nobody's prompt began.
                let is_prompted = self.payload.member(b"turn_attribution").is_some_and(Raw::is_object);
                Open::change(carried, |open| open.set(Flag::Prompted, is_prompted));
            }
            _ => return false,
        }
        true
    }
}

fn is_wanted(kind: &[u8]) -> bool {
    matches!(
        kind,
        b"response_item"
            | b"event_msg"
            | b"session_meta"
            | b"turn_context"
            | b"compacted"
            | b"token_usage_record"
    )
}

/// Who decided a compaction; older clients leave nothing to tell it by.
pub(in crate::codex) fn trigger(carried: &Carried, is_numbered: bool) -> Option<&'static str> {
    match (Open::has(carried, Flag::Prompted), is_numbered) {
        (true, _) => Some("auto"),
        (false, true) => Some("manual"),
        (false, false) => None,
    }
}

/// How much stood in the context before a compaction: the summariser has read all of it.
pub(in crate::codex) fn read_by_summariser(latest: Raw<'_>) -> Option<u64> {
    latest.member(b"usage")?.member(b"input_tokens")?.count().filter(|tokens| *tokens > 0)
}

/// The session's own line. Older clients copied those of others into a fork: the first one counts.
fn session(payload: Raw<'_>, carried: &mut Carried) {
    if !carried.session.is_empty() {
        return;
    }
    let mut thread = None;
    let mut is_sidechain = false;
    for (key, value) in payload.members() {
        match key {
            b"session_id" => keep(value, &mut carried.session),
            b"id" => thread = Some(value),
            b"cwd" => keep(value, &mut carried.cwd),
            b"thread_source" => is_sidechain |= value.inside() == Some(b"subagent"),
            b"source" => is_sidechain |= value.member(b"subagent").is_some(),
            _ => {}
        }
    }
    if let (true, Some(thread)) = (carried.session.is_empty(), thread) {
        keep(thread, &mut carried.session);
    }
    if is_sidechain {
        Open::change(carried, |open| open.set(Flag::Sidechain, true));
    }
}

fn turn(payload: Raw<'_>, carried: &mut Carried) {
    for (key, value) in payload.members() {
        match key {
            b"cwd" => keep(value, &mut carried.cwd),
            b"model" => keep(value, &mut carried.model),
            _ => {}
        }
    }
}

/// Takes a name over, unless it is none.
fn keep(value: Raw<'_>, into: &mut String) {
    if let Some(text) = value.text().filter(|text| !text.is_empty() && text.len() <= NAME_BYTES_MAX)
        && *into != text
    {
        *into = text.into_owned();
    }
}
