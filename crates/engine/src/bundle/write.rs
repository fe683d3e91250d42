//! Writing a bundle: what a project has, part by part.

use std::io::{self, Write};

use serde_json::json;
use throughline_domain::text::one_line;
use throughline_domain::{State, time};
use throughline_redact as redact;
use throughline_store::anchor_proposals;
use throughline_store::archive::{Archive, ArchiveError};
use throughline_store::bundle::{BundleWriter, files};
use throughline_store::checkpoints::{CheckpointError, Checkpoints};
use throughline_store::door::Spot;
use throughline_store::files::FileError;
use throughline_store::gate::GateError;
use throughline_store::recall::{Recall, RecallError};
use throughline_store::session::Registry;
use throughline_store::task_summaries::TaskSummaries;
use throughline_store::usage::UsageStore;

use crate::at_hand::{ARCHIVE_WAIT, AtHand};
use crate::work_error::WorkError;

/// What is not in the bundle, though it is the project's.
#[derive(Debug)]
pub enum Passed {
    /// No plain file, or too long.
    NoFile(Spot),
    /// No text.
    NoText(Spot),
    /// A checkpoint that cannot be read.
    Checkpoint(CheckpointError),
}

/// Why it was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Where it goes to.
    #[error("could not write the export: {0}")]
    To(#[from] io::Error),
    /// Where it comes from.
    #[error(transparent)]
    From(WorkError),
}

impl From<ArchiveError> for WriteError {
    fn from(error: ArchiveError) -> Self {
        Self::From(error.into())
    }
}

impl From<FileError> for WriteError {
    fn from(error: FileError) -> Self {
        Self::From(error.into())
    }
}

impl From<GateError> for WriteError {
    fn from(error: GateError) -> Self {
        Self::From(error.into())
    }
}

impl From<RecallError> for WriteError {
    fn from(error: RecallError) -> Self {
        Self::From(error.into())
    }
}

/// Writes everything that a project has, with its state as it stands; says at once what is passed over. `program` is ours,
/// with its version.
pub fn write<W: Write>(
    at_hand: &AtHand<'_>,
    state: &State,
    program: &str,
    to: W,
    pass: &mut dyn FnMut(&Passed),
) -> Result<W, WriteError> {
    // What waits would be missing.
    throughline_store::gate::fold_changes(at_hand.memory, ARCHIVE_WAIT)?;
    let project = &at_hand.memory.project;
    let name = project.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let about = json!({"project": one_line(&name, 100), "at": time::iso(at_hand.now()), "program": program});
    let mut bundle = BundleWriter::begin(to, &about)?;
    bundle.part("archive")?;
    let home = &at_hand.place.home;
    if home.archive().exists() {
        let archive = Archive::open(&home.archive(), ARCHIVE_WAIT)?;
        archive.each_row(&project.key, |row| bundle.record(&row))??;
    }
    bundle.part("state")?;
    let mut value = state.to_json();
    redact::json(&mut value);
    bundle.record(&json!({"state": value, "quoted": at_hand.memory.untrusted()}))?;
    write_files(at_hand, &mut bundle, pass)?;
    write_lists(at_hand, &mut bundle)?;
    let root = project.root.to_string_lossy();
    bundle.part("passages")?;
    if home.recall().exists() {
        let index = Recall::open(&home.recall(), ARCHIVE_WAIT)?;
        index.each_block(&root, |block| bundle.record(&block))??;
    }
    bundle.part("usage")?;
    if home.archive().exists() {
        let store = UsageStore::open(&home.archive(), ARCHIVE_WAIT)?;
        store.each_row(&root, |row| bundle.record(&row))??;
    }
    Ok(bundle.finish()?)
}

fn write_files<W: Write>(
    at_hand: &AtHand<'_>,
    bundle: &mut BundleWriter<W>,
    pass: &mut dyn FnMut(&Passed),
) -> Result<(), WriteError> {
    let project = &at_hand.memory.project;
    bundle.part("files")?;
    let (found, passed) = files::of_project(project);
    for path in passed {
        pass(&Passed::NoFile(path));
    }
    for (name, path) in found {
        match files::text_of(&path)? {
            Some(text) => bundle.record(&json!({"name": name, "text": text}))?,
            None => pass(&Passed::NoText(path)),
        }
    }
    let (checkpoints, problems) = Checkpoints::of(project, &at_hand.place.home).all();
    for problem in problems {
        pass(&Passed::Checkpoint(problem));
    }
    for checkpoint in checkpoints {
        let ours = !checkpoint.is_foreign;
        bundle.record(&json!({"checkpoint": checkpoint, "ours": ours}))?;
    }
    Ok(())
}

/// The project's sessions, proposed anchors, summaries of tasks.
fn write_lists<W: Write>(at_hand: &AtHand<'_>, bundle: &mut BundleWriter<W>) -> Result<(), WriteError> {
    let (home, project) = (&at_hand.place.home, &at_hand.memory.project);
    let notes = Registry::of(home, project).recent();
    bundle.part("sessions")?;
    for note in &notes {
        bundle.record(&json!(note))?;
    }
    bundle.part("proposals")?;
    for proposal in anchor_proposals::read(&at_hand.memory.folder()).waiting {
        bundle.record(&json!(proposal))?;
    }
    bundle.part("summaries")?;
    let mut sessions: Vec<String> = notes.into_iter().map(|note| note.session).collect();
    if home.archive().exists() {
        let archive = Archive::open(&home.archive(), ARCHIVE_WAIT)?;
        sessions.extend(archive.sessions_known(&project.key, &project.root.to_string_lossy())?);
    }
    let folder = at_hand.place.claude_folder.as_deref().map(TaskSummaries::of);
    for kept in folder.map(|folder| folder.all()).unwrap_or_default().into_iter().rev() {
        if sessions.contains(&kept.summary.session_id) {
            bundle.record(&json!(kept.summary))?;
        }
    }
    Ok(())
}
