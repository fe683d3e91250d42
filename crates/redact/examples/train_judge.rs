//! Trains the judge: `cargo run --release -p throughline-redact --example train_judge -- [--write] <cases and transcripts>`.
//!
//! `… --example train_judge -- --write crates/redact/tests/secrets/cases/*.jsonl <transcripts>/*.jsonl` is how the table in
//! `rules/judge.rs` was made. Files of cases are lines with `text` and, where the text holds some, `secrets`; every other file of lines of JSON is
//! taken for texts without secrets. Without `--write` it says what is found of each writer's cases when the trees have not
//! seen that writer (nor some others: writers are left out in four groups); `--letters` counts `rules/letters.rs` afresh; `--show` lists what is missed then, and what comes nearest to being masked wrongly.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a tool that is run by hand"
)]

#[path = "train_judge/boost.rs"]
mod boost;
#[path = "../tests/secrets/cases.rs"]
#[expect(dead_code, reason = "only one function of it is used here")]
mod cases;
#[path = "train_judge/data.rs"]
mod data;
#[path = "../tests/secrets/draw.rs"]
mod draw;
#[path = "train_judge/fill.rs"]
mod fill;
#[path = "../tests/secrets/harmless.rs"]
mod harmless;
#[path = "train_judge/letters.rs"]
mod letters;
#[path = "../tests/secrets/parts/mod.rs"]
#[expect(dead_code, reason = "only harmless texts of the parts are used here")]
mod parts;
#[path = "train_judge/report.rs"]
mod report;

use boost::{Model, Params};
use data::Set;
use throughline_redact::SORTS;

/// Writers whose cases the rules were tuned on: they tell nothing of what is new.
const TOLD_NOTHING_BY: [&str; 4] = ["real", "drawn", "a", "b"];
/// From which score on a value is masked, by its sort, and below which a rule's guess is left.
const MASK: [f64; SORTS] = [0.8, 1.8, 0.0, 0.7, 1.1, 3.0];
const LEAVE: f64 = -1.3;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| words.iter().any(|word| word == name);
    let params = Params { trees: 800, rate: 0.1, least: 0.4, lambda: 3.0 };
    let files: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let set = data::read(&files);
    let secrets = set.rows.iter().filter(|row| row.is_secret).count();
    println!("{} texts, {} values, {secrets} of them secrets", set.texts.len(), set.rows.len());
    if has("--letters") {
        std::fs::write("crates/redact/rules/letters.rs", letters::rust(&set)).unwrap();
        return;
    }
    if has("--write") {
        let rows = set.rows.iter().collect::<Vec<_>>();
        let model = boost::train(&rows, &params);
        std::fs::write("crates/redact/rules/judge.rs", model.rust((MASK, LEAVE), &rows)).unwrap();
        std::fs::write("crates/redact/rules/judge_leaves.rs", model.leaves_in_rust()).unwrap();
        return;
    }
    let writers = writers(&set);
    let scores = unseen_scores(&set, &writers, &params);
    report::print(&set, &scores, &writers, has("--show"));
}

fn writers(set: &Set) -> Vec<String> {
    let of_new = |it: &String| !TOLD_NOTHING_BY.contains(&it.as_str());
    let mut all: Vec<String> = set.texts.iter().map(|text| text.writer.clone()).filter(of_new).collect();
    all.sort();
    all.dedup();
    all
}

/// Trees that are grown to look at writers that they have not seen.
const FOLDS: usize = 4;

/// What each value has by trees that have not seen its writer, nor some others.
fn unseen_scores(set: &Set, writers: &[String], params: &Params) -> Vec<f64> {
    let mut scores = vec![0.0_f64; set.rows.len()];
    let fold_of = |row: &data::Row| {
        let writer = &set.texts[row.place].writer;
        writers.iter().position(|it| it == writer).map(|number| number % FOLDS)
    };
    let folds: Vec<Option<usize>> = set.rows.iter().map(fold_of).collect();
    let train = &|fold: usize| -> Model {
        let is_seen = |it: &(&data::Row, &Option<usize>)| *it.1 != Some(fold);
        let rows = set.rows.iter().zip(&folds).filter(is_seen).map(|it| it.0).collect::<Vec<_>>();
        boost::train(&rows, params)
    };
    for first in (0..FOLDS).step_by(2) {
        let models: Vec<Model> = std::thread::scope(|scope| {
            let all: Vec<_> = (first..first + 2).map(|fold| scope.spawn(move || train(fold))).collect();
            all.into_iter().map(|it| it.join().unwrap()).collect()
        });
        for (fold, model) in (first..).zip(models) {
            for ((row, of), score) in set.rows.iter().zip(&folds).zip(&mut scores) {
                if *of == Some(fold) {
                    *score = model.score(&row.numbers);
                }
            }
        }
    }
    scores
}
