//! Compact Instructions: the section of a CLAUDE.md that tells the summariser what to keep, put in and taken out again.
//!
//! It holds standing instructions only; what stands right now reaches the summariser through PreCompact. Between our
//! marks (comments, which the client does not show to the model) the text is ours. Everything else keeps its bytes.

use std::ops::Range;

use throughline_domain::text::fingerprint;

const BEGIN: &str = "<!-- throughline: begin";
const END: &str = "<!-- throughline: end -->";
const CLOSE: &str = "-->";

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

/// What stands in a CLAUDE.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionStanding {
    /// Nothing of ours, and no such section of anybody's.
    Absent,
    /// The section, as this version writes it.
    UpToDate,
    /// The section as an other version of ours wrote it.
    Outdated,
    /// The section, changed by somebody since.
    Edited,
    /// Somebody's own section, and none of ours.
    Foreign {
        /// The line of its heading, counted from 1.
        line: usize,
    },
    /// Our marks, but not in pairs: what is between them cannot be told.
    Damaged {
        /// The line of the mark that has no other, counted from 1.
        line: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// The text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The whole new text.
    pub text: String,
    /// What stood there before.
    pub before: SectionStanding,
}

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
    let (before, blocks) = read(text);
    let new = match (&before, blocks.as_slice()) {
        (SectionStanding::Absent, _) => append(text),
        (SectionStanding::Outdated | SectionStanding::Edited, [first, more @ ..]) => {
            // From the end, so that the places before stay true. A second copy came by a merge, and says nothing new.
            let mut new = text.to_owned();
            for block in more.iter().rev() {
                new = cut(&new, block);
            }
            new.replace_range(first.clone(), &section(line_end_at(text, first.start)));
            new
        }
        _ => text.to_owned(),
    };
    Edit { text: new, before }
}

/// Takes the section out. What is left is what was there before [`install`], byte for byte.
#[must_use]
pub fn uninstall(text: &str) -> Edit {
    let (before, blocks) = read(text);
    let mut new = text.to_owned();
    if !matches!(before, SectionStanding::Damaged { .. }) {
        for block in blocks.iter().rev() {
            new = cut(&new, block);
        }
    }
    Edit { text: new, before }
}

/// What stands in a text.
#[must_use]
pub fn standing(text: &str) -> SectionStanding {
    read(text).0
}

/// The line of somebody's own section, also beside ours, counted from 1: the client reads both.
#[must_use]
pub fn foreign_line(text: &str) -> Option<usize> {
    heading_outside(text, &read(text).1)
}

fn heading_outside(text: &str, blocks: &[Range<usize>]) -> Option<usize> {
    let mut in_fence = false;
    let below = lines(text).skip(1).map(|(_, line)| line).chain([""]);
    lines(text).zip(below).enumerate().find_map(|(at, ((start, line), below))| {
        let line = line.trim_start_matches('\u{feff}').trim_end();
        // An example in a block of code is no section.
        if ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence)) {
            in_fence = !in_fence;
        }
        let is_ours = blocks.iter().any(|block| block.contains(&start));
        (!in_fence && !is_ours && (is_heading(line) || is_underlined(line, below))).then_some(at + 1)
    })
}

/// A heading of any level with these words, in any case: the client does not look closer either.
fn is_heading(line: &str) -> bool {
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    // Without a blank behind its marks it is no heading to Markdown, but to whoever wrote it.
    (1..=6).contains(&level) && is_title(words.trim().trim_end_matches('#'))
}

/// The other form of a heading: its words, and a line of `=` or `-` below.
fn is_underlined(line: &str, below: &str) -> bool {
    let below = below.trim();
    let is_rule = |mark: char| below.len() >= 2 && below.chars().all(|c| c == mark);
    is_title(line) && (is_rule('=') || is_rule('-'))
}

fn is_title(words: &str) -> bool {
    words.trim().eq_ignore_ascii_case("compact instructions")
}

/// What stands there, and where our sections are: from the begin mark to the end mark, without the line end behind it.
fn read(text: &str) -> (SectionStanding, Vec<Range<usize>>) {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (at, (start, line)) in lines(text).enumerate() {
        let indent =
            line.len() - line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
        let mark = line[indent..].trim_end();
        let start = start + indent;
        let damaged = |line: usize, what| (SectionStanding::Damaged { line: line + 1, what }, Vec::new());
        if mark.starts_with(BEGIN) && mark.ends_with(CLOSE) {
            if let Some((line, _)) = open {
                return damaged(line, "the begin mark is followed by another one");
            }
            open = Some((at, start));
        } else if mark == END {
            let Some((_, from)) = open.take() else { return damaged(at, "the end mark has no begin mark") };
            blocks.push(from..start + mark.len());
        }
    }
    if let Some((line, _)) = open {
        return (
            SectionStanding::Damaged { line: line + 1, what: "the begin mark has no end mark" },
            Vec::new(),
        );
    }
    let standing = match blocks.as_slice() {
        [] => heading_outside(text, &[])
            .map_or(SectionStanding::Absent, |line| SectionStanding::Foreign { line }),
        [only] => standing_of(&text[only.clone()]),
        // Two came by a merge. They become one.
        [_, _, ..] => SectionStanding::Edited,
    };
    (standing, blocks)
}

/// Whether a section is as some version of ours wrote it: its begin mark carries the fingerprint of the lines below.
fn standing_of(block: &str) -> SectionStanding {
    let block = block.replace("\r\n", "\n");
    if block == section("\n") {
        return SectionStanding::UpToDate;
    }
    let Some((begin, rest)) = block.split_once('\n') else { return SectionStanding::Edited };
    let body = rest.strip_suffix(END).unwrap_or(rest);
    if begin == begin_mark(body.trim_end_matches('\n')) {
        SectionStanding::Outdated
    } else {
        SectionStanding::Edited
    }
}

fn begin_mark(body: &str) -> String {
    format!("{BEGIN} {:016x} {CLOSE}", fingerprint(body.as_bytes()))
}

fn section(line_end: &str) -> String {
    let text = format!("{}\n{SECTION}\n{END}", begin_mark(SECTION));
    if line_end == "\n" { text } else { text.replace('\n', line_end) }
}

/// At the end, behind a blank line. A text without a last line end gets none behind the section either: that tells
/// [`cut`] how much of what stands before the section is ours.
fn append(text: &str) -> String {
    let line_end = first_line_end(text);
    let section = section(line_end);
    if text.trim_start_matches('\u{feff}').is_empty() {
        return format!("{text}{section}{line_end}");
    }
    if text.ends_with('\n') {
        format!("{text}{line_end}{section}{line_end}")
    } else {
        format!("{text}{line_end}{line_end}{section}")
    }
}

/// The text without one section and without the blank line that came with it.
fn cut(text: &str, block: &Range<usize>) -> String {
    let line_end = line_end_at(text, block.start);
    let (mut before, mut after) = (&text[..block.start], &text[block.end..]);
    if after.is_empty() {
        // We wrote it so where the text had no last line end.
        before =
            before.strip_suffix(line_end).map_or(before, |it| it.strip_suffix(line_end).unwrap_or(before));
    } else {
        after = after.strip_prefix(line_end).unwrap_or(after);
        before = before.strip_suffix(line_end).filter(|it| it.ends_with('\n')).unwrap_or(before);
    }
    format!("{before}{after}")
}

/// The kind of line end of the line that begins at `start`; the last line of a text is like its first.
fn line_end_at(text: &str, start: usize) -> &'static str {
    first_line_end(&text[start..])
}

fn first_line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The lines of a text with the place where each begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line)
    })
}

#[cfg(test)]
mod tests;
