//! Importing a bundle: it is read to its end and checked, then taken part by part; what is here stays.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

use serde_json::{Value, json};
use throughline_domain::checkpoint::Checkpoint;
use throughline_domain::proposal::{Offered, Proposal};
use throughline_domain::summary::TaskSummary;
use throughline_domain::text::one_line;
use throughline_domain::{Origin, State, time};
use throughline_engine::git_exclude::keep_out_of_git_if_new;
use throughline_redact as redact;
use throughline_store::anchor_proposals;
use throughline_store::archive::{Archive, NewRow, Taking, row_of};
use throughline_store::bundle::files::{self, Taken};
use throughline_store::bundle::{self, BundleError, Header, Room};
use throughline_store::checkpoints::Checkpoints;
use throughline_store::lock::Patience;
use throughline_store::recall::{KnownBlocks, MovedBlock, Recall, block_of, check_block};
use throughline_store::session::{Registry, SessionNote};
use throughline_store::task_summaries::TaskSummaries;
use throughline_store::usage::{self, UsageStore};

use super::{Args, state};
use crate::commands::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output;

/// Rows of one transaction.
const ROWS_AT_ONCE: usize = 2_000;
/// Blocks of passages of one transaction.
const BLOCKS_AT_ONCE: usize = 64;
/// Names that are told one by one.
const NAMED_MAX: usize = 20;
/// Longest id, name or word of a record.
const WORD_BYTES_MAX: usize = 200;

pub(super) fn run<S: Read + Seek>(app: &App, name: &str, source: &mut S, args: &Args) -> Result<(), Failure> {
    let refused = |error: &BundleError| {
        let hint = match error {
            BundleError::Newer(_) => "nothing was taken; install the newer version",
            BundleError::TooMuch(_) if !args.large => {
                "nothing was taken; ask who made it, and if you know what is in it: `throughline import --large`"
            }
            BundleError::Checksum(_) | BundleError::Truncated(_) => {
                "nothing was taken; copy the file again, or export it anew"
            }
            _ => "nothing was taken",
        };
        Failure::new(format!("could not import {name}: {}", one_line(&error.to_string(), 400))).hint(hint)
    };
    let room = if args.large { Room::LARGE } else { Room::USUAL };
    let mut check = Check { app, counts: BTreeMap::new(), differing: Vec::new() };
    let header = bundle::read(&mut *source, room, |part, record| check.take(part, &record))
        .map_err(|error| refused(&error))?;
    if args.dry_run {
        return tell_trial(&header, &check, args.json);
    }
    // Directives, checkpoints and what somebody trusted are in it: their word is a person's, and so is taking it.
    if app.author().origin == Origin::Assistant {
        return Err(Failure::new(format!("{name} is not imported for an agent: it holds words of a person"))
            .hint("a person imports it in a terminal of their own; `--dry-run` shows what is in it"));
    }
    source
        .seek(SeekFrom::Start(0))
        .map_err(|error| Failure::new(format!("could not read {name} again: {error}")))?;
    keep_out_of_git_if_new(&app.memory.project);
    let mut take = Take::begin(app)?;
    let taken =
        bundle::read(&mut *source, room, |part, record| take.record(part, record).map_err(|it| it.message));
    let flushed = taken.map_err(|error| {
        Failure::new(format!("could not import all of {name}: {}", one_line(&error.to_string(), 400)))
            .hint("what was taken stays; run it again to complete it")
    });
    flushed?;
    take.flush()?;
    take.tell(&header, name, args.json)
}

/// The first reading: does everything fit?
struct Check<'a> {
    app: &'a App,
    counts: BTreeMap<&'static str, u64>,
    differing: Vec<String>,
}

