//! What is carried from one hand-over to the next: facts that last stay alive though a new one lacks them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{HandOver, HandOverLine, LineKind, Writer, folded, paths_in};
use crate::overlap::share;
use crate::text::fingerprint;

/// Most facts that are carried.
pub const CARRIED_LINES_MAX: usize = 120;
/// Most bytes of them.
pub const CARRIED_BYTES_MAX: usize = 18 << 10;
/// A shorter fact may stand in many others by chance.
const CONTAINED_BYTES_MIN: usize = 14;
/// Of a fact of fewer words two may share nearly all by chance.
const WORDS_MIN: usize = 5;
const SAME_SHARE: f64 = 0.7;
/// Fingerprints of the hand-overs last taken.
const TAKEN_MAX: usize = 16;

/// A fact of an earlier hand-over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CarriedLine {
    /// When it was last handed over (ms since 1970).
    pub at: i64,
    /// By whom.
    pub by: Writer,
    /// The response of the session after which it was.
    pub turn: u64,
    /// What it is about.
    pub kind: LineKind,
    /// The fact.
    pub text: String,
    /// Of a rule: its words stand in a message of the user's.
    pub is_users: bool,
}

/// The hand-overs of a session: the last one, and what earlier ones said that lasts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HandOvers {
    /// The last one.
    pub last: Option<HandOver>,
    /// Facts of earlier ones, oldest first.
    pub carried: Vec<CarriedLine>,
    /// Files that those name and that were there then.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub there: BTreeSet<String>,
    /// Fingerprints of those that were taken, newest last: the same one twice adds nothing.
    pub taken: Vec<u64>,
}

impl HandOvers {
    /// Takes one in; says whether it is new.
    pub fn take(&mut self, new: HandOver) -> bool {
        let mark = mark(&new);
        if new.lines.is_empty() || self.taken.contains(&mark) {
            return false;
        }
        self.taken.push(mark);
        let surplus = self.taken.len().saturating_sub(TAKEN_MAX);
        self.taken.drain(..surplus);
        if let Some(before) = self.last.take() {
            self.carry(before);
        }
        self.last = Some(new);
        self.settle();
        true
    }

    /// Goes on from another session: what lasts of its hand-overs is carried here.
    pub fn go_on_from(&mut self, other: &Self) {
        let own = std::mem::take(&mut self.carried);
        self.carried.clone_from(&other.carried);
        self.there.extend(other.there.iter().cloned());
        if let Some(last) = other.last.clone() {
            self.carry(last);
        }
        self.carried.extend(own);
        self.settle();
    }

    /// Whether nobody ever handed anything over.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.last.is_none() && self.carried.is_empty()
    }

    /// Every fact, as text, for whoever masks or forgets.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let last = self.last.iter_mut().flat_map(|last| &mut last.lines).map(|line| &mut line.text);
        last.chain(self.carried.iter_mut().map(|line| &mut line.text))
    }

    fn carry(&mut self, before: HandOver) {
        let HandOver { at, by, turn, lines, there, .. } = before;
        self.there.extend(there);
        let lasting = lines.into_iter().filter(|line| line.kind.is_lasting());
        let dated =
            |HandOverLine { kind, text, is_users }| CarriedLine { at, by, turn, kind, text, is_users };
        self.carried.extend(lasting.map(dated));
    }

    /// Each fact once, the newest wording; no more of them than there is room for.
    fn settle(&mut self) {
        let mut said: Vec<Said> = Vec::new();
        for line in self.last.iter().flat_map(|last| &last.lines) {
            said.push(Said::of(line.kind, &line.text));
        }
        let mut kept: Vec<CarriedLine> = Vec::new();
        for line in std::mem::take(&mut self.carried).into_iter().rev() {
            let older = Said::of(line.kind, &line.text);
            if said.iter().any(|newer| older.is_in(newer)) {
                continue;
            }
            said.push(older);
            kept.push(line);
        }
        kept.reverse();
        self.carried = kept;
        let bytes = |lines: &[CarriedLine]| lines.iter().map(|line| line.text.len()).sum::<usize>();
        while self.carried.len() > CARRIED_LINES_MAX || bytes(&self.carried) > CARRIED_BYTES_MAX {
            let Some(leaves) = (0..self.carried.len()).min_by_key(|at| (stays(self.carried[*at].kind), *at))
            else {
                break;
            };
            self.carried.remove(leaves);
        }
        let named: BTreeSet<&str> = self.carried.iter().flat_map(|line| paths_in(&line.text)).collect();
        self.there.retain(|path| named.contains(path.as_str()));
    }

    /// Files that facts name and that were there when those were handed over.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let last = self.last.iter().flat_map(|last| &last.there);
        last.chain(&self.there).map(String::as_str)
    }
}

