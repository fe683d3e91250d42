//! Measures recall over many transcripts: `--example recall -- <binary> <folder> <transcripts>… [--megabytes 1000]`.
//!
//! The transcripts are repeated with changed words: in each copy a third of the words is another one of about the same
//! frequency, and every id is another, so that neither the compression nor the index gains by the repetition. The folder is
//! filled with them (and left there), indexed by `backfill`, and asked with words of its own.
#![expect(clippy::print_stdout, reason = "a measurement is there to be read")]

use std::collections::HashMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use throughline_domain::text::fingerprint;

type Failure = Box<dyn std::error::Error>;

/// Of a hundred different words so many are others in a copy.
const OTHER_PERCENT: u64 = 35;
/// A word is replaced by one of so many places more or less in the order of frequency.
const NEAR: u64 = 60;
const QUESTIONS: usize = 60;
const QUESTION_WORDS: usize = 4;
const WORD_BYTES_MIN: usize = 4;

fn main() -> Result<(), Failure> {
    let mut megabytes = 1_000_u64;
    let mut names = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--megabytes" {
            megabytes = words.next().ok_or("--megabytes needs a number")?.parse()?;
        } else {
            names.push(PathBuf::from(word));
        }
    }
    let [binary, folder, transcripts @ ..] = &names[..] else {
        return Err("name the binary and a folder".into());
    };
    let base: Vec<String> = transcripts.iter().map(fs::read_to_string).collect::<Result<_, _>>()?;
    if base.is_empty() {
        return Err("name some transcripts".into());
    }
    let bytes = fill(folder, &base, megabytes * 1_000_000)?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{} MB of transcripts; load {}", bytes / 1_000_000, load.trim());
    let began = Instant::now();
    let (told, peak_kib) = watched(ours(binary, folder).args(["backfill", "--json"]))?;
    let wall = began.elapsed();
    let told: Value = serde_json::from_str(&told)?;
    let recall = &told["recall"];
    let number = |name: &str| recall[name].as_u64().unwrap_or(0);
    println!(
        "recall took in {} passages, {} kB of text: {} ms, {:.0} MB/s (backfill as a whole {:.1} s), peak {} MB",
        number("passages_new"),
        number("text_bytes_new") / 1_000,
        number("ms"),
        ratio(number("bytes"), number("ms").max(1)) / 1_000.0,
        wall.as_secs_f64(),
        peak_kib / 1_024,
    );
    let stored: u64 = ["recall.db", "recall.db-wal"]
        .iter()
        .filter_map(|name| fs::metadata(folder.join("data").join(name)).ok())
        .map(|meta| meta.len())
        .sum();
    println!(
        "index {} kB: {:.1} % of the passages' text, {:.2} % of the transcripts",
        stored / 1_000,
        100.0 * ratio(stored, number("text_bytes_new")),
        100.0 * ratio(stored, bytes)
    );
    ask(binary, folder, &base)
}

/// Asks with words that stand near one another in the transcripts; prints the times of whole processes.
fn ask(binary: &Path, folder: &Path, base: &[String]) -> Result<(), Failure> {
    let mut times: Vec<Duration> = Vec::new();
    let mut found = 0;
    for (number, question) in questions(base).iter().enumerate() {
        let mut command = ours(binary, folder);
        command.args(["recall", "--json", "--no-pick"]).arg(question).stderr(Stdio::null());
        let began = Instant::now();
        let told = command.output()?;
        let took = began.elapsed();
        let told: Value = serde_json::from_slice(&told.stdout)?;
        found += usize::from(told["results"].as_array().is_some_and(|all| !all.is_empty()));
        // The first ones warm the system's cache up.
        if number >= 5 {
            times.push(took);
        }
    }
    times.sort_unstable();
    let ms = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1_000.0;
    println!(
        "{} questions, {found} answered: median {:.1} ms, p95 {:.1} ms, worst {:.1} ms (whole processes)",
        times.len(),
        ms(50),
        ms(95),
        ms(100)
    );
    Ok(())
}

fn ours(binary: &Path, folder: &Path) -> Command {
    let mut command = Command::new(binary);
    command
        .env("CLAUDE_CONFIG_DIR", folder.join("claude"))
        .env("THROUGHLINE_HOME", folder.join("data"))
        .env_remove("CLAUDECODE")
        .stdin(Stdio::null());
    command
}

