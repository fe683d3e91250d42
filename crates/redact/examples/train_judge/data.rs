//! What the judge learns from: texts, their values, and which of these are secrets.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use throughline_redact as redact;

use crate::fill::{self, Draw};
use crate::{draw, parts};

/// How much a value of a real text counts, and how many are kept: one of so many, since most are alike.
const REAL_WEIGHT: f64 = 0.7;
const REAL_KEPT: u64 = 2;

/// How much all fillings of one text count.
const DRAWN_WEIGHT: f64 = 2.5;
/// How often each is filled.
const DRAWS: usize = 6;
/// How often a case stands there again with other values.
const SWAPS: usize = 3;

/// A value.
pub(crate) struct Row {
    pub(crate) numbers: [u8; 256],
    pub(crate) span: (usize, usize),
    pub(crate) is_secret: bool,
    pub(crate) is_ruled: bool,
    pub(crate) is_barred: bool,
    pub(crate) sort: usize,
    pub(crate) weight: f64,
    /// Which text it stands in.
    pub(crate) place: usize,
}

/// A text.
pub(crate) struct Text {
    pub(crate) id: String,
    pub(crate) writer: String,
    pub(crate) content: String,
    pub(crate) secrets: Vec<String>,
    pub(crate) is_awkward: bool,
    /// A case with other values in it.
    pub(crate) is_copy: bool,
    pub(crate) rows: Range<usize>,
    pub(crate) rules: Vec<(usize, usize, bool)>,
}

/// All of them.
#[derive(Default)]
pub(crate) struct Set {
    pub(crate) texts: Vec<Text>,
    pub(crate) rows: Vec<Row>,
}

/// A text that was drawn, or a real one.
fn text_by(writer: &str, content: String, secrets: Vec<String>) -> Text {
    Text {
        id: String::new(),
        writer: writer.to_owned(),
        content,
        secrets,
        is_awkward: false,
        is_copy: writer == "drawn",
        rows: 0..0,
        rules: Vec::new(),
    }
}

/// Draws texts and reads files.
pub(crate) fn read(files: &[&String]) -> Set {
    let mut set = Set::default();
    let weight = DRAWN_WEIGHT / DRAWS as f64;
    for (text, secrets) in fill::all(DRAWS) {
        set.add(text_by("drawn", text, secrets), weight);
    }
    for (kind, make) in parts::TUNED_ON.iter().flat_map(|part| part.harmless) {
        for number in 0..DRAWS as u64 * 2 {
            // Other numbers than the tests draw.
            let text = make(&mut draw::Draw::seeded(kind, 1_000 + number));
            set.add(text_by("drawn", text, Vec::new()), weight);
        }
    }
    // What is held back is learnt from by nobody.
    for path in files.iter().filter(|path| !path.contains("held_back")) {
        let content = std::fs::read_to_string(path).unwrap();
        let lines: Vec<Value> = content.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if lines.first().is_some_and(|line| line["id"].is_string() && line["text"].is_string()) {
            set.add_cases(&lines);
            continue;
        }
        let mut texts = Vec::new();
        for line in &lines {
            strings(line, &mut texts);
        }
        for text in texts {
            set.add_real(text);
        }
    }
    set
}

