//! Usage lines: what a transcript's line says about tokens that were used. For whole histories: most lines cost a search.
//!
//! A response spans several lines (one a block), each with the usage known by then, and is copied into other files when
//! a session is resumed or forked: whoever adds up must do it by [`crate::usage_line::UsedTokens::id`], and keep the fullest.

mod counts;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use throughline_domain::Problem;
use throughline_domain::time;
use throughline_domain::usage::{Band, RecordId, Tier};

use super::transcript::scan::{Raw, Walk};
use crate::usage_line::{Compacted, LineOrigin, UsageLine, UsedTokens};
use counts::Counts;

/// The model of the client's own notices: nobody was asked, nothing was used.
const NO_MODEL: &str = "<synthetic>";
/// Shorter ids are no ids of the API's own, which are never given twice.
const API_ID_BYTES_MIN: usize = 20;
/// Rounds of one response that are looked at.
const ROUNDS_MAX: usize = 64;

static USAGE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"usage\""));
static BOUNDARY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"compact_boundary\""));

/// Reads one line; gives what it says to `each`. A response that asked another model in between gives two.
///
/// A line without use costs a search for two words. One that speaks of use and cannot be read is a problem.
pub fn read<'a>(line: &'a [u8], each: &mut dyn FnMut(UsageLine<'a>)) -> Option<Problem> {
    if USAGE.find(line).is_none() && BOUNDARY.find(line).is_none() {
        return None;
    }
    // A power cut can leave a run of NULs where the file had grown; the line behind it is sound.
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != 0).unwrap_or(line.len());
    match fields(&line[start..]) {
        Ok(Some(entry)) => {
            match entry.kind {
                b"assistant" => response(&entry, each),
                b"progress" => progress(&entry, each),
                b"system" if entry.subtype == b"compact_boundary" => {
                    each(UsageLine::Compacted(boundary(&entry)));
                }
                _ => {}
            }
            None
        }
        Ok(None) => None,
        Err(what) => Some(Problem::new("transcript line", what)),
    }
}

/// The fields of an entry that matter here, still as written.
#[derive(Default, Clone)]
struct Entry<'a> {
    kind: &'a [u8],
    subtype: &'a [u8],
    uuid: Option<&'a str>,
    timestamp: Option<&'a str>,
    session: Option<&'a str>,
    request: Option<&'a str>,
    cwd: Option<Raw<'a>>,
    is_sidechain: bool,
    is_api_error: bool,
    message: Option<Raw<'a>>,
    data: Option<Raw<'a>>,
    compaction: Option<Raw<'a>>,
}

/// The fields of an entry; `None` at once for a type that means nothing here.
fn fields(line: &[u8]) -> Result<Option<Entry<'_>>, &'static str> {
    let mut walk = Walk::over(line);
    let Some(mut level) = walk.enter_object() else { return Err("is no JSON object") };
    let mut entry = Entry::default();
    while let Some(key) = walk.key(&mut level) {
        let Some(value) = walk.value() else { break };
        if key == b"type" {
            entry.kind = value.inside().unwrap_or_default();
            if !matches!(entry.kind, b"assistant" | b"progress" | b"system") {
                return Ok(None);
            }
        } else {
            entry.take(key, value);
        }
    }
    if walk.ended_well(&level) { Ok(Some(entry)) } else { Err("breaks off, or is no JSON") }
}

impl<'a> Entry<'a> {
    fn take(&mut self, key: &[u8], value: Raw<'a>) {
        match key {
            b"message" => self.message = Some(value),
            b"timestamp" => self.timestamp = value.plain(),
            b"sessionId" => self.session = value.plain(),
            b"requestId" => self.request = value.plain(),
            b"uuid" => self.uuid = value.plain(),
            b"cwd" => self.cwd = Some(value),
            b"isSidechain" => self.is_sidechain = value.is_true(),
            b"isApiErrorMessage" => self.is_api_error = value.is_true(),
            b"subtype" => self.subtype = value.inside().unwrap_or_default(),
            b"data" => self.data = Some(value),
            b"compactMetadata" => self.compaction = Some(value),
            _ => {}
        }
    }

    fn origin(&self) -> LineOrigin<'a> {
        LineOrigin {
            at: self.timestamp.and_then(time::parse),
            session: self.session.filter(|session| !session.is_empty()),
            cwd: self.cwd.and_then(Raw::text).filter(|cwd| !cwd.is_empty()),
        }
    }
}

/// What a subagent's line says, as some clients repeat it in the session's own file.
fn progress<'a>(entry: &Entry<'a>, each: &mut dyn FnMut(UsageLine<'a>)) {
    let Some(inner) = entry.data.and_then(|data| data.member(b"message")) else { return };
    let mut said = Entry { is_sidechain: true, message: None, uuid: None, request: None, ..entry.clone() };
    for (key, value) in inner.members() {
        match key {
            b"type" => said.kind = value.inside().unwrap_or_default(),
            b"message" | b"timestamp" | b"requestId" | b"uuid" | b"isApiErrorMessage" => {
                said.take(key, value);
            }
            _ => {}
        }
    }
    if said.kind == b"assistant" {
        response(&said, each);
    }
}

