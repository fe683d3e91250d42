//! Usage lines: what a rollout's line says about tokens that were used.
//!
//! The input that this API reports includes what was read from the cache.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use throughline_domain::Problem;
use throughline_domain::time;
use throughline_domain::usage::{Band, RecordId, Tier, Tokens};

use crate::claude_code::transcript::scan::Raw;
use crate::codex::transcript::open::{Flag, Open};
use crate::codex::transcript::record::{self, Record};
use crate::transcript::Carried;
use crate::usage_line::{Compacted, LineOrigin, UsageLine, UsedTokens};

/// Shorter ids are no ids of the API's own, which are never given twice.
const API_ID_BYTES_MIN: usize = 20;

/// Reads one line; gives what it says to `take`.
pub fn read<'l>(
    line: &'l [u8],
    carried: &'l mut Carried,
    take: &mut dyn FnMut(UsageLine<'l>),
) -> Option<Problem> {
    let record = match Record::read(line) {
        Ok(Some(record)) => record,
        Ok(None) => return None,
        Err(what) => return Some(Problem::new("rollout line", what)),
    };
    if record.note(carried) {
        return None;
    }
    if record.kind == b"token_usage_record" && !Open::has(carried, Flag::Recorded) {
        Open::change(carried, |open| open.set(Flag::Recorded, true));
    }
    let carried: &'l Carried = carried;
    let found = match record.kind {
        b"token_usage_record" => response(&record, carried),
        // Older clients tell it this way alone, and again where nothing was used in between.
        b"event_msg" if !Open::has(carried, Flag::Recorded) && record.inner() == b"token_count" => {
            count(&record, carried)
        }
        b"compacted" => Some(UsageLine::Compacted(boundary(&record, carried))),
        _ => None,
    };
    if let Some(found) = found {
        take(found);
    }
    None
}

/// A response, by the server's own id.
fn response<'l>(record: &Record<'l>, carried: &'l Carried) -> Option<UsageLine<'l>> {
    let (mut id, mut thread, mut session, mut turn, mut usage) = (None, None, None, None, None);
    for (key, value) in record.payload.members() {
        match key {
            b"response_id" => id = value.plain().filter(|id| !id.is_empty()),
            b"thread_id" => thread = value.plain(),
            b"session_id" => session = value.plain(),
            b"turn_id" => turn = value.plain(),
            b"usage" => usage = Some(value),
            _ => {}
        }
    }
    let thread_of = thread.unwrap_or(&carried.session);
    let id = match id {
        Some(id) if id.len() >= API_ID_BYTES_MIN => RecordId::of(&["response", id]),
        Some(id) => RecordId::of(&["response", thread_of, turn.unwrap_or_default(), id]),
        None => RecordId::of(&["response", thread_of, record.timestamp.unwrap_or_default(), ""]),
    };
    let is_sidechain = match (thread, session) {
        (Some(thread), Some(session)) => thread != session,
        _ => Open::has(carried, Flag::Sidechain),
    };
    used(id, usage?, origin(record, carried, session), carried, is_sidechain)
}

/// A response, by how much its session had used after it.
fn count<'l>(record: &Record<'l>, carried: &'l Carried) -> Option<UsageLine<'l>> {
    let info = record.payload.member(b"info")?;
    let total = info.member(b"total_token_usage")?.member(b"total_tokens")?.count()?;
    let id = RecordId::of(&["count", &carried.session, &total.to_string()]);
    let is_sidechain = Open::has(carried, Flag::Sidechain);
    used(id, info.member(b"last_token_usage")?, origin(record, carried, None), carried, is_sidechain)
}

fn used<'l>(
    id: RecordId,
    usage: Raw<'l>,
    origin: LineOrigin<'l>,
    carried: &'l Carried,
    is_sidechain: bool,
) -> Option<UsageLine<'l>> {
    let (tokens, context) = tokens(usage);
    // After a compaction the client writes an estimate of what is left: nobody was asked.
    if context.saturating_add(tokens.output) == 0 {
        return None;
    }
    let tier = Tier { band: Band::of(context), ..Tier::default() };
    let model = carried.model.as_str();
    Some(UsageLine::Used(UsedTokens { id, origin, model, tier, is_sidechain, tokens, context }))
}

/// Tokens as they are billed, and all that was read.
fn tokens(usage: Raw<'_>) -> (Tokens, u64) {
    let (mut input, mut cached, mut written, mut output) = (0_u64, 0, 0, 0);
    for (key, value) in usage.members() {
        let count = || value.count().unwrap_or(0);
        match key {
            b"input_tokens" => input = count(),
            b"cached_input_tokens" => cached = count(),
            b"cache_write_input_tokens" => written = count(),
            // What it thought is part of it.
            b"output_tokens" => output = count(),
            _ => {}
        }
    }
    let cached = cached.min(input);
    let written = written.min(input - cached);
    let tokens = Tokens {
        input: input - cached - written,
        output,
        cache_write_5m: written,
        cache_read: cached,
        ..Tokens::default()
    };
    (tokens, input)
}

fn boundary<'l>(record: &Record<'l>, carried: &'l Carried) -> Compacted<'l> {
    let (mut window, mut before) = (None, None);
    for (key, value) in record.payload.members() {
        match key {
            b"window_id" => window = value.plain(),
            b"latest_token_usage_record" => before = record::read_by_summariser(value),
            _ => {}
        }
    }
    let id = match window {
        Some(window) => RecordId::of(&["boundary", window]),
        None => RecordId::of(&["boundary", &carried.session, record.timestamp.unwrap_or_default()]),
    };
    let is_auto = record::trigger(carried, window.is_some()) != Some("manual");
    Compacted {
        id,
        origin: origin(record, carried, None),
        is_auto,
        tokens_before: before,
        tokens_after: None,
    }
}

fn origin<'l>(record: &Record<'l>, carried: &'l Carried, session: Option<&'l str>) -> LineOrigin<'l> {
    let known = |text: &'l str| (!text.is_empty()).then_some(text);
    LineOrigin {
        at: record.timestamp.and_then(time::parse),
        session: session.and_then(known).or_else(|| known(&carried.session)),
        cwd: known(&carried.cwd).map(Cow::Borrowed),
    }
}
