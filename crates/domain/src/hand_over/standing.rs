//! Standing: whether a fact that was handed over still holds, as far as later events tell.

use std::collections::BTreeSet;

use super::{HandOverLine, HandOvers, LineKind, Writer, folded};
use crate::ledger::{CommandUse, Ledger};

/// Most files of one hand-over that somebody looks for.
pub const FILES_MAX: usize = 40;
/// A shorter subject of a task stands in a fact by chance.
const SUBJECT_BYTES_MIN: usize = 10;

/// Whether a fact holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing is known against it.
    Holds,
    /// Something happened since that makes it untrue: what.
    Over(&'static str),
}

/// A fact with where it comes from and whether it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingLine {
    /// When it was handed over (ms since 1970).
    pub at: i64,
    /// By whom.
    pub by: Writer,
    /// The response after which it was.
    pub turn: u64,
    /// Whether the last hand-over has it; else an earlier one did.
    pub is_last: bool,
    /// The fact.
    pub line: HandOverLine,
    /// Whether it holds.
    pub standing: Standing,
}

impl StandingLine {
    /// Whether nothing is known against it.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.standing == Standing::Holds
    }
}

impl HandOvers {
    /// Every fact, the last hand-over's first, with whether it holds. `gone`: files that are no longer there.
    #[must_use]
    pub fn standing(&self, ledger: &Ledger, gone: &BTreeSet<String>) -> Vec<StandingLine> {
        let last = self
            .last
            .iter()
            .flat_map(|last| last.lines.iter().map(|line| (last.at, last.by, last.turn, true, line.clone())));
        let carried = self.carried.iter().map(|it| {
            let line = HandOverLine { kind: it.kind, text: it.text.clone(), is_users: it.is_users };
            (it.at, it.by, it.turn, false, line)
        });
        let weighed = last.chain(carried).map(|(at, by, turn, is_last, line)| {
            let standing = standing(&line, turn, ledger, gone);
            StandingLine { at, by, turn, is_last, line, standing }
        });
        weighed.collect()
    }
}

/// Whether a fact that was handed over after response `since` holds.
fn standing(line: &HandOverLine, since: u64, ledger: &Ledger, gone: &BTreeSet<String>) -> Standing {
    let quoted = quoted(&line.text);
    if line.kind == LineKind::State
        && let Some(over) = quoted.iter().find_map(|command| contradicted(&line.text, command, since, ledger))
    {
        return Standing::Over(over);
    }
    if line.kind == LineKind::Command && quoted.iter().any(|command| is_refused(command, since, ledger)) {
        return Standing::Over("the user refused it since");
    }
    if !line.kind.is_lasting() && is_done(&line.text, since, ledger) {
        return Standing::Over("the task is done");
    }
    if line.kind == LineKind::Where {
        let mut paths = paths_in(&line.text).peekable();
        if paths.peek().is_some() && paths.all(|path| gone.contains(path)) {
            return Standing::Over("the file is gone");
        }
    }
    Standing::Holds
}

/// What stands in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|it| !it.is_empty()).collect()
}

/// What a later run of a command says against a fact about it.
fn contradicted(text: &str, command: &str, since: u64, ledger: &Ledger) -> Option<&'static str> {
    let is_meant = |used: &&CommandUse| used.normal == command || used.verbatim == command;
    let used = ledger.commands.iter().filter(is_meant).max_by_key(|used| used.last)?;
    if used.last.turn <= since {
        return None;
    }
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let fails = says(&["fail", "broken", " red", "error", "does not pass"]);
    let passes = says(&["pass", "green", "succeed", "clean", " ok"]) && !lower.contains("not pass");
    let never_ran = says(&["never run", "not run", "not yet run", "unrun"]);
    match used.succeeded {
        Some(true) if fails && !passes => Some("it passes since"),
        Some(false) if passes && !fails => Some("it fails since"),
        _ if never_ran && !fails && !passes => Some("it was run since"),
        _ => None,
    }
}

/// Whether the user refused a command since.
fn is_refused(command: &str, since: u64, ledger: &Ledger) -> bool {
    ledger.refusals.iter().any(|refusal| refusal.place.turn > since && refusal.what == command)
}

/// Whether a task that the fact speaks of was completed since.
fn is_done(text: &str, since: u64, ledger: &Ledger) -> bool {
    let words = folded(text);
    let is_meant = |subject: &str| {
        let subject = folded(subject);
        subject.len() >= SUBJECT_BYTES_MIN && words.contains(&subject)
    };
    ledger
        .tasks
        .iter()
        .any(|task| task.status == "completed" && task.changed.turn > since && is_meant(&task.subject))
}

