//! Cases: errors that came before: which of them are the one that is asked for, and in what order they are told.

use std::collections::BTreeSet;

use crate::error_form;
use crate::question::Question;
use crate::rank::Judge;
use crate::weights::{COMPARED_MAX, LIKENESS_MIN, LIKENESS_STEPS, TELLING_WORDS};

/// How alike an error of the past is to the one that is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike {
    /// The line that tells most stands there.
    pub is_same: bool,
    /// How alike the two errors are, from 0 to 1.
    pub likeness: f64,
}

impl Alike {
    /// Compares errors by their forms; `None` when they are two.
    #[must_use]
    pub fn of(wanted: &BTreeSet<String>, seen: &BTreeSet<String>) -> Option<Self> {
        let likeness = error_form::likeness(wanted, seen);
        let is_same = error_form::is_same(wanted, seen);
        (likeness >= LIKENESS_MIN).then_some(Self { is_same, likeness })
    }
}

/// What is known of a case by which it has its place among others.
#[derive(Debug, Clone, Copy)]
pub struct CaseRank {
    /// How alike it is.
    pub alike: Alike,
    /// Whether the command succeeded later.
    pub is_solved: bool,
    /// When it happened, in seconds since 1970.
    pub at_s: i64,
}

/// The best cases: the same first, then those that were solved, then the likest, then the newest.
#[must_use]
pub fn best_first<C>(mut cases: Vec<C>, rank: impl Fn(&C) -> CaseRank, limit: usize) -> Vec<C> {
    let closeness = |it: CaseRank| (it.alike.likeness * LIKENESS_STEPS).round();
    cases.sort_by(|left, right| {
        let (left, right) = (rank(left), rank(right));
        (right.alike.is_same.cmp(&left.alike.is_same))
            .then(right.is_solved.cmp(&left.is_solved))
            .then(closeness(right).total_cmp(&closeness(left)))
            .then(right.at_s.cmp(&left.at_s))
    });
    cases.truncate(limit.clamp(1, COMPARED_MAX));
    cases
}

/// The question for an error: `wanted` are the forms of its telling line, `all` those of everything that was given.
#[must_use]
pub fn question(wanted: &BTreeSet<String>, all: &BTreeSet<String>) -> Question {
    // A question holds so many words: those that tell come first.
    let words: Vec<&str> = wanted.iter().chain(all.difference(wanted)).map(String::as_str).collect();
    Question::of_forms(&words)
}

/// How much a line of an error tells: its rarest words, by the judge of a question for them.
#[must_use]
pub fn telling(question: &Question, judge: &Judge<'_>) -> f64 {
    let mut worths: Vec<f64> = (0..question.wanted.len()).map(|index| judge.worth(index)).collect();
    worths.sort_by(|left, right| right.total_cmp(left));
    worths.iter().take(TELLING_WORDS).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_solved_likest_and_newest_comes_first() {
        let rank = |is_same: bool, likeness: f64, is_solved: bool, at_s: i64| CaseRank {
            alike: Alike { is_same, likeness },
            is_solved,
            at_s,
        };
        let cases = vec![
            rank(false, 0.8, false, 9),
            rank(false, 0.6, true, 9),
            rank(false, 0.81, true, 1),
            rank(false, 0.79, true, 2),
            rank(true, 0.6, false, 0),
        ];
        let order = |limit: usize| -> Vec<(f64, i64)> {
            let best = best_first(cases.clone(), |it| *it, limit);
            best.iter().map(|it| (it.alike.likeness, it.at_s)).collect()
        };
        assert_eq!(order(9), [(0.6, 0), (0.79, 2), (0.81, 1), (0.6, 9), (0.8, 9)]);
        assert_eq!(order(0).len(), 1);
    }

    #[test]
    fn another_error_is_none_of_the_cases() {
        let forms = error_form::forms("cannot find value `total`");
        let alike = Alike::of(&forms, &error_form::forms("error: cannot find value `total`"));
        assert!(alike.is_some_and(|alike| alike.is_same));
        assert_eq!(Alike::of(&forms, &error_form::forms("mismatched types")), None);
    }
}
