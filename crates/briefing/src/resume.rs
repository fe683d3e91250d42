//! The resume context: how long nobody was there, and what changed meanwhile. Also the one line for old memories.

use throughline_domain::ledger::{FindingKind, Ledger, Task};
use throughline_domain::text::one_line;
use throughline_domain::{AnchorPriority, Kind, State, Timestamp, time};

use crate::anchors::{self, priority_of};
use crate::fit::{Cap, Line, Section};
use crate::fragment::{self, FragmentKind};
use crate::frame::framed;
use crate::hand_over;
use crate::sections::in_quotes;

/// Open tasks that are told.
const TASKS_MAX: usize = 6;
/// Files that are named of those that changed.
const FILES_MAX: usize = 8;
const WORDS_UNITS: usize = 200;

/// What git says happened since the state was saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitChanges {
    /// The branch now, when it is another one.
    pub branch_now: Option<String>,
    /// New commits, newest first, bounded.
    pub commits: Vec<String>,
    /// How many there are in all.
    pub commit_count: u64,
    /// Files changed by them.
    pub files_changed: u64,
    /// The recorded commit is no longer in the history.
    pub history_rewritten: bool,
}

impl GitChanges {
    fn is_empty(&self) -> bool {
        self.branch_now.is_none() && self.commit_count == 0 && !self.history_rewritten
    }
}

/// Files that the session had read or changed and that are no longer as it left them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesSince {
    /// Written since.
    pub changed: Vec<String>,
    /// No longer there.
    pub gone: Vec<String>,
}

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Everything: nobody else tells the work.
    Full,
    /// What changed; where the work stood stands in the briefing beside it.
    Changes,
    /// It is old: that it is, and the least that must be known.
    Old,
}

/// What is known about the pause.
#[derive(Debug, Clone)]
pub struct Pause<'a> {
    /// When somebody was last there.
    pub last_active: Option<Timestamp>,
    /// Now.
    pub now: Timestamp,
    /// What the session's transcript told; empty where there is none.
    pub ledger: Option<&'a Ledger>,
    /// What git tells; `None` where it could not be asked.
    pub git: Option<&'a GitChanges>,
    /// Files that are others now.
    pub files: &'a FilesSince,
    /// How much is told.
    pub length: Length,
}

/// The resume context; empty when there is no room for it.
///
/// It quotes nothing: give it a state [without untrusted entries](crate::Facts::vouched).
#[must_use]
pub fn render(state: &State, pause: &Pause<'_>, cap: Cap) -> String {
    let mut lines = Lines(vec![Line { rank: 0, text: head(pause), why: "how long nobody was there" }]);
    work(state, pause.length, &mut lines);
    if pause.length != Length::Changes {
        standing(state, pause, &mut lines);
    }
    if let Some(changes) = pause.git {
        git(state, changes, pause.length, &mut lines);
    }
    files(pause.files, &mut lines);
    let section = Section { heading: String::new(), lines: lines.0, ..Section::default() };
    framed(FragmentKind::Resume, "", &[section], "", cap).map_or_else(String::new, |chosen| chosen.text)
}

struct Lines(Vec<Line>);

impl Lines {
    fn push(&mut self, rank: u8, text: &str, why: &'static str) {
        self.0.push(Line { rank, text: fragment::defused(text), why });
    }
}

fn head(pause: &Pause<'_>) -> String {
    let idle = pause.last_active.map(|then| time::seconds_between(then, pause.now));
    match (idle, pause.last_active) {
        (Some(idle), Some(then)) if pause.length == Length::Old => format!(
            "This is {} old (last activity {} UTC, now {}): look before you rely on it.",
            time::span_words(idle),
            minute(then),
            day(pause.now)
        ),
        (Some(idle), Some(then)) => {
            format!("Back after {} (last activity {} UTC).", time::span_words(idle), minute(then))
        }
        _ => "Back after a pause.".to_owned(),
    }
}

fn work(state: &State, length: Length, lines: &mut Lines) {
    let sd = &state.sd;
    let phase = sd.phase.as_ref().or(state.workflow.current_phase.as_ref());
    let name = sd.id.as_ref().or(sd.title.as_ref()).filter(|_| length != Length::Changes);
    let text = match (name, phase) {
        (Some(name), Some(phase)) => {
            format!("Working on {} · phase {}", one_line(name, 100), one_line(phase, 60))
        }
        (Some(name), None) => format!("Working on {}", one_line(name, 100)),
        (None, Some(phase)) => format!("Phase: {}", one_line(phase, 60)),
        (None, None) => return,
    };
    lines.push(1, &text, "the phase");
}

/// Where the work stood: what was announced, what is open, what must not be forgotten.
fn standing(state: &State, pause: &Pause<'_>, lines: &mut Lines) {
    if let Some(announced) = announced(state, pause.ledger) {
        lines.push(1, &format!("Next, as it was left: {announced}"), "what was to come next");
    }
    if pause.length == Length::Full {
        let tasks = pause.ledger.map(|ledger| ledger.tasks.as_slice()).unwrap_or_default();
        let open = tasks.iter().filter(|task| task.is_open());
        let mut open: Vec<&Task> = open.collect();
        open.sort_by_key(|task| task.status != "in_progress");
        for task in open.iter().take(TASKS_MAX) {
            let mark = if task.status == "in_progress" { "in progress" } else { "open" };
            let rank = if task.status == "in_progress" { 1 } else { 2 };
            let text = format!("Task, {mark}: {}", one_line(&task.subject, WORDS_UNITS));
            lines.push(rank, &text, "a task that is not done");
        }
        if open.len() > TASKS_MAX {
            lines.push(
                3,
                &format!("and {} more open tasks", open.len() - TASKS_MAX),
                "a task that is not done",
            );
        }
        for (rank, text, why) in anchors::needed(state) {
            lines.push(rank, &text, why);
        }
    } else {
        let critical = state.entries(Kind::Anchor).iter().rev();
        for entry in critical.filter(|entry| priority_of(entry) == AnchorPriority::Critical) {
            let text = format!("{}: {}", entry.id, one_line(&entry.text, WORDS_UNITS));
            lines.push(1, &text, "critical anchor");
        }
    }
}

