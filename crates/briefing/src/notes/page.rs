//! The page: our block is replaced, our log entries are added at its end, everything else in it stays as somebody wrote it.

use throughline_domain::Timestamp;

use super::{CurrentState, NotesEntry, When};

const BEGIN: &str = "<!-- throughline: begin";
const END: &str = "<!-- throughline: end -->";
const STATE_HEADING: &str = "## Current State";
const LOG_HEADING: &str = "## Progress Log";

/// Up to where everything is told: kept in the page itself, so that page and mark can never disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// The response.
    pub turn: u64,
    /// The byte of the transcript.
    pub offset: u64,
    /// The byte of the last test run whose result was told.
    pub check: u64,
    /// The number of the last decision that was recorded.
    pub decision: u64,
}

impl Mark {
    fn words(self) -> String {
        format!("told up to {} {} {} D{}", self.turn, self.offset, self.check, self.decision)
    }

    /// The mark in the line that begins our block.
    fn in_line(line: &str) -> Option<Self> {
        let mut words = line.split("told up to ").nth(1)?.split_whitespace();
        let turn = words.next()?.parse().ok()?;
        let offset = words.next()?.parse().ok()?;
        let check = words.next()?.parse().ok()?;
        let decision = words.next()?.strip_prefix('D')?.trim_end_matches([')', ';']).parse().ok()?;
        Some(Self { turn, offset, check, decision })
    }
}

/// What is written into the page.
#[derive(Debug, Clone, Copy)]
pub struct Update<'a> {
    /// The session's id.
    pub session: &'a str,
    /// The session that it goes on from: `/clear` and a fork begin a new one.
    pub parent: Option<&'a str>,
    /// When.
    pub now: Timestamp,
    /// Where it stands.
    pub state: &'a CurrentState,
    /// What happened since.
    pub entries: &'a [NotesEntry],
    /// Up to where everything is told.
    pub mark: Mark,
    /// A longer page is put aside, and another begun.
    pub bytes_max: usize,
    /// The name under which it is put aside then.
    pub aside: &'a str,
}

/// A page as it is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The text.
    pub text: String,
    /// The old page was too long: it is kept whole beside the new one.
    pub is_new: bool,
}

impl Page {
    /// The mark of a page; `None` where it has none that can be read.
    #[must_use]
    pub fn mark(text: &str) -> Option<Mark> {
        let begin = text.lines().find(|line| line.trim_start().starts_with(BEGIN))?;
        Mark::in_line(begin)
    }

    /// The page after an update; `None` when it would say nothing new.
    #[must_use]
    pub fn updated(old: Option<&str>, update: &Update<'_>) -> Option<Self> {
        let Some(old) = old.filter(|old| ends_lines_with_crlf(old)) else {
            return Self::updated_lines(old, update);
        };
        // An editor of another system ends lines in its own way: so do we, on its page.
        let page = Self::updated_lines(Some(&old.replace("\r\n", "\n")), update)?;
        Some(Self { text: page.text.replace('\n', "\r\n"), ..page })
    }

    fn updated_lines(old: Option<&str>, update: &Update<'_>) -> Option<Self> {
        let block = block(update);
        let log = log(update);
        let Some(old) = old.filter(|old| !old.trim().is_empty()) else {
            let text = format!("{}{block}\n{LOG_HEADING}\n{log}", head(update, None));
            return Some(Self { text, is_new: false });
        };
        if log.is_empty() && says_the_same(old, update.state) {
            return None;
        }
        let mut text = with_block(old, &block);
        if text.len() + log.len() > update.bytes_max {
            let text = format!("{}{block}\n{LOG_HEADING}\n{log}", head(update, Some(update.aside)));
            return Some(Self { text, is_new: true });
        }
        if !log.is_empty() {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            if !text.lines().any(|line| line.trim_end() == LOG_HEADING) {
                text.push_str(&format!("\n{LOG_HEADING}\n"));
            }
            text.push_str(&log);
        }
        Some(Self { text, is_new: false })
    }
}

