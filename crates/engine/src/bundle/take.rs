//! Taking a bundle in: record by record, checked first and then taken; what is here stays.

use std::collections::BTreeMap;

use serde_json::Value;
use throughline_domain::checkpoint::Checkpoint;
use throughline_domain::proposal::{Offered, Proposal};
use throughline_domain::summary::TaskSummary;
use throughline_domain::text::one_line;
use throughline_domain::{State, time};
use throughline_redact as redact;
use throughline_store::anchor_proposals;
use throughline_store::archive::{Archive, NewRow, Taking, row_of};
use throughline_store::bundle::files::{self, Taken};
use throughline_store::checkpoints::Checkpoints;
use throughline_store::lock::Patience;
use throughline_store::paths::Project;
use throughline_store::recall::{KnownBlocks, MovedBlock, Recall, block_of, check_block};
use throughline_store::session::{Registry, SessionNote};
use throughline_store::task_summaries::TaskSummaries;
use throughline_store::usage::{self, UsageStore};

use crate::at_hand::{ARCHIVE_WAIT, AtHand};
use crate::work_error::WorkError;

/// Rows of one transaction.
const ROWS_AT_ONCE: usize = 2_000;
/// Blocks of passages of one transaction.
const BLOCKS_AT_ONCE: usize = 64;
/// Longest id, name or word of a record.
const WORD_BYTES_MAX: usize = 200;

/// The first reading: does everything fit?
#[derive(Debug)]
pub struct Check<'a> {
    project: &'a Project,
    /// Records, by part.
    pub counts: BTreeMap<&'static str, u64>,
    /// What stands here and is another.
    pub differing: Vec<String>,
}

impl<'a> Check<'a> {
    /// Against what a project has.
    #[must_use]
    pub fn of(project: &'a Project) -> Self {
        Self { project, counts: BTreeMap::new(), differing: Vec::new() }
    }

    /// Looks at a record; the error says why it does not fit.
    pub fn take(&mut self, part: &'static str, record: &Value) -> Result<(), String> {
        let root = self.project.root.to_string_lossy();
        // Counted as an import counts them: a record may hold many.
        let mut count = 1;
        match part {
            "archive" => row_of(record).map(drop),
            "state" => state_of(record).map(|(state, _)| count = state.all_entries().count()),
            "files" => match file_of(record)? {
                FileRecord::Checkpoint(..) => Ok(()),
                FileRecord::Text(name, text) => {
                    let trial = files::take(self.project, name, text, true);
                    if trial.map_err(|error| error.to_string())? == Taken::Differs {
                        self.differing.push(name.to_owned());
                    }
                    Ok(())
                }
            },
            "sessions" => note_of(record).map(drop),
            "proposals" => proposal_of(record).map(drop),
            "summaries" => summary_of(record).map(drop),
            "passages" => check_block(record).map(|passages| count = passages),
            "usage" => usage::take_record(record, &root, &mut usage::Batch::default()),
            _ => Err("there is no such part".to_owned()),
        }?;
        *self.counts.entry(part).or_default() += count as u64;
        Ok(())
    }
}

fn state_of(record: &Value) -> Result<(State, Vec<String>), String> {
    let (state, _) = State::read(&record["state"].to_string()).map_err(|error| error.to_string())?;
    let quoted =
        record["quoted"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    Ok((state, quoted.collect()))
}

enum FileRecord<'r> {
    Checkpoint(Box<Checkpoint>, bool),
    Text(&'r str, &'r str),
}

fn file_of(record: &Value) -> Result<FileRecord<'_>, String> {
    if let Some(value) = record.get("checkpoint") {
        let checkpoint: Checkpoint =
            serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
        if !throughline_domain::checkpoint::is_id(&checkpoint.id) {
            return Err("it is no checkpoint".to_owned());
        }
        return Ok(FileRecord::Checkpoint(Box::new(checkpoint), record["ours"] == true));
    }
    let name = record["name"].as_str().unwrap_or_default();
    if !files::is_carried(name) {
        return Err(format!("`{}` is no file of ours", one_line(name, 100)));
    }
    match record["text"].as_str().filter(|text| text.len() <= files::FILE_BYTES_MAX) {
        Some(text) => Ok(FileRecord::Text(name, text)),
        None => Err("it has no text, or too much".to_owned()),
    }
}

