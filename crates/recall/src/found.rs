//! Found: passages that answer, scored with what counts beside their words, best first.

use std::collections::{BTreeMap, HashSet};

use throughline_domain::text::fingerprint;

use crate::candidate::Candidate;
use crate::passage::{Head, SessionOf};
use crate::rank::{Answer, Judge};
use crate::taste::Taste;
use crate::weights::{HINTED, NEIGHBOUR_SHARE, NEIGHBOURS, SAME_LETTERS};

/// A passage that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its number.
    pub id: u64,
    /// What it is.
    pub head: Head,
    /// Its session.
    pub session: SessionOf,
    /// Its text.
    pub text: String,
    /// How well it answers, and where.
    pub answer: Answer,
}

/// What a search found, and what it did not look at.
#[derive(Debug)]
pub struct Searched {
    /// The passages that answer, best first; copies of a text once.
    pub found: Vec<Found>,
    /// Passages that promised less, by their numbers.
    unread: Vec<Candidate>,
}

impl Found {
    /// The same, its score with what counts beside the words.
    #[must_use]
    pub fn weighed(mut self, judge: &Judge<'_>, taste: &Taste) -> Self {
        let hinted = if judge.hints_at(self.head.kind) { HINTED } else { 1.0 };
        self.answer.score *= hinted * taste.of_head(&self.head) * taste.of_project(&self.session.project);
        self
    }

    pub(crate) fn by_score(&self, other: &Self) -> std::cmp::Ordering {
        other.answer.score.total_cmp(&self.answer.score).then(other.id.cmp(&self.id))
    }
}

impl Searched {
    /// Keeps of copies of a text the best.
    #[must_use]
    pub fn new(mut found: Vec<Found>, mut unread: Vec<Candidate>) -> Self {
        let mut seen = HashSet::new();
        found.retain(|it| seen.insert(sameness(&it.text)));
        unread.sort_unstable_by_key(|candidate| candidate.id);
        Self { found, unread }
    }

    /// Of some passages those that were not looked at, the most promising first.
    #[must_use]
    pub fn unread_among(&self, ids: &[u64], most: usize) -> Vec<Candidate> {
        let unread = |id: &u64| {
            let at = self.unread.binary_search_by_key(&id.cast_signed(), |it| it.id).ok()?;
            Some(self.unread[at])
        };
        let mut best: Vec<Candidate> = ids.iter().filter_map(unread).collect();
        best.sort_by(|left, right| right.promise.total_cmp(&left.promise));
        best.truncate(most);
        best
    }
}

/// Passages that were found together, best first.
#[must_use]
pub fn best_first(mut found: Vec<Found>) -> Vec<Found> {
    lean_on_neighbours(&mut found);
    found.sort_by(Found::by_score);
    found
}

/// What was said just before and after answers with it: a question and its reply share the words between them.
fn lean_on_neighbours(found: &mut [Found]) {
    let scores: BTreeMap<u64, (i64, f64)> =
        found.iter().map(|it| (it.id, (it.session.number, it.answer.score))).collect();
    for it in found {
        let near = scores.range(it.id.saturating_sub(NEIGHBOURS)..=it.id + NEIGHBOURS);
        let of_others = near.filter(|(id, (session, _))| **id != it.id && *session == it.session.number);
        let best = of_others.map(|(_, (_, score))| *score).fold(0.0, f64::max);
        it.answer.score += best * NEIGHBOUR_SHARE;
    }
}

/// By what a text is known again: its letters and digits, as many as tell it from others.
fn sameness(text: &str) -> u64 {
    let letters: String = text.chars().filter(|c| c.is_alphanumeric()).take(SAME_LETTERS).collect();
    fingerprint(letters.as_bytes())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::passage::{CommandOutcome, PassageKind};
    use crate::question::Question;

    /// A passage of the agent's with a score, its number in its text.
    pub(crate) fn found(id: u64, score: f64) -> Found {
        Found {
            id,
            head: Head {
                kind: PassageKind::Assistant,
                outcome: CommandOutcome::Unknown,
                is_sidechain: false,
                at_s: 0,
                turn: 1,
                bytes: 10,
            },
            session: SessionOf { number: 1, session: "s".to_owned(), project: "/w/app".to_owned() },
            text: format!("number {id}"),
            answer: Answer { score, ..Answer::default() },
        }
    }

    fn ids(found: &[Found]) -> Vec<u64> {
        found.iter().map(|it| it.id).collect()
    }

    #[test]
    fn a_passage_leans_on_the_best_beside_it_in_its_session() {
        let mut elsewhere = found(21, 5.0);
        elsewhere.session.number = 2;
        let all = vec![found(1, 4.0), found(4, 9.0), found(10, 5.5), found(20, 5.0), elsewhere];
        let all = best_first(all);
        assert_eq!(ids(&all), [4, 1, 10, 21, 20], "4 + 9/5 is more than 5.5; of equals the newer");
        assert!((all[1].answer.score - 5.8).abs() < 1e-9);
    }

    #[test]
    fn the_project_at_hand_and_the_kind_that_is_spoken_of_count_more() {
        let question = Question::read("what the user wanted of redis");
        let judge = Judge::new(&question, 10, &[1; 8]);
        let score = |it: Found, project: Option<&str>| {
            let taste = Taste { project: project.map(str::to_owned), ..Taste::default() };
            it.weighed(&judge, &taste).answer.score
        };
        let plain = score(found(1, 1.0), None);
        assert!(score(found(1, 1.0), Some("/w/app")) > plain);
        assert!((score(found(1, 1.0), Some("/w/ap")) - plain).abs() < 1e-9);
        let mut asked = found(1, 1.0);
        asked.head.kind = PassageKind::User;
        assert!(score(asked, None) > HINTED * plain);
    }

    #[test]
    fn of_copies_the_best_stays() {
        let mut copy = found(2, 1.0);
        copy.text = "number: 1!".to_owned();
        assert_eq!(ids(&Searched::new(vec![found(1, 2.0), copy, found(3, 0.5)], Vec::new()).found), [1, 3]);
    }
}
