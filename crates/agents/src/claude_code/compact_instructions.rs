//! Compact Instructions: the section of a CLAUDE.md that tells the summariser what to keep, put in and taken out again.
//!
//! It holds standing instructions only; what stands right now reaches the summariser through PreCompact.

use crate::settings::section::Section;
pub use crate::settings::section::{Edit, SectionStanding};

/// The section. Every session pays for it: short.
pub const SECTION: &str = "\
## Compact Instructions

When compacting, keep word by word, with ids, names, paths, commands and numbers:
- the session's name, the work item: id, title, phase
- what the user asked for and what he forbade
- what is done, what is in progress, the next step
- decisions with reasons, decisions still pending, open questions
- subagents: what each was asked, what it brought
- key files; the commands that check the work, with their last result

Spend no room on what is on disk anyway (file contents, diffs, long output): name the path or the command. What \
stands between throughline's marks is the live state: keep what it says.";

/// The section with the marks around it.
pub const COMPACT_INSTRUCTIONS: Section = Section {
    begin: "<!-- throughline: begin",
    end: "<!-- throughline: end -->",
    title: "compact instructions",
    body: SECTION,
};

/// Puts the section in, or brings it up to date where it stands. A foreign section and damaged marks stay as they are.
///
/// ```
/// use throughline_agents::claude_code::compact_instructions::{install, uninstall};
/// let installed = install("# My project\n").text;
/// assert!(installed.starts_with("# My project\n\n<!-- throughline: begin"));
/// assert_eq!(uninstall(&installed).text, "# My project\n");
/// ```
#[must_use]
pub fn install(text: &str) -> Edit {
    COMPACT_INSTRUCTIONS.install(text)
}

/// Takes the section out. What is left is what was there before [`install`], byte for byte.
#[must_use]
pub fn uninstall(text: &str) -> Edit {
    COMPACT_INSTRUCTIONS.uninstall(text)
}

/// What stands in a text.
#[must_use]
pub fn standing(text: &str) -> SectionStanding {
    COMPACT_INSTRUCTIONS.standing(text)
}

/// The line of somebody's own section, also beside ours, counted from 1: the client reads both.
#[must_use]
pub fn foreign_line(text: &str) -> Option<usize> {
    COMPACT_INSTRUCTIONS.foreign_line(text)
}

#[cfg(test)]
mod tests;
