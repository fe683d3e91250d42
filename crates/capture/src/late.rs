//! Late answers: a hook is told how a command ended before the client writes it to the transcript.
//!
//! What a usual hook keeps of an answer is how it ended and what it counted, never its words; at a gate that answers the
//! calls which still wait for theirs. Nothing of it stays: the transcript brings the answer itself.

use memchr::memmem;
use throughline_domain::ledger::{ErrorSeen, Ledger};
use throughline_domain::text::fingerprint;
use throughline_domain::transcript::{Escaped, Line, ToolAnswer, What};

use crate::{absorb, commands, errors, run_outcome};

/// How a command ended, as far as the ends of what it printed tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Nothing says that it failed.
    Well,
    /// It ended with another code than 0.
    Failed,
    /// Its words look like a failure; its code, if a pipe did not hide it, says otherwise.
    LooksFailed,
    /// The user or the client kept it from running.
    NotRun,
}

impl Ended {
    const ALL: [Self; 4] = [Self::Well, Self::Failed, Self::LooksFailed, Self::NotRun];

    fn code(self) -> u64 {
        Self::ALL.iter().position(|it| *it == self).map_or(0, |at| at as u64)
    }
}

/// How the command of one call ended: four numbers in a spool's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Late {
    /// Fingerprint of the call's id.
    pub call: u64,
    /// How it ended.
    pub ended: Ended,
    /// Tests that passed, where it counted them.
    pub passed: Option<u64>,
    /// Tests that failed, where it counted them.
    pub failed: Option<u64>,
}

impl Late {
    /// What the first and the last bytes of an answer tell.
    #[must_use]
    pub fn of(id: &str, head: &str, tail: &str) -> Self {
        let start = head.trim_start();
        let mut lines = head.lines().chain(tail.lines());
        let ended = match () {
            () if run_outcome::was_not_run(start) => Ended::NotRun,
            () if run_outcome::tells_exit(head) => Ended::Failed,
            () if lines.any(errors::shows_failure) => Ended::LooksFailed,
            () => Ended::Well,
        };
        let end = if tail.is_empty() { head } else { tail };
        let counted = |word: &str| {
            memmem::find(end.as_bytes(), word.as_bytes())?;
            end.lines().rev().find_map(|line| count_before(line, word))
        };
        Self { call: fingerprint(id.as_bytes()), ended, passed: counted("passed"), failed: counted("failed") }
    }

    /// As numbers.
    #[must_use]
    pub fn numbers(&self) -> [u64; 4] {
        let plus_one = |count: Option<u64>| count.map_or(0, |count| count.saturating_add(1));
        [self.call, self.ended.code(), plus_one(self.passed), plus_one(self.failed)]
    }

    /// From numbers; `None` where they are none of ours.
    #[must_use]
    pub fn from_numbers([call, ended, passed, failed]: [u64; 4]) -> Option<Self> {
        let ended = *Ended::ALL.get(usize::try_from(ended).ok()?)?;
        Some(Self { call, ended, passed: passed.checked_sub(1), failed: failed.checked_sub(1) })
    }

    /// An answer that says this much and no more, as a transcript's line spells it.
    fn words(&self) -> String {
        let counts: Vec<String> = [(self.passed, "passed"), (self.failed.filter(|it| *it > 0), "failed")]
            .into_iter()
            .filter_map(|(count, word)| Some(format!("{} {word}", count?)))
            .collect();
        let counts = counts.join(", ");
        match self.ended {
            Ended::Well => counts,
            Ended::Failed => format!("Exit code 1\\n{counts}"),
            Ended::LooksFailed => format!("FAILED {counts}"),
            Ended::NotRun => "The user doesn't want to proceed".to_owned(),
        }
    }
}

/// `12 passed` in a line.
fn count_before(line: &str, word: &str) -> Option<u64> {
    let before = line[..line.find(word)?].trim_end();
    let above = before.trim_end_matches(|c: char| c.is_ascii_digit());
    before[above.len()..].parse().ok()
}

/// So many responses back a failure may be one that was run again.
const BEHIND_TURNS: u64 = 3;

/// More was run than the transcript tells: what failed just before may have been run again.
fn fall_behind(ledger: &mut Ledger) {
    let from = ledger.turn.saturating_sub(BEHIND_TURNS);
    let is_recent = |error: &ErrorSeen| error.resolved_turn.is_none() && error.place.turn >= from;
    let failed: Vec<String> =
        ledger.errors.iter().filter(|error| is_recent(error)).map(|error| error.from.clone()).collect();
    ledger.errors.retain(|error| !is_recent(error));
    for command in ledger.commands.iter_mut().filter(|command| failed.contains(&command.normal)) {
        command.succeeded = None;
        command.result.clear();
    }
}

/// Answers the command lines that wait. What was said of a command before its last run, whose end nobody knows, is not
/// said any more.
pub fn supply(ledger: &mut Ledger, late: &[Late]) {
    let waiting: Vec<_> = ledger.pending.iter().filter(|call| call.command.is_some()).cloned().collect();
    // Commands that ended after all that the transcript has heard of: any of them may be the same check.
    let is_known = |it: &Late| {
        ledger.answered.contains(&it.call)
            || waiting.iter().any(|call| fingerprint(call.id.as_bytes()) == it.call)
    };
    let known = late.iter().rposition(is_known).map_or(0, |at| at + 1);
    if known < late.len() {
        return fall_behind(ledger);
    }
    for call in waiting {
        // Run again since, it has another end.
        if commands::ran_after(ledger, call.command.as_deref().unwrap_or_default(), call.place) {
            continue;
        }
        let Some(told) = late.iter().rfind(|it| it.call == fingerprint(call.id.as_bytes())) else {
            commands::unknown_again(ledger, call.command.as_deref().unwrap_or_default());
            continue;
        };
        let words = told.words();
        let answer = ToolAnswer {
            call_id: call.id.as_str().into(),
            text: Escaped::of(&words),
            is_error: matches!(told.ended, Ended::Failed | Ended::NotRun),
            ..ToolAnswer::default()
        };
        let what = What::ToolsAnswered(vec![answer]);
        let line = Line { uuid: None, session: None, timestamp: None, cwd: None, is_sidechain: false, what };
        absorb(ledger, &line, call.place.offset.saturating_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_an_answer_tell_how_it_ended_and_what_it_counted() {
        let cases = [
            ("Exit code 101\ntest result: FAILED. 2 passed; 1 failed", Ended::Failed, Some(2), Some(1)),
            ("test result: ok. 14 passed; 0 failed; 0 ignored", Ended::Well, Some(14), Some(0)),
            ("The user doesn't want to proceed with this tool use.", Ended::NotRun, None, None),
            (
                "FAILED tests/test_x.py::test_a\n1 failed, 3 passed in 0.1s",
                Ended::LooksFailed,
                Some(3),
                Some(1),
            ),
            ("built", Ended::Well, None, None),
        ];
        for (text, ended, passed, failed) in cases {
            let late = Late::of("toolu_1", text, "");
            assert_eq!((late.ended, late.passed, late.failed), (ended, passed, failed), "{text}");
            assert_eq!(Late::from_numbers(late.numbers()), Some(late));
        }
        assert_eq!(Late::from_numbers([1, 9, 0, 0]), None);
    }
}