impl Check<'_> {
    fn take(&mut self, part: &'static str, record: &Value) -> Result<(), String> {
        let root = self.app.memory.project.root.to_string_lossy();
        // Counted as an import counts them: a record may hold many.
        let mut count = 1;
        match part {
            "archive" => row_of(record).map(drop),
            "state" => state_of(record).map(|(state, _)| count = state.all_entries().count()),
            "files" => match file_of(record)? {
                FileRecord::Checkpoint(..) => Ok(()),
                FileRecord::Text(name, text) => {
                    let trial = files::take(&self.app.memory.project, name, text, true);
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

/// The second reading: what is new comes in.
struct Take<'a> {
    app: &'a App,
    rows: Vec<NewRow>,
    taking: Taking,
    blocks: Vec<MovedBlock>,
    known: Option<KnownBlocks>,
    usage: usage::Batch,
    summaries: Vec<TaskSummary>,
    /// What is new, by part.
    new: BTreeMap<&'static str, u64>,
    /// What stands here and is another.
    differing: Vec<String>,
}

impl<'a> Take<'a> {
    fn begin(app: &'a App) -> Result<Self, Failure> {
        // What waits belongs to the archive before others' rows do: whose id is whose is settled there.
        throughline_store::gate::fold_changes(&app.memory, ARCHIVE_WAIT)?;
        Ok(Self {
            app,
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

    fn record(&mut self, part: &'static str, record: Value) -> Result<(), Failure> {
        let root = self.app.memory.project.root.to_string_lossy();
        let no = |why: String| Failure::new(why);
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
                let new = state::take(self.app, &incoming, &quoted, &self.taking)?;
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

    fn file(&mut self, record: &Value) -> Result<(), Failure> {
        let project = &self.app.memory.project;
        match file_of(record).map_err(Failure::new)? {
            FileRecord::Text(name, text) => match files::take(project, name, text, false)? {
                Taken::New => self.count("files", 1),
                Taken::Known => {}
                Taken::Differs => self.differing.push(name.to_owned()),
            },
            FileRecord::Checkpoint(checkpoint, is_ours) => {
                let on_disk = Checkpoints::of(project, &self.app.place.home);
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

    fn session(&mut self, mut record: Value) -> Result<(), Failure> {
        redact::json(&mut record);
        let note = note_of(&record).map_err(Failure::new)?;
        let registry = Registry::of(&self.app.place.home, &self.app.memory.project);
        if !registry.recent().contains(&note) {
            registry.note(&note)?;
            self.count("sessions", 1);
        }
        Ok(())
    }

    fn proposal(&mut self, record: &Value) -> Result<(), Failure> {
        let proposal = proposal_of(record).map_err(Failure::new)?;
        let added = anchor_proposals::update(&self.app.memory.folder(), Patience::Person, |all| {
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

    fn flush_rows(&mut self) -> Result<(), Failure> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        let mut archive = Archive::open(&self.app.place.home.archive(), ARCHIVE_WAIT)?;
        let now = time::iso(self.app.now);
        Ok(archive.take_rows(&self.app.memory.project, &now, &rows, &mut self.taking)?)
    }

    fn flush_blocks(&mut self) -> Result<(), Failure> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        let path = self.app.place.home.recall();
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

    fn flush_usage(&mut self) -> Result<(), Failure> {
        let batch = std::mem::take(&mut self.usage);
        if batch.responses.is_empty() && batch.samples.is_empty() && batch.boundaries.is_empty() {
            return Ok(());
        }
        let added = UsageStore::open(&self.app.place.home.archive(), ARCHIVE_WAIT)?.add(&batch)?;
        self.count("usage", added.responses + added.samples + added.boundaries);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.flush_rows()?;
        self.flush_blocks()?;
        self.flush_usage()?;
        let Some(client) = self.app.place.claude_folder.as_deref() else { return Ok(()) };
        let folder = TaskSummaries::of(client);
        let mut new = 0;
        for summary in std::mem::take(&mut self.summaries) {
            new += u64::from(folder.adopt(&summary)?);
        }
        self.count("summaries", new);
        self.count("archive", self.taking.new);
        Ok(())
    }

    fn tell(&self, header: &Header, name: &str, as_json: bool) -> Result<(), Failure> {
        if as_json {
            return output::say_json(&json!({
                "dryRun": false, "about": about(header), "new": self.new, "differing": self.differing,
                "renumbered": self.taking.conflicts,
            }));
        }
        let new: Vec<String> = self
            .new
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(part, count)| format!("{part} {count}"))
            .collect();
        let new = if new.is_empty() { "nothing that is not here".to_owned() } else { new.join(", ") };
        output::say(&format!("imported from {name}: {new}"))?;
        tell_differing(&self.differing);
        if !self.taking.conflicts.is_empty() {
            let ids = one_line(&self.taking.conflicts.join(", "), 300);
            output::warn(&format!(
                "{ids} mean something else here: what came has new ids, and the old ones as aliases"
            ));
        }
        Ok(())
    }
}

fn tell_trial(header: &Header, check: &Check<'_>, as_json: bool) -> Result<(), Failure> {
    if as_json {
        return output::say_json(&json!({
            "dryRun": true, "about": about(header), "records": check.counts, "differing": check.differing,
        }));
    }
    let about = about(header);
    let told = |key: &str| about[key].as_str().unwrap_or("?").to_owned();
    output::say(&format!("an export of {}, made {}; it is whole", told("project"), told("at")))?;
    for (part, count) in &check.counts {
        output::say(&format!("{part}: {count}"))?;
    }
    tell_differing(&check.differing);
    Ok(())
}

/// What a file says of itself, in a form that can be shown.
fn about(header: &Header) -> Value {
    let text = |key: &str| {
        one_line(&throughline_domain::text::printable(header.about[key].as_str().unwrap_or_default()), 100)
    };
    json!({"project": text("project"), "at": text("at"), "program": text("program")})
}

fn tell_differing(names: &[String]) {
    for name in names.iter().take(NAMED_MAX) {
        output::warn(&format!("{} is another one here, and stays", one_line(name, 200)));
    }
    if let Some(more) = names.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
        output::warn(&format!("{more} more files are others here, and stay"));
    }
}
