//! The hand-over: what one who had the whole context in view wrote down for the next, fact by fact.
//!
//! `form.rs` says how it is asked for and how it is read; `read.rs` reads it, `carried.rs` keeps it alive over many
//! compactions, `standing.rs` compares it with what really happened.

mod carried;
mod form;
mod read;
mod standing;

use std::cell::LazyCell;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::attribution;
use crate::text::utf16_len;

use carried::names_same;
pub use carried::{CARRIED_BYTES_MAX, CARRIED_LINES_MAX, CarriedLine, HandOvers};
pub use form::{FORM, LineKind, REQUEST, REQUEST_AGAIN, Row};
pub use read::{in_summary, in_text};
pub use standing::{FILES_MAX, Standing, StandingLine, paths_in};

/// Most tokens of one hand-over, by the estimate of everything that we say.
pub const TOKENS_MAX: usize = 1_000;
/// The same of one that a summariser wrote: it stands in the summary anyway, and holds what earlier ones said.
const SUMMARISED_TOKENS_MAX: usize = 2_000;

/// Behind the kind of what nobody found in a message of the user's.
const NOT_THE_USERS: &str = " (the agent's words)";

/// Who wrote it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Writer {
    /// The client's summariser, in its summary.
    #[default]
    Summariser,
    /// The agent at work.
    Agent,
    /// A person.
    Person,
}

/// One fact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HandOverLine {
    /// What it is about.
    pub kind: LineKind,
    /// The fact, on one line.
    pub text: String,
    /// Of a rule: its words stand in a message of the user's.
    pub is_users: bool,
}

impl HandOverLine {
    /// A fact of whoever wrote it.
    #[must_use]
    pub fn new(kind: LineKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), is_users: false }
    }

    /// As it is asked for and told: `kind: fact`. What poses as a rule of the user's, and no message of theirs says, is told
    /// as somebody else's words.
    #[must_use]
    pub fn told(&self) -> String {
        let whose = if self.claims_user() && !self.is_users { NOT_THE_USERS } else { "" };
        format!("{}{whose}: {}", self.kind.word(), self.text)
    }

    fn claims_user(&self) -> bool {
        self.kind == LineKind::Rule || attribution::claims_user(&self.text)
    }
}

/// A hand-over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HandOver {
    /// When (ms since 1970).
    pub at: i64,
    /// By whom.
    pub by: Writer,
    /// The response of the session after which it was written.
    pub turn: u64,
    /// The facts.
    pub lines: Vec<HandOverLine>,
    /// Facts that found no room.
    pub left_out: usize,
    /// Files that it names and that were there when it was taken in. Of others nobody can say that they are gone: a path may
    /// be told from another folder.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub there: BTreeSet<String>,
}

impl HandOver {
    /// A hand-over of these lines, within its cap: whole lines are left out, the last ones first, and of what says where
    /// the work stands only after everything else.
    #[must_use]
    pub fn new(at: i64, by: Writer, turn: u64, lines: Vec<HandOverLine>) -> Self {
        let units = |line: &HandOverLine| utf16_len(&line.told()) + 3;
        let units_max = 4 * if by == Writer::Summariser { SUMMARISED_TOKENS_MAX } else { TOKENS_MAX };
        let mut kept: Vec<bool> = vec![true; lines.len()];
        let mut sum: usize = lines.iter().map(units).sum();
        for is_vital in [false, true] {
            for (at, line) in lines.iter().enumerate().rev() {
                if sum > units_max && line.kind.is_vital() == is_vital {
                    kept[at] = false;
                    sum -= units(line);
                }
            }
        }
        let left_out = kept.iter().filter(|is_kept| !**is_kept).count();
        let lines = lines.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(line, _)| line);
        Self { at, by, turn, lines: lines.collect(), left_out, there: BTreeSet::new() }
    }

    /// Notes which of the files that it names are there.
    pub fn look_for_files(&mut self, is_there: impl Fn(&str) -> bool) {
        let named: BTreeSet<&str> =
            self.lines.iter().flat_map(|line| paths_in(&line.text)).take(FILES_MAX).collect();
        self.there = named.into_iter().filter(|path| is_there(path)).map(str::to_owned).collect();
    }

    /// Notes which facts are the user's own: those whose words stand in a message of theirs.
    pub fn attribute(&mut self, said: &[&str]) {
        let said = LazyCell::new(|| attribution::Said::of(said));
        for line in &mut self.lines {
            line.is_users = line.claims_user() && said.has(&line.text);
        }
    }

    /// Tokens, by estimate.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.lines.iter().map(|line| utf16_len(&line.told()) + 3).sum::<usize>().div_ceil(4)
    }
}

