//! Postings: in which passages the words of a question stand, as the index tells.

use crate::asked::Asked;
use crate::weights::{COMMON_ROWS, CONTEXT, ROWS_MAX, SYNONYM_ROWS, WANTED_MAX};

/// A word of the question in a passage.
#[derive(Debug, Clone, Copy)]
struct Posting {
    id: i64,
    word: usize,
    worth: f64,
}

/// The words that stand in passages, by the passages' numbers.
#[derive(Debug, Default)]
pub struct Postings {
    by_passage: Vec<Posting>,
}

/// What an index is asked: in which passages a word stands.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'l> {
    /// The word's form.
    pub form: &'l str,
    /// Only passages in which one of these forms stands, too; empty: all.
    pub among: &'l [&'l str],
    /// Most passages.
    pub rows_max: usize,
}

impl<'l> Lookup<'l> {
    fn of(form: &'l str, rows_max: usize) -> Self {
        Self { form, among: &[], rows_max }
    }
}

/// A passage with words of the question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassageWorth {
    pub(crate) id: i64,
    /// What the words are worth that stand in it…
    pub(crate) own: f64,
    /// …and those that stand in it or near it.
    pub(crate) around: f64,
}

impl Postings {
    /// Asks an index: `rows` gives the passages that a lookup names, the newest first.
    pub fn of<E>(
        asked: &Asked<'_>,
        mut rows: impl FnMut(Lookup<'_>) -> Result<Vec<i64>, E>,
    ) -> Result<Self, E> {
        let mut postings = Self::default();
        let mut choosing: Vec<&str> = Vec::new();
        let mut common = Vec::new();
        for (word, wanted) in asked.question.wanted.iter().enumerate() {
            let worth = asked.judge.worth(word);
            match asked.counts.get(word).copied().unwrap_or(0) {
                0 => {}
                count if count <= COMMON_ROWS => {
                    choosing.push(&wanted.form);
                    postings.take(rows(Lookup::of(&wanted.form, ROWS_MAX))?, word, worth);
                }
                count => common.push((count, word)),
            }
            for (other, weight) in &wanted.others {
                let found = rows(Lookup::of(other, SYNONYM_ROWS))?;
                if !found.is_empty() && found.len() < SYNONYM_ROWS {
                    choosing.push(other);
                    postings.take(found, word, weight * worth);
                }
            }
        }
        common.sort_unstable();
        let form = |word: usize| asked.question.wanted[word].form.as_str();
        if choosing.is_empty()
            && let Some((_, rarest)) = common.first().copied()
        {
            common.remove(0);
            choosing.push(form(rarest));
            let found = rows(Lookup::of(form(rarest), ROWS_MAX))?;
            postings.take(found, rarest, asked.judge.worth(rarest));
        }
        for (_, word) in common {
            let among = Lookup { among: &choosing, ..Lookup::of(form(word), ROWS_MAX) };
            postings.take(rows(among)?, word, asked.judge.worth(word));
        }
        postings.by_passage.sort_unstable_by_key(|posting| posting.id);
        Ok(postings)
    }

    fn take(&mut self, ids: Vec<i64>, word: usize, worth: f64) {
        self.by_passage.extend(ids.into_iter().map(|id| Posting { id, word, worth }));
    }

    /// The first passage with one of the words.
    pub(crate) fn first(&self) -> Option<i64> {
        self.by_passage.first().map(|posting| posting.id)
    }

    /// The passages with numbers from `first` up to `end`, a block's: what stands around them is a part of it too.
    pub(crate) fn within(&self, first: i64, end: i64) -> impl Iterator<Item = PassageWorth> + '_ {
        let from = self.by_passage.partition_point(|posting| posting.id < first);
        let to = from + self.by_passage[from..].partition_point(|posting| posting.id < end);
        let postings = &self.by_passage[from..to];
        let mut at = 0;
        std::iter::from_fn(move || {
            let id = postings.get(at)?.id;
            let of_it = postings[at..].partition_point(|posting| posting.id <= id);
            let own = worth(&postings[at..at + of_it]);
            let before = postings[..at].iter().rev().take_while(|posting| posting.id >= id - CONTEXT).count();
            let behind =
                postings[at + of_it..].iter().take_while(|posting| posting.id <= id + CONTEXT).count();
            let around = worth(&postings[at - before..at + of_it + behind]);
            at += of_it;
            Some(PassageWorth { id, own, around })
        })
    }
}

/// What words are worth together, each counted once.
fn worth(postings: &[Posting]) -> f64 {
    let mut best = [0.0_f64; WANTED_MAX];
    for posting in postings {
        if let Some(known) = best.get_mut(posting.word) {
            *known = known.max(posting.worth);
        }
    }
    best.iter().sum()
}
