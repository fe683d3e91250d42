//! The compaction snapshot: the working tree as it stood before a compaction, as Markdown for people and agents.

use throughline_domain::text::printable;
use throughline_domain::{GitState, Timestamp, time};

/// What the snapshot shows.
#[derive(Debug, Clone)]
pub struct SnapshotParts<'a> {
    /// When it is taken.
    pub now: Timestamp,
    /// `auto` or `manual`.
    pub trigger: &'a str,
    /// Branch, status, commits.
    pub git: &'a GitState,
    /// `git diff --stat`.
    pub diff_stat: &'a str,
    /// `git diff --cached --stat`.
    pub staged_stat: &'a str,
    /// Files modified in the last hour.
    pub modified_last_hour: &'a [String],
}

/// The snapshot's text (S1.8).
#[must_use]
pub fn render(parts: &SnapshotParts<'_>) -> String {
    let git = parts.git;
    let mut text = format!(
        "# Pre-Compaction Snapshot\n**Created**: {}\n**Trigger**: {}\n",
        time::iso(parts.now),
        printable(parts.trigger)
    );
    if let Some(error) = &git.error {
        text.push_str(&format!("\n> git: {}\n", printable(error)));
    }
    let mut status = git.status.clone();
    let shown = git.status.lines().count() as u64;
    if git.changed_files > shown {
        status.push_str(&format!("\n… and {} more", git.changed_files - shown));
    }
    section(&mut text, "Git Status", &status);
    section(&mut text, "Diff Stat", parts.diff_stat);
    section(&mut text, "Staged Changes", parts.staged_stat);
    section(&mut text, "Current Branch", git.branch.as_deref().unwrap_or(""));
    section(&mut text, "Recent Commits", &git.recent_commits.join("\n"));
    section(&mut text, "Modified in the Last Hour", &parts.modified_last_hour.join("\n"));
    text
}

fn section(text: &mut String, title: &str, body: &str) {
    let body = printable(body);
    let body = body.trim_end();
    // Indented, not fenced: a file name cannot end an indented block.
    let shown: String = match body.is_empty() {
        true => "    (none)\n".to_owned(),
        false => body.lines().map(|line| format!("    {line}\n")).collect(),
    };
    text.push_str(&format!("\n## {title}\n\n{shown}"));
}
