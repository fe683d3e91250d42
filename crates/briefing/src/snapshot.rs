//! The compaction snapshot: the working tree as it stood before a compaction, as Markdown for people and agents.

use throughline_domain::text::{one_line, printable, shorten};
use throughline_domain::{GitState, Timestamp, time};

/// Most lines of one section; the rest is counted.
const LINES_MAX: usize = 60;
/// Longest line.
const LINE_UNITS_MAX: usize = 200;

/// What the snapshot begins with.
pub(crate) const TITLE: &str = "# Pre-Compaction Snapshot";

/// A client may have its summary made long before it compacts, or for nothing.
const NOT_YET: &str = "may follow, now or later; the compaction log tells those that came";

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

/// The snapshot's text.
#[must_use]
pub fn render(parts: &SnapshotParts<'_>) -> String {
    let git = parts.git;
    let mut text = format!(
        "{TITLE}\n**Created**: {}\n**Trigger**: {}\n**Compaction**: {NOT_YET}\n",
        time::iso(parts.now),
        one_line(parts.trigger, 40)
    );
    if let Some(error) = &git.error {
        text.push_str(&format!("\n> git: {}\n", one_line(error, 200)));
    }
    let status: Vec<&str> = git.status.lines().collect();
    section(&mut text, "Git Status", &status, git.changed_files);
    for (title, body) in [
        ("Diff Stat", parts.diff_stat),
        ("Staged Changes", parts.staged_stat),
        ("Current Branch", git.branch.as_deref().unwrap_or("")),
    ] {
        section(&mut text, title, &body.lines().collect::<Vec<_>>(), 0);
    }
    for (title, list) in
        [("Recent Commits", &git.recent_commits[..]), ("Modified in the Last Hour", parts.modified_last_hour)]
    {
        section(&mut text, title, &list.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    }
    text
}

/// A section with the lines there are; `counted` says how many there would be, when it is known to be more.
fn section(text: &mut String, title: &str, lines: &[&str], counted: u64) {
    text.push_str(&format!("\n## {title}\n\n"));
    let lines: Vec<&&str> = lines.iter().filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() && counted == 0 {
        text.push_str("    (none)\n");
    }
    // Indented, not fenced: a file name cannot end an indented block.
    for line in lines.iter().take(LINES_MAX) {
        let line = printable(line).replace('\n', " ");
        text.push_str(&format!("    {}\n", shorten(line.trim_end(), LINE_UNITS_MAX)));
    }
    let more = counted.max(lines.len() as u64) - lines.len().min(LINES_MAX) as u64;
    if more > 0 {
        text.push_str(&format!("    … and {more} more\n"));
    }
}
