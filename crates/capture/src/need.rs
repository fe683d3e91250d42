//! Need: a transcript replayed, to see what each compaction took and what the agent used again after it. Pure.
//!
//! What counts as the same file, command or name is what [`absorb`] says it is.

use std::collections::{BTreeMap, HashMap};

use throughline_domain::ledger::{CompactionSeen, FileUse, Ledger, TranscriptPlace};
use throughline_domain::need::{NeedKind, NeedUse, Needed};
use throughline_domain::text::fingerprint;
use throughline_domain::transcript::{Block, Line, Tool, ToolCall, What};

use crate::{absorb, called, names};

/// Different things that are remembered of one session; what comes later is not told from what is new.
const THINGS_MAX: usize = 100_000;
/// Different things needed after one compaction.
const NEEDED_MAX: usize = 2_000;
/// A summary is some thousand words; of a longer one the rest is not looked at.
const SUMMARY_BYTES_MAX: usize = 1 << 20;

/// One compaction: what stood before it, what the client made of that, and what was used after it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stretch {
    /// The ledger as it stood when the compaction began.
    pub before: Ledger,
    /// Files known before, counted by their last part.
    pub namesakes: BTreeMap<String, usize>,
    /// When, why, and how large the context was.
    pub compaction: CompactionSeen,
    /// The client's summary; `None` where the transcript has none.
    pub summary: Option<String>,
    /// Tokens in the context, as the first response after it reported.
    pub context_after: Option<u64>,
    /// Responses after it, up to the next compaction or the file's end.
    pub turns: u64,
    /// What was known before and used in the turns that were watched, in the order of the first use.
    pub needed: Vec<Needed>,
    /// Calls that read a file in these turns.
    pub reads: usize,
    /// Those of them that read what had been read or changed before.
    pub rereads: usize,
    /// The files that these read.
    pub reread_files: Vec<String>,
}

/// A transcript on its way through.
#[derive(Debug, Default)]
pub struct Replay {
    /// What the lines so far have told.
    pub ledger: Ledger,
    turns_max: u64,
    past: Past,
    /// Lines taken: the measure of "before" and "after".
    line: u64,
    open: Option<Open>,
}

/// A compaction whose aftermath is being watched.
#[derive(Debug, Default)]
struct Open {
    stretch: Stretch,
    /// The first line that is after it.
    from_line: u64,
    /// The last turn that is before it.
    from_turn: u64,
    awaits_summary: bool,
}

/// Everything that was used so far, each with the line of its first use. Unlike the ledger it forgets nothing.
#[derive(Debug, Default)]
struct Past {
    files: HashMap<String, FilePast>,
    commands: HashMap<String, u64>,
    names: HashMap<String, u64>,
}

#[derive(Debug)]
struct FilePast {
    /// First named, by anybody.
    known: u64,
    /// First read or changed.
    handled: Option<u64>,
}

impl Replay {
    /// A replay that watches so many responses after each compaction.
    #[must_use]
    pub fn watching(turns_max: u64) -> Self {
        Self { turns_max, ..Self::default() }
    }

    /// Takes the next line; gives the compaction before, when another one begins here.
    pub fn take(&mut self, line: &Line<'_>, offset: u64) -> Option<Box<Stretch>> {
        let is_copy = line.uuid.is_some_and(|uuid| {
            !uuid.is_empty() && self.ledger.seen_lines.contains(fingerprint(uuid.as_bytes()))
        });
        if is_copy {
            return None;
        }
        self.line += 1;
        let is_main = !line.is_sidechain;
        let finished = match &line.what {
            What::Compacted { .. } if is_main => self.begin(true),
            What::Summary(_) if is_main && !self.open.as_ref().is_some_and(|open| open.awaits_summary) => {
                self.begin(false)
            }
            _ => None,
        };
        absorb(&mut self.ledger, line, offset);
        if is_main {
            self.watch(line, offset);
        }
        self.past.note(&self.ledger.folders, line, self.line);
        finished
    }

    /// The last compaction, when the transcript is at its end.
    #[must_use]
    pub fn finish(mut self) -> Option<Box<Stretch>> {
        self.close()
    }

    /// A compaction begins before the line at hand.
    fn begin(&mut self, awaits_summary: bool) -> Option<Box<Stretch>> {
        let finished = self.close();
        let stretch = Stretch { before: self.ledger.clone(), ..Stretch::default() };
        let (from_line, from_turn) = (self.line, self.ledger.turn);
        self.open = Some(Open { stretch, from_line, from_turn, awaits_summary });
        finished
    }

    fn close(&mut self) -> Option<Box<Stretch>> {
        let mut open = self.open.take()?;
        open.stretch.turns = self.ledger.turn.saturating_sub(open.from_turn);
        open.stretch.namesakes = self.past.namesakes(open.from_line);
        Some(Box::new(open.stretch))
    }

