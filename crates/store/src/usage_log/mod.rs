//! The usage log's lines: one JSON object per sample, written and read in one place.
//!
//! The keys are those that an older tool gave its log (`ts` to `cwd`), and ours beside them. A line that is no sample
//! is nobody's: it costs that line only.

mod append;
pub mod read;
mod rotate;

use serde::{Deserialize, Serialize};
use throughline_domain::text::{printable, shorten};
use throughline_domain::usage::{Sample, Signs};
use throughline_domain::{Health, time};
use throughline_redact as redact;

use crate::door::Spot;
use crate::paths::Project;

pub use append::{Appended, append, is_writable};

/// Longest line, its end included: appends of this size by many writers do not mix.
pub const LINE_BYTES_MAX: usize = throughline_domain::limits::USAGE_LINE_BYTES_MAX;
/// The log's name in the project's `logs` folder; rotated ones are `context-usage.<UTC time>.jsonl`.
pub const FILE_NAME: &str = "context-usage.jsonl";
/// Longest id, in UTF-16 units.
const ID_UNITS_MAX: usize = 200;
/// Longest paths that are tried, the longest first: a line must not pass its limit.
const PATH_UNITS_TRIED: [usize; 4] = [1_200, 400, 100, 0];

/// The folder of a project's usage logs.
#[must_use]
pub fn folder(project: &Project) -> Spot {
    project.files.join("logs")
}

#[derive(Serialize)]
struct Written<'a> {
    ts: String,
    session: &'a str,
    model: &'a str,
    context_used: u64,
    context_size: u64,
    percent: u16,
    input: u64,
    output: u64,
    cache_create: u64,
    cache_read: u64,
    status: &'static str,
    compaction: bool,
    cwd: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_percent: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compacts_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_micros: Option<u64>,
    project: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signs: Vec<&'static str>,
}

/// A sample as a line, without secrets, at most [`LINE_BYTES_MAX`] long with its end (which is not part of it).
#[must_use]
pub fn encode(sample: &Sample) -> Vec<u8> {
    for units_max in PATH_UNITS_TRIED {
        let line = encode_with(sample, units_max);
        if line.len() < LINE_BYTES_MAX {
            return line;
        }
    }
    Vec::new()
}

fn encode_with(sample: &Sample, path_units_max: usize) -> Vec<u8> {
    let clean = |text: &str, units_max: usize| shorten(&printable(&redact::text(text)), units_max);
    let written = Written {
        ts: time::iso(sample.at),
        session: &clean(&sample.session, ID_UNITS_MAX),
        model: &clean(&sample.model, ID_UNITS_MAX),
        context_used: sample.context_used,
        context_size: sample.context_size,
        percent: sample.percent,
        input: sample.input,
        output: sample.output,
        cache_create: sample.cache_create,
        cache_read: sample.cache_read,
        status: sample.status.word(),
        compaction: sample.compaction,
        cwd: &clean(&sample.cwd, path_units_max),
        previous_percent: sample.previous_percent,
        compacts_at: sample.compacts_at,
        cost_micros: sample.cost_micros,
        project: &clean(&sample.project, path_units_max),
        signs: sample.signs.words().collect(),
    };
    serde_json::to_vec(&written).unwrap_or_default()
}

/// Older logs lack our keys and have others of their own; numbers may be missing or `null`.
#[derive(Deserialize)]
struct Fields {
    ts: String,
    session: String,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    context_used: Option<u64>,
    #[serde(default)]
    context_size: Option<u64>,
    #[serde(default)]
    percent: Option<u64>,
    #[serde(default)]
    input: Option<u64>,
    #[serde(default)]
    output: Option<u64>,
    #[serde(default)]
    cache_create: Option<u64>,
    #[serde(default)]
    cache_read: Option<u64>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    compaction: Option<bool>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    previous_percent: Option<u16>,
    #[serde(default)]
    compacts_at: Option<u64>,
    #[serde(default)]
    cost_micros: Option<u64>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    signs: Vec<String>,
}

