//! Recorded entries: which of them a search wants, and what counts for them beside the words.

use throughline_domain::Kind;

use crate::rank::{Answer, Judge};
use crate::scope::Scope;
use crate::taste::Taste;
use crate::weights::{AT_HAND, RECORDED};

/// A recorded entry that answers; `R` is how it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded<R> {
    /// The entry.
    pub row: R,
    /// Its words, with its reason.
    pub text: String,
    /// When it was recorded, in seconds since 1970; 0 where nobody knows.
    pub at_s: i64,
    /// How well it answers, and where.
    pub answer: Answer,
}

/// What is known of an entry before its words are read.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// The word for its kind.
    pub kind: &'f str,
    /// The session that it was recorded in.
    pub session: Option<&'f str>,
    /// When it was recorded, in seconds since 1970.
    pub at_s: i64,
    /// Whether it belongs to the project at hand.
    pub is_at_hand: bool,
}

impl Facts<'_> {
    /// Whether a search wants it; without `kinds` it wants all of them.
    #[must_use]
    pub fn is_wanted(&self, scope: &Scope, kinds: Option<&[Kind]>) -> bool {
        let is_of_kind =
            kinds.is_none_or(|kinds| Kind::from_word(self.kind).is_some_and(|kind| kinds.contains(&kind)));
        let is_of_session =
            scope.session.is_none() || self.session.is_some_and(|session| scope.is_session(session));
        is_of_kind && is_of_session && scope.is_since(self.at_s)
    }

    /// Judges its words; `None` when they do not answer.
    #[must_use]
    pub fn answer(&self, judge: &Judge<'_>, text: &str, taste: &Taste) -> Option<Answer> {
        let mut answer = judge.judge(text)?;
        answer.score *= RECORDED * taste.of_time(self.at_s) * if self.is_at_hand { AT_HAND } else { 1.0 };
        Some(answer)
    }
}

/// The words of an entry that are judged and shown.
#[must_use]
pub fn told(text: &str, reason: &str) -> String {
    if reason.is_empty() { text.to_owned() } else { format!("{text} (because {reason})") }
}

/// Entries, best first.
#[must_use]
pub fn best_first<R>(mut found: Vec<Recorded<R>>) -> Vec<Recorded<R>> {
    found.sort_by(|left, right| right.answer.score.total_cmp(&left.answer.score));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Question;

    const FACTS: Facts<'_> = Facts { kind: "decision", session: None, at_s: 50, is_at_hand: false };

    #[test]
    fn an_entry_is_wanted_by_its_kind_its_session_and_its_age() {
        let of_session = Scope { session: Some("ab".to_owned()), ..Scope::default() };
        assert!(FACTS.is_wanted(&Scope::default(), None) && !FACTS.is_wanted(&of_session, None));
        assert!(Facts { session: Some("ABC"), ..FACTS }.is_wanted(&of_session, None));
        let since = Scope { since_s: Some(51), ..Scope::default() };
        assert!(!FACTS.is_wanted(&since, None));
        assert!(FACTS.is_wanted(&Scope::default(), Some(&[Kind::Decision])));
        assert!(!FACTS.is_wanted(&Scope::default(), Some(&[Kind::Constraint])));
    }

    #[test]
    fn what_was_recorded_here_counts_more_and_its_reason_is_searched() {
        let question = Question::read("redis latency");
        let judge = Judge::new(&question, 100, &[5, 5]);
        let text = told("no redis", "of its latency");
        assert_eq!(text, "no redis (because of its latency)");
        let score = |facts: Facts<'_>| facts.answer(&judge, &text, &Taste::default()).unwrap().score;
        let plain = judge.judge(&text).unwrap().score;
        assert!(score(FACTS) > plain && score(Facts { is_at_hand: true, ..FACTS }) > score(FACTS));
    }
}
