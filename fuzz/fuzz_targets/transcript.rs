//! Any bytes as the lines of a transcript: nothing panics, nothing grows, nothing of ours is taken for somebody's words.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throughline_agents::claude_code::transcript::parse_line;
use throughline_agents::transcript::Parsed;
use throughline_domain::fragment;
use throughline_domain::transcript::{Block, Escaped, What};

fuzz_target!(|bytes: &[u8]| {
    for line in bytes.split(|byte| *byte == b'\n') {
        let Parsed::Line(parsed) = parse_line(line) else { continue };
        let length = match &parsed.what {
            What::UserSaid(text) | What::Queued(text) | What::Summary(text) => heard(text),
            What::Command { name, args } => name.len() + args.len(),
            What::Interrupted | What::Compacted { .. } => 0,
            What::Responded { blocks, .. } => blocks.iter().map(block_bytes).sum(),
            What::ToolsAnswered(answers) => answers.iter().map(|answer| answer_bytes(&answer.text)).sum(),
        };
        // A bad byte becomes a replacement character of three; separators join what stood apart.
        assert!(length <= line.len() * 3 + 16, "more text than the line has");
    }
});

/// A text that counts as somebody's words, by its length.
fn heard(text: &str) -> usize {
    assert!(fragment::find(text).is_none(), "a fragment of ours: {text}");
    text.len()
}

fn block_bytes(block: &Block<'_>) -> usize {
    match block {
        Block::Said(text) => heard(text),
        Block::Called(call) => call.todos.iter().map(|(what, _)| what.len()).sum(),
    }
}

fn answer_bytes(text: &Escaped<'_>) -> usize {
    let raw_bytes = text.raw_bytes();
    let _ = text.head_and_tail(raw_bytes % 50);
    let _ = text.head(raw_bytes % 50);
    raw_bytes
}
