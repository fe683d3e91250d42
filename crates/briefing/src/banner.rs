//! The restore banner, in the form that the seed format's users know: wherever a whole restore is told.

use throughline_domain::ledger::Ledger;
use throughline_domain::text::{one_line, utf16_len};
use throughline_domain::{
    AnchorPriority, Detail, Entry, EvidenceType, Kind, Priority, State, Timestamp, time,
};

use crate::anchors::priority_of;
use crate::fit::{Cap, Chosen, Line, Section, fit};
use crate::fragment::{self, FragmentKind, defused};
use crate::frame::framed;
use crate::sections::{self, Headings, in_quotes};
use crate::session;
use crate::trust::{Facts, Scope};

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

/// The session before, whose transcript tells where it stood.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// What its transcript told.
    pub ledger: &'a Ledger,
    /// When it was last active.
    pub last_active: Timestamp,
    /// It ended without saying so.
    pub crashed: bool,
    /// Now.
    pub now: Timestamp,
}

impl Before<'_> {
    /// When it was there and how it ended: what is old is not told as if it were new.
    fn words(&self) -> String {
        let ago = time::span_words(time::seconds_between(self.last_active, self.now));
        let ended = if self.crashed { "; it ended without saying so" } else { "" };
        format!(
            "Where the last session in this project stood (last active {} UTC, {ago} ago{ended}), from its transcript. \
             Go on from here unless the user says otherwise.",
            minute(self.last_active)
        )
    }
}

/// The banner for the agent: whole lines, under the cap; `None` when there is nothing to say, or no room to say it.
#[must_use]
pub fn render(state: &State, facts: &Facts<'_>, cap: Cap) -> Option<Chosen> {
    let tail = format!("{RULE}\n{CLOSING}");
    framed(FragmentKind::Briefing, &head(&sections::saved_at(state)), &sections_of(state, facts), &tail, cap)
}

/// The same with what the transcript of the session before tells.
#[must_use]
pub fn render_with(state: &State, facts: &Facts<'_>, before: &Before<'_>, cap: Cap) -> Option<Chosen> {
    let saved =
        time::parse(&state.timestamp).map_or(before.last_active, |saved| saved.max(before.last_active));
    let (head, words) = (head(&time::iso(saved)), before.words());
    let tail = format!("{RULE}\n{CLOSING}");
    let frame = fragment::wrap_units(FragmentKind::Briefing) + utf16_len(&head) + utf16_len(&tail) + 2;
    let room = cap.units.checked_sub(frame + utf16_len(&words) + 1)?;
    let recorded = fit(&sections_of(state, facts), Cap { units: room / 2 });
    let left = room - utf16_len(&recorded.text);
    let told = session::beside_recorded(state, facts, before.ledger, left);
    if told.reasons.is_empty() && recorded.reasons.is_empty() {
        return None;
    }
    let words = if told.reasons.is_empty() { String::new() } else { format!("{words}\n") };
    let text = format!("{head}\n{}{words}{}{tail}", recorded.text, told.text);
    let reasons = [recorded.reasons, told.reasons].concat();
    let left_out = recorded.left_out + told.left_out;
    Some(Chosen { text: fragment::wrap(FragmentKind::Briefing, &text), reasons, left_out })
}

/// Git and the work item first, a line each, as the seed has them; then what was recorded.
fn sections_of(state: &State, facts: &Facts<'_>) -> Vec<Section> {
    let mut all = sections::of_state(state, facts, &HEADINGS);
    let has = |heading: &str| all.iter().any(|it| it.heading == heading && !it.lines.is_empty());
    let (has_git, has_work) = (has(&(HEADINGS.git)()), has(&(HEADINGS.work)()));
    all.retain(|it| it.heading != (HEADINGS.git)() && it.heading != (HEADINGS.work)());
    let mut lines = Vec::new();
    if has_git || facts.scope == Scope::Whole && state.git.branch.is_some() {
        summarise_git(state, in_quotes, &mut lines);
    }
    let git = section(&lines, 2, "where the working tree stands");
    let mut lines = Vec::new();
    if has_work {
        summarise_work(state, &mut lines);
    }
    let work = section(&lines, 1, "the work item");
    // The tree alone is nothing to restore.
    if !has_work && all.iter().all(|it| it.lines.is_empty()) {
        return all;
    }
    [vec![git, work], all].concat()
}

fn section(lines: &[String], rank: u8, why: &'static str) -> Section {
    let lines = lines.iter().map(|text| Line { rank, text: defused(text), why }).collect();
    Section { lines, ..Section::default() }
}

fn head(from: &str) -> String {
    format!("{RULE}\n[CONTEXT RESTORED] Session state from {from}\n{RULE}")
}

fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

/// The banner for people (`load`): the newest of each kind, one short line each, `…` only where something was cut.
#[must_use]
pub fn summary(state: &State) -> String {
    let mut lines = vec![head(&sections::saved_at(state))];
    summarise_git(state, one_line, &mut lines);
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

/// `subject`: how a commit's own words are shown; to the agent they are a quotation.
fn summarise_git(state: &State, subject: fn(&str, usize) -> String, lines: &mut Vec<String>) {
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
        lines.push(format!("[GIT] Latest: {}", subject(latest, 80)));
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
    if let Some(percent) = sd.progress.and_then(sections::percent) {
        lines.push(format!("[SD] Progress: {percent}"));
    }
    for (label, value) in [("In hand", &sd.item), ("Waits for", &sd.blocking), ("Next", &sd.next)] {
        if let Some(value) = value {
            lines.push(format!("[SD] {label}: {}", one_line(value, 300)));
        }
    }
}
