//! The form of a hand-over: how it is asked for and by which words it is known again, side by side.

use serde::{Deserialize, Serialize};

/// What is asked of whoever summarises, word by word. Each kind of [`FORM`] stands in it under its own name.
pub const REQUEST: &str = "\
End the summary with one more section, headed \"Hand-over\": what the next one needs to go on. One fact a \
line, as `- kind: fact`, exact and whole (names, paths, commands, numbers, error texts word by word); nothing that stands \
elsewhere in the summary; no headings inside; at most 500 words. Make room for it: in the other sections no code that is on \
disk anyway, nothing said twice, so that the whole is no longer than it would be without it. The kinds:
rule: what the user demanded or forbade and still holds, in their words
tried: what did not work or had to be done over and why, what took its place, what this machine cannot do
state: what passes and what fails now, with counts; what was changed since, what was never run
command: commands that work here, whole, with folder and flags
found: what was found out: causes, explanations, how a thing works
where: which file, function and line does what, of what was changed or found
value: ids, numbers, names, ports, versions, hashes; settings, constants and formats with what they mean
choice: each choice made: what, why, instead of what; what was offered and not taken, left out on purpose
open: asked and not answered, promised and not done, the next step";

/// What is asked besides of whoever summarises a summary: each copy of a copy loses what has no part in the work at hand.
pub const REQUEST_AGAIN: &str = "\
The conversation begins with an earlier summary and a note of ours behind it. What these two said, and still holds, has to outlive \
this summary too: go through both line by line, the Hand-over and what \"you said on the way\" above all, and take over into the \
section, one line each, word by word, every rule, choice with its reason, option not taken, cause, explanation, finding that was \
reported, dead end, command, setting, value and place in them, also where the work has moved on to something else. Leave out only \
what was proven false or replaced since, and what passed or failed then. For these facts there are 700 more words.";

/// What a fact is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
// A kind that a newer version wrote must not cost a session everything that it handed over.
#[serde(rename_all = "lowercase", from = "String")]
pub enum LineKind {
    /// What the user demands.
    Rule,
    /// Asked and not answered, promised and not done, the next step.
    Open,
    /// What passes and fails.
    State,
    /// What was tried in vain, and what works instead.
    Tried,
    /// What works here.
    Command,
    /// What was found out: causes, explanations.
    Found,
    /// What was chosen, and why.
    Choice,
    /// Where things are; also what nobody said the kind of.
    #[default]
    Where,
    /// Ids, numbers, names.
    Value,
}

/// A row of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The kind.
    pub kind: LineKind,
    /// The name under which it is asked for.
    pub word: &'static str,
    /// Other names that somebody gives to it, in lower case.
    pub labels: &'static [&'static str],
    /// Words by which a fact without a name is told, in lower case.
    pub signs: &'static [&'static str],
}

