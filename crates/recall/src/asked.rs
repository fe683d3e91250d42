//! Asked: a question with what its words are worth in an index.

use crate::question::Question;
use crate::rank::Judge;

/// A question with what its words are worth in an index.
#[derive(Debug)]
pub struct Asked<'q> {
    pub(crate) question: &'q Question,
    /// Judges texts, also those that stand elsewhere.
    pub judge: Judge<'q>,
    /// In how many passages each word stands.
    pub(crate) counts: Vec<u64>,
}

impl<'q> Asked<'q> {
    /// `counts` tells in how many of the index's `rows` passages each word of the question stands.
    #[must_use]
    pub fn new(question: &'q Question, rows: u64, counts: Vec<u64>) -> Self {
        let judge = Judge::new(question, rows, &counts);
        Self { question, judge, counts }
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.question.is_empty()
    }
}
