//! Torture: the durability tests of the binary, for as long as somebody wants: thousands of kills, thousands of writers.
//!
//! The trials themselves are the tests in `crates/throughline/tests/durability`; here they only get larger numbers.

use std::path::Path;
use std::process::Command;

use super::Outcome;

const TRIALS: u64 = 10_000;
/// Entries of each of the 64 writers.
const ENTRIES: u64 = 50;

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    trials: u64,
    seed: Option<u64>,
    release: bool,
}

/// Runs the kills and the many writers; bad with the first violation, which the output describes.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome, String> {
    let request = parse(arguments)?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(["test", "--package", "throughline", "--test", "durability"]);
    if request.release {
        command.arg("--release");
    }
    command.args(["--", "--nocapture", "--test-threads=1", "kills::", "many_writers::"]);
    command.env("THROUGHLINE_TORTURE_TRIALS", request.trials.to_string());
    command.env("THROUGHLINE_TORTURE_ENTRIES", ENTRIES.to_string());
    if let Some(seed) = request.seed {
        command.env("THROUGHLINE_TORTURE_SEED", seed.to_string());
    }
    let status = command.status().map_err(|error| format!("could not start cargo: {error}"))?;
    Ok(if status.success() { Outcome::Good } else { Outcome::Bad })
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut request = Request { trials: TRIALS, seed: None, release: false };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let text = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            text.parse::<u64>().map_err(|error| format!("{word} {text}: {error}"))
        };
        match word.as_str() {
            "--trials" => request.trials = number()?,
            "--seed" => request.seed = Some(number()?),
            "--release" => request.release = true,
            other => return Err(format!("unknown argument `{other}`; --trials N, --seed S, --release")),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn ten_thousand_trials_are_the_default() {
        assert_eq!(parse(&[]), Ok(Request { trials: 10_000, seed: None, release: false }));
    }

    #[test]
    fn numbers_are_taken_and_other_words_refused() {
        let request = parse(&words("--trials 20 --seed 7 --release"));
        assert_eq!(request, Ok(Request { trials: 20, seed: Some(7), release: true }));
        for wrong in ["--trials", "--trials many", "--forever"] {
            assert!(parse(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
