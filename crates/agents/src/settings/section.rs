//! Section: what of ours stands in a page of instructions that people write, put in and taken out again.
//!
//! Between our marks (comments, which clients hide or leave alone) the text is ours. Everything else keeps its bytes.

use std::ops::Range;

use throughline_domain::text::fingerprint;

const CLOSE: &str = "-->";

/// A section of ours, with the marks around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// How the begin mark begins; a fingerprint of the body follows.
    pub begin: &'static str,
    /// The end mark.
    pub end: &'static str,
    /// The words of its heading, in small letters: whoever has one of their own gets none of ours.
    pub title: &'static str,
    /// What is said. Every session pays for it: short.
    pub body: &'static str,
}

/// What stands in a page.
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

impl Section {
    /// Puts the section in, or brings it up to date where it stands. A foreign section and damaged marks stay as they are.
    #[must_use]
    pub fn install(&self, text: &str) -> Edit {
        let (before, blocks) = self.read(text);
        let new = match (&before, blocks.as_slice()) {
            (SectionStanding::Absent, _) => self.append(text),
            (SectionStanding::Outdated | SectionStanding::Edited, [first, more @ ..]) => {
                // From the end, so that the places before stay true. A second copy came by a merge, and says nothing new.
                let mut new = text.to_owned();
                for block in more.iter().rev() {
                    new = cut(&new, block);
                }
                new.replace_range(first.clone(), &self.written(line_end_at(text, first.start)));
                new
            }
            _ => text.to_owned(),
        };
        Edit { text: new, before }
    }

    /// Takes the section out. What is left is what was there before [`Section::install`], byte for byte.
    #[must_use]
    pub fn uninstall(&self, text: &str) -> Edit {
        let (before, blocks) = self.read(text);
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
    pub fn standing(&self, text: &str) -> SectionStanding {
        self.read(text).0
    }

    /// The line of somebody's own section, also beside ours, counted from 1: the client reads both.
    #[must_use]
    pub fn foreign_line(&self, text: &str) -> Option<usize> {
        self.heading_outside(text, &self.read(text).1)
    }

    fn heading_outside(&self, text: &str, blocks: &[Range<usize>]) -> Option<usize> {
        let mut in_fence = false;
        let below = lines(text).skip(1).map(|(_, line)| line).chain([""]);
        lines(text).zip(below).enumerate().find_map(|(at, ((start, line), below))| {
            let line = line.trim_start_matches('\u{feff}').trim_end();
            // An example in a block of code is no section.
            if ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence)) {
                in_fence = !in_fence;
            }
            let is_ours = blocks.iter().any(|block| block.contains(&start));
            let is_theirs = self.is_heading(line) || self.is_underlined(line, below);
            (!in_fence && !is_ours && is_theirs).then_some(at + 1)
        })
    }

    /// A heading of any level with these words, in any case: the client does not look closer either.
    fn is_heading(&self, line: &str) -> bool {
        let words = line.trim_start_matches('#');
        let level = line.len() - words.len();
        // Without a blank behind its marks it is no heading to Markdown, but to whoever wrote it.
        (1..=6).contains(&level) && self.is_title(words.trim().trim_end_matches('#'))
    }

    /// The other form of a heading: its words, and a line of `=` or `-` below.
    fn is_underlined(&self, line: &str, below: &str) -> bool {
        let below = below.trim();
        let is_rule = |mark: char| below.len() >= 2 && below.chars().all(|c| c == mark);
        self.is_title(line) && (is_rule('=') || is_rule('-'))
    }

    fn is_title(&self, words: &str) -> bool {
        words.trim().eq_ignore_ascii_case(self.title)
    }

    /// What stands there, and where our sections are: from the begin mark to the end mark, without the line end behind it.
    fn read(&self, text: &str) -> (SectionStanding, Vec<Range<usize>>) {
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut open: Option<(usize, usize)> = None;
        for (at, (start, line)) in lines(text).enumerate() {
            let indent =
                line.len() - line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            let mark = line[indent..].trim_end();
            let start = start + indent;
            let damaged = |line: usize, what| (SectionStanding::Damaged { line: line + 1, what }, Vec::new());
            if mark.starts_with(self.begin) && mark.ends_with(CLOSE) {
                if let Some((line, _)) = open {
                    return damaged(line, "the begin mark is followed by another one");
                }
                open = Some((at, start));
            } else if mark == self.end {
                let Some((_, from)) = open.take() else {
                    return damaged(at, "the end mark has no begin mark");
                };
                blocks.push(from..start + mark.len());
            }
        }
        if let Some((line, _)) = open {
            let what = "the begin mark has no end mark";
            return (SectionStanding::Damaged { line: line + 1, what }, Vec::new());
        }
        let standing = match blocks.as_slice() {
            [] => self
                .heading_outside(text, &[])
                .map_or(SectionStanding::Absent, |line| SectionStanding::Foreign { line }),
            [only] => self.standing_of(&text[only.clone()]),
            // Two came by a merge. They become one.
            [_, _, ..] => SectionStanding::Edited,
        };
        (standing, blocks)
    }

    /// Whether a section is as some version of ours wrote it: its begin mark carries the fingerprint of the lines below.
    fn standing_of(&self, block: &str) -> SectionStanding {
        let block = block.replace("\r\n", "\n");
        if block == self.written("\n") {
            return SectionStanding::UpToDate;
        }
        let Some((begin, rest)) = block.split_once('\n') else { return SectionStanding::Edited };
        let body = rest.strip_suffix(self.end).unwrap_or(rest);
        if begin == self.begin_mark(body.trim_end_matches('\n')) {
            SectionStanding::Outdated
        } else {
            SectionStanding::Edited
        }
    }

    pub(crate) fn begin_mark(&self, body: &str) -> String {
        format!("{} {:016x} {CLOSE}", self.begin, fingerprint(body.as_bytes()))
    }

    pub(crate) fn written(&self, line_end: &str) -> String {
        let text = format!("{}\n{}\n{}", self.begin_mark(self.body), self.body, self.end);
        if line_end == "\n" { text } else { text.replace('\n', line_end) }
    }

    /// At the end, behind a blank line. A text without a last line end gets none behind the section either: that tells
    /// [`cut`] how much of what stands before the section is ours.
    fn append(&self, text: &str) -> String {
        let line_end = first_line_end(text);
        let section = self.written(line_end);
        if text.trim_start_matches('\u{feff}').is_empty() {
            return format!("{text}{section}{line_end}");
        }
        if text.ends_with('\n') {
            format!("{text}{line_end}{section}{line_end}")
        } else {
            format!("{text}{line_end}{line_end}{section}")
        }
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