/// The rows, in the order in which facts are told. Signs are looked for in this order, too.
#[rustfmt::skip] // A table is read row by row.
pub const FORM: &[Row] = &[
    Row { kind: LineKind::Rule, word: "rule", labels: &["rules", "user rule", "user rules", "constraint", "constraints", "standing rules", "rules that still hold", "must", "must not"], signs: &[" never ", " always ", " must not ", " do not ", " don't ", " user wants", " user forbade", " user said", " user rule"] },
    Row { kind: LineKind::Open, word: "open", labels: &["next", "next step", "next steps", "asked", "promised", "todo", "to do", "pending", "question", "questions", "open question", "open questions", "unanswered", "waiting", "not done", "in progress"], signs: &["next step", "next:", " todo", " to do:", " not answered", " waiting for", " still to ", " promised"] },
    Row { kind: LineKind::State, word: "state", labels: &["status", "checks", "tests", "passes", "fails", "failing", "passing", "changed", "never run", "what passes and fails"], signs: &[" passes", " passed", " fails", " failing", " failed:", "never run", "not run", "uncommitted"] },
    Row { kind: LineKind::Tried, word: "tried", labels: &["dead end", "dead ends", "tried in vain", "failed attempts", "does not work", "cannot", "machine", "limits", "pitfall", "pitfalls", "gotcha", "gotchas"], signs: &[" tried ", " in vain", "does not work", "doesn't work", "did not work", "didn't work", "instead of", "not available", "is not installed", " cannot "] },
    Row { kind: LineKind::Command, word: "command", labels: &["commands", "run", "how to run", "commands that work", "commands that work here"], signs: &[] },
    Row { kind: LineKind::Found, word: "found", labels: &["finding", "findings", "cause", "causes", "root cause", "reason", "reasons", "explanation", "explanations", "why", "how it works"], signs: &["the cause ", "root cause", " is caused by", " the reason is"] },
    Row { kind: LineKind::Choice, word: "choice", labels: &["choices", "decision", "decisions", "decided", "chosen", "left out", "left on purpose"], signs: &[" decided", " chose ", " chosen", " because", " on purpose", " rather than"] },
    Row { kind: LineKind::Value, word: "value", labels: &["values", "id", "ids", "number", "numbers", "name", "names", "port", "ports", "version", "versions"], signs: &[" port ", " version ", " id ", " hash ", " = "] },
    Row { kind: LineKind::Where, word: "where", labels: &["file", "files", "location", "locations", "key files", "where things are", "code", "note", "notes", "fact", "facts"], signs: &[] },
];

impl From<String> for LineKind {
    fn from(word: String) -> Self {
        Self::from_label(&word).unwrap_or_default()
    }
}

impl LineKind {
    /// Its name.
    #[must_use]
    pub fn word(self) -> &'static str {
        FORM.iter().find(|row| row.kind == self).map_or("", |row| row.word)
    }

    /// The kind that a name means; capitals, marks and a colon do not matter.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        let label = super::folded(label);
        let label = label.trim();
        FORM.iter().find(|row| row.word == label || row.labels.contains(&label)).map(|row| row.kind)
    }

    /// Whether a fact of it holds on until something contradicts it; the others count while they are the newest.
    #[must_use]
    pub fn is_lasting(self) -> bool {
        !matches!(self, Self::State | Self::Open)
    }

    /// Whether it says what must be kept to, and where the work stands: what leaves last.
    #[must_use]
    pub fn is_vital(self) -> bool {
        matches!(self, Self::Rule | Self::Open | Self::State)
    }

    /// The kind of a fact that names none, by its words.
    #[must_use]
    pub(super) fn guessed(text: &str) -> Self {
        if text.starts_with('`') || text.starts_with("$ ") {
            return Self::Command;
        }
        let lower = format!(" {} ", text.to_lowercase());
        let told = |row: &&Row| row.signs.iter().any(|sign| lower.contains(sign));
        FORM.iter().find(told).map_or(Self::Where, |row| row.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_asked_for_by_the_name_under_which_it_is_read() {
        for row in FORM {
            assert!(REQUEST.contains(&format!("\n{}: ", row.word)), "{}", row.word);
            assert_eq!(LineKind::from_label(row.word), Some(row.kind));
            for label in row.labels {
                assert_eq!(LineKind::from_label(label), Some(row.kind), "{label} is read as another kind");
            }
        }
        assert_eq!(REQUEST.lines().count(), FORM.len() + 1);
    }

    #[test]
    fn a_kind_that_nobody_knows_here_keeps_its_fact() {
        for row in FORM {
            let written = serde_json::to_string(&row.kind).unwrap();
            assert_eq!(serde_json::from_str::<LineKind>(&written).unwrap(), row.kind);
        }
        assert_eq!(serde_json::from_str::<LineKind>("\"of next year\"").unwrap(), LineKind::Where);
    }

    #[test]
    fn what_is_asked_for_is_short() {
        for (request, words_max) in [(REQUEST, 225), (REQUEST_AGAIN, 120)] {
            let words = request.split_whitespace().count();
            assert!(words <= words_max, "{words} words");
        }
    }
}
