//! Promises: which passages the index promises for a question, and which of its words stand in each.

use rusqlite::{Connection, params};
use throughline_domain::recall::question::WANTED_MAX;

use super::search::Asked;

/// A word in more passages than this chooses none: it counts where rarer ones stand.
const COMMON_ROWS: u64 = 3_000;
/// A word for the same that stands in more passages than this says nothing.
const SYNONYM_ROWS: usize = 200;
/// Passages that one word may bring, the newest.
const ROWS_MAX: usize = 6_000;
/// Passages before and after one whose words say what is talked about.
const CONTEXT: i64 = 8;

/// A word of the question in a passage.
#[derive(Debug, Clone, Copy)]
struct Mark {
    id: i64,
    word: usize,
    worth: f64,
}

/// The words that stand in passages, by the passages' numbers.
#[derive(Debug, Default)]
pub(super) struct Promises {
    marks: Vec<Mark>,
}

/// A passage that is promised.
#[derive(Debug, Clone, Copy)]
pub(super) struct Promise {
    pub(super) id: i64,
    /// What the words are worth that stand in it…
    pub(super) own: f64,
    /// …and those that stand in it or near it.
    pub(super) around: f64,
}

impl Promises {
    /// Asks the index.
    pub(super) fn of(connection: &Connection, asked: &Asked<'_>) -> rusqlite::Result<Self> {
        let mut promises = Self::default();
        let (mut choosing, mut common) = (Vec::new(), Vec::new());
        for (word, wanted) in asked.question.wanted.iter().enumerate() {
            let worth = asked.judge.worth(word);
            match asked.counts[word] {
                0 => {}
                count if count <= COMMON_ROWS => {
                    choosing.push(wanted.form.as_str());
                    promises.take(rows(connection, &quoted(&wanted.form), ROWS_MAX)?, word, worth);
                }
                count => common.push((count, word)),
            }
            for (other, weight) in &wanted.others {
                let found = rows(connection, &quoted(other), SYNONYM_ROWS)?;
                if !found.is_empty() && found.len() < SYNONYM_ROWS {
                    choosing.push(other);
                    promises.take(found, word, weight * worth);
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
            promises.take(
                rows(connection, &quoted(form(rarest)), ROWS_MAX)?,
                rarest,
                asked.judge.worth(rarest),
            );
        }
        let choice = choosing.iter().map(|form| quoted(form)).collect::<Vec<_>>().join(" OR ");
        for (_, word) in common {
            let query = format!("{} AND ({choice})", quoted(form(word)));
            promises.take(rows(connection, &query, ROWS_MAX)?, word, asked.judge.worth(word));
        }
        promises.marks.sort_unstable_by_key(|mark| mark.id);
        Ok(promises)
    }

    fn take(&mut self, ids: Vec<i64>, word: usize, worth: f64) {
        self.marks.extend(ids.into_iter().map(|id| Mark { id, word, worth }));
    }

    /// The first passage that is promised.
    pub(super) fn first(&self) -> Option<i64> {
        self.marks.first().map(|mark| mark.id)
    }

    /// The passages with numbers from `first` up to `end`, a block's: what stands around them is a part of it too.
    pub(super) fn within(&self, first: i64, end: i64) -> impl Iterator<Item = Promise> + '_ {
        let from = self.marks.partition_point(|mark| mark.id < first);
        let to = from + self.marks[from..].partition_point(|mark| mark.id < end);
        let marks = &self.marks[from..to];
        let mut at = 0;
        std::iter::from_fn(move || {
            let id = marks.get(at)?.id;
            let of_it = marks[at..].partition_point(|mark| mark.id <= id);
            let own = worth(&marks[at..at + of_it]);
            let before = marks[..at].iter().rev().take_while(|mark| mark.id >= id - CONTEXT).count();
            let behind = marks[at + of_it..].iter().take_while(|mark| mark.id <= id + CONTEXT).count();
            let around = worth(&marks[at - before..at + of_it + behind]);
            at += of_it;
            Some(Promise { id, own, around })
        })
    }
}

/// Passages that match, the newest first.
fn rows(connection: &Connection, query: &str, rows_max: usize) -> rusqlite::Result<Vec<i64>> {
    connection
        .prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2")?
        .query_map(params![query, i64::try_from(rows_max).unwrap_or(i64::MAX)], |row| row.get(0))?
        .collect()
}

/// A form has letters and digits only; in quotes none of them is an operator.
fn quoted(form: &str) -> String {
    format!("\"{form}\"")
}

/// What words are worth together, each counted once.
fn worth(marks: &[Mark]) -> f64 {
    let mut best = [0.0_f64; WANTED_MAX];
    for mark in marks {
        if let Some(known) = best.get_mut(mark.word) {
            *known = known.max(mark.worth);
        }
    }
    best.iter().sum()
}
