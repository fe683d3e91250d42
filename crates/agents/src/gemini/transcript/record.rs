//! Record: what a line of the session file is, its fields still as written.

use std::borrow::Cow;

use super::words;
use crate::claude_code::transcript::scan::{Raw, Walk};
use crate::transcript::Carried;

/// Why a line could not be read. Never holds a word of the line itself: it may reach a log.
type Reason = &'static str;

/// What the client puts into the model's mouth behind a summary: in a list of messages it marks a compression.
pub(in crate::gemini) const ACKNOWLEDGED: &str = "Got it. Thanks for the additional context!";
/// Most messages of a list that are looked at for a summary: it stands at the top.
const LISTED_MAX: usize = 8;

/// What a line is.
pub(in crate::gemini) enum Record<'a> {
    /// A session begins, or is gone on with.
    Header(Header<'a>),
    /// A message, or more of one.
    Message(Message<'a>),
    /// A list of messages in the place of all that were, and when it was put there.
    List(Raw<'a>, Option<&'a str>),
    /// Anything else.
    Nothing,
}

/// The first line of a session.
#[derive(Default)]
pub(in crate::gemini) struct Header<'a> {
    session: Option<&'a str>,
    kind: Option<&'a [u8]>,
    folders: Option<Raw<'a>>,
}

impl Header<'_> {
    /// Keeps what later lines rest on.
    pub(in crate::gemini) fn carry(&self, carried: &mut Carried) {
        if let Some(session) = self.session {
            session.clone_into(&mut carried.session);
        }
        carried.is_sidechain = self.kind == Some(b"subagent");
        if let Some(folder) = self.folders.and_then(|it| it.elements().next()?.text()) {
            carried.cwd = folder.into_owned();
        }
    }
}

/// A message of the user or the model.
#[derive(Default)]
pub(in crate::gemini) struct Message<'a> {
    pub(in crate::gemini) id: Option<&'a str>,
    pub(in crate::gemini) kind: &'a [u8],
    pub(in crate::gemini) timestamp: Option<&'a str>,
    pub(in crate::gemini) model: Option<&'a str>,
    /// The counts of its response.
    pub(in crate::gemini) tokens: Option<Raw<'a>>,
    pub(super) content: Option<Raw<'a>>,
    /// What the user sees of it: without files that were read for it, and without what hooks said.
    pub(super) display: Option<Raw<'a>>,
    calls: Option<Raw<'a>>,
    /// Whether it is told like a response: what the client makes up at a compression is not.
    is_response: bool,
}

impl<'a> Message<'a> {
    fn take(&mut self, key: &[u8], value: Raw<'a>) {
        self.is_response |= matches!(key, b"model" | b"tokens" | b"thoughts");
        match key {
            b"id" => self.id = value.plain(),
            b"type" => self.kind = value.inside().unwrap_or_default(),
            b"timestamp" => self.timestamp = value.plain(),
            b"model" => self.model = value.plain(),
            b"tokens" => self.tokens = Some(value).filter(|tokens| tokens.is_object()),
            b"content" => self.content = Some(value),
            b"displayContent" => self.display = Some(value),
            b"toolCalls" => self.calls = Some(value),
            _ => {}
        }
    }

    fn of(value: Raw<'a>) -> Self {
        let mut message = Self::default();
        for (key, value) in value.members() {
            message.take(key, value);
        }
        message
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = Raw<'a>> + use<'a> {
        self.calls.into_iter().flat_map(Raw::elements)
    }

    /// Tokens in the context, as the server reported them: what was read from a cache is among them.
    pub(in crate::gemini) fn context_tokens(&self) -> Option<u64> {
        self.tokens?.member(b"input").and_then(Raw::count).filter(|tokens| *tokens > 0)
    }
}

/// A compression: the summary, and what names it.
#[derive(Clone, Copy)]
pub(in crate::gemini) struct Compression<'a> {
    pub(in crate::gemini) id: &'a str,
    pub(in crate::gemini) timestamp: Option<&'a str>,
    pub(super) summary: Raw<'a>,
}

/// What a list of messages tells.
#[derive(Default)]
pub(in crate::gemini) struct Listed<'a> {
    pub(super) folder: Option<Cow<'a, str>>,
    pub(in crate::gemini) compression: Option<Compression<'a>>,
}

impl Listed<'_> {
    /// The folder that the session works in.
    pub(in crate::gemini) fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }
}

/// Looks at the top of a list of messages.
pub(in crate::gemini) fn list(messages: Raw<'_>) -> Listed<'_> {
    let mut found = Listed::default();
    let mut before: Option<Message<'_>> = None;
    for message in messages.elements().take(LISTED_MAX).map(Message::of) {
        if message.kind == b"user" && found.folder.is_none() {
            found.folder = message.content.and_then(words::folder);
        }
        let is_answer =
            message.kind == b"gemini" && !message.is_response && message.content.is_some_and(acknowledges);
        let above = before.take().filter(|above| is_answer && above.kind == b"user");
        if let (Some(id), Some(summary)) = (message.id, above.and_then(|above| above.content)) {
            found.compression = Some(Compression { id, timestamp: message.timestamp, summary });
            break;
        }
        before = Some(message);
    }
    found
}

fn acknowledges(content: Raw<'_>) -> bool {
    let mut parts = content.elements();
    let text = parts.next().and_then(|part| part.member(b"text")).and_then(Raw::plain);
    text == Some(ACKNOWLEDGED) && parts.next().is_none()
}

/// Reads a line.
pub(in crate::gemini) fn read(line: &[u8]) -> Result<Record<'_>, Reason> {
    // A power cut can leave a run of NULs where the file had grown; the line behind it is sound.
    let is_filling = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let line = &line[line.iter().position(|byte| !is_filling(byte)).unwrap_or(line.len())..];
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return Ok(Record::Nothing);
    }
    let mut walk = Walk::over(line);
    let Some(mut level) = walk.enter_object() else { return Err("is no JSON object") };
    let (mut message, mut header, mut set) = (Message::default(), Header::default(), None);
    let (mut has_hash, mut has_id) = (false, false);
    while let Some(key) = walk.key(&mut level) {
        let Some(value) = walk.value() else { break };
        match key {
            b"$set" => set = Some(value),
            b"sessionId" => header.session = value.plain(),
            b"projectHash" => has_hash = true,
            b"kind" => header.kind = value.inside(),
            b"directories" => header.folders = Some(value),
            _ => {
                has_id |= key == b"id";
                message.take(key, value);
            }
        }
    }
    if !walk.ended_well(&level) {
        return Err("breaks off, or is no JSON");
    }
    // In the order in which the client itself tells them apart.
    Ok(if has_id {
        Record::Message(message)
    } else if let Some(set) = set {
        let at = set.member(b"lastUpdated").and_then(Raw::plain);
        set.member(b"messages").map_or(Record::Nothing, |messages| Record::List(messages, at))
    } else if header.session.is_some() && has_hash {
        Record::Header(header)
    } else {
        Record::Nothing
    })
}