/// How late a kind leaves when there is no more room.
fn stays(kind: LineKind) -> u8 {
    match kind {
        LineKind::Where | LineKind::Value | LineKind::State | LineKind::Open => 0,
        LineKind::Command => 1,
        LineKind::Choice | LineKind::Found => 2,
        LineKind::Tried => 3,
        LineKind::Rule => 4,
    }
}

/// A fact, made ready to be compared.
struct Said {
    kind: LineKind,
    folded: String,
    lower: String,
}

impl Said {
    fn of(kind: LineKind, text: &str) -> Self {
        Self { kind, folded: folded(text), lower: text.to_lowercase() }
    }

    /// Whether a newer fact says this one, too: in the same words, with more of them, in others that name the same things, or
    /// as another value of the same name.
    fn is_in(&self, newer: &Self) -> bool {
        let is_part = self.folded.len() >= CONTAINED_BYTES_MIN && newer.folded.contains(&self.folded);
        let is_name = |words: &str| words.trim().split_once(" is ").map(|(name, _)| name.to_owned());
        let is_same_kind = self.kind == newer.kind;
        let is_renewed = self.kind == LineKind::Value
            && is_same_kind
            && is_name(&self.folded).is_some_and(|name| is_name(&newer.folded) == Some(name));
        self.folded == newer.folded
            || is_part
            || is_renewed
            || (is_same_kind && names_same(&self.lower, &newer.lower))
    }
}

/// Whether a text names what a fact names: every number of it, and nearly all of the words that tell, of so many that it is
/// no chance.
pub(super) fn names_same(fact: &str, lower_text: &str) -> bool {
    let has_digit = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    let numbers = || fact.split(|c: char| !c.is_alphanumeric()).filter(has_digit);
    fact.split_whitespace().count() >= WORDS_MIN
        && numbers().all(|number| has_word(lower_text, &number.to_lowercase()))
        && share(fact, lower_text) >= SAME_SHARE
}

/// Whether a word stands in a text by itself.
fn has_word(text: &str, word: &str) -> bool {
    let is_end = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    memchr::memmem::find_iter(text.as_bytes(), word.as_bytes())
        .any(|at| is_end(text[..at].chars().next_back()) && is_end(text[at + word.len()..].chars().next()))
}

