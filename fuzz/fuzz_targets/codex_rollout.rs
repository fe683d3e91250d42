//! Any bytes as the lines, the end and the messages of Codex CLI: nothing panics, nothing grows, nothing of ours comes back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throughline_agents::codex::{hook_payload, hook_trust, transcript, transcript_tail, usage_lines};
use throughline_agents::transcript::Carried;
use throughline_domain::fragment;
use throughline_domain::transcript::{Block, What};

fuzz_target!(|bytes: &[u8]| {
    let _ = hook_payload::parse(bytes);
    let _ = transcript_tail::last_usage(bytes);
    let (mut carried, mut counted) = (Carried::default(), Carried::default());
    for line in bytes.split(|byte| *byte == b'\n') {
        let _ = hook_trust::read_answer(line);
        let _ = transcript_tail::moment(line);
        usage_lines::read(line, &mut counted, &mut |_| {});
        let mut length = 0;
        transcript::read_line(line, &mut carried, &mut |told| length += told_bytes(&told.what));
        // A bad byte becomes a replacement character of three; what a call ended with is said in words of ours.
        assert!(length <= line.len() * 3 + 4_096, "more text than the line has");
        assert!(carried.message.len() < 2_000, "what is carried on grows");
    }
});

/// How much text is told.
fn told_bytes(what: &What<'_>) -> usize {
    match what {
        What::UserSaid(text) | What::Queued(text) | What::Summary(text) => heard(text),
        What::Command { name, args } => name.len() + args.len(),
        What::Interrupted | What::Compacted { .. } => 0,
        What::Responded { blocks, .. } => blocks.iter().map(block_bytes).sum(),
        What::ToolsAnswered(answers) => {
            let bytes = answers.iter().map(|answer| {
                let raw_bytes = answer.text.raw_bytes();
                let _ = (answer.text.head_and_tail(raw_bytes % 50), answer.text.head(raw_bytes % 50));
                raw_bytes
            });
            bytes.sum()
        }
    }
}

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
