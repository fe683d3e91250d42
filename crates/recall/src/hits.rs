//! Hits: passages and recorded entries in one list, in the order of their worth.

use crate::entries::Recorded;
use crate::places::Said;

/// Something that answers; `R` is how recorded entries are kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Hit<R> {
    /// A place in a session.
    Said(Box<Said>),
    /// A recorded entry.
    Recorded(Box<Recorded<R>>),
}

impl<R> Hit<R> {
    fn score(&self) -> f64 {
        match self {
            Self::Said(said) => said.found.answer.score,
            Self::Recorded(recorded) => recorded.answer.score,
        }
    }
}

/// The best of both, as many as are wanted.
#[must_use]
pub fn mixed<R>(said: Vec<Said>, recorded: Vec<Recorded<R>>, limit: usize) -> Vec<Hit<R>> {
    let said = said.into_iter().map(|said| Hit::Said(Box::new(said)));
    let recorded = recorded.into_iter().map(|recorded| Hit::Recorded(Box::new(recorded)));
    let mut hits: Vec<Hit<R>> = said.chain(recorded).collect();
    hits.sort_by(|left, right| right.score().total_cmp(&left.score()));
    hits.truncate(limit);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::tests::found;

    #[test]
    fn the_better_comes_first_and_of_equals_what_was_said() {
        let said = |score: f64| Said { found: found(1, score), other: None, also: Vec::new() };
        let recorded =
            |score: f64| Recorded { row: (), text: String::new(), at_s: 0, answer: found(1, score).answer };
        let hits = mixed(vec![said(3.0), said(1.0)], vec![recorded(3.0), recorded(2.0)], 3);
        let scores: Vec<(bool, f64)> =
            hits.iter().map(|hit| (matches!(hit, Hit::Said(_)), hit.score())).collect();
        assert_eq!(scores, [(true, 3.0), (false, 3.0), (false, 2.0)]);
    }
}