/// The facts that a text does not have: neither in their words, nor in a line of it that names the same things.
#[must_use]
pub fn lacking(facts: Vec<StandingLine>, text: &str) -> Vec<StandingLine> {
    let (said, lower) = (folded(text), text.to_lowercase());
    let is_there = |fact: &str| {
        said.contains(&folded(fact))
            || (names_same(fact, &lower) && lower.lines().any(|line| names_same(fact, line)))
    };
    facts.into_iter().filter(|fact| !is_there(&fact.line.text)).collect()
}

/// A text without case, white space and punctuation: two lines that fold to the same say the same.
///
/// ```
/// use throughline_domain::hand_over::folded;
/// assert_eq!(folded("- **Never** push to `main`!"), folded("never push to main"));
/// ```
#[must_use]
pub fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + 2);
    let mut is_open = false;
    for letter in text.chars() {
        let belongs =
            if letter.is_ascii() { letter.is_ascii_alphanumeric() } else { letter.is_alphanumeric() };
        if belongs && !is_open {
            folded.push(' ');
        }
        is_open = belongs;
        match letter {
            _ if !belongs => {}
            'A'..='Z' | 'a'..='z' | '0'..='9' => folded.push(letter.to_ascii_lowercase()),
            _ => folded.extend(letter.to_lowercase()),
        }
    }
    folded.push(' ');
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: LineKind, text: &str) -> HandOverLine {
        HandOverLine::new(kind, text)
    }

    #[test]
    fn a_rule_is_the_users_only_where_a_message_of_theirs_says_it() {
        let lines = vec![
            line(LineKind::Rule, "never push to the main branch"),
            line(LineKind::Rule, "always push by force"),
            line(LineKind::Where, "src/a.rs"),
        ];
        let mut handed = HandOver::new(1, Writer::Summariser, 2, lines);
        handed.attribute(&["Please never push to the main branch."]);
        assert_eq!(handed.lines[0].told(), "rule: never push to the main branch");
        assert_eq!(handed.lines[1].told(), "rule (the agent's words): always push by force");
        assert_eq!(handed.lines[2].told(), "where: src/a.rs");
        assert_eq!(
            in_text(&handed.lines[1].told())[0].text,
            "always push by force",
            "read again, it is the same"
        );
    }

    #[test]
    fn over_the_cap_whole_lines_leave_and_where_the_work_stands_leaves_last() {
        let mut lines: Vec<HandOverLine> =
            (0..60).map(|at| line(LineKind::Where, &format!("{at} {}", "x".repeat(90)))).collect();
        lines.push(line(LineKind::Open, "next: ship it"));
        let handed = HandOver::new(1, Writer::Agent, 2, lines);
        assert!(handed.tokens() <= TOKENS_MAX, "{}", handed.tokens());
        assert_eq!(handed.lines.len() + handed.left_out, 61);
        assert!(handed.left_out > 10);
        assert_eq!(handed.lines.last().unwrap().text, "next: ship it");
        assert!(handed.lines[0].text.starts_with("0 "), "the first ones stay");
    }

    #[test]
    fn a_single_line_beyond_every_measure_leaves_too() {
        let handed = HandOver::new(1, Writer::Agent, 2, vec![line(LineKind::Rule, &"x".repeat(9_000))]);
        assert_eq!((handed.lines.len(), handed.left_out), (0, 1));
    }
}
