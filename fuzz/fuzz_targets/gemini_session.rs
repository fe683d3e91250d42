//! Any bytes as the lines of a Gemini session: nothing panics, nothing grows, nothing of ours is taken for somebody's words.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throughline_agents::gemini::{transcript, transcript_tail, usage_lines};
use throughline_agents::transcript::Carried;
use throughline_domain::fragment;
use throughline_domain::transcript::{Block, Escaped, What};

/// What is told beside a line's own words: the signs of how calls ended, the folder and the session of earlier lines.
const BESIDE_BYTES: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let (mut carried, mut used) = (Carried::default(), Carried::default());
    for line in bytes.split(|byte| *byte == b'\n') {
        let mut length = 0;
        transcript::read_line(line, &mut carried, &mut |parsed| {
            length += match &parsed.what {
                What::UserSaid(text) | What::Queued(text) | What::Summary(text) => heard(text),
                What::Command { name, args } => name.len() + args.len(),
                What::Interrupted | What::Compacted { .. } => 0,
                What::Responded { blocks, .. } => blocks.iter().map(block_bytes).sum(),
                What::ToolsAnswered(answers) => answers.iter().map(|it| answer_bytes(&it.text)).sum(),
            };
        });
        // A bad byte becomes a replacement character of three; separators join what stood apart.
        assert!(length <= line.len() * 12 + BESIDE_BYTES, "more text than the line has");
        assert!(carried.text().len() <= bytes.len() * 6 + 512, "what is carried grows");
        usage_lines::read(line, &mut used, &mut |_| {});
        let _ = transcript_tail::moment(line);
    }
    let _ = (transcript_tail::last_usage(bytes), transcript_tail::compression(bytes));
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
    raw_bytes
}