/// The sample that a line holds; `None` when it holds none.
#[must_use]
pub fn parse(line: &[u8]) -> Option<Sample> {
    let read: Fields = serde_json::from_slice(line).ok()?;
    let cwd = read.cwd.unwrap_or_default();
    Some(Sample {
        at: time::parse(&read.ts)?,
        session: Some(read.session).filter(|session| !session.is_empty())?,
        model: read.model.unwrap_or_default(),
        context_used: read.context_used?,
        context_size: read.context_size.unwrap_or(0),
        percent: u16::try_from(read.percent.unwrap_or(0)).unwrap_or(u16::MAX),
        input: read.input.unwrap_or(0),
        output: read.output.unwrap_or(0),
        cache_create: read.cache_create.unwrap_or(0),
        cache_read: read.cache_read.unwrap_or(0),
        status: read.status.as_deref().and_then(Health::from_word).unwrap_or(Health::Healthy),
        compaction: read.compaction.unwrap_or(false),
        previous_percent: read.previous_percent,
        signs: Signs::from_words(read.signs.iter().map(String::as_str)),
        compacts_at: read.compacts_at,
        cost_micros: read.cost_micros,
        project: read.project.unwrap_or_else(|| cwd.clone()),
        cwd,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Sample {
        Sample {
            at: time::parse("2026-01-26T15:30:00.123Z").unwrap(),
            session: "2f467a84".to_owned(),
            model: "claude-opus-5-5".to_owned(),
            context_used: 84_000,
            context_size: 200_000,
            percent: 42,
            input: 70_000,
            output: 9,
            cache_create: 1_400,
            cache_read: 12_600,
            status: Health::Warning,
            compaction: true,
            previous_percent: Some(93),
            signs: Signs { drop: true, reset: true, hook: false },
            compacts_at: Some(167_000),
            cost_micros: Some(20_460),
            cwd: "/home/dev/a \"quoted\" \\ folder".to_owned(),
            project: "/home/dev/project".to_owned(),
        }
    }

    #[test]
    fn a_sample_is_read_back_as_it_was_written() {
        let line = String::from_utf8(encode(&sample())).unwrap();
        let begins = r#"{"ts":"2026-01-26T15:30:00.123Z","session":"2f467a84","model":"claude-opus-5-5","context_used":84000,"#;
        assert!(line.starts_with(begins), "{line}");
        assert!(line.ends_with(r#""project":"/home/dev/project","signs":["drop","reset"]}"#), "{line}");
        assert_eq!(parse(line.as_bytes()), Some(sample()));
    }

    #[test]
    fn lines_of_the_older_log_are_read() {
        let line = br#"{"ts":"2025-12-26T10:00:05Z","session":"abc","model":"claude-opus-4-5","context_used":150000,"context_size":200000,"percent":75,"input":1,"output":2,"cache_create":3,"cache_read":4,"status":"WARNING","compaction":false,"cwd":"C:\\work","usable_context":155000,"raw_percent":75}"#;
        let read = parse(line).unwrap();
        assert_eq!((read.percent, read.status, read.cache_read), (75, Health::Warning, 4));
        assert_eq!((read.project.as_str(), read.signs.any()), ("C:\\work", false));
    }

    #[test]
    fn what_is_no_sample_is_none() {
        let odd = [
            "",
            "{",
            "[]",
            "7",
            r#"{"ts":"yesterday","session":"s","context_used":1}"#,
            r#"{"ts":"2026-01-26T15:30:00Z","session":"","context_used":1}"#,
            r#"{"ts":"2026-01-26T15:30:00Z","session":"s"}"#,
            r#"{"ts":"2026-01-26T15:30:00Z","session":"s","context_used":1,"cwd":"a"b"}"#,
        ];
        for line in odd {
            assert_eq!(parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn no_line_is_longer_than_its_limit_whatever_the_paths_are() {
        for odd in ["x", "\"", "\u{1b}[31m", "\u{1}", "😀", "é"] {
            let long = Sample {
                cwd: odd.repeat(9_000),
                project: odd.repeat(9_000),
                session: format!("s{}", odd.repeat(9_000)),
                model: odd.repeat(9_000),
                ..sample()
            };
            let line = encode(&long);
            assert!((100..LINE_BYTES_MAX).contains(&line.len()), "{odd:?}: {}", line.len());
            assert!(!line.contains(&0x1b) && parse(&line).is_some_and(|read| read.context_used == 84_000));
        }
    }

    #[test]
    fn secrets_do_not_reach_the_log() {
        let key = concat!("sk-", "ant-api03-abcdefghijklmnopqrstuvwxyz");
        let line = encode(&Sample { cwd: format!("/tmp/{key}"), model: key.to_owned(), ..sample() });
        assert!(!String::from_utf8(line).unwrap().contains("abcdefghijkl"));
    }
}