/// By which a hand-over is known again.
fn mark(handed: &HandOver) -> u64 {
    let lines: Vec<String> = handed.lines.iter().map(HandOverLine::told).collect();
    fingerprint(lines.join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_again_in_other_words_is_kept_once_and_other_numbers_are_other_facts() {
        let mut all = HandOvers::default();
        all.take(handed(1, &[
            (LineKind::Tried, "testify `require` as the alternative: grep for `stretchr/testify/require` found no files, so it is not used in this repo"),
            (LineKind::Where, "checkpoint_test.go: nil checks at 896, 984 and 1053"),
            (LineKind::Value, "lint runs golangci-lint-action@v9"),
            (LineKind::Value, "number 1 of the retries of the queue"),
        ]));
        all.take(handed(2, &[
            (LineKind::Tried, "testify `require`: grep for `stretchr/testify/require` found no files, not used in this repo"),
            (LineKind::Where, "checkpoint_test.go: nil checks at 901, 989 and 1058"),
            (LineKind::Value, "number 2 of the retries of the queue"),
        ]));
        all.take(handed(3, &[(LineKind::Open, "go on")]));
        let kept: Vec<&str> = all.carried.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(kept.len(), 6, "{kept:?}");
        assert!(!kept.iter().any(|text| text.contains("alternative")), "{kept:?}");
    }

    fn handed(at: i64, lines: &[(LineKind, &str)]) -> HandOver {
        let line = |(kind, text): &(LineKind, &str)| HandOverLine::new(*kind, *text);
        HandOver::new(at, Writer::Summariser, at.unsigned_abs(), lines.iter().map(line).collect())
    }

    fn carried(all: &HandOvers) -> Vec<&str> {
        all.carried.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn what_lasts_stays_alive_and_what_is_of_the_moment_does_not() {
        let mut all = HandOvers::default();
        assert!(all.take(handed(
            1,
            &[
                (LineKind::Rule, "never push to main"),
                (LineKind::State, "`make check` fails"),
                (LineKind::Open, "next: the parser"),
                (LineKind::Value, "port is 5433"),
            ]
        )));
        assert!(
            all.take(handed(2, &[(LineKind::Open, "next: the writer"), (LineKind::Value, "port is 5434")]))
        );
        assert_eq!(
            carried(&all),
            ["never push to main"],
            "a value of the same name takes the older one's place"
        );
        for at in 3..10 {
            assert!(all.take(handed(at, &[(LineKind::Open, &format!("next: step {at}"))])));
        }
        assert_eq!(carried(&all), ["never push to main", "port is 5434"], "after nine compactions");
        assert_eq!((all.carried[0].at, all.carried[0].turn), (1, 1), "dated when it was said");
    }

    #[test]
    fn the_same_one_twice_adds_nothing() {
        let mut all = HandOvers::default();
        let one = handed(1, &[(LineKind::Rule, "use tabs")]);
        assert!(all.take(one.clone()));
        assert!(all.take(handed(2, &[(LineKind::Rule, "use  TABS!"), (LineKind::Open, "ship")])));
        let before = all.clone();
        assert!(!all.take(HandOver { at: 9, ..one }), "an older one that comes again");
        assert!(!all.take(handed(3, &[])));
        assert_eq!(all, before);
        assert_eq!(carried(&all), [] as [&str; 0], "the same words in another spelling stand once");
    }

    #[test]
    fn a_fact_that_a_newer_one_contains_stands_once() {
        let mut all = HandOvers::default();
        all.take(handed(1, &[(LineKind::Tried, "serde_yaml loses comments"), (LineKind::Value, "v2")]));
        all.take(handed(
            2,
            &[
                (LineKind::Tried, "serde_yaml loses comments; use yaml-edit"),
                (LineKind::Value, "tag v2 of July"),
            ],
        ));
        assert_eq!(carried(&all), ["v2"], "a short one stands in many others by chance");
    }

    #[test]
    fn rules_leave_last() {
        let mut all = HandOvers::default();
        for at in 0..200 {
            let (rule, place) = (format!("rule number {at} holds"), format!("file number {at} is there"));
            all.take(handed(at, &[(LineKind::Rule, &rule), (LineKind::Where, &place)]));
        }
        assert_eq!(all.carried.len(), CARRIED_LINES_MAX);
        assert!(all.carried.iter().all(|line| line.kind == LineKind::Rule));
        assert_eq!(all.carried.last().unwrap().text, "rule number 198 holds");
        let mut all = HandOvers::default();
        for at in 0..40 {
            all.take(handed(at, &[(LineKind::Where, &format!("{at} {}", "x".repeat(900)))]));
        }
        assert!(all.carried.iter().map(|line| line.text.len()).sum::<usize>() <= CARRIED_BYTES_MAX);
    }

    #[test]
    fn another_session_goes_on_with_what_lasts() {
        let mut before = HandOvers::default();
        before.take(handed(1, &[(LineKind::Rule, "use tabs"), (LineKind::Open, "ship")]));
        let mut all = HandOvers::default();
        all.go_on_from(&before);
        assert_eq!((carried(&all), all.last.is_none()), (vec!["use tabs"], true));
        all.go_on_from(&before);
        assert_eq!(carried(&all), ["use tabs"]);
    }
}