/// What was to come next: as somebody set it, as the agent planned it, as it last said it.
fn announced(state: &State, ledger: Option<&Ledger>) -> Option<String> {
    if let Some(next) = &state.sd.next {
        return Some(one_line(next, WORDS_UNITS));
    }
    let ledger = ledger?;
    let asked = ledger.findings.iter().rfind(|finding| finding.kind == FindingKind::Question);
    if let Some(question) = asked {
        return Some(format!("the user's answer to \"{}\"", one_line(&question.quote, WORDS_UNITS)));
    }
    let stand = &ledger.stand;
    let said = (stand.announces && !stand.said.is_empty()).then_some(stand.said.as_str());
    let plan = || ledger.findings.iter().rfind(|it| it.kind == FindingKind::Plan).map(|it| it.quote.as_str());
    said.or_else(plan).map(|words| format!("\"{}\"", one_line(words, WORDS_UNITS)))
}

fn git(state: &State, changes: &GitChanges, length: Length, lines: &mut Lines) {
    const WHY: &str = "what changed in git";
    if changes.is_empty() {
        lines.push(3, "Git: nothing new since.", WHY);
        return;
    }
    if let Some(branch) = &changes.branch_now {
        let before = state.git.branch.as_deref().unwrap_or("unknown");
        let text = format!("Git: branch moved from {} to {}.", in_quotes(before, 80), in_quotes(branch, 80));
        lines.push(1, &text, WHY);
    }
    if changes.history_rewritten {
        lines.push(1, "Git: the recorded commit is no longer in the history.", WHY);
    }
    if changes.commit_count == 0 {
        return;
    }
    let end = if length == Length::Old { '.' } else { ':' };
    let text = format!(
        "Git: {}, {} changed{end}",
        counted(changes.commit_count, "new commit"),
        counted(changes.files_changed, "file")
    );
    lines.push(1, &text, WHY);
    if length != Length::Old {
        for commit in &changes.commits {
            lines.push(3, &format!("  {}", in_quotes(commit, 160)), "a commit made meanwhile");
        }
    }
}

fn files(files: &FilesSince, lines: &mut Lines) {
    const WHY: &str = "files that changed under our feet";
    if !files.changed.is_empty() {
        let text = format!("Changed since you saw them, read them again: {}", named(&files.changed));
        lines.push(1, &text, WHY);
    }
    if !files.gone.is_empty() {
        lines.push(1, &format!("No longer there: {}", named(&files.gone)), WHY);
    }
}

fn named(paths: &[String]) -> String {
    let shown: Vec<String> = paths.iter().take(FILES_MAX).map(|path| one_line(path, 120)).collect();
    let more = paths.len().saturating_sub(FILES_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// What a session left that is not done, in a few words; `None` when it left nothing.
#[must_use]
pub fn left_words(ledger: &Ledger) -> Option<String> {
    let open = ledger.tasks.iter().filter(|task| task.is_open()).count() as u64;
    let mut left: Vec<String> = Vec::new();
    if open > 0 {
        left.push(counted(open, "open task"));
    }
    if let Some(error) = ledger.newest_failure() {
        left.push(format!("`{}` failing", one_line(&error.from, 80)));
    }
    let rules = ledger.said.iter().map(|word| word.directives.len()).sum::<usize>() as u64;
    if rules > 0 {
        left.push(counted(rules, "directive"));
    }
    (!left.is_empty()).then(|| left.join(", "))
}

/// One line: what there is, and how to see it; `None` when there is nothing. `left`: what the session before left.
#[must_use]
pub fn one_line_notice(
    state: &State,
    left: Option<&str>,
    handed_at: Option<i64>,
    last_active: Option<Timestamp>,
    now: Timestamp,
) -> Option<String> {
    let handed = handed_at.map_or_else(String::new, |at| {
        format!(" The session before handed over {}: `throughline handover` shows it.", hand_over::minute(at))
    });
    if state.is_blank() && left.is_none() {
        return handed_at.map(|_| fragment::wrap(FragmentKind::Notice, handed.trim_start()));
    }
    let counts: Vec<String> = [Kind::Decision, Kind::Constraint, Kind::Anchor, Kind::Question, Kind::Action]
        .into_iter()
        .map(|kind| match kind {
            Kind::Question => (kind, state.open_questions().len()),
            kind => (kind, state.entries(kind).len()),
        })
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", if count == 1 { kind.word() } else { kind.plural() }))
        .collect();
    let left =
        left.map(|left| format!("what the last session left ({})", fragment::defused(&one_line(left, 160))));
    let counts: Vec<String> = counts.into_iter().chain(left).collect();
    let what = if counts.is_empty() { "notes".to_owned() } else { counts.join(", ") };
    let age = last_active.map_or_else(String::new, |then| {
        format!(", last active {} ago", time::span_words(time::seconds_between(then, now)))
    });
    let text = format!(
        "Throughline remembers {what} for this project{age}. `throughline briefing` shows them; \
         `throughline fresh` starts empty.{handed}"
    );
    Some(fragment::wrap(FragmentKind::Notice, &text))
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

fn day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}
