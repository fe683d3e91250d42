//! Letters: counts which follow which in the words of texts without secrets, and writes `rules/letters.rs`.

use std::fmt::Write as _;

use crate::data::Set;

const LETTERS: usize = 27;
/// Longer runs of letters are no words.
const WORD_BYTES_MAX: usize = 20;
/// How finely a bit is written.
const FINE: f64 = 16.0;
const HEAD: &str = "//! Letters: how unusual it is in words that one follows another, in sixteenths of a bit.
//!
//! `cargo run --release -p throughline-redact --example train_judge -- --letters <look-alikes and transcripts>` counts and
//! writes them; whoever counts again trains the judge again. A word is a run of letters that touches no digit.

/// By the letter before, with 0 for a word's edge, and by the letter.
#[rustfmt::skip]
";

/// The table as it stands in the code.
pub(crate) fn rust(set: &Set) -> String {
    let mut counts = [[0_u64; LETTERS]; LETTERS];
    for text in set.texts.iter().filter(|it| it.secrets.is_empty() && it.writer != "drawn") {
        for run in text.content.split(|letter: char| !letter.is_ascii_alphanumeric()) {
            let is_word =
                (2..=WORD_BYTES_MAX).contains(&run.len()) && run.bytes().all(|it| it.is_ascii_alphabetic());
            if !is_word {
                continue;
            }
            let mut last = 0;
            for byte in run.bytes() {
                let here = usize::from((byte | 32) - b'a' + 1);
                counts[last][here] += 1;
                last = here;
            }
            counts[last][0] += 1;
        }
    }
    let mut numbers = Vec::new();
    for row in counts {
        let all: u64 = row.iter().sum();
        for count in row {
            let share = (count as f64 + 1.0) / (all as f64 + LETTERS as f64);
            numbers.push((-share.log2() * FINE).round().min(255.0) as u8);
        }
    }
    // No word is without letters.
    numbers[0] = 0;
    let mut text = String::from(HEAD);
    let _ = writeln!(text, "pub(super) static PAIRS: [u8; {}] = [", numbers.len());
    for row in numbers.chunks(LETTERS) {
        let row: Vec<String> = row.iter().map(u8::to_string).collect();
        let _ = writeln!(text, "    {},", row.join(", "));
    }
    text.push_str("];\n");
    text
}