/// Whether all lines end with a carriage return. Where some do not, each stays as it is.
fn ends_lines_with_crlf(text: &str) -> bool {
    text.contains('\n')
        && text.split_inclusive('\n').all(|line| !line.ends_with('\n') || line.ends_with("\r\n"))
}

fn head(update: &Update<'_>, aside: Option<&str>) -> String {
    let mut head = format!("# Session {}\n\n", harmless(update.session));
    if let Some(parent) = update.parent {
        head.push_str(&format!("Goes on from session {}.\n\n", harmless(parent)));
    }
    if let Some(aside) = aside {
        head.push_str(&format!("Earlier notes: {aside}\n\n"));
    }
    head
}

fn block(update: &Update<'_>) -> String {
    let lines: Vec<String> = update.state.lines().iter().map(|line| harmless(line)).collect();
    format!(
        "{BEGIN} ({}); what stands between these two lines is replaced -->\n{STATE_HEADING} (last updated: {} UTC)\n{}\n{END}\n",
        update.mark.words(),
        minute(update.now),
        lines.join("\n")
    )
}

fn log(update: &Update<'_>) -> String {
    let mut log = String::new();
    for entry in update.entries {
        let at = if let When::At(at) = entry.at { at.min(update.now) } else { update.now };
        log.push_str(&format!("\n### [{}] {}\n", minute(at), harmless(&entry.title)));
        for line in &entry.lines {
            log.push_str(&format!("- {}\n", harmless(line)));
        }
    }
    log
}

/// Somebody's words must not pose as the lines between which we write.
fn harmless(text: &str) -> String {
    text.replace("<!--", "<! --").replace(['\n', '\r'], " ")
}

fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

/// Where a block begins and ends, in bytes, its line breaks included.
struct Block {
    begin: usize,
    end: usize,
}

/// The whole blocks of ours in a page. A beginning without an end is none: what follows it may be somebody's words.
fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut begun = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        if words.starts_with(BEGIN) {
            begun = Some(at);
        } else if words == END
            && let Some(begin) = begun.take()
        {
            found.push(Block { begin, end: at + line.len() });
        }
        at += line.len();
    }
    found
}

/// Whether the one block of a page says what it would say now; when it was said does not matter.
fn says_the_same(text: &str, state: &CurrentState) -> bool {
    let blocks = blocks(text);
    let [only] = blocks.as_slice() else { return false };
    let standing = text[only.begin..only.end].lines().filter(|line| line.starts_with("- **"));
    let now = state.lines();
    standing.eq(now.iter().map(|line| harmless(line)))
}

/// The page with our block in the place of the old one; without one, below the title. Lone marks are taken out.
fn with_block(text: &str, block: &str) -> String {
    let old = blocks(text);
    let mut kept = String::with_capacity(text.len() + block.len());
    let mut from = 0;
    let mut is_placed = false;
    for Block { begin, end } in old {
        kept.push_str(&without_marks(&text[from..begin]));
        if !is_placed {
            kept.push_str(block);
            is_placed = true;
        }
        from = end;
    }
    kept.push_str(&without_marks(&text[from..]));
    if is_placed {
        return kept;
    }
    let below_title = match kept.split_inclusive('\n').next() {
        Some(first) if first.starts_with("# ") => first.len(),
        _ => 0,
    };
    let (title, rest) = kept.split_at(below_title);
    let gap = if title.is_empty() || title.ends_with('\n') { "" } else { "\n" };
    format!("{title}{gap}\n{block}\n{}", rest.trim_start_matches(['\n', '\r']))
}

fn without_marks(text: &str) -> String {
    let is_mark = |line: &str| line.trim().starts_with(BEGIN) || line.trim() == END;
    text.split_inclusive('\n').filter(|line| !is_mark(line)).collect()
}
