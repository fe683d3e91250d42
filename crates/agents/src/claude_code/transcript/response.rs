//! Response: one line of the model's, with what it said, what it called, and how full the context was.

use throughline_domain::transcript::{Block, What};

use super::entry::{Entry, Reason, unless_blank};
use super::message::{Content, Part};
use super::scan::Raw;
use super::user_words::cleaned;

/// Most blocks that one line is read for: a client writes one, some a handful.
const BLOCKS_MAX: usize = 1_024;
/// The model of the client's own notices.
const NO_MODEL: &str = "<synthetic>";

/// Reads a line of a response; `None` for the client's own notices (errors of the server, interruptions).
pub(super) fn read<'a>(entry: &mut Entry<'a>) -> Result<Option<What<'a>>, Reason> {
    let message = entry.message.take().ok_or("is a response without a message")?;
    if entry.is_api_error || message.model == Some(NO_MODEL) {
        return Ok(None);
    }
    let blocks = message.content.map(blocks).unwrap_or_default();
    let context_tokens = message.usage.and_then(tokens);
    Ok(Some(What::Responded { message_id: message.id, model: message.model, context_tokens, blocks }))
}

/// Tokens in the context; `None` also for a report of nothing.
fn tokens(usage: Raw<'_>) -> Option<u64> {
    let mut sum = 0_u64;
    for (key, value) in usage.members() {
        if let b"input_tokens" | b"cache_creation_input_tokens" | b"cache_read_input_tokens" = key {
            sum = sum.saturating_add(value.count().unwrap_or(0));
        }
    }
    (sum > 0).then_some(sum)
}

fn blocks(content: Content<'_>) -> Vec<Block<'_>> {
    match content {
        Content::Text(text) => said(text).into_iter().collect(),
        Content::Parts(parts) => parts.into_iter().filter_map(block).take(BLOCKS_MAX).collect(),
    }
}

fn block(part: Part<'_>) -> Option<Block<'_>> {
    match part.kind? {
        b"text" => said(part.text?),
        b"tool_use" => part.call.map(Block::Called),
        _ => None,
    }
}

fn said(text: Raw<'_>) -> Option<Block<'_>> {
    unless_blank(cleaned(text.text()?)).map(Block::Said)
}
