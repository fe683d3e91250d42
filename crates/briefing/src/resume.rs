//! The resume context: how long nobody was there, and what changed meanwhile. Also the one line for old memories.

use throughline_domain::text::one_line;
use throughline_domain::{Kind, State, Timestamp, time};

use crate::anchors;
use crate::fit::{Cap, Line, Section};
use crate::fragment::{self, FragmentKind};
use crate::frame::framed;

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

/// The resume context (S2.3); empty when there is no room for it.
///
/// It quotes nothing: give it a state [without untrusted entries](crate::Facts::vouched).
#[must_use]
pub fn render(
    state: &State,
    last_active: Option<Timestamp>,
    now: Timestamp,
    changes: Option<&GitChanges>,
    cap: Cap,
) -> String {
    let idle = last_active.map(|then| time::seconds_between(then, now));
    let head = match (idle, last_active) {
        (Some(idle), Some(then)) => {
            format!("Back after {} (last activity {} UTC).", time::span_words(idle), minute(then))
        }
        _ => "Back after a pause.".to_owned(),
    };
    let mut lines = vec![Line { rank: 0, text: head, why: "how long nobody was there" }];
    let mut push = |rank, text: String, why| lines.push(Line { rank, text: fragment::defused(&text), why });
    if let Some(phase) = &state.sd.phase {
        push(1, format!("Phase: {}", one_line(phase, 60)), "the phase");
    }
    for (rank, text, why) in anchors::needed(state) {
        push(rank, text, why);
    }
    match changes {
        Some(changes) if changes.is_empty() => {
            push(3, "Git: nothing new since.".to_owned(), "what changed in git");
        }
        Some(changes) => {
            if let Some(branch) = &changes.branch_now {
                let before = state.git.branch.as_deref().unwrap_or("unknown");
                let text =
                    format!("Git: branch moved from {} to {}.", one_line(before, 80), one_line(branch, 80));
                push(1, text, "what changed in git");
            }
            if changes.history_rewritten {
                push(
                    1,
                    "Git: the recorded commit is no longer in the history.".to_owned(),
                    "what changed in git",
                );
            }
            if changes.commit_count > 0 {
                let text = format!(
                    "Git: {}, {} changed:",
                    counted(changes.commit_count, "new commit"),
                    counted(changes.files_changed, "file")
                );
                push(1, text, "what changed in git");
                for commit in &changes.commits {
                    push(3, format!("  {}", one_line(commit, 160)), "a commit made meanwhile");
                }
            }
        }
        None => {}
    }
    let section = Section { heading: String::new(), lines, ..Section::default() };
    framed(FragmentKind::Resume, "", &[section], "", cap).map_or_else(String::new, |chosen| chosen.text)
}

/// One line: what there is, and how to see it; `None` when there is nothing.
#[must_use]
pub fn one_line_notice(state: &State, last_active: Option<Timestamp>, now: Timestamp) -> Option<String> {
    if state.is_blank() {
        return None;
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
    let what = if counts.is_empty() { "notes".to_owned() } else { counts.join(", ") };
    let age = last_active.map_or_else(String::new, |then| {
        format!(", last active {} ago", time::span_words(time::seconds_between(then, now)))
    });
    let text = format!(
        "Throughline remembers {what} for this project{age}. `throughline briefing` shows them; \
         `throughline fresh` starts empty."
    );
    Some(fragment::wrap(FragmentKind::Notice, &text))
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect::<String>().replace('T', " ")
}
