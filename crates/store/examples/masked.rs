//! Lists what would be masked in files, with its surroundings: for judging the rules by real texts.
//!
//! `cargo run -p throughline-store --example masked -- session.jsonl`: a line per secret. It prints the secrets.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool to look with"
)]

use std::time::Instant;

use serde_json::Value;
use throughline_store::redact;

const AROUND_BYTES: usize = 60;

fn main() {
    let (mut texts, mut bytes, mut found) = (0_usize, 0_usize, 0_usize);
    let mut spent = std::time::Duration::ZERO;
    for path in std::env::args().skip(1) {
        let Ok(content) = std::fs::read_to_string(&path) else {
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
