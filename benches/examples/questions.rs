//! Measures how often recall answers: `--example questions -- <binary> <folder> <questions.json> <transcripts>…`.
//!
//! The questions are a list of `{"question": "…", "answers": ["…"]}`: a result answers when it shows one of the answers,
//! whitespace aside. The method by which such a set is written stands in `crates/throughline/tests/recall/questions.rs`. The
//! folder is filled with copies of the transcripts and their index. The baseline is what people do without one: lines that
//! hold most of the question's words, those with most occurrences first.
#![expect(clippy::print_stdout, reason = "a measurement is there to be read")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

/// Results that are looked at.
const LIMIT: usize = 10;
/// Words of a question that nobody would search for.
#[rustfmt::skip]
const STOP: &[&str] = &[
    "what", "which", "did", "do", "does", "the", "an", "of", "to", "in", "for", "and", "or", "is", "was", "were", "we",
    "our", "it", "its", "how", "why", "when", "where", "who", "be", "been", "not", "no", "with", "from", "by", "on", "at",
    "as", "that", "this", "there", "had", "has", "have", "so", "if", "than", "their", "should", "can", "could", "before",
    "after", "two", "new",
];

/// A question with the texts that answer it.
struct Asked {
    question: String,
    answers: Vec<String>,
}

fn main() -> Result<(), Failure> {
    let names: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let [binary, folder, questions, transcripts @ ..] = &names[..] else {
        return Err("name the binary, a folder, the questions and some transcripts".into());
    };
    let asked = read_questions(&fs::read_to_string(questions)?)?;
    prepare(binary, folder, transcripts)?;
    let lines = lines(transcripts)?;
    let (mut alone, mut with_near, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for one in &asked {
        let results = ask(binary, folder, &one.question)?;
        alone.push(rank(&results, |it| shows(it, false), one));
        with_near.push(rank(&results, |it| shows(it, true), one));
        plain.push(rank(&by_words(&lines, &one.question), |line| (*line).clone(), one));
        if with_near.last().is_some_and(Option::is_none) {
            println!("not among the first {LIMIT}: {}", one.question);
        }
    }
    println!("{} questions                      @1    @5    @10   MRR", asked.len());
    print_row("recall, all that a result shows", &with_near);
    print_row("recall, without what is near it", &alone);
    print_row("lines with most of the words", &plain);
    Ok(())
}

fn read_questions(text: &str) -> Result<Vec<Asked>, Failure> {
    let list: Vec<Value> = serde_json::from_str(text)?;
    let read = |one: &Value| {
        let answers = one["answers"].as_array()?.iter().filter_map(|it| it.as_str().map(normal)).collect();
        Some(Asked { question: one["question"].as_str()?.to_owned(), answers })
    };
    let all: Vec<Asked> = list.iter().filter_map(read).collect();
    if all.is_empty() { Err("there is no question with answers".into()) } else { Ok(all) }
}

/// Copies the transcripts to where the client would keep them, each in a project of its own, and indexes them.
fn prepare(binary: &Path, folder: &Path, transcripts: &[PathBuf]) -> Result<(), Failure> {
    let config = folder.join("config/throughline");
    fs::create_dir_all(&config)?;
    // However old they are.
    fs::write(config.join("throughline.toml"), "[recall]\nkeep_days = 0\n")?;
    for (number, transcript) in transcripts.iter().enumerate() {
        let project = folder.join(format!("claude/projects/-asked-{number:03}"));
        fs::create_dir_all(&project)?;
        fs::write(
            project.join(transcript.file_name().ok_or("a transcript is a file")?),
            fs::read(transcript)?,
        )?;
    }
    let done = ours(binary, folder).args(["backfill", "--json"]).stdout(Stdio::null()).status()?;
    if done.success() { Ok(()) } else { Err("the transcripts could not be indexed".into()) }
}

fn ask(binary: &Path, folder: &Path, question: &str) -> Result<Vec<Value>, Failure> {
    let told =
        ours(binary, folder).args(["recall", "--json", "--limit", &LIMIT.to_string(), question]).output()?;
    let mut told: Value = serde_json::from_slice(&told.stdout)?;
    Ok(told["results"].as_array_mut().map(std::mem::take).unwrap_or_default())
}

fn ours(binary: &Path, folder: &Path) -> Command {
    let mut command = Command::new(binary);
    command
        .env("CLAUDE_CONFIG_DIR", folder.join("claude"))
        .env("THROUGHLINE_HOME", folder.join("data"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env_remove("CLAUDECODE")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// What a result shows: its passage, the other half of its exchange, and what is near it and answers too.
fn shows(result: &Value, with_near: bool) -> String {
    let halves = ["asked", "concluded"].iter().map(|half| &result[half]["text"]);
    let near = result["also"].as_array().into_iter().flatten().filter(|_| with_near).map(|it| &it["text"]);
    let texts = [&result["text"]].into_iter().chain(halves).chain(near).filter_map(Value::as_str);
    texts.collect::<Vec<&str>>().join("\n")
}

/// The place of the first that answers.
fn rank<T>(all: &[T], shown: impl Fn(&T) -> String, asked: &Asked) -> Option<usize> {
    let answers = |it: &T| {
        let shown = normal(&shown(it));
        asked.answers.iter().any(|answer| shown.contains(answer.as_str()))
    };
    all.iter().position(answers)
}

/// The texts of the transcripts' lines.
fn lines(transcripts: &[PathBuf]) -> Result<Vec<(String, String)>, Failure> {
    let mut all = Vec::new();
    for transcript in transcripts {
        for line in fs::read_to_string(transcript)?.lines() {
            let mut text = String::new();
            put_texts(&serde_json::from_str(line).unwrap_or_default(), &mut text);
            all.push((text.to_lowercase(), text));
        }
    }
    Ok(all)
}

fn put_texts(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push(' ');
        }
        Value::Array(elements) => elements.iter().for_each(|it| put_texts(it, into)),
        Value::Object(map) => map.values().for_each(|it| put_texts(it, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Lines with most of the words, those with most occurrences first.
fn by_words<'l>(lines: &'l [(String, String)], question: &str) -> Vec<&'l String> {
    let question = question.to_lowercase();
    let words: Vec<&str> = question
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 1 && !STOP.contains(word))
        .collect();
    let mut found: Vec<(usize, usize, &String)> = lines
        .iter()
        .map(|(lower, text)| {
            let counts = words.iter().map(|word| lower.matches(word).count());
            let (different, all) =
                counts.fold((0, 0), |(different, all), count| (different + count.min(1), all + count));
            (different, all, text)
        })
        .filter(|(different, _, _)| *different > 0)
        .collect();
    found.sort_by_key(|(different, all, _)| std::cmp::Reverse((*different, *all)));
    found.into_iter().take(LIMIT).map(|(_, _, text)| text).collect()
}

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[expect(clippy::cast_precision_loss, reason = "some questions")]
fn print_row(what: &str, ranks: &[Option<usize>]) {
    let all = ranks.len() as f64;
    let within = |places: usize| ranks.iter().flatten().filter(|rank| **rank < places).count() as f64 / all;
    let reciprocal: f64 = ranks.iter().flatten().map(|rank| 1.0 / (*rank + 1) as f64).sum();
    println!("{what:<34} {:.2}  {:.2}  {:.2}  {:.2}", within(1), within(5), within(LIMIT), reciprocal / all);
}
