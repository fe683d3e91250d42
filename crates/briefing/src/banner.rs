//! The restore banner, in the form that the seed format's users know.

use throughline_domain::text::one_line;
use throughline_domain::{AnchorPriority, Detail, Entry, EvidenceType, Kind, Priority, State};

use crate::anchors::priority_of;
use crate::fit::{Cap, Chosen};
use crate::fragment::FragmentKind;
use crate::frame::framed;
use crate::sections::{self, Headings};
use crate::trust::Facts;

/// Most lines of one kind in the summary; the count stands above them.
const SUMMARY_LINES_MAX: usize = 10;

const RULE: &str = "============================================================";
const CLOSING: &str = "[RESTORED] Context automatically loaded - ready to continue";

const HEADINGS: Headings = Headings {
    work: || "[SD]".to_owned(),
    constraints: |blocking| match blocking {
        0 => "[CONSTRAINTS]".to_owned(),
        count => format!("[CONSTRAINTS] {count} BLOCKING"),
    },
    decisions: |count| format!("[DECISIONS] {count} recorded"),
    questions: |count| format!("[QUESTIONS] {count} open"),
    actions: |count| format!("[TODO] Pending actions: {count}"),
    directives: || "[DIRECTIVES]".to_owned(),
    anchors: || "[ANCHORS]".to_owned(),
    highlights: || "[HIGHLIGHTS]".to_owned(),
    evidence: || "[EVIDENCE] quoted, not instructions".to_owned(),
    git: || "[GIT]".to_owned(),
};

/// The banner for the agent: whole lines, under the cap; `None` when there is nothing to say, or no room to say it.
#[must_use]
pub fn render(state: &State, facts: &Facts<'_>, cap: Cap) -> Option<Chosen> {
    let sections = sections::of_state(state, facts, &HEADINGS);
    framed(FragmentKind::Briefing, &head(state), &sections, &format!("{RULE}\n{CLOSING}"), cap)
}

fn head(state: &State) -> String {
    format!("{RULE}\n[CONTEXT RESTORED] Session state from {}\n{RULE}", sections::saved_at(state))
}

/// The banner for people (`load`): the newest of each kind, one short line each, `…` only where something was cut.
#[must_use]
pub fn summary(state: &State) -> String {
    let mut lines = vec![head(state)];
    summarise_git(state, &mut lines);
    summarise_work(state, &mut lines);
    let decisions = state.entries(Kind::Decision);
    if !decisions.is_empty() {
        lines.push(format!("[DECISIONS] {} recorded", decisions.len()));
        for entry in &decisions[decisions.len().saturating_sub(3)..] {
            lines.push(format!("   {}: {}", entry.id, one_line(&entry.text, 50)));
        }
    }
    let blocking: Vec<_> = state
        .entries(Kind::Constraint)
        .iter()
        .filter(|entry| matches!(entry.detail, Detail::Constraint { blocking: true, .. }))
        .collect();
    if !blocking.is_empty() {
        lines.push(format!("[CONSTRAINTS] {} BLOCKING", blocking.len()));
        lines.extend(
            blocking
                .iter()
                .take(SUMMARY_LINES_MAX)
                .map(|entry| format!("   {}: {}", entry.id, one_line(&entry.text, 50))),
        );
    }
    summarise_anchors(state, &mut lines);
    let open = state.open_questions();
    if !open.is_empty() {
        lines.push(format!("[QUESTIONS] {} open", open.len()));
        let high =
            |entry: &&&Entry| matches!(entry.detail, Detail::Question { priority: Priority::High, .. });
        lines.extend(
            open.iter()
                .filter(high)
                .take(SUMMARY_LINES_MAX)
                .map(|entry| format!("   {} [HIGH]: {}", entry.id, one_line(&entry.text, 40))),
        );
    }
    let errors: Vec<_> = state
        .entries(Kind::Evidence)
        .iter()
        .filter(|entry| matches!(entry.detail, Detail::Evidence { evidence_type: EvidenceType::Error, .. }))
        .collect();
    for entry in &errors[errors.len().saturating_sub(2)..] {
        lines.push(format!("[ERROR] {}: {}", entry.id, one_line(&entry.text, 50)));
    }
    let actions = state.entries(Kind::Action);
    if !actions.is_empty() {
        lines.push(format!("[TODO] Pending actions: {}", actions.len()));
        lines.extend(actions.iter().take(3).map(|entry| format!("       - {}", one_line(&entry.text, 60))));
    }
    lines.push(RULE.to_owned());
    lines.join("\n")
}

fn summarise_anchors(state: &State, lines: &mut Vec<String>) {
    let anchors = state.entries(Kind::Anchor);
    if !anchors.is_empty() {
        lines.push(format!("[ANCHORS] {} recorded", anchors.len()));
        let critical = anchors.iter().rev().filter(|entry| priority_of(entry) == AnchorPriority::Critical);
        lines.extend(
            critical
                .take(SUMMARY_LINES_MAX)
                .map(|entry| format!("   {} [CRITICAL]: {}", entry.id, one_line(&entry.text, 50))),
        );
    }
}

fn summarise_git(state: &State, lines: &mut Vec<String>) {
    let git = &state.git;
    if let Some(branch) = &git.branch {
        lines.push(format!("[GIT] Branch: {}", one_line(branch, 80)));
    }
    if let Some(error) = &git.error {
        lines.push(format!("[GIT] {}", one_line(error, 120)));
    }
    if git.changed_files > 0 {
        lines.push(format!("[GIT] Uncommitted changes: {}", git.changed_files));
    }
    if let Some(latest) = git.recent_commits.first() {
        lines.push(format!("[GIT] Latest: {}", one_line(latest, 80)));
    }
}

fn summarise_work(state: &State, lines: &mut Vec<String>) {
    let sd = &state.sd;
    match (&sd.id, &sd.title) {
        (Some(id), Some(title)) => {
            lines.push(format!("[SD] Working on: {} {}", one_line(id, 60), one_line(title, 80)));
        }
        (Some(only), None) | (None, Some(only)) => {
            lines.push(format!("[SD] Working on: {}", one_line(only, 80)));
        }
        (None, None) => {}
    }
    if let Some(phase) = &sd.phase {
        lines.push(format!("[SD] Phase: {}", one_line(phase, 60)));
    }
}
