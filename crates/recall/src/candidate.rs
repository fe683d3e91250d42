//! Candidates: passages that may answer, by what the index and their heads promise, before any text is read.

use crate::asked::Asked;
use crate::passage::Head;
use crate::postings::{PassageWorth, Postings};
use crate::rank::{self, Answer, Judge};
use crate::scope::Scope;
use crate::taste::Taste;
use crate::weights::{AROUND_SHARE, COVERAGE_POWER, READ_FOR_PHRASE_MAX, READ_MAX, READ_PER_RESULT};

/// A passage that may answer.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// Its number.
    pub id: i64,
    /// The first number of the block that it stands in.
    pub block: i64,
    /// What it is.
    pub head: Head,
    /// The number of its session.
    pub session: i64,
    pub(crate) promise: f64,
    /// The share of the question's words that stand in it or near it.
    around: f64,
}

/// Passages of one session that are numbered one behind the other.
#[derive(Debug, Clone, Copy)]
pub struct Block<'h> {
    /// The number of the first.
    pub first: i64,
    /// The number of their session.
    pub session: i64,
    /// What the session's passages count.
    pub of_session: f64,
    /// What they are.
    pub heads: &'h [Head],
}

/// Chooses candidates among blocks.
#[derive(Debug)]
pub struct Choice<'c> {
    postings: Postings,
    worth_of_all: f64,
    scope: &'c Scope,
    taste: &'c Taste,
}

impl<'c> Choice<'c> {
    /// `postings` are those for the question.
    #[must_use]
    pub fn new(asked: &Asked<'_>, postings: Postings, scope: &'c Scope, taste: &'c Taste) -> Self {
        let worth_of_all = asked.judge.worth_of_all().max(f64::MIN_POSITIVE);
        Self { postings, worth_of_all, scope, taste }
    }

    /// The first passage with one of the words.
    #[must_use]
    pub fn first(&self) -> Option<i64> {
        self.postings.first()
    }

    /// Whether any of the words stands in so many passages from `first` on.
    #[must_use]
    pub fn is_any_within(&self, first: i64, count: usize) -> bool {
        self.postings.within(first, end_of(first, count)).next().is_some()
    }

    /// The candidates of a block, those out of scope left out.
    pub fn among<'b>(&'b self, block: Block<'b>) -> impl Iterator<Item = Candidate> + 'b {
        let with_words = self.postings.within(block.first, end_of(block.first, block.heads.len()));
        with_words.filter_map(move |passage| self.candidate(block, passage))
    }

    fn candidate(&self, block: Block<'_>, passage: PassageWorth) -> Option<Candidate> {
        let PassageWorth { id, own, around } = passage;
        let head = block.heads[usize::try_from(id - block.first).unwrap_or(0)];
        if !self.scope.has_passage(&head) {
            return None;
        }
        let covered = (own + AROUND_SHARE * (around - own)) / self.worth_of_all;
        let promise = own
            * covered.powf(COVERAGE_POWER)
            * rank::brevity(head.bytes)
            * block.of_session
            * self.taste.of_head(&head);
        let around = around / self.worth_of_all;
        Some(Candidate { id, block: block.first, head, session: block.session, promise, around })
    }
}

impl Candidate {
    /// Judges its text; `None` when it does not answer.
    #[must_use]
    pub fn answer(&self, judge: &Judge<'_>, text: &str) -> Option<Answer> {
        judge.judge_among(text, self.around)
    }
}

/// Parts the candidates: those whose texts are read for so many results, the most promising first, and the others.
#[must_use]
pub fn to_read(
    asked: &Asked<'_>,
    mut candidates: Vec<Candidate>,
    limit: usize,
) -> (Vec<Candidate>, Vec<Candidate>) {
    candidates.sort_by(|left, right| right.promise.total_cmp(&left.promise).then(right.id.cmp(&left.id)));
    let read_max = if asked.question.phrases.is_empty() { READ_MAX } else { READ_FOR_PHRASE_MAX };
    let unread = candidates.split_off(candidates.len().min(read_max.max(limit * READ_PER_RESULT)));
    (candidates, unread)
}

fn end_of(first: i64, count: usize) -> i64 {
    first.saturating_add(i64::try_from(count).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passage::{CommandOutcome, PassageKind};
    use crate::postings::Lookup;
    use crate::question::Question;

    /// An index of some passages by what stands in them, the first of them with the number 1.
    fn look_up(passages: &[&str], lookup: Lookup<'_>) -> Vec<i64> {
        let has = |text: &str, form: &str| text.split(' ').any(|word| word == form);
        let is_there = |text: &str| {
            has(text, lookup.form)
                && (lookup.among.is_empty() || lookup.among.iter().any(|form| has(text, form)))
        };
        let all = (1..).zip(passages).filter(|(_, text)| is_there(text)).map(|(id, _)| id);
        let newest: Vec<i64> = all.collect::<Vec<i64>>().into_iter().rev().take(lookup.rows_max).collect();
        newest
    }

    /// The numbers of the candidates, the most promising first.
    fn candidates(forms: &[&str], counts: &[u64], passages: &[&str], scope: &Scope) -> Vec<i64> {
        let question = Question::of_forms(forms);
        let asked = Asked::new(&question, 10_000, counts.to_vec());
        let postings =
            Postings::of(&asked, |lookup| Ok::<_, std::convert::Infallible>(look_up(passages, lookup)));
        let Ok(postings) = postings;
        let taste = Taste::default();
        let choice = Choice::new(&asked, postings, scope, &taste);
        let head = Head {
            kind: PassageKind::Assistant,
            outcome: CommandOutcome::Unknown,
            is_sidechain: false,
            at_s: 0,
            turn: 1,
            bytes: 100,
        };
        let heads = vec![head; passages.len()];
        let block = Block { first: 1, session: 1, of_session: 1.0, heads: &heads };
        assert_eq!(choice.is_any_within(1, passages.len()), choice.first().is_some());
        let (best, unread) = to_read(&asked, choice.among(block).collect(), 1);
        assert!(unread.is_empty());
        best.iter().map(|candidate| candidate.id).collect()
    }

    #[test]
    fn more_words_promise_more_and_of_equals_the_newer() {
        let far = ["x"; 20].to_vec();
        let passages = [&["redis"][..], &far, &["redis cache"], &far, &["redis"]].concat();
        assert_eq!(candidates(&["redis", "cache"], &[5, 5], &passages, &Scope::default()), [22, 43, 1]);
        let errors = Scope { kinds: vec![PassageKind::Error], ..Scope::default() };
        assert!(candidates(&["redis"], &[5], &passages, &errors).is_empty(), "out of scope");
    }

    #[test]
    fn a_common_word_chooses_none_unless_there_is_no_other() {
        let passages = ["file", "file redis", "redis"];
        assert_eq!(candidates(&["file", "redis"], &[9_000, 5], &passages, &Scope::default()), [2, 3]);
        assert_eq!(candidates(&["file", "test"], &[9_000, 9_500], &passages, &Scope::default()), [2, 1]);
    }

    #[test]
    fn what_stands_near_the_other_words_promises_more() {
        let passages = [&["redis"][..], &["x"; 20], &["cache", "redis"]].concat();
        let best = candidates(&["redis", "cache"], &[5, 5], &passages, &Scope::default());
        assert_eq!(best, [23, 22, 1]);
    }
}
