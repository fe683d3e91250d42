//! What happened since the page was last written: tasks and requests that ended, checks that ran, decisions, commits.

use throughline_domain::ledger::{CommandKind, CommandUse, FindingKind, Ledger, Segment, Task};
use throughline_domain::text::one_line;
use throughline_domain::{Detail, Kind, State, time};

use super::{Commit, Mark, NotesEntry, When};

/// Most entries of one kind that one update adds; of more the newest.
const EACH_MAX: usize = 8;
const TITLE_UNITS: usize = 160;
const LINE_UNITS: usize = 240;
const FILES_MAX: usize = 8;
const OUTCOMES_MAX: usize = 3;

/// What an update tells of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Happened {
    /// In the order in which it is told.
    pub entries: Vec<NotesEntry>,
    /// Up to where everything is told then.
    pub mark: Mark,
}

/// Everything after `mark`. `commits` are those that were made since, the newest first, as git tells them.
#[must_use]
pub fn since(mark: Mark, state: &State, ledger: &Ledger, commits: &[Commit]) -> Happened {
    // A transcript that was cut or written anew has fewer responses than were told of: what it held then is told already.
    let mark =
        if mark.turn > ledger.turn { Mark { decision: mark.decision, ..told_now(ledger) } } else { mark };
    let mut entries = Vec::new();
    finished_tasks(mark, ledger, &mut entries);
    finished_requests(mark, ledger, &mut entries);
    checks(mark, ledger, &mut entries);
    for commit in commits.iter().rev() {
        entries.push(NotesEntry {
            at: commit.at.map_or(When::Now, When::At),
            title: format!("Commit {}", one_line(&commit.words, TITLE_UNITS)),
            ..NotesEntry::default()
        });
    }
    found_decisions(mark, ledger, &mut entries);
    let decision = recorded_decisions(mark, state, &mut entries);
    let now = told_now(ledger);
    let (offset, check) = (now.offset.max(mark.offset), now.check.max(mark.check));
    Happened { entries, mark: Mark { turn: ledger.turn, offset, check, decision } }
}

/// The mark of a page that tells everything: the newest bytes of the transcript that anything here came from. A test whose
/// result has not come yet is told when it has.
fn told_now(ledger: &Ledger) -> Mark {
    let tasks = ledger.tasks.iter().map(|task| task.changed.offset);
    let findings = ledger.findings.iter().map(|finding| finding.place.offset);
    let is_told = |it: &&CommandUse| it.kind == CommandKind::Test && it.succeeded.is_some();
    let answered = ledger.commands.iter().filter(is_told);
    Mark {
        turn: ledger.turn,
        offset: tasks.chain(findings).max().unwrap_or_default(),
        check: answered.map(|command| command.last.offset).max().unwrap_or_default(),
        decision: 0,
    }
}

/// The newest of them; that there were more is an entry of its own.
fn newest<T>(mut all: Vec<T>, what: &str, entries: &mut Vec<NotesEntry>) -> Vec<T> {
    let left_out = all.len().saturating_sub(EACH_MAX);
    if left_out > 0 {
        entries.push(NotesEntry { title: format!("and {left_out} more {what}"), ..NotesEntry::default() });
    }
    all.split_off(left_out)
}

fn finished_tasks(mark: Mark, ledger: &Ledger, entries: &mut Vec<NotesEntry>) {
    let is_new = |task: &&Task| task.status == "completed" && task.changed.offset > mark.offset;
    let mut done: Vec<&Task> = ledger.tasks.iter().filter(is_new).collect();
    done.sort_by_key(|task| task.changed);
    for task in newest(done, "tasks done", entries) {
        let of_task = |segment: &&Segment| {
            !segment.is_request()
                && (segment.id == task.id || (task.id.is_empty() && segment.subject == task.subject))
        };
        let segment = ledger.segments.iter().rfind(of_task);
        let number = if task.id.is_empty() { String::new() } else { format!("#{} ", one_line(&task.id, 20)) };
        entries.push(NotesEntry {
            at: When::Line(task.changed.offset),
            title: format!("Task done: {number}{}", one_line(&task.subject, TITLE_UNITS)),
            lines: segment.map(segment_lines).unwrap_or_default(),
        });
    }
}

