//! The rollout: one line of it to what it says. Lines that mean nothing to us cost next to nothing.
//!
//! A model's items stand as `response_item`, what came of them as `event_msg`. Newer models call their tools from a script
//! of theirs (`exec`): then only the events tell which commands were run and which files were changed.

mod answer;
mod calls;
mod ending;
mod items;
mod looks;
mod message;
pub(super) mod open;
mod outputs;
pub(super) mod record;
mod script;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use throughline_domain::Problem;
use throughline_domain::transcript::{Line, What};

use crate::claude_code::transcript::scan::Raw;
use crate::transcript::Carried;
use open::{Flag, Open};
use record::Record;

/// The words with which the client hands a summary to the next model.
const SUMMARY_BEGINS: &str = "Another language model started to solve this problem";
const SUMMARY_FOLLOWS: &str = "to assist with your own analysis:\n";

/// What a line tells, before it is known where and when.
struct Told<'a> {
    what: What<'a>,
    /// The line's own id, where nobody else gives such ids.
    uuid: Option<&'a str>,
    /// The folder, where it is another than the session's.
    cwd: Option<Cow<'a, str>>,
}

impl<'a> Told<'a> {
    fn of(what: What<'a>) -> Self {
        Self { what, uuid: None, cwd: None }
    }
}

/// Reads one line and gives what it tells.
pub fn read_line<'l>(
    line: &'l [u8],
    carried: &'l mut Carried,
    take: &mut dyn FnMut(Line<'l>),
) -> Option<Problem> {
    let record = match Record::read(line) {
        Ok(Some(record)) => record,
        Ok(None) => return None,
        Err(what) => return Some(Problem::new("rollout line", what)),
    };
    let told = told(&record, carried);
    let carried: &'l Carried = carried;
    let is_sidechain = Open::has(carried, Flag::Sidechain);
    let known = |text: &'l str| (!text.is_empty()).then_some(text);
    for Told { mut what, uuid, cwd } in told {
        if let What::Responded { message_id, model, .. } = &mut what {
            (*message_id, *model) = (known(Open::response(carried)), known(&carried.model));
        }
        take(Line {
            uuid,
            session: known(&carried.session),
            timestamp: record.timestamp,
            cwd: cwd.or_else(|| known(&carried.cwd).map(Cow::Borrowed)),
            is_sidechain,
            what,
        });
    }
    None
}

/// What a line tells, and what later ones have to know of it.
fn told<'a>(record: &Record<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    if record.note(carried) {
        return Vec::new();
    }
    match record.kind {
        b"response_item" => response_item(record, carried),
        b"event_msg" => event(record, carried),
        b"token_usage_record" => answered(record.payload.member(b"usage"), carried),
        b"compacted" => compacted(record.payload, carried),
        _ => Vec::new(),
    }
}

fn response_item<'a>(record: &Record<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    match record.inner() {
        b"message" => message::read(record, carried),
        b"function_call" | b"custom_tool_call" | b"local_shell_call" | b"web_search_call" => {
            calls::read(record, carried)
        }
        b"function_call_output" | b"custom_tool_call_output" => outputs::read(record, carried),
        b"reasoning" => {
            begin(record.payload, carried);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn event<'a>(record: &Record<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    let payload = record.payload;
    match record.inner() {
        b"item_completed" => payload.member(b"item").map_or_else(Vec::new, |item| items::read(item, carried)),
        b"token_count" => {
            let usage = payload.member(b"info").and_then(|info| info.member(b"last_token_usage"));
            answered(usage, carried)
        }
        // Other reasons are not the user's.
        b"turn_aborted" if payload.member(b"reason").and_then(Raw::inside) == Some(b"interrupted") => {
            vec![Told::of(What::Interrupted)]
        }
        _ => Vec::new(),
    }
}

/// An item of the model's came: the first one of a response gives it its name.
fn begin(payload: Raw<'_>, carried: &mut Carried) {
    if carried.told == 0 {
        let id = payload.member(b"id").and_then(Raw::plain).unwrap_or_default();
        Open::change(carried, |open| open.begin_response(id));
    }
    carried.told = carried.told.saturating_add(1);
}

/// The server reported what a response had read. Without an item before it, it was asked for something else: a summary.
fn answered<'a>(usage: Option<Raw<'a>>, carried: &mut Carried) -> Vec<Told<'a>> {
    let tokens = usage.and_then(|usage| usage.member(b"input_tokens")).and_then(Raw::count);
    let Some(tokens) = tokens.filter(|tokens| *tokens > 0 && carried.told > 0) else { return Vec::new() };
    carried.told = 0;
    let context_tokens = Some(tokens);
    vec![Told::of(What::Responded { message_id: None, model: None, context_tokens, blocks: Vec::new() })]
}

/// The context was compacted; the summary is told where it can be read.
fn compacted<'a>(payload: Raw<'a>, carried: &mut Carried) -> Vec<Told<'a>> {
    let (mut summary, mut window, mut tokens_before) = (None, None, None);
    for (key, value) in payload.members() {
        match key {
            b"message" => summary = value.text(),
            b"window_id" => window = value.plain(),
            b"latest_token_usage_record" => tokens_before = record::read_by_summariser(value),
            _ => {}
        }
    }
    carried.told = 0;
    let trigger = record::trigger(carried, window.is_some());
    let boundary = What::Compacted { trigger, tokens_before, tokens_after: None };
    let mut told = vec![Told { uuid: window, ..Told::of(boundary) }];
    let words = summary.map(without_beginning).and_then(message::cleaned);
    told.extend(words.map(|words| Told::of(What::Summary(words))));
    told
}

/// A summary without the words with which the client introduces it.
fn without_beginning(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.starts_with(SUMMARY_BEGINS) {
        return text;
    }
    let Some(at) = text.find(SUMMARY_FOLLOWS).map(|at| at + SUMMARY_FOLLOWS.len()) else { return text };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[at..]),
        Cow::Owned(text) => Cow::Owned(text[at..].to_owned()),
    }
}
