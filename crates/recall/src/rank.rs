//! Rank: how well a text answers a question, and which place in it does.

use std::collections::HashMap;

use crate::passage::PassageKind;
use crate::question::Question;
use crate::weights::{
    self, AROUND_SHARE, COVERAGE_POWER, LENGTH_SHARE, LENGTH_WORDS, LONG_BYTES, OLD, OTHERWISE_SPELLED,
    PLACE_WEIGHT, PLACE_WORDS, RARITY_POWER, SATURATION, SIDECHAIN,
};
use crate::words::{self, Word};

/// How well a text answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The more the better; only to be compared with answers to the same question.
    pub score: f64,
    /// Which share of the question's words stand there, by their weight.
    pub coverage: f64,
    /// The words that were looked for, where they stand.
    pub matches: Vec<(usize, usize)>,
    /// Where the best place begins and ends.
    pub place: (usize, usize),
}

/// A question with what each of its words is worth here: rare words tell more.
#[derive(Debug, Clone)]
pub struct Judge<'q> {
    question: &'q Question,
    worths: Vec<f64>,
    by_form: HashMap<&'q str, Vec<(usize, f64)>>,
}

impl<'q> Judge<'q> {
    /// `counts` tells in how many of `rows` passages each word of the question stands.
    #[must_use]
    pub fn new(question: &'q Question, rows: u64, counts: &[u64]) -> Self {
        let mut by_form: HashMap<&str, Vec<(usize, f64)>> = HashMap::new();
        let mut worths = Vec::new();
        for (index, wanted) in question.wanted.iter().enumerate() {
            by_form.entry(&wanted.form).or_default().push((index, 1.0));
            for (other, weight) in &wanted.others {
                by_form.entry(other).or_default().push((index, *weight));
            }
            worths.push(wanted.weight * rarity(rows, counts.get(index).copied().unwrap_or(0)));
        }
        Self { question, worths, by_form }
    }

    /// Whether the question asks for passages of this kind by what it says.
    #[must_use]
    pub fn hints_at(&self, kind: PassageKind) -> bool {
        self.question.hint == Some(kind)
    }

    /// What the word with this number is worth.
    #[must_use]
    pub fn worth(&self, index: usize) -> f64 {
        self.worths.get(index).copied().unwrap_or(0.0)
    }

    /// What all words together are worth.
    #[must_use]
    pub fn worth_of_all(&self) -> f64 {
        self.worths.iter().sum()
    }

    /// Judges a text; `None` when nothing of the question stands in it, or something that it excludes.
    #[must_use]
    pub fn judge(&self, text: &str) -> Option<Answer> {
        self.judge_among(text, 0.0)
    }

    /// The same for a text that stands among others: `around` is the share of the question's words that stand in it or
    /// near it. What is talked about is often named once, and then spoken of.
    #[must_use]
    pub fn judge_among(&self, text: &str, around: f64) -> Option<Answer> {
        let all = words::words(text);
        let is_there = |phrase: &Vec<String>| holds(text, &all, phrase);
        if self.question.excluded.iter().any(is_there) || !self.question.phrases.iter().all(is_there) {
            return None;
        }
        let mut counts = vec![0.0_f64; self.worths.len()];
        let mut hits: Vec<(usize, usize, f64)> = Vec::new();
        for (number, word) in all.iter().enumerate() {
            for (index, weight) in self.by_form.get(word.form.as_str()).into_iter().flatten() {
                let weight = weight * self.spelled(*index, &text[word.at..word.end]);
                counts[*index] += weight;
                hits.push((number, *index, weight));
            }
        }
        if hits.is_empty() {
            return None;
        }
        let length = all.iter().filter(|word| !word.is_part).count();
        let anywhere = self.anywhere(&counts, length);
        let best_of = |index: usize| {
            let of_it = hits.iter().filter(|hit| hit.1 == index).map(|hit| hit.2);
            of_it.fold(0.0, f64::max)
        };
        let found: f64 = (0..counts.len()).map(|index| best_of(index) * self.worths[index]).sum();
        let coverage = found / self.worth_of_all().max(f64::MIN_POSITIVE);
        let (together, from, to) = self.best_place(&hits);
        let covered = coverage + AROUND_SHARE * (around - coverage).max(0.0);
        let score = (anywhere + PLACE_WEIGHT * together) * covered.powf(COVERAGE_POWER);
        Some(Answer {
            score,
            coverage,
            matches: hits.iter().map(|hit| (all[hit.0].at, all[hit.0].end)).collect(),
            place: (all[from].at, all[to].end),
        })
    }

    /// What a word with one of the forms of a wanted one counts by how it is spelled.
    fn spelled(&self, index: usize, word: &str) -> f64 {
        let wanted = &self.question.wanted[index];
        let is_so = wanted.spelling.is_empty() || words::spelling(word) == wanted.spelling;
        if is_so { 1.0 } else { OTHERWISE_SPELLED }
    }

