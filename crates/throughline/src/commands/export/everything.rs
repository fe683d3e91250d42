//! Exporting everything: what a project has, part by part, into one file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::json;
use throughline_domain::text::one_line;
use throughline_domain::time;
use throughline_redact as redact;
use throughline_store::anchor_proposals;
use throughline_store::archive::Archive;
use throughline_store::bundle::{BundleWriter, create, files};
use throughline_store::checkpoints::Checkpoints;
use throughline_store::recall::Recall;
use throughline_store::session::Registry;
use throughline_store::task_summaries::TaskSummaries;
use throughline_store::usage::UsageStore;

use crate::cli::VERSION;
use crate::commands::{ARCHIVE_WAIT, App};
use crate::failure::Failure;
use crate::output;

/// Writes the file; `-` is standard output. What is there already is not written over.
pub(super) fn run(app: &App, to: &Path) -> Result<(), Failure> {
    if to.as_os_str() == "-" {
        let mut stdout = write(app, io::stdout().lock())?;
        return stdout
            .flush()
            .map_err(|error| Failure::new(format!("could not write to standard output: {error}")));
    }
    let file = create(to).map_err(|error| {
        let is_there = error.source.kind() == io::ErrorKind::AlreadyExists;
        let failure = Failure::from(error);
        if is_there {
            failure.hint("nothing was written; name a file that is not there yet")
        } else {
            failure
        }
    })?;
    let written = write(app, BufWriter::new(file)).and_then(|file| flushed(file, to));
    if written.is_err() {
        // Half of it is of no use to anybody.
        let _ = files::give_up(to);
    }
    let bytes = written?;
    output::say(&format!("{bytes} bytes written to {}; `throughline import` reads them", to.display()))
}

fn flushed(file: BufWriter<File>, to: &Path) -> Result<u64, Failure> {
    let failed = |error: io::Error| Failure::new(format!("could not write {}: {error}", to.display()));
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    Ok(file.metadata().map_err(failed)?.len())
}

fn write<W: Write>(app: &App, to: W) -> Result<W, Failure> {
    let state = app.state()?;
    // What waits would be missing.
    throughline_store::gate::fold_changes(&app.memory, ARCHIVE_WAIT)?;
    let failed = |error: io::Error| Failure::new(format!("could not write the export: {error}"));
    let project = &app.memory.project;
    let name = project.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let about = json!({"project": one_line(&name, 100), "at": time::iso(app.now), "program": VERSION});
    let mut bundle = BundleWriter::begin(to, &about).map_err(failed)?;
    bundle.part("archive").map_err(failed)?;
    let home = &app.place.home;
    if home.archive().exists() {
        let archive = Archive::open(&home.archive(), ARCHIVE_WAIT)?;
        archive.each_row(&project.key, |row| bundle.record(&row))?.map_err(failed)?;
    }
    bundle.part("state").map_err(failed)?;
    let mut value = state.to_json();
    redact::json(&mut value);
    bundle.record(&json!({"state": value, "quoted": app.memory.untrusted()})).map_err(failed)?;
    write_files(app, &mut bundle)?;
    write_lists(app, &mut bundle)?;
    let root = project.root.to_string_lossy();
    bundle.part("passages").map_err(failed)?;
    if home.recall().exists() {
        let index = Recall::open(&home.recall(), ARCHIVE_WAIT)?;
        index.each_block(&root, |block| bundle.record(&block))?.map_err(failed)?;
    }
    bundle.part("usage").map_err(failed)?;
    if home.archive().exists() {
        let store = UsageStore::open(&home.archive(), ARCHIVE_WAIT)?;
        store.each_row(&root, |row| bundle.record(&row))?.map_err(failed)?;
    }
    bundle.finish().map_err(failed)
}

fn write_files<W: Write>(app: &App, bundle: &mut BundleWriter<W>) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::new(format!("could not write the export: {error}"));
    let project = &app.memory.project;
    bundle.part("files").map_err(failed)?;
    let (found, passed) = files::of_project(project);
    for path in passed {
        output::warn(&format!("{} is not exported: no plain file, or too long", path.display()));
    }
    for (name, path) in found {
        match files::text_of(&path)? {
            Some(text) => bundle.record(&json!({"name": name, "text": text})).map_err(failed)?,
            None => output::warn(&format!("{} is not exported: it is no text", path.display())),
        }
    }
    let (checkpoints, problems) = Checkpoints::of(project, &app.place.home).all();
    for problem in problems {
        output::warn(&format!("{problem}; it is not exported"));
    }
    for checkpoint in checkpoints {
        let ours = !checkpoint.is_foreign;
        bundle.record(&json!({"checkpoint": checkpoint, "ours": ours})).map_err(failed)?;
    }
    Ok(())
}

/// The project's sessions, proposed anchors, summaries of tasks.
fn write_lists<W: Write>(app: &App, bundle: &mut BundleWriter<W>) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::new(format!("could not write the export: {error}"));
    let (home, project) = (&app.place.home, &app.memory.project);
    let notes = Registry::of(home, project).recent();
    bundle.part("sessions").map_err(failed)?;
    for note in &notes {
        bundle.record(&json!(note)).map_err(failed)?;
    }
    bundle.part("proposals").map_err(failed)?;
    for proposal in anchor_proposals::read(&app.memory.folder()).waiting {
        bundle.record(&json!(proposal)).map_err(failed)?;
    }
    bundle.part("summaries").map_err(failed)?;
    let mut sessions: Vec<String> = notes.into_iter().map(|note| note.session).collect();
    if home.archive().exists() {
        let archive = Archive::open(&home.archive(), ARCHIVE_WAIT)?;
        sessions.extend(archive.sessions_known(&project.key, &project.root.to_string_lossy())?);
    }
    let folder = app.place.claude_folder.as_deref().map(TaskSummaries::of);
    for kept in folder.map(|folder| folder.all()).unwrap_or_default().into_iter().rev() {
        if sessions.contains(&kept.summary.session_id) {
            bundle.record(&json!(kept.summary)).map_err(failed)?;
        }
    }
    Ok(())
}
