//! A contest: every contestant once per round, so that whatever slows the machine down slows all of them down.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;

/// Rounds that are not counted: files and programs come into the memory first.
const WARM_UP: usize = 3;

/// Somebody who takes part: programs one after the other, each with the same input.
pub(crate) struct Contestant {
    pub(crate) name: String,
    pub(crate) commands: Vec<Command>,
    pub(crate) stdin: String,
    /// Inputs that take turns instead, for somebody who must find something new in every round.
    pub(crate) others: Vec<String>,
    runs: usize,
}

impl Contestant {
    pub(crate) fn new(name: &str, commands: Vec<Command>, stdin: String) -> Self {
        Self { name: name.to_owned(), commands, stdin, others: Vec::new(), runs: 0 }
    }

    /// Starts it, feeds it, waits for its end.
    pub(crate) fn run(&mut self) -> Result<Duration, Failure> {
        let turn = self.runs.checked_rem(self.others.len());
        let stdin = turn.map_or(&self.stdin, |turn| &self.others[turn]);
        self.runs += 1;
        let began = Instant::now();
        for command in &mut self.commands {
            let mut child =
                command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            if let Some(mut pipe) = child.stdin.take() {
                // Whoever ends without reading hangs up; that is no failure.
                let _ = pipe.write_all(stdin.as_bytes());
            }
            let status = child.wait()?;
            if !status.success() {
                return Err(format!("{} ended with {status}", self.name).into());
            }
        }
        Ok(began.elapsed())
    }
}

/// What the rounds gave.
#[derive(Default)]
pub(crate) struct Contest {
    pub(crate) rounds: usize,
    pub(crate) results: Vec<Standing>,
}

/// One contestant's figures.
pub(crate) struct Standing {
    pub(crate) name: String,
    pub(crate) median_us: f64,
    /// Median of the ratios to the first contestant, round by round, and the quartiles beside it.
    pub(crate) ratio: f64,
    pub(crate) quartiles: (f64, f64),
}

impl Standing {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name, "median_us": self.median_us, "ratio": self.ratio,
            "quartiles": [self.quartiles.0, self.quartiles.1],
        })
    }
}

impl Contest {
    pub(crate) fn of(mut contestants: Vec<Contestant>, rounds: usize) -> Result<Self, Failure> {
        let mut times: Vec<Vec<f64>> = vec![Vec::with_capacity(rounds); contestants.len()];
        for round in 0..rounds + WARM_UP {
            for at in order(contestants.len(), round) {
                let took_us = contestants[at].run()?.as_secs_f64() * 1e6;
                if round >= WARM_UP {
                    times[at].push(took_us);
                }
            }
        }
        let first = times.first().cloned().unwrap_or_default();
        let results = contestants
            .into_iter()
            .zip(times)
            .map(|(contestant, times)| {
                let ratios = sorted(times.iter().zip(&first).map(|(own, first)| own / first).collect());
                let times = sorted(times);
                Standing {
                    name: contestant.name,
                    median_us: times[rounds / 2],
                    ratio: ratios[rounds / 2],
                    quartiles: (ratios[rounds / 4], ratios[rounds * 3 / 4]),
                }
            })
            .collect();
        Ok(Self { rounds, results })
    }
}

/// Another order in each round: whoever always came after a heavy program would always find the caches cold.
fn order(count: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|at| RandomState::new().hash_one((round, *at)));
    order
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}
