//! Lists what would be masked in files, with its surroundings: for judging the rules by real texts.
//!
//! `cargo run -p throughline-redact --example masked -- session.jsonl`: a line per secret. It prints the secrets.
//! `… --example masked -- cases FILE.jsonl [--show]`: how many values of a file of cases are masked, by kind, and the ids
//! of those that are not; with `--show` their texts.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a tool to look with"
)]

#[path = "../tests/secrets/cases.rs"]
mod cases;

use std::time::Instant;

use serde_json::Value;
use throughline_redact as redact;

const AROUND_BYTES: usize = 60;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some((_, files)) = words.split_first().filter(|(first, _)| *first == "cases") {
        let is_shown = files.iter().any(|word| word == "--show");
        files.iter().filter(|word| *word != "--show").for_each(|path| measure(path, is_shown));
        return;
    }
    let (mut texts, mut bytes, mut found) = (0_usize, 0_usize, 0_usize);
    let mut spent = std::time::Duration::ZERO;
    for path in &words {
        let Ok(content) = std::fs::read_to_string(path) else {
            eprintln!("could not read {path}");
            continue;
        };
        for line in content.lines() {
            let mut all = Vec::new();
            match serde_json::from_str(line) {
                Ok(value) => strings(&value, &mut all),
                Err(_) => all.push(line.to_owned()),
            }
            for text in &all {
                texts += 1;
                bytes += text.len();
                let start = Instant::now();
                let secrets = redact::secrets(text);
                spent += start.elapsed();
                found += secrets.len();
                for secret in secrets {
                    show(text, secret);
                }
            }
        }
    }
    eprintln!("{texts} texts, {bytes} bytes, {found} masked, {} ms", spent.as_millis());
}

fn measure(path: &str, is_shown: bool) {
    let measured = cases::measured(&std::fs::read_to_string(path).unwrap());
    println!("{path}:\n{}", measured.table());
    for (id, text, clean) in &measured.misses {
        if is_shown {
            println!("{id}: {text}\n    -> {clean}\n");
        } else {
            println!("{id}");
        }
    }
}

fn show(text: &str, secret: &str) {
    let at = secret.as_ptr() as usize - text.as_ptr() as usize;
    let before = text.floor_char_boundary(at.saturating_sub(AROUND_BYTES));
    let after = text.ceil_char_boundary((at + secret.len() + AROUND_BYTES / 2).min(text.len()));
    println!("{:?} in {:?}", secret, &text[before..after]);
}

fn strings(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => all.push(text.clone()),
        Value::Array(elements) => elements.iter().for_each(|element| strings(element, all)),
        Value::Object(map) => map.values().for_each(|value| strings(value, all)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
