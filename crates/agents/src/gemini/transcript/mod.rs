//! The session file: one line of it to what it tells. The file only grows; a reader that goes on at a line tells nothing twice.
//!
//! A line is a header, a message, or a patch (`$set`). A message comes again under its id when more of it is known: its tool calls
//! and their results. A patch with a list of messages repeats what was told (at a resume, after a failure) or, at a compression,
//! has a summary in the place of what it left out: nothing but that summary is new in it. Where a request was cancelled, or long results
//! were cut, the client writes its whole history down once more as messages with new ids, and then as a list.

mod calls;
mod record;
mod shell_frame;
#[cfg(test)]
mod tests;
mod words;

use std::borrow::Cow;

use throughline_domain::Problem;
use throughline_domain::transcript::{Block, Line, ToolAnswer, What};

use crate::transcript::Carried;
use calls::Call;
pub(super) use record::{ACKNOWLEDGED, Compression, Message, Record, list, read};

/// Most calls of one line that are told.
const CALLS_MAX: usize = 256;

/// Reads one line, with or without its line end, and gives what it tells, which may be several things.
pub fn read_line<'l>(
    line: &'l [u8],
    carried: &'l mut Carried,
    take: &mut dyn FnMut(Line<'l>),
) -> Option<Problem> {
    match read(line) {
        Ok(Record::Header(header)) => {
            header.carry(carried);
            None
        }
        Ok(Record::List(messages, _)) => {
            list_replaced(messages, carried, take);
            None
        }
        Ok(Record::Message(message)) => {
            match message.kind {
                b"user" => user(&message, carried, take),
                b"gemini" => response(&message, carried, take),
                b"info" => stopped(&message, carried, take),
                _ => {}
            }
            None
        }
        Ok(Record::Nothing) => None,
        Err(what) => Some(Problem::new("transcript line", what)),
    }
}

/// A whole list of messages: only a summary that was not told yet is new in it.
fn list_replaced<'l>(messages: super::Raw<'l>, carried: &'l mut Carried, take: &mut dyn FnMut(Line<'l>)) {
    if carried.told == AGAIN {
        carried.told = 0;
    }
    let found = list(messages);
    if let Some(folder) = found.folder {
        carried.cwd = folder.into_owned();
    }
    if let Some(compression) = found.compression {
        compressed(compression, carried, take);
    }
}

fn compressed<'l>(compression: Compression<'l>, carried: &'l mut Carried, take: &mut dyn FnMut(Line<'l>)) {
    if carried.summary == compression.id {
        return;
    }
    compression.id.clone_into(&mut carried.summary);
    let carried = &*carried;
    let said = |uuid, what| Line { uuid, ..line_of(carried, compression.timestamp, what) };
    let what = What::Compacted { trigger: None, tokens_before: None, tokens_after: None };
    take(said(Some(compression.id), what));
    if let Some(summary) = words::summary(compression.summary) {
        take(said(None, What::Summary(summary)));
    }
}

/// Something under the user's name: words, or what the client puts there. Results of tools were told with their calls.
fn user<'l>(message: &Message<'l>, carried: &'l mut Carried, take: &mut dyn FnMut(Line<'l>)) {
    if message.id.is_some_and(|id| id == carried.message) {
        return;
    }
    let Some(content) = message.display.or(message.content) else { return };
    if words::is_context(content) {
        // It is told in a list. As a message it is the first of a history that is written down again.
        carried.message.clear();
        carried.told = AGAIN;
    }
    if carried.told == AGAIN {
        return;
    }
    let told = words::read(content);
    if let (Some(words::Words::Summary), Some(id)) = (&told, message.id) {
        let compression = Compression { id, timestamp: message.timestamp, summary: content };
        return compressed(compression, carried, take);
    }
    message.id.unwrap_or_default().clone_into(&mut carried.message);
    carried.told = TOLD_WORDS;
    let what = match told {
        Some(words::Words::Said(text)) => What::UserSaid(text),
        Some(words::Words::Command { name, args }) => What::Command { name, args },
        Some(words::Words::Summary) | None => return,
    };
    take(Line { uuid: message.id, ..line_of(carried, message.timestamp, what) });
}

/// How much of a message was told: its words, and behind them twice the number of its calls.
const TOLD_WORDS: u64 = 1;
/// What follows was told: a history that is written down again, up to the list of it.
const AGAIN: u64 = u64::MAX;

/// A response of the model, or more of one that was told.
fn response<'l>(message: &Message<'l>, carried: &'l mut Carried, take: &mut dyn FnMut(Line<'l>)) {
    if carried.told == AGAIN {
        // The client's copies name no model.
        if message.model.is_none() {
            return;
        }
        carried.told = 0;
    }
    let is_again = message.id.is_some_and(|id| id == carried.message);
    let calls_told = if is_again { usize::try_from(carried.told / 2).unwrap_or(usize::MAX) } else { 0 };
    let calls: Vec<Call<'l>> = message.calls().skip(calls_told).take(CALLS_MAX).map(calls::read).collect();
    let words = if is_again { None } else { message.content.and_then(words::of_model) };
    // The client's own turns name no model; nobody said what stands in them.
    let words = words.filter(|_| message.model.is_some());
    if !is_again {
        message.id.unwrap_or_default().clone_into(&mut carried.message);
        carried.told = TOLD_WORDS;
    }
    carried.told = carried.told.saturating_add(2 * calls.len() as u64);
    if let Some(model) = message.model {
        model.clone_into(&mut carried.model);
    }
    let carried = &*carried;
    let context_tokens = message.context_tokens();
    if words.is_none() && calls.is_empty() && (is_again || context_tokens.is_none()) {
        return;
    }
    // What comes later under the same id is no copy of what was told: its first call names it.
    let uuid = if is_again { calls.first().and_then(|call| call.id) } else { message.id };
    let mut blocks: Vec<Block<'l>> = words.into_iter().map(Block::Said).collect();
    let mut answers: Vec<ToolAnswer<'l>> = Vec::new();
    for call in calls {
        blocks.push(Block::Called(Box::new(call.asks)));
        answers.extend(call.answer);
    }
    let what = What::Responded { message_id: message.id, model: message.model, context_tokens, blocks };
    take(Line { uuid, ..line_of(carried, message.timestamp, what) });
    if !answers.is_empty() {
        take(line_of(carried, message.timestamp, What::ToolsAnswered(answers)));
    }
}

/// The user stopped the agent; everything else that the client notes for the user is its own.
fn stopped<'l>(message: &Message<'l>, carried: &'l mut Carried, take: &mut dyn FnMut(Line<'l>)) {
    if message.content.and_then(super::Raw::plain) == Some("Request cancelled.") {
        take(Line { uuid: message.id, ..line_of(carried, message.timestamp, What::Interrupted) });
    }
}

fn line_of<'l>(carried: &'l Carried, timestamp: Option<&'l str>, what: What<'l>) -> Line<'l> {
    let known = |text: &'l str| Some(text).filter(|text| !text.is_empty());
    Line {
        uuid: None,
        session: known(&carried.session),
        timestamp,
        cwd: known(&carried.cwd).map(Cow::Borrowed),
        is_sidechain: carried.is_sidechain,
        what,
    }
}