fn response<'a>(entry: &Entry<'a>, each: &mut dyn FnMut(UsageLine<'a>)) {
    let Some(message) = entry.message else { return };
    let (mut message_id, mut model, mut usage) = (None, None, None);
    for (key, value) in message.members() {
        match key {
            b"id" => message_id = value.plain().filter(|id| !id.is_empty()),
            b"model" => model = value.plain(),
            b"usage" => usage = Some(value),
            _ => {}
        }
    }
    let model = model.unwrap_or_default();
    let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
    if entry.is_api_error || model == NO_MODEL {
        return;
    }
    let origin = entry.origin();
    let counts = Counts::of(usage);
    let id_parts = id_parts(entry, message_id, &counts);
    let parts: Vec<&str> = id_parts.iter().map(AsRef::as_ref).collect();
    let mut context = 0;
    for (index, round) in counts.rounds.into_iter().flat_map(Raw::elements).take(ROUNDS_MAX).enumerate() {
        let round_counts = Counts::of(round);
        if round.member(b"type").and_then(Raw::inside) != Some(b"advisor_message") {
            context = context.max(round_counts.tokens.context());
            continue;
        }
        // Another model was asked in between. The response's own counts do not hold what that one took.
        let model = round.member(b"model").and_then(Raw::plain).unwrap_or_default();
        let id = RecordId::of(&[parts.as_slice(), &["advisor", &index.to_string()]].concat());
        let used = UsedTokens {
            id,
            origin: origin.clone(),
            model,
            tier: round_counts.tier(round_counts.tokens.context()),
            // It is no part of the main conversation: its context is not the session's.
            is_sidechain: true,
            tokens: round_counts.tokens,
            context: round_counts.tokens.context(),
        };
        give(used, each);
    }
    let context = if context == 0 { counts.tokens.context() } else { context.min(counts.tokens.context()) };
    let (id, is_sidechain) = (RecordId::of(&parts), entry.is_sidechain);
    give(
        UsedTokens {
            id,
            origin,
            model,
            tier: counts.tier(context),
            is_sidechain,
            tokens: counts.tokens,
            context,
        },
        each,
    );
}

/// Gives what was used, unless that is nothing: a request that failed before it began.
fn give<'a>(used: UsedTokens<'a>, each: &mut dyn FnMut(UsageLine<'a>)) {
    if used.tokens.total() > 0 {
        each(UsageLine::Used(used));
    }
}

/// What names a response: the API's own id. Some gateways give short ones, and give them again: then the request's too.
/// Without any, the line itself is the response.
fn id_parts<'a>(entry: &Entry<'a>, message_id: Option<&'a str>, counts: &Counts<'_>) -> Vec<Cow<'a, str>> {
    let written = |text: Option<&'a str>| Cow::Borrowed(text.unwrap_or_default());
    match (message_id, entry.request, entry.uuid) {
        (Some(message), _, _) if message.len() >= API_ID_BYTES_MIN => vec!["message".into(), message.into()],
        (Some(message), Some(request), _) => vec!["request".into(), message.into(), request.into()],
        (Some(message), None, _) => vec!["session".into(), message.into(), written(entry.session)],
        (None, Some(request), _) => vec!["request".into(), "".into(), request.into()],
        (None, None, Some(uuid)) => vec!["line".into(), uuid.into()],
        (None, None, None) => {
            let counted = format!("{:?}", counts.tokens);
            vec!["moment".into(), written(entry.session), written(entry.timestamp), counted.into()]
        }
    }
}

fn boundary<'a>(entry: &Entry<'a>) -> Compacted<'a> {
    let (mut trigger, mut tokens_before, mut tokens_after) = (None, None, None);
    for (key, value) in entry.compaction.into_iter().flat_map(Raw::members) {
        match key {
            b"trigger" => trigger = value.plain(),
            b"preTokens" => tokens_before = value.count(),
            b"postTokens" => tokens_after = value.count(),
            _ => {}
        }
    }
    let id = match entry.uuid {
        Some(uuid) => RecordId::of(&["boundary", uuid]),
        None => RecordId::of(&[
            "boundary",
            entry.session.unwrap_or_default(),
            entry.timestamp.unwrap_or_default(),
        ]),
    };
    Compacted { id, origin: entry.origin(), is_auto: trigger == Some("auto"), tokens_before, tokens_after }
}

impl Counts<'_> {
    fn tier(&self, context: u64) -> Tier {
        Tier { band: Band::of(context), is_fast: self.is_fast, is_us_only: self.is_us_only }
    }
}