    fn watch(&mut self, line: &Line<'_>, offset: u64) {
        let Some(open) = &mut self.open else { return };
        match &line.what {
            What::Compacted { .. } => {
                open.stretch.compaction = self.ledger.compactions.last().cloned().unwrap_or_default();
            }
            What::Summary(text) => {
                // What stands between the boundary and the summary was kept from before: no work came of it yet.
                let compaction = if open.awaits_summary {
                    std::mem::take(&mut open.stretch.compaction)
                } else {
                    CompactionSeen {
                        place: TranscriptPlace { turn: self.ledger.turn, offset },
                        timestamp: crate::head(line.timestamp.unwrap_or_default(), 40).to_owned(),
                        ..CompactionSeen::default()
                    }
                };
                *open = Open {
                    stretch: Stretch {
                        before: std::mem::take(&mut open.stretch.before),
                        compaction,
                        summary: Some(crate::head(text, SUMMARY_BYTES_MAX).to_owned()),
                        ..Stretch::default()
                    },
                    from_line: self.line,
                    from_turn: self.ledger.turn,
                    awaits_summary: false,
                };
            }
            What::Responded { model, blocks, context_tokens, .. }
                if model.is_none_or(|name| !name.starts_with('<')) =>
            {
                let first = &mut open.stretch.context_after;
                *first = first.or(context_tokens.filter(|tokens| *tokens > 0));
                let turn = self.ledger.turn.saturating_sub(open.from_turn);
                if turn > self.turns_max {
                    return;
                }
                for block in blocks {
                    if let Block::Called(call) = block {
                        let scratch = uses_of(&self.ledger.folders, call, line.cwd.as_deref());
                        note_need(open, &self.past, call, &scratch, turn);
                    }
                }
            }
            _ => {}
        }
    }
}

/// What one call uses, as a ledger that knows nothing else.
fn uses_of(folders: &[String], call: &ToolCall<'_>, cwd: Option<&str>) -> Ledger {
    let mut scratch = Ledger { folders: folders.to_vec(), ..Ledger::default() };
    called(&mut scratch, call, cwd, TranscriptPlace::default());
    scratch
}

fn note_need(open: &mut Open, past: &Past, call: &ToolCall<'_>, scratch: &Ledger, turn: u64) {
    let tool = call.tool;
    let before = open.from_line;
    let mut needed: Vec<(NeedKind, &str, NeedUse)> = Vec::new();
    for file in &scratch.files {
        let known = past.file_before(&file.path, before);
        if tool == Tool::Read {
            open.stretch.reads += 1;
            if let Some((path, _)) = known.filter(|(_, it)| it.handled.is_some_and(|line| line < before)) {
                open.stretch.rereads += 1;
                if !open.stretch.reread_files.iter().any(|file| file == path) {
                    open.stretch.reread_files.push(path.to_owned());
                }
            }
        }
        if let Some((path, _)) = known {
            needed.push((NeedKind::File, path, file_use(file, tool)));
        }
    }
    for command in &scratch.commands {
        if past.commands.get(&command.normal).is_some_and(|line| *line < before) {
            needed.push((NeedKind::Command, &command.normal, NeedUse::Ran));
        }
    }
    for name in names::searched(call) {
        if past.names.get(name).is_some_and(|line| *line < before) {
            needed.push((NeedKind::Name, name, NeedUse::Searched));
        }
    }
    let all = &mut open.stretch.needed;
    for (kind, text, used) in needed {
        if let Some(known) = all.iter_mut().find(|it| it.kind == kind && it.text == text) {
            known.used = known.used.max(used);
        } else if all.len() < NEEDED_MAX {
            all.push(Needed { kind, text: text.to_owned(), used, turn });
        }
    }
}

fn file_use(file: &FileUse, tool: Tool) -> NeedUse {
    match tool {
        _ if file.edits > 0 => NeedUse::Edited,
        _ if file.reads > 0 => NeedUse::Read,
        Tool::Shell => NeedUse::Named,
        _ => NeedUse::Searched,
    }
}

impl Past {
    fn note(&mut self, folders: &[String], line: &Line<'_>, at: u64) {
        if matches!(line.what, What::ToolsAnswered(_) | What::Compacted { .. } | What::Summary(_)) {
            return;
        }
        if self.files.len() + self.commands.len() + self.names.len() >= THINGS_MAX {
            return;
        }
        let mut scratch = Ledger { folders: folders.to_vec(), ..Ledger::default() };
        absorb(&mut scratch, line, 0);
        for file in scratch.files {
            let is_handled = file.edits > 0 || file.reads > 0;
            let known = self.files.entry(file.path).or_insert(FilePast { known: at, handled: None });
            known.handled = known.handled.or(is_handled.then_some(at));
        }
        for command in scratch.commands {
            self.commands.entry(command.normal).or_insert(at);
        }
        for name in names::of_line(line) {
            if !self.names.contains_key(name) {
                self.names.insert(name.to_owned(), at);
            }
        }
    }

    /// A file that was known before a line; a bare name stands for the one file that has it.
    fn file_before(&self, path: &str, line: u64) -> Option<(&str, &FilePast)> {
        if !path.contains('/') {
            let mut owners = self.files.iter().filter(|(full, file)| {
                file.known < line && full.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'))
            });
            if let (Some((full, file)), None) = (owners.next(), owners.next()) {
                return Some((full, file));
            }
        }
        let (path, file) = self.files.get_key_value(path)?;
        (file.known < line).then_some((path.as_str(), file))
    }

    /// How many files that were known before a line have the same last part.
    fn namesakes(&self, line: u64) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for (path, _) in self.files.iter().filter(|(_, file)| file.known < line) {
            // A bare name is no second file: somebody left out the folder.
            if let Some((_, name)) = path.rsplit_once('/') {
                *counts.entry(name.to_owned()).or_default() += 1;
            }
        }
        counts
    }
}