/// Where there are no tasks, the user's requests take their place.
fn finished_requests(mark: Mark, ledger: &Ledger, entries: &mut Vec<NotesEntry>) {
    let did_something =
        |it: &&&Segment| !it.files.is_empty() || !it.commands.is_empty() || !it.outcomes.is_empty();
    let finished = ledger.finished_segments();
    let new = finished.iter().filter(|it| it.is_request() && it.end.is_some_and(|end| end > mark.turn));
    for segment in newest(new.filter(did_something).collect(), "requests done", entries) {
        entries.push(NotesEntry {
            at: end_of(segment, ledger),
            title: format!("Request done: \"{}\"", one_line(&segment.subject, TITLE_UNITS)),
            lines: segment_lines(segment),
        });
    }
}

/// A request is over when the next one comes; the last one, now.
fn end_of(segment: &Segment, ledger: &Ledger) -> When {
    let end = segment.end.unwrap_or(ledger.turn);
    let next = ledger.said.iter().find(|word| word.place.turn >= end);
    next.map_or(When::Now, |word| When::Line(word.place.offset))
}

fn segment_lines(segment: &Segment) -> Vec<String> {
    let outcomes = segment.outcomes.iter().rev().take(OUTCOMES_MAX).rev();
    let mut lines: Vec<String> = outcomes.map(|outcome| one_line(outcome, LINE_UNITS)).collect();
    if !segment.files.is_empty() {
        let named: Vec<String> =
            segment.files.iter().take(FILES_MAX).map(|path| one_line(path, 120)).collect();
        let more = segment.files.len().saturating_sub(FILES_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("Files: {}{more}", named.join(", ")));
    }
    lines
}

/// Tests that ran, with how they ended; other checks are many and say less.
fn checks(mark: Mark, ledger: &Ledger, entries: &mut Vec<NotesEntry>) {
    let is_new = |it: &&CommandUse| {
        it.kind == CommandKind::Test && it.last.offset > mark.check && it.succeeded.is_some()
    };
    let mut ran: Vec<&CommandUse> = ledger.commands.iter().filter(is_new).collect();
    ran.sort_by_key(|command| command.last);
    for command in newest(ran, "test runs", entries) {
        let outcome = if command.succeeded == Some(true) { "passed" } else { "failed" };
        let last = command.result.last().map(|line| format!("> {}", one_line(line, LINE_UNITS)));
        entries.push(NotesEntry {
            at: When::Line(command.last.offset),
            title: format!("Tests {outcome}: `{}`", one_line(&command.normal, TITLE_UNITS)),
            lines: last.into_iter().collect(),
        });
    }
}

fn found_decisions(mark: Mark, ledger: &Ledger, entries: &mut Vec<NotesEntry>) {
    let found = ledger.findings.iter();
    let is_new = |it: &&throughline_domain::ledger::Finding| {
        it.kind == FindingKind::Decision && it.place.offset > mark.offset
    };
    for finding in newest(found.filter(is_new).collect(), "decisions in passing", entries) {
        let who = if finding.by_user { "the user" } else { "the agent" };
        entries.push(NotesEntry {
            at: When::Line(finding.place.offset),
            title: format!("Decided, in the words of {who}"),
            lines: vec![format!("\"{}\"", one_line(&finding.quote, LINE_UNITS))],
        });
    }
}

/// Decisions that were recorded; gives the number of the last one.
fn recorded_decisions(mark: Mark, state: &State, entries: &mut Vec<NotesEntry>) -> u64 {
    let decisions = state.entries(Kind::Decision);
    let new = decisions.iter().filter(|entry| entry.id.number > mark.decision).collect();
    for entry in newest(new, "decisions", entries) {
        let reason = match &entry.detail {
            Detail::Decision { rationale, .. } if !rationale.is_empty() => {
                Some(format!("Because {}", one_line(rationale, LINE_UNITS)))
            }
            _ => None,
        };
        entries.push(NotesEntry {
            at: time::parse(&entry.timestamp).map_or(When::Now, When::At),
            title: format!("Decision {}: {}", entry.id, one_line(&entry.text, TITLE_UNITS)),
            lines: reason.into_iter().collect(),
        });
    }
    decisions.iter().map(|entry| entry.id.number).max().unwrap_or_default().max(mark.decision)
}
