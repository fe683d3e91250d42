//! Detours: a way that did not work here, and the one that did: what nobody should try again.

use throughline_domain::command_line::behind_cd;
use throughline_domain::ledger::{Detour, Ledger, TranscriptPlace};
use throughline_domain::text::one_line;

use crate::{errors, shell};

/// So many responses after it failed, another way is taken for what was found in its place.
const TURNS_MAX: u64 = 8;
const LINE_UNITS: usize = 220;
const WHY_UNITS: usize = 160;
const DETOURS_MAX: usize = 24;

/// A command failed that is no check of the work, or that could not even start.
pub(crate) fn failed(ledger: &mut Ledger, line: &str, text: &str, is_check: bool, place: TranscriptPlace) {
    let Some(why) = errors::telling_lines(text).into_iter().next() else { return };
    if is_check && !tells_of_surroundings(&why) {
        return;
    }
    let is_limit = tells_of_limit(&why);
    let failed = one_line(behind_cd(line), LINE_UNITS);
    ledger.detours.retain(|known| known.failed != failed || !known.works.is_empty());
    ledger.detours.push(Detour {
        failed,
        why: one_line(&why, WHY_UNITS),
        works: String::new(),
        place,
        is_limit,
    });
    if ledger.detours.len() > DETOURS_MAX {
        // What found no other way may have needed none.
        let at = ledger.detours.iter().position(|known| known.works.is_empty()).unwrap_or(0);
        ledger.detours.remove(at);
    }
}

/// A command succeeded: the one that failed shortly before, and is much like it, was a detour.
pub(crate) fn succeeded(ledger: &mut Ledger, line: &str, place: TranscriptPlace) {
    let works = one_line(behind_cd(line), LINE_UNITS);
    // The same line again: it was never a wrong way.
    ledger.detours.retain(|known| known.failed != works || !known.works.is_empty());
    let is_open = |known: &&mut Detour| known.works.is_empty() && place.turn <= known.place.turn + TURNS_MAX;
    if let Some(known) =
        ledger.detours.iter_mut().rev().filter(is_open).find(|known| is_alike(&known.failed, &works))
    {
        known.works = works;
    }
}

/// Whether two command lines are ways to the same end: the same program, and most of what it is given.
fn is_alike(failed: &str, works: &str) -> bool {
    let (one, other) = (words(failed), words(works));
    let Some(program) = one.first() else { return false };
    let shared = one.iter().filter(|word| other.contains(word)).count();
    let most = one.len().max(other.len());
    if other.first() == Some(program) && !is_same_verb(&one[1..], &other[1..]) {
        return false;
    }
    if other.contains(program) {
        return shared >= 2 || most <= 2;
    }
    // Another program on the same things: `timeout 5 make x`, then `make x`.
    shared * 2 >= most && shared >= 2
}

/// Whether a program is asked for the same: `gh pr view` and `gh pr diff` are two things.
fn is_same_verb(one: &[String], other: &[String]) -> bool {
    let is_plain = |word: &&String| {
        word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-')
    };
    let verbs = |words: &[String]| words.iter().take_while(is_plain).take(2).cloned().collect::<Vec<_>>();
    verbs(one).iter().zip(&verbs(other)).all(|(one, other)| one == other)
}

/// The words of a line that mean something, each once, pipes and here-documents left out.
fn words(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for command in shell::commands(line).iter().take(4) {
        for word in &command.words {
            let word = word.trim_matches(['"', '\'']).to_owned();
            if !word.is_empty() && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found
}

/// What this machine cannot do, whoever asks it.
#[rustfmt::skip]
const LIMITS: &[&str] = &[
    "command not found", "permission denied", "could not resolve", "timed out", "not installed", "not recognized",
    "no such command", "unknown command", "no module named", "connection refused",
];
/// What a tool was asked in a wrong way.
#[rustfmt::skip]
const MISUSES: &[&str] = &[
    "not found", "no such file", "unknown option", "unknown flag", "unrecognized", "invalid option", "usage:",
    "is required", "cannot find",
];

fn tells_of_limit(why: &str) -> bool {
    let lower = why.to_lowercase();
    LIMITS.iter().any(|says| lower.contains(says))
}

/// Whether a line tells of this machine or of how a tool is called, whatever the code is like.
fn tells_of_surroundings(why: &str) -> bool {
    let lower = why.to_lowercase();
    LIMITS.iter().chain(MISUSES).any(|says| lower.contains(says))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(turn: u64) -> TranscriptPlace {
        TranscriptPlace { turn, offset: turn }
    }

    #[test]
    fn another_way_to_the_same_end_is_what_works() {
        let mut ledger = Ledger::default();
        failed(
            &mut ledger,
            "gh pr view 454",
            "none of the git remotes point to a known host: error",
            false,
            at(1),
        );
        succeeded(&mut ledger, "cargo fmt", at(2));
        assert_eq!(ledger.detours[0].works, "");
        succeeded(&mut ledger, "gh pr diff 454", at(2));
        assert_eq!(ledger.detours[0].works, "", "another thing");
        succeeded(&mut ledger, "gh pr view 454 --repo o/r", at(3));
        assert_eq!(ledger.detours[0].works, "gh pr view 454 --repo o/r");
    }

    #[test]
    fn the_way_is_told_and_not_the_folder() {
        let mut ledger = Ledger::default();
        let line = "cd /home/dev/a/very/long/way\nfor pr in 454 455; do\n  gh pr view $pr --json state\ndone";
        failed(
            &mut ledger,
            line,
            "=== 454 ===\nnone of the git remotes point to a known GitHub host",
            false,
            at(1),
        );
        succeeded(
            &mut ledger,
            "cd /home/dev/x && R=o/r\nfor pr in 454 455; do\n  gh pr view $pr --repo $R\ndone",
            at(2),
        );
        assert!(ledger.detours[0].failed.starts_with("for pr in 454"), "{:?}", ledger.detours);
        assert!(ledger.detours[0].works.contains("--repo $R"), "{:?}", ledger.detours);
        assert!(ledger.detours[0].why.contains("known GitHub host"), "{:?}", ledger.detours);
        assert_eq!(behind_cd("cd x"), "cd x");
        assert_eq!(behind_cd("cd x && cd y; make"), "make");
    }

    #[test]
    fn a_check_that_fails_is_no_wrong_way_and_the_same_line_again_neither() {
        let mut ledger = Ledger::default();
        failed(&mut ledger, "cargo test", "error[E0308]: mismatched types", true, at(1));
        assert!(ledger.detours.is_empty());
        failed(&mut ledger, "timeout 5 make x", "bash: timeout: command not found", true, at(1));
        assert!(ledger.detours[0].is_limit);
        succeeded(&mut ledger, "make x", at(2));
        assert_eq!(ledger.detours[0].works, "make x");
        failed(&mut ledger, "curl a/b", "curl: (7) error: connection refused", false, at(3));
        succeeded(&mut ledger, "curl a/b", at(4));
        assert_eq!(ledger.detours.len(), 1);
    }
}