/// The files that a fact names, relative to the project: in backticks or bare, with a folder or an ending.
///
/// ```
/// use throughline_domain::hand_over::paths_in;
/// let found: Vec<&str> = paths_in("`src/parse.rs:40` has `fn line`, see docs/form.md, 3/4 done, and /etc/hosts").collect();
/// assert_eq!(found, ["src/parse.rs", "docs/form.md"]);
/// ```
pub fn paths_in(text: &str) -> impl Iterator<Item = &str> {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '(' | ')' | ',' | ';' | '→'));
    words.filter_map(|word| {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        let path = word.split_once(':').map_or(word, |(path, _)| path);
        let base = path.rsplit('/').next()?;
        let (stem, ending) = base.rsplit_once('.')?;
        let is_ending = (1..=5).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && ending.chars().any(|c| c.is_ascii_alphabetic());
        let is_inside = !path.starts_with(['/', '~', '-']) && !path.split('/').any(|part| part == "..");
        let is_plain =
            path.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@'));
        (path.contains('/') && !stem.is_empty() && is_ending && is_inside && is_plain).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_over::HandOver;
    use crate::ledger::{Refusal, Task, TranscriptPlace};

    fn ledger(command: &str, turn: u64, succeeded: Option<bool>) -> Ledger {
        let last = TranscriptPlace { turn, offset: turn };
        let used = CommandUse { normal: command.to_owned(), last, succeeded, ..CommandUse::default() };
        Ledger { turn, commands: vec![used], ..Ledger::default() }
    }

    fn over(kind: LineKind, text: &str, ledger: &Ledger, gone: &[&str]) -> Option<&'static str> {
        let line = HandOverLine::new(kind, text);
        let mut all = HandOvers::default();
        all.take(HandOver::new(1, Writer::Agent, 10, vec![line]));
        let gone = gone.iter().map(|it| (*it).to_owned()).collect();
        match all.standing(ledger, &gone)[0].standing {
            Standing::Holds => None,
            Standing::Over(why) => Some(why),
        }
    }

    #[test]
    fn a_check_that_ended_otherwise_since_ends_the_fact() {
        let rows = [
            ("`make check` fails: 3 of 40", 11, Some(true), Some("it passes since")),
            ("`make check` fails: 3 of 40", 10, Some(true), None),
            ("`make check` fails: 3 of 40", 11, Some(false), None),
            ("`make check` fails: 3 of 40", 11, None, None),
            ("`make check` passes", 11, Some(false), Some("it fails since")),
            ("`make check` was never run", 11, Some(true), Some("it was run since")),
            ("`make test` fails", 11, Some(true), None),
            ("make check fails", 11, Some(true), None),
        ];
        for (text, turn, succeeded, why) in rows {
            let ledger = ledger("make check", turn, succeeded);
            assert_eq!(over(LineKind::State, text, &ledger, &[]), why, "{text} {turn} {succeeded:?}");
        }
        assert_eq!(
            over(LineKind::Rule, "`make check` fails", &ledger("make check", 11, Some(true)), &[]),
            None
        );
    }

    #[test]
    fn a_command_that_the_user_refused_since_is_none_that_works() {
        let refusal = |turn| Refusal {
            what: "make deploy".to_owned(),
            place: TranscriptPlace { turn, offset: 1 },
            ..Refusal::default()
        };
        let ledger = |turn| Ledger { refusals: vec![refusal(turn)], ..Ledger::default() };
        let text = "`make deploy` ships it";
        assert_eq!(over(LineKind::Command, text, &ledger(11), &[]), Some("the user refused it since"));
        assert_eq!(over(LineKind::Command, text, &ledger(9), &[]), None);
        assert_eq!(over(LineKind::Command, "`make deploy-docs`", &ledger(11), &[]), None);
    }

    #[test]
    fn a_task_that_is_done_and_a_file_that_is_gone_end_theirs() {
        let task = |status: &str, turn| Ledger {
            tasks: vec![Task {
                subject: "Write the parser".to_owned(),
                status: status.to_owned(),
                changed: TranscriptPlace { turn, offset: 1 },
                ..Task::default()
            }],
            ..Ledger::default()
        };
        assert_eq!(
            over(LineKind::Open, "next: write the parser, then ship", &task("completed", 11), &[]),
            Some("the task is done")
        );
        assert_eq!(over(LineKind::Open, "next: write the parser", &task("completed", 9), &[]), None);
        assert_eq!(over(LineKind::Open, "next: write the parser", &task("in_progress", 11), &[]), None);
        assert_eq!(
            over(LineKind::Where, "`src/a.rs:3` parses", &Ledger::default(), &["src/a.rs"]),
            Some("the file is gone")
        );
        assert_eq!(over(LineKind::Where, "`src/a.rs` and src/b.rs", &Ledger::default(), &["src/a.rs"]), None);
        assert_eq!(over(LineKind::Rule, "keep src/a.rs", &Ledger::default(), &["src/a.rs"]), None);
    }
}
