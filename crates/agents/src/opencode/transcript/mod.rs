//! The transcript: one message with its parts, as [`super::rows`] puts it into a line, to what it says.

mod answers;
pub(super) mod message;
#[cfg(test)]
mod tests;
mod tool_input;
mod user_words;

use throughline_domain::Problem;
use throughline_domain::transcript::{Block, Line, What};

use crate::transcript::Carried;
use message::{Message, Role};

/// Parts of one message that are looked at: most have a handful.
const PARTS_MAX: usize = 4_096;

/// Reads one line, and gives what it tells.
pub fn read_line<'l>(
    line: &'l [u8],
    carried: &'l mut Carried,
    take: &mut dyn FnMut(Line<'l>),
) -> Option<Problem> {
    let message = match Message::read(line) {
        Ok(Some(message)) => message,
        Ok(None) => return None,
        Err(what) => return Some(Problem::new("transcript line", what)),
    };
    carried.session.clear();
    carried.session.push_str(message.session.unwrap_or_default());
    match message.role {
        // What a subagent was told, and answers; nothing later rests on it.
        Role::User if message.is_sidechain => {
            take_words(&message, take);
        }
        Role::Summary if message.is_sidechain => {}
        Role::User => prompt(&message, carried, take),
        Role::Summary => summary(&message, carried, take),
        Role::Assistant => response(&message, carried, take),
    }
    None
}

fn take_words<'l>(message: &Message<'l>, take: &mut dyn FnMut(Line<'l>)) {
    if let Some(said) = user_words::of(message) {
        take(message.line(message.at, What::UserSaid(said)));
    }
}

/// What the user said. A compaction that is asked for tells nothing yet: it may fail.
fn prompt<'l>(message: &Message<'l>, carried: &mut Carried, take: &mut dyn FnMut(Line<'l>)) {
    if let Some(asked) = message.parts().find(|part| part.kind == b"compaction") {
        let trigger = if asked.is_auto { "auto" } else { "manual" };
        carried.summary = if asked.is_overflow { format!("{trigger} {AGAIN}") } else { trigger.to_owned() };
        return;
    }
    let Some(said) = user_words::of(message) else { return };
    let mark = user_words::mark(&said);
    // After a compaction that made room for it, the client writes the prompt once more.
    if std::mem::take(&mut carried.summary) == AGAIN && carried.message == mark {
        return;
    }
    carried.message = mark;
    take(message.line(message.at, What::UserSaid(said)));
}

/// What follows a compaction that made room for a prompt: the prompt once more.
const AGAIN: &str = "again";

/// The summary that took the conversation's place; nothing where the compaction failed.
fn summary<'l>(message: &Message<'l>, carried: &mut Carried, take: &mut dyn FnMut(Line<'l>)) {
    let asked = std::mem::take(&mut carried.summary);
    if !message.is_done || message.failure.is_some() {
        return;
    }
    let (trigger, again) = asked.split_once(' ').unwrap_or((&asked, ""));
    let trigger = match trigger {
        "auto" => Some("auto"),
        "manual" => Some("manual"),
        _ => None,
    };
    again.clone_into(&mut carried.summary);
    let tokens_before = Some(std::mem::take(&mut carried.told)).filter(|tokens| *tokens > 0);
    take(message.line(message.ended, What::Compacted { trigger, tokens_before, tokens_after: None }));
    if let Some(text) = user_words::all(message) {
        take(message.later_line(message.ended, What::Summary(text)));
    }
}

fn response<'l>(message: &Message<'l>, carried: &mut Carried, take: &mut dyn FnMut(Line<'l>)) {
    let context_tokens = Some(message.tokens.context()).filter(|tokens| *tokens > 0);
    if !message.is_sidechain {
        message.model.unwrap_or_default().clone_into(&mut carried.model);
        carried.told = context_tokens.unwrap_or(carried.told);
        // A conversation that goes on without a summary was not compacted.
        if carried.summary != AGAIN {
            carried.summary.clear();
        }
    }
    let mut blocks = Vec::new();
    let mut answered = Vec::new();
    for part in message.parts().take(PARTS_MAX) {
        match part.kind {
            b"text" if !part.is_clients_own => blocks.extend(user_words::cleaned(part.text).map(Block::Said)),
            b"tool" => {
                let calls = tool_input::calls(&part);
                answered.extend(answers::of(&part, &calls));
                blocks.extend(calls.into_iter().map(|call| Block::Called(Box::new(call))));
            }
            _ => {}
        }
    }
    if !blocks.is_empty() || context_tokens.is_some() {
        let what = What::Responded { message_id: message.id, model: message.model, context_tokens, blocks };
        take(message.line(message.at, what));
    }
    if !answered.is_empty() {
        take(message.later_line(message.ended, What::ToolsAnswered(answered)));
    }
    if message.failure == Some("MessageAbortedError") {
        take(message.later_line(message.ended, What::Interrupted));
    }
}
