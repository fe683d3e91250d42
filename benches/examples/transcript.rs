//! Measures how fast transcripts are read, in memory, on one thread: `--example transcript -- <files> [--megabytes 200]`.
#![expect(clippy::print_stdout, reason = "a measurement is there to be read")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use throughline_agents::claude_code::transcript::parse_line;
use throughline_agents::transcript::Parsed;
use throughline_capture::absorb;
use throughline_domain::ledger::Ledger;

/// Times each measurement is repeated; the best counts, since everything else on the machine only slows it.
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut megabytes = 200_usize;
    let mut once = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--megabytes" {
            megabytes = words.next().ok_or("--megabytes needs a number")?.parse()?;
        } else {
            once.extend(std::fs::read(&word)?);
            if once.last() != Some(&b'\n') {
                once.push(b'\n');
            }
        }
    }
    if once.is_empty() {
        return Err("name some transcripts".into());
    }
    let mut all = Vec::new();
    while all.len() < megabytes << 20 {
        all.extend_from_slice(&once);
    }

    let mut kinds = BTreeMap::new();
    for line in lines(&once) {
        *kinds.entry(kind(&parse_line(line))).or_insert(0_u64) += 1;
    }
    println!("{} lines in {} bytes: {kinds:?}", lines(&once).count(), once.len());
    println!("finding the lines: {:.2} GB/s", best(&all, <[u8]>::len));
    println!(
        "reading the lines: {:.2} GB/s",
        best(&all, |line| matches!(parse_line(line), Parsed::Line(_)).into())
    );
    let mut ledger = Ledger::default();
    println!(
        "capturing what they tell: {:.2} GB/s",
        best(&all, |line| {
            if let Parsed::Line(line) = parse_line(line) {
                absorb(&mut ledger, &line, 0);
            }
            ledger.tellings.len()
        })
    );
    Ok(())
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', bytes).map(move |end| &bytes[std::mem::replace(&mut start, end + 1)..end])
}

/// Gigabytes per second of the best round.
#[expect(clippy::cast_precision_loss, reason = "three digits are enough")]
fn best(bytes: &[u8], mut work: impl FnMut(&[u8]) -> usize) -> f64 {
    let mut seconds = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        black_box(lines(bytes).map(&mut work).sum::<usize>());
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    bytes.len() as f64 / seconds / 1e9
}

fn kind(parsed: &Parsed<'_>) -> String {
    match parsed {
        Parsed::Nothing => "nothing".to_owned(),
        Parsed::Problem(problem) => format!("problem: {problem}"),
        Parsed::Line(line) => {
            let what = format!("{:?}", line.what);
            what.split(['(', ' ', '{']).next().unwrap_or_default().to_owned()
        }
    }
}