    fn anywhere(&self, counts: &[f64], length: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a text has no 2^52 words")]
        let relative = length as f64 / LENGTH_WORDS;
        let norm = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * relative);
        let one = |(count, worth): (&f64, &f64)| worth * count * (SATURATION + 1.0) / (count + norm);
        counts.iter().zip(&self.worths).map(one).sum()
    }

    /// The place whose different words are worth most: its worth, its first and its last word.
    fn best_place(&self, hits: &[(usize, usize, f64)]) -> (f64, usize, usize) {
        let mut best = (0.0, hits[0].0, hits[0].0);
        for (at, first) in hits.iter().enumerate() {
            let mut seen = vec![0.0_f64; self.worths.len()];
            let mut last = first.0;
            for hit in hits[at..].iter().take_while(|hit| hit.0 < first.0 + PLACE_WORDS) {
                seen[hit.1] = seen[hit.1].max(hit.2);
                last = hit.0;
            }
            let worth: f64 = seen.iter().zip(&self.worths).map(|(weight, worth)| weight * worth).sum();
            if worth > best.0 {
                best = (worth, first.0, last);
            }
        }
        best
    }
}

/// Whether these words stand one behind the other; parts of names count for nothing, but a single word may be one.
fn holds(text: &str, all: &[Word], phrase: &[String]) -> bool {
    let is_so = |word: &&Word, wanted: &String| words::in_phrase(word, text) == *wanted;
    let plain: Vec<&Word> = all.iter().filter(|word| !word.is_part).collect();
    let in_a_row = plain
        .windows(phrase.len().max(1))
        .any(|some| some.iter().zip(phrase).all(|(word, wanted)| is_so(word, wanted)));
    in_a_row || (phrase.len() == 1 && all.iter().any(|word| is_so(&word, &phrase[0])))
}

/// What a word tells that stands in `with` of `rows` passages.
fn rarity(rows: u64, with: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no store has 2^52 passages")]
    let (rows, with) = (rows.max(with) as f64, with as f64);
    (1.0 + (rows - with + 0.5) / (with + 0.5)).ln().powf(RARITY_POWER)
}

/// What a passage counts by what it is.
pub(crate) fn kind_weight(kind: PassageKind, is_sidechain: bool) -> f64 {
    let weight = weights::of_kind(kind);
    if is_sidechain { weight * SIDECHAIN } else { weight }
}

/// What a text promises by its length, before it is read: words in a short one tell more than words in a long one.
pub(crate) fn brevity(bytes: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no passage has 2^52 bytes")]
    let bytes = bytes as f64;
    LONG_BYTES / (LONG_BYTES + bytes)
}

/// What a passage counts by its age: half of what age can take is gone after `half_life_days`.
pub(crate) fn recency(age_s: i64, half_life_days: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "days, not nanoseconds")]
    let (days, half_life) = (age_s.max(0) as f64 / 86_400.0, half_life_days.max(1) as f64);
    OLD + (1.0 - OLD) * 0.5_f64.powf(days / half_life)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(question: &str, texts: &[&str]) -> Vec<f64> {
        let question = Question::read(question);
        let judge = Judge::new(&question, 100, &[5; 8]);
        texts.iter().map(|text| judge.judge(text).map_or(0.0, |answer| answer.score)).collect()
    }

    #[test]
    fn all_words_together_beat_some_of_them_and_words_far_apart() {
        let filler = "other things happened ".repeat(30);
        let texts = [
            "the cache is cleared at midnight",
            &format!("a cache {filler} at midnight"),
            "cache cache cache",
            "nothing",
        ];
        let scores = scores("cache midnight", &texts);
        assert!(scores[0] > scores[1] && scores[1] > scores[2] && scores[2] > scores[3], "{scores:?}");
        assert!(scores[3].abs() < f64::EPSILON);
    }

    #[test]
    fn a_phrase_must_stand_as_it_is_and_what_is_excluded_must_not() {
        let texts = ["no such table: users", "the table has no such user", "drop table users"];
        assert!(scores("\"such table\"", &texts)[1].abs() < f64::EPSILON);
        assert!(scores("\"such table\"", &texts)[0] > 0.0);
        let words = [
            "the total was nine",
            "the total never was",
            "it was total",
            "a note is in",
            "total is it not in",
            "total: it is  Not\n in",
        ];
        let holding = |phrase: &str| {
            let scores = scores(&format!("\"{phrase}\" total"), &words);
            (0..words.len()).filter(|at| scores[*at] > 0.0).collect::<Vec<usize>>()
        };
        assert_eq!(holding("total was"), [0]);
        assert_eq!(holding("was totals"), [2], "inflection aside");
        assert_eq!(holding("is not in"), [5], "case and blanks aside; a note is not a not");
        assert_eq!(holding("it not"), [4]);
        let without = scores("table -users", &texts);
        assert!(
            without.iter().all(|score| score.abs() < f64::EPSILON),
            "user and users are one: {without:?}"
        );
    }

    #[test]
    fn a_word_as_it_was_typed_beats_another_of_its_form() {
        let scores = scores("author", &["the authors of it", "it is authored"]);
        assert!(scores[0] > scores[1] && scores[1] > 0.0, "{scores:?}");
    }

    #[test]
    fn the_place_is_where_the_words_stand() {
        let question = Question::read("retry budget");
        let judge = Judge::new(&question, 100, &[5; 8]);
        let text = format!("budget {} the retry budget is three", "and so on ".repeat(50));
        let answer = judge.judge(&text).unwrap();
        assert_eq!(&text[answer.place.0..answer.place.1], "retry budget");
    }

    #[test]
    fn the_old_fade_and_never_vanish() {
        assert!(recency(0, 90) > recency(86_400 * 90, 90));
        assert!(recency(i64::MAX, 90) >= 0.75 && recency(-5, 0) <= 1.0);
    }
}