fn is_short(texts: &[&str]) -> bool {
    texts.iter().all(|text| text.len() <= WORD_BYTES_MAX && !text.contains(char::is_control))
}

fn note_of(record: &Value) -> Result<SessionNote, String> {
    let note: SessionNote = serde_json::from_value(record.clone()).map_err(|error| error.to_string())?;
    let others = [note.parent.as_deref(), note.phase.as_deref()].map(Option::unwrap_or_default);
    if !is_short(&[&note.session, &note.what, &note.how]) || !is_short(&others) {
        return Err("its words are too long".to_owned());
    }
    Ok(note)
}

fn proposal_of(record: &Value) -> Result<Proposal, String> {
    let proposal: Proposal = serde_json::from_value(record.clone()).map_err(|error| error.to_string())?;
    let fits = is_short(&[&proposal.session, &proposal.said_at, &proposal.anchor_type, &proposal.priority]);
    if fits && proposal.quote.len() <= 4_096 {
        Ok(proposal)
    } else {
        Err("its words are too long".to_owned())
    }
}

fn summary_of(record: &Value) -> Result<TaskSummary, String> {
    let summary: TaskSummary = serde_json::from_value(record.clone()).map_err(|error| error.to_string())?;
    let fits = is_short(&[&summary.session_id, &summary.task_id]) && record.to_string().len() <= 128 << 10;
    if fits && !summary.subject.is_empty() {
        Ok(summary)
    } else {
        Err("it is too long, or about nothing".to_owned())
    }
}

/// Takes a working set: what was not trusted there, and which rows are in the archive already. Gives how many entries are new.
pub type TakeState<'s> = dyn FnMut(&State, &[String], &Taking) -> Result<usize, String> + 's;

/// Why a record was not taken.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// It is none, or nobody can take it.
    #[error("{0}")]
    Record(String),
    /// A store could not.
    #[error(transparent)]
    Work(WorkError),
}

impl<E: Into<WorkError>> From<E> for TakeError {
    fn from(error: E) -> Self {
        Self::Work(error.into())
    }
}

/// The second reading: what is new comes in.
pub struct Take<'a> {
    at_hand: &'a AtHand<'a>,
    state: &'a mut TakeState<'a>,
    rows: Vec<NewRow>,
    taking: Taking,
    blocks: Vec<MovedBlock>,
    known: Option<KnownBlocks>,
    usage: usage::Batch,
    summaries: Vec<TaskSummary>,
    /// What is new, by part.
    pub new: BTreeMap<&'static str, u64>,
    /// What stands here and is another.
    pub differing: Vec<String>,
}

impl<'a> Take<'a> {
    /// Begins; a working set is taken by whoever can tell of what happens to it.
    pub fn begin(at_hand: &'a AtHand<'a>, state: &'a mut TakeState<'a>) -> Result<Self, WorkError> {
        // What waits belongs to the archive before others' rows do: whose id is whose is settled there.
        throughline_store::gate::fold_changes(at_hand.memory, ARCHIVE_WAIT)?;
        Ok(Self {
            at_hand,
            state,
            rows: Vec::new(),
            taking: Taking::default(),
            blocks: Vec::new(),
            known: None,
            usage: usage::Batch::default(),
            summaries: Vec::new(),
            new: BTreeMap::new(),
            differing: Vec::new(),
        })
    }

    fn count(&mut self, part: &'static str, new: u64) {
        *self.new.entry(part).or_default() += new;
    }

