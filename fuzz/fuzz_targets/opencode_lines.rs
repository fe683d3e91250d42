//! Any bytes as the lines of an OpenCode session, and as what its plugin writes: nothing panics, nothing grows, nothing of ours
//! is taken for somebody's words.
#![no_main]

use libfuzzer_sys::fuzz_target;
use throughline_agents::opencode::{hook_payload, plugin, transcript, usage};
use throughline_agents::transcript::Carried;
use throughline_domain::fragment;
use throughline_domain::transcript::{Block, What};

/// What is told beside a line's own words: the signs of how calls ended.
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
                // A patch is answered once for each of its files.
                What::ToolsAnswered(answers) => answers.first().map_or(0, |it| it.text.raw_bytes()),
            };
        });
        // A bad byte becomes a replacement character of three; separators join what stood apart.
        assert!(length <= line.len() * 12 + BESIDE_BYTES, "more text than the line has");
        assert!(carried.text().len() <= bytes.len() * 6 + 512, "what is carried grows");
        usage::read(line, &mut used, &mut |_| {});
        let _ = usage::moment(line);
    }
    let _ = (usage::last_usage(bytes), hook_payload::parse(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert_eq!(plugin::program(&plugin::text(text)).as_deref(), Some(text));
        let _ = plugin::is_ours(text);
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
