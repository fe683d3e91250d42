//! Response: one line of the model's, with what it said, what it called, and how full the context was.

use throughline_domain::transcript::{Block, ToolCall, What};

use super::entry::{Entry, Reason, unless_blank};
use super::scan::Raw;
use super::tool_input;
use super::user_words::cleaned;

/// Most blocks that one line is read for: a client writes one, some a handful.
const BLOCKS_MAX: usize = 1_024;
/// The model of the client's own notices.
const NO_MODEL: &str = "<synthetic>";

/// Reads a line of a response; `None` for the client's own notices (errors of the server, interruptions).
pub(super) fn read<'a>(entry: &Entry<'a>) -> Result<Option<What<'a>>, Reason> {
    let message =
        entry.message.filter(|message| message.is_object()).ok_or("is a response without a message")?;
    let (mut message_id, mut model, mut context_tokens, mut content) = (None, None, None, None);
    for (key, value) in message.members() {
        match key {
            b"id" => message_id = value.plain(),
            b"model" => model = value.plain(),
            b"usage" => context_tokens = tokens(value),
            b"content" => content = Some(value),
            _ => {}
        }
    }
    if entry.is_api_error || model == Some(NO_MODEL) {
        return Ok(None);
    }
    let blocks = content.map(blocks).unwrap_or_default();
    Ok(Some(What::Responded { message_id, model, context_tokens, blocks }))
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

fn blocks(content: Raw<'_>) -> Vec<Block<'_>> {
    if let Some(text) = content.text() {
        return unless_blank(cleaned(text)).map(Block::Said).into_iter().collect();
    }
    content.elements().filter_map(block).take(BLOCKS_MAX).collect()
}

fn block(block: Raw<'_>) -> Option<Block<'_>> {
    let (mut kind, mut text, mut id, mut name, mut input) = (None, None, None, None, None);
    for (key, value) in block.members() {
        match key {
            b"type" => kind = value.inside(),
            b"text" => text = Some(value),
            b"id" => id = value.text(),
            b"name" => name = value.text(),
            b"input" => input = Some(value),
            _ => {}
        }
    }
    match kind? {
        b"text" => unless_blank(cleaned(text?.text()?)).map(Block::Said),
        b"tool_use" => {
            let mut call = ToolCall { id: id.unwrap_or_default(), ..ToolCall::default() };
            call.name = name.unwrap_or_default();
            call.tool = tool_input::tool(&call.name);
            if let Some(input) = input {
                tool_input::read(input, &mut call);
            }
            Some(Block::Called(Box::new(call)))
        }
        _ => None,
    }
}
