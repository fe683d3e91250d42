//! Measures what masking costs where transcripts are captured: `--example masking -- <files> [--megabytes 100]`.
//!
//! The same lines are read and captured with masking and without it, in turns, in memory, on one thread. It fails when
//! masking takes more than a fifth of the whole. `--once with` and `--once without` do one of the two a single time, for
//! somebody who counts instructions: `valgrind --tool=callgrind … --megabytes 0 --once with`.
#![expect(clippy::print_stdout, reason = "a measurement is there to be read")]

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use throughline_agents::claude_code::transcript::parse_line;
use throughline_agents::transcript::Parsed;
use throughline_capture::absorb;
use throughline_redact as redact;
use throughline_store::ledger_file::LedgerFile;

/// Rounds of each; the best counts, since everything else on the machine only slows it.
const ROUNDS: usize = 7;
/// A gate reads so much of a transcript at once, and then writes what it told.
const GATE_BYTES: usize = 256 << 10;
/// The most that masking may take of the whole.
const SHARE_MAX: f64 = 0.20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut megabytes = 100_usize;
    let mut once = Vec::new();
    let mut single = None;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--megabytes" {
            megabytes = words.next().ok_or("--megabytes needs a number")?.parse()?;
        } else if word == "--once" {
            single = Some(words.next().as_deref() == Some("with"));
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
    let mut all = once.clone();
    while all.len() < megabytes << 20 {
        all.extend_from_slice(&once);
    }
    let folder = std::env::temp_dir().join(format!("throughline-masking-{}", std::process::id()));
    if let Some(is_masked) = single {
        capture(&all, &folder, is_masked)?;
        return Ok(std::fs::remove_dir_all(&folder)?);
    }
    let (mut plain, mut masked) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        plain = plain.min(capture(&all, &folder, false)?);
        masked = masked.min(capture(&all, &folder, true)?);
    }
    std::fs::remove_dir_all(&folder)?;
    let share = 1.0 - plain.as_secs_f64() / masked.as_secs_f64();
    println!(
        "{} MB captured in {} ms without masking, in {} ms with it: {:.1} % of the whole",
        all.len() >> 20,
        plain.as_millis(),
        masked.as_millis(),
        share * 100.0
    );
    if share > SHARE_MAX { Err(format!("more than {:.0} %", SHARE_MAX * 100.0).into()) } else { Ok(()) }
}

/// Captures every line and writes the ledger as often as gates would.
fn capture(
    bytes: &[u8],
    folder: &std::path::Path,
    is_masked: bool,
) -> Result<Duration, Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    let start = worked();
    let mut file = LedgerFile::default();
    let mut before = LedgerFile::default();
    let (mut last_gate, mut at) = (0, 0);
    for end in memchr::memchr_iter(b'\n', bytes) {
        if let Parsed::Line(mut line) = parse_line(&bytes[at..end]) {
            if is_masked {
                redact::line(&mut line);
            }
            absorb(&mut file.main.ledger, &line, at as u64);
        }
        at = end + 1;
        if at - last_gate >= GATE_BYTES {
            last_gate = at;
            // Texts that stood in the file before are not looked at again; here and there all of them did.
            file.write(
                &throughline_store::door::outside::at(folder),
                if is_masked { before } else { file.clone() },
            )?;
            before = file.clone();
        }
    }
    black_box(&file);
    Ok(worked().saturating_sub(start))
}

/// How long this thread was at work: on a machine that others use, the clock tells little.
fn worked() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = told.and_then(|told| told.split(' ').next()?.parse().ok());
    ns.map_or_else(|| START.elapsed(), Duration::from_nanos)
}
