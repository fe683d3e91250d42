//! Measures `capture` against five git calls one after the other, in interleaved pairs, and prints the medians.
//!
//! `cargo run -p throughline-git --example against_five_calls -- [files] [dirty] [pairs]`
#![expect(clippy::print_stdout, reason = "a measurement is there to be read")]
#![expect(clippy::disallowed_methods, reason = "it builds the repository it measures")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FIVE_CALLS: &[&[&str]] = &[
    &["branch", "--show-current"],
    &["status", "--porcelain"],
    &["log", "-5", "--oneline"],
    &["diff", "--cached", "--stat"],
    &["diff", "--name-only", "HEAD~5"],
];

fn main() -> Result<(), Box<dyn Error>> {
    let number = |index: usize, default: usize| {
        std::env::args().nth(index).and_then(|arg| arg.parse().ok()).unwrap_or(default)
    };
    let (files, dirty, pairs) = (number(1, 5000), number(2, 200), number(3, 40));
    for staged in [0, dirty / 10] {
        let folder = tempfile::tempdir()?;
        repository(folder.path(), files, dirty, staged)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..pairs {
            theirs.push(timed(|| five_calls(folder.path())));
            ours.push(timed(|| drop(throughline_git::capture(folder.path(), Duration::from_secs(10)))));
        }
        let mut ratios: Vec<f64> =
            theirs.iter().zip(&ours).map(|(five, one)| five.as_secs_f64() / one.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "{files} files, {dirty} dirty, {staged} staged, {pairs} pairs: five calls {:.1} ms, capture {:.1} ms, \
             ratio {:.2} (quartiles {:.2}..{:.2})",
            median_ms(&mut theirs),
            median_ms(&mut ours),
            ratios[pairs / 2],
            ratios[pairs / 4],
            ratios[pairs * 3 / 4],
        );
    }
    Ok(())
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median_ms(durations: &mut [Duration]) -> f64 {
    durations.sort();
    durations[durations.len() / 2].as_secs_f64() * 1e3
}

fn five_calls(folder: &Path) {
    for args in FIVE_CALLS {
        let _ = Command::new("git").current_dir(folder).args(*args).stdin(Stdio::null()).output();
    }
}

fn repository(folder: &Path, files: usize, dirty: usize, staged: usize) -> Result<(), Box<dyn Error>> {
    let path = |index: usize| folder.join(format!("src/part{}/file{index}.txt", index % 50));
    git(folder, &["init", "-q", "-b", "main"])?;
    for index in 0..files {
        fs::create_dir_all(path(index).parent().unwrap_or(folder))?;
        fs::write(path(index), format!("file {index}\nsecond line\n"))?;
    }
    git(folder, &["add", "-A"])?;
    git(folder, &["commit", "-q", "-m", "first"])?;
    for commit in 0..6 {
        fs::write(path(commit), format!("commit {commit}\n"))?;
        git(folder, &["commit", "-q", "-a", "-m", "next"])?;
    }
    for index in 0..staged {
        fs::write(path(index + 100), "staged\n")?;
    }
    git(folder, &["add", "-A"])?;
    for index in staged..dirty {
        // Every fifth is a new file.
        let name = if index % 5 == 0 {
            folder.join(format!("src/part{}/new{index}", index % 50))
        } else {
            path(index + 100)
        };
        fs::write(name, "dirty\n")?;
    }
    // Entries as young as the index would be compared by content in every run.
    std::thread::sleep(Duration::from_millis(1100));
    git(folder, &["status"])
}

fn git(folder: &Path, args: &[&str]) -> Result<(), Box<dyn Error>> {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false"];
    let status =
        Command::new("git").current_dir(folder).args(identity).args(args).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {args:?} failed").into()) }
}