    /// Takes a record.
    pub fn record(&mut self, part: &'static str, record: Value) -> Result<(), TakeError> {
        let root = self.at_hand.memory.project.root.to_string_lossy();
        let no = TakeError::Record;
        if part != "archive" {
            self.flush_rows()?;
        }
        match part {
            "archive" => {
                self.rows.push(row_of(&record).map_err(no)?);
                if self.rows.len() >= ROWS_AT_ONCE {
                    self.flush_rows()?;
                }
            }
            "state" => {
                let (incoming, quoted) = state_of(&record).map_err(no)?;
                let new = (self.state)(&incoming, &quoted, &self.taking).map_err(no)?;
                self.count(part, new as u64);
            }
            "files" => self.file(&record)?,
            "sessions" => self.session(record)?,
            "proposals" => self.proposal(&record)?,
            "summaries" => self.summaries.push(summary_of(&record).map_err(no)?),
            "passages" => {
                self.blocks.push(block_of(&record, &root).map_err(no)?);
                if self.blocks.len() >= BLOCKS_AT_ONCE {
                    self.flush_blocks()?;
                }
            }
            _ => {
                usage::take_record(&record, &root, &mut self.usage).map_err(no)?;
                let rows = &self.usage;
                if rows.responses.len() + rows.samples.len() + rows.boundaries.len() >= ROWS_AT_ONCE {
                    self.flush_usage()?;
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, record: &Value) -> Result<(), TakeError> {
        let project = &self.at_hand.memory.project;
        match file_of(record).map_err(TakeError::Record)? {
            FileRecord::Text(name, text) => match files::take(project, name, text, false)? {
                Taken::New => self.count("files", 1),
                Taken::Known => {}
                Taken::Differs => self.differing.push(name.to_owned()),
            },
            FileRecord::Checkpoint(checkpoint, is_ours) => {
                let on_disk = Checkpoints::of(project, &self.at_hand.place.home);
                let alone = on_disk.alone(Patience::Person)?;
                if on_disk.adopt(&alone, &checkpoint, is_ours)? {
                    self.count("files", 1);
                } else if on_disk.read(&checkpoint.id).is_ok_and(|it| it.content != checkpoint.content) {
                    self.differing.push(format!("checkpoint {}", checkpoint.id));
                }
            }
        }
        Ok(())
    }

    fn session(&mut self, mut record: Value) -> Result<(), TakeError> {
        redact::json(&mut record);
        let note = note_of(&record).map_err(TakeError::Record)?;
        let registry = Registry::of(&self.at_hand.place.home, &self.at_hand.memory.project);
        if !registry.recent().contains(&note) {
            registry.note(&note)?;
            self.count("sessions", 1);
        }
        Ok(())
    }

    fn proposal(&mut self, record: &Value) -> Result<(), TakeError> {
        let proposal = proposal_of(record).map_err(TakeError::Record)?;
        let added = anchor_proposals::update(&self.at_hand.memory.folder(), Patience::Person, |all| {
            // Offered, so that what was settled here stays settled; never confirmed by a file.
            let mut with_it = all.clone();
            let is_new = with_it.offer(proposal) == Offered::Waits;
            if is_new {
                *all = with_it;
            }
            is_new
        })?;
        self.count("proposals", u64::from(added));
        Ok(())
    }

    fn flush_rows(&mut self) -> Result<(), WorkError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        let mut archive = Archive::open(&self.at_hand.place.home.archive(), ARCHIVE_WAIT)?;
        let now = time::iso(self.at_hand.now());
        Ok(archive.take_rows(&self.at_hand.memory.project, &now, &rows, &mut self.taking)?)
    }

    fn flush_blocks(&mut self) -> Result<(), WorkError> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        let path = self.at_hand.place.home.recall();
        let writing = Recall::writing(&path, Patience::Person)?;
        let mut index = Recall::open(&path, ARCHIVE_WAIT)?;
        if self.known.is_none() {
            self.known = Some(index.known_blocks()?);
        }
        let blocks = std::mem::take(&mut self.blocks);
        let new = index.take_blocks(&writing, blocks, self.known.get_or_insert_default())?;
        self.count("passages", new);
        Ok(())
    }

    fn flush_usage(&mut self) -> Result<(), WorkError> {
        let batch = std::mem::take(&mut self.usage);
        if batch.responses.is_empty() && batch.samples.is_empty() && batch.boundaries.is_empty() {
            return Ok(());
        }
        let added = UsageStore::open(&self.at_hand.place.home.archive(), ARCHIVE_WAIT)?.add(&batch)?;
        self.count("usage", added.responses + added.samples + added.boundaries);
        Ok(())
    }

    /// Takes what still waits for others of its kind.
    pub fn flush(&mut self) -> Result<(), WorkError> {
        self.flush_rows()?;
        self.flush_blocks()?;
        self.flush_usage()?;
        let Some(client) = self.at_hand.place.claude_folder.as_deref() else { return Ok(()) };
        let folder = TaskSummaries::of(client);
        let mut new = 0;
        for summary in std::mem::take(&mut self.summaries) {
            new += u64::from(folder.adopt(&summary)?);
        }
        self.count("summaries", new);
        self.count("archive", self.taking.new);
        Ok(())
    }

    /// Ids that mean something else here: what came has new ones.
    #[must_use]
    pub fn renumbered(&self) -> &[String] {
        &self.taking.conflicts
    }
}
