//! Any bytes as a transcript: the fuzzer's seeds, and thousands of damaged mixtures of them, the same in every run.

use std::fs;
use std::path::Path;

use crate::whole_way;

const MIXTURES: u64 = 1_500;
/// What mixtures are made with, beside the seeds' own bytes.
const TOKENS: [&[u8]; 20] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\\n",
    b"\\u0000",
    b"\\ud83d",
    b"\xff",
    b"\xc3\xa9",
    b"null",
    b"\"type\":\"user\",",
    b"\"is_error\":true,",
    b"<system-reminder>",
    b"[/throughline]",
    b"Exit code 1\\n",
];

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut paths: Vec<_> = ["session", "transcript"]
        .iter()
        .flat_map(|name| fs::read_dir(folder.join(name)).expect("the fuzzer's seeds"))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a seed")).collect()
}

/// A small generator: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }

    /// A piece of a text, from anywhere in it.
    fn piece<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let from = self.below(text.len());
        &text[from..(from + self.below(300)).min(text.len())]
    }
}

/// A seed with pieces of others, odd tokens and holes in it.
fn mixture(seeds: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut text = seeds[numbers.below(seeds.len())].clone();
    for _ in 0..=numbers.below(5) {
        let at = numbers.below(text.len() + 1);
        match numbers.below(4) {
            0 => drop(text.splice(at..at, TOKENS[numbers.below(TOKENS.len())].iter().copied())),
            1 => {
                let other = numbers.below(seeds.len());
                drop(text.splice(at..at, numbers.piece(&seeds[other]).iter().copied()));
            }
            2 => {
                let end = (at + numbers.below(60)).min(text.len());
                text.drain(at..end);
            }
            _ => text.extend_from_slice(&seeds[numbers.below(seeds.len())]),
        }
    }
    text
}

#[test]
fn no_bytes_break_the_way_from_a_transcript_to_a_briefing() {
    let seeds = seeds();
    assert!(seeds.len() >= 12, "{}", seeds.len());
    for seed in &seeds {
        whole_way::go(seed);
    }
    whole_way::go(&seeds.concat());
    let mut numbers = Numbers(1);
    for _ in 0..MIXTURES {
        whole_way::go(&mixture(&seeds, &mut numbers));
    }
}