fn secrets_of(line: &Value) -> Vec<String> {
    let all = line["secrets"].as_array().into_iter().flatten();
    all.filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

/// A number that texts of one template share: of all pairs of words in it the least.
fn template_of(text: &str) -> u64 {
    let words: Vec<&str> =
        text.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let hash = |two: &[&str]| {
        two.iter()
            .flat_map(|word| word.bytes())
            .fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
    };
    words.windows(2).map(hash).min().unwrap_or(0) >> 8
}

/// Values that may stand for each other.
fn sort_of(secret: &str) -> u8 {
    let has = |belongs: fn(&u8) -> bool| secret.as_bytes().iter().any(belongs);
    match () {
        () if secret.len() > 64 || secret.contains('\n') || secret.contains("-----") => 9,
        () if secret.contains(' ') => 1,
        () if secret.bytes().all(|byte| byte.is_ascii_digit()) => 2,
        () if secret.len() >= 24 => 3,
        () if secret.contains(['\\', '"', '\'', '%', '&', '<']) => 9,
        () if has(|byte| b"!#$%^&*+~?@".contains(byte)) => 4,
        () if has(u8::is_ascii_digit) || secret.contains(['-', '_', '.']) => 5,
        () => 6,
    }
}

impl Set {
    /// Each case, and the same again with values of others in it.
    fn add_cases(&mut self, lines: &[Value]) {
        let mut pools: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        for secret in lines.iter().flat_map(secrets_of) {
            pools.entry(sort_of(&secret)).or_default().push(secret);
        }
        let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
        for line in lines {
            let field = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            let content = field("text");
            let secrets = secrets_of(line);
            let letters = field("id").chars().take_while(char::is_ascii_alphabetic).collect::<String>();
            // The first two sets of look-alikes do not say who wrote them: by what they resemble.
            let writer = match letters.as_str() {
                "h" => format!("h{}", template_of(&content) % 4),
                // `wah` are the look-alikes of `wa`.
                _ => letters.strip_suffix('h').unwrap_or(&letters).to_owned(),
            };
            for swap in 0..if secrets.is_empty() { 1 } else { SWAPS + 1 } {
                let (mut content, mut secrets) = (content.clone(), secrets.clone());
                for secret in secrets.iter_mut().filter(|it| swap > 0 && sort_of(it) < 9) {
                    let pool = &pools[&sort_of(secret)];
                    let other = &pool[draw.below(pool.len())];
                    if !content.contains(other.as_str()) {
                        content = content.replace(secret.as_str(), other);
                        secret.clone_from(other);
                    }
                }
                let (id, is_awkward) = (field("id"), line["class"] == "awkward");
                let text = text_by(&writer, content, secrets);
                self.add(Text { id, is_awkward, is_copy: swap > 0, ..text }, 1.0);
            }
        }
    }

    fn add(&mut self, mut text: Text, weight: f64) {
        let (judged, rules) = redact::judged(&text.content);
        let places: Vec<(usize, usize)> = text
            .secrets
            .iter()
            .flat_map(|secret| {
                text.content
                    .match_indices(secret.as_str())
                    .map(|(at, it)| (at, at + it.len()))
                    .collect::<Vec<_>>()
            })
            .collect();
        let first = self.rows.len();
        for it in judged {
            let Some(is_secret) = label(&places, it.start, it.end) else { continue };
            let weight = if text.is_copy && text.writer != "drawn" { weight * 0.4 } else { weight };
            self.rows.push(Row {
                numbers: it.row,
                span: (it.start, it.end),
                is_secret,
                is_ruled: it.is_ruled,
                is_barred: it.is_barred,
                sort: it.sort,
                weight,
                place: self.texts.len(),
            });
        }
        text.rows = first..self.rows.len();
        text.rules = rules;
        self.texts.push(text);
    }

    fn add_real(&mut self, text: String) {
        let (judged, _) = redact::judged(&text);
        let first = self.rows.len();
        for it in &judged {
            let hash = it
                .row
                .iter()
                .fold(it.start as u64, |sum, value| (sum ^ u64::from(*value)).wrapping_mul(0x0100_0000_01B3));
            if it.is_ruled || hash >> 7 & 0xFFFF < 0x10000 / REAL_KEPT {
                self.rows.push(Row {
                    numbers: it.row,
                    span: (it.start, it.end),
                    is_secret: false,
                    is_ruled: it.is_ruled,
                    is_barred: it.is_barred,
                    sort: it.sort,
                    weight: REAL_WEIGHT,
                    place: self.texts.len(),
                });
            }
        }
        if self.rows.len() > first {
            let rows = first..self.rows.len();
            self.texts.push(Text { rows, ..text_by("real", text, Vec::new()) });
        }
    }
}

/// Whether a value is a secret; nothing when it is a piece of one.
fn label(places: &[(usize, usize)], start: usize, end: usize) -> Option<bool> {
    let mut is_touched = false;
    for (from, to) in places {
        let common = end.min(*to).saturating_sub(start.max(*from));
        if common == 0 {
            continue;
        }
        is_touched = true;
        let (secret, value) = (to - from, end - start);
        if common * 10 >= secret * 6 && value <= secret + 6 + secret / 3 {
            return Some(true);
        }
    }
    (!is_touched).then_some(false)
}

fn strings(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => all.push(text.clone()),
        Value::Array(elements) => elements.iter().for_each(|element| strings(element, all)),
        Value::Object(map) => map.values().for_each(|value| strings(value, all)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