/// Runs a program; gives what it printed and its largest size.
fn watched(command: &mut Command) -> Result<(String, u64), Failure> {
    let child = command.stdout(Stdio::piped()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let watcher = std::thread::spawn(move || {
        let mut peak = 0;
        while let Ok(text) = fs::read_to_string(&status) {
            let field = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(kib) = field.and_then(|kib| kib.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
            else {
                break;
            };
            peak = peak.max(kib);
            std::thread::sleep(Duration::from_millis(5));
        }
        peak
    });
    let output = child.wait_with_output()?;
    let peak = watcher.join().map_err(|_| "the watcher fell")?;
    Ok((String::from_utf8(output.stdout)?, peak))
}

fn fill(folder: &Path, base: &[String], bytes_wanted: u64) -> Result<u64, Failure> {
    let vocabulary = Vocabulary::of(base);
    let projects = folder.join("claude/projects");
    let mut bytes = 0;
    for copy in 0_u64.. {
        for (number, transcript) in base.iter().enumerate() {
            if bytes >= bytes_wanted {
                return Ok(bytes);
            }
            let project = projects.join(format!("-bench-{}", number % 7));
            fs::create_dir_all(&project)?;
            let mut file =
                BufWriter::new(fs::File::create(project.join(format!("{copy:04}-{number:02}.jsonl")))?);
            for line in transcript.lines() {
                let Ok(mut value) = serde_json::from_str::<Value>(line) else { continue };
                vary(&mut value, "", copy, &vocabulary);
                let line = value.to_string();
                bytes += line.len() as u64 + 1;
                writeln!(file, "{line}")?;
            }
        }
    }
    Ok(bytes)
}

/// The words of the transcripts, the frequent ones first, and the place of each.
struct Vocabulary {
    words: Vec<String>,
    places: HashMap<String, u64>,
}

impl Vocabulary {
    fn of(base: &[String]) -> Self {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for word in base.iter().flat_map(|text| plain_words(text)) {
            *counts.entry(word).or_default() += 1;
        }
        let mut words: Vec<(&str, u64)> = counts.into_iter().collect();
        words.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(right.0)));
        let words: Vec<String> = words.into_iter().map(|(word, _)| word.to_owned()).collect();
        let places = words.iter().cloned().zip(0..).collect();
        Self { words, places }
    }

    fn other(&self, word: &str, copy: u64) -> Option<&str> {
        let place = *self.places.get(word)?;
        let chance = fingerprint(format!("{word} {copy}").as_bytes());
        if copy == 0 || chance % 100 >= OTHER_PERCENT {
            return None;
        }
        let near = (place + chance / 100 % (2 * NEAR)).saturating_sub(NEAR);
        self.words.get(usize::try_from(near).ok()?).map(String::as_str)
    }
}

fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| (WORD_BYTES_MIN..=24).contains(&word.len()))
}

fn vary(value: &mut Value, key: &str, copy: u64, vocabulary: &Vocabulary) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|it| vary(it, key, copy, vocabulary)),
        Value::Object(map) => map.iter_mut().for_each(|(key, it)| vary(it, key, copy, vocabulary)),
        Value::String(text) => match key {
            "uuid" | "parentUuid" | "id" | "tool_use_id" | "sessionId" | "requestId" | "messageId" => {
                text.push_str(&format!("-{copy}"));
            }
            "type" | "role" | "name" | "timestamp" | "subtype" | "model" | "cwd" | "version" => {}
            _ => *text = varied(text, copy, vocabulary),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn varied(text: &str, copy: u64, vocabulary: &Vocabulary) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_ascii_alphabetic();
        let end = rest.find(|c: char| c.is_ascii_alphabetic() != is_word).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        out.push_str(vocabulary.other(piece, copy).filter(|_| is_word).unwrap_or(piece));
        rest = behind;
    }
    out
}

/// Words of the first copy, as people remember them: a few of one passage.
fn questions(base: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for transcript in base {
        for line in transcript.lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            let Some(parts) = value["message"]["content"].as_array() else { continue };
            let said =
                parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
            for text in said {
                let mut words: Vec<&str> = plain_words(text).collect();
                words.sort_unstable();
                words.dedup();
                if words.len() >= 12 {
                    let step = words.len() / QUESTION_WORDS;
                    let chosen: Vec<&str> =
                        words.iter().step_by(step).take(QUESTION_WORDS).copied().collect();
                    all.push(chosen.join(" "));
                }
            }
        }
    }
    let step = (all.len() / (QUESTIONS + 5)).max(1);
    all.into_iter().step_by(step).take(QUESTIONS + 5).collect()
}

#[expect(clippy::cast_precision_loss, reason = "bytes and milliseconds")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
