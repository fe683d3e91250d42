//! Places: the files of ours that hold text, in the data folder and in every project that is known.

use std::fs;
use std::path::{Path, PathBuf};

use super::{documents, lines};
use crate::archive;
use crate::checkpoints::Checkpoints;
use crate::lock::{Lock, Patience};
use crate::paths::{Home, Project};
use crate::session::SessionCache;

const FILES_MAX: usize = 100_000;
const DEPTH_MAX: usize = throughline_domain::limits::REMASKED_DEPTH_MAX;
/// Folders of the data folder with copies that are not ours to edit.
const COPIES: [&str; 3] = ["backups", "installs", "kept-files"];
/// Files that hold no text of anybody, or that are locked and named by their bytes.
const OTHERS: [&str; 8] = [
    "mask-key",
    "machine",
    "masked.json",
    "lock",
    "paused",
    "prices.json",
    "session.json",
    "checkpoints-made.json",
];

/// A file, and how it is masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Others append to it at any moment.
    Lines(PathBuf),
    /// It is replaced whole.
    Document(PathBuf),
    /// A person writes into it, too.
    Notes(PathBuf),
    /// The working set, with the copy that tells whether somebody edited it: under the project's lock.
    State {
        /// The file.
        path: PathBuf,
        /// The project's folder in the data folder.
        folder: PathBuf,
    },
    /// A damaged database that was set aside, or its log. Only what is text as a whole can be masked.
    Aside(PathBuf),
    /// Checkpoints that were made here; they are known by the fingerprints of their files.
    Checkpoints(PathBuf, Box<Project>),
}

/// What became of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// There was something to mask.
    Masked,
    /// There was nothing.
    Clean,
    /// It cannot be masked.
    Kept,
}

impl Place {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Lines(path) | Self::Document(path) | Self::Notes(path) | Self::State { path, .. } => path,
            Self::Aside(path) | Self::Checkpoints(path, _) => path,
        }
    }

    /// Masks it; says whether something was to be masked.
    pub(super) fn mask(&self, home: &Home) -> Result<Outcome, String> {
        let said = |error: crate::files::FileError| error.to_string();
        let is_masked = match self {
            Self::Aside(path) => match documents::mask_text(path).map_err(said)? {
                Some(is_masked) => Ok(is_masked),
                None => return Ok(Outcome::Kept),
            },
            Self::Lines(path) => lines::mask(path).map_err(said),
            Self::Document(path) => documents::mask(path).map_err(said),
            Self::Notes(path) => documents::mask_notes(path).map_err(said),
            Self::State { path, folder } => {
                let lock = Lock::acquire(&folder.join("lock"), Patience::Hook);
                let _alone = lock.map_err(|error| error.to_string())?;
                // The copy first: a kill between the two leaves the file to be masked by the next one.
                let of_copy = documents::mask(&folder.join("last-state.json")).map_err(said)?;
                Ok(documents::mask(path).map_err(said)? || of_copy)
            }
            Self::Checkpoints(_, project) => mask_checkpoints(project, home),
        };
        is_masked.map(|is_masked| if is_masked { Outcome::Masked } else { Outcome::Clean })
    }
}

fn mask_checkpoints(project: &Project, home: &Home) -> Result<bool, String> {
    let on_disk = Checkpoints::of(project, home);
    let ids = on_disk.ids();
    if ids.is_empty() {
        return Ok(false);
    }
    let alone = on_disk.alone(Patience::Hook).map_err(|error| error.to_string())?;
    let mut is_masked = false;
    for id in &ids {
        is_masked |= on_disk.mask_again(&alone, id).map_err(|error| error.to_string())?;
    }
    Ok(is_masked)
}

/// Every place, in an order that stays.
pub(super) fn of(home: &Home, projects: &[Project], claude_folder: Option<&Path>) -> Vec<Place> {
    let mut all = Vec::new();
    walk(home.root(), DEPTH_MAX, &mut all);
    if let Some(folder) = claude_folder {
        walk(&folder.join("data").join("compressed_context"), 2, &mut all);
    }
    for project in projects {
        walk(&project.files.join("logs"), 1, &mut all);
        of_notes(&project.files.join("sessions"), &mut all);
        of_working_set(home, project, &mut all);
        let folder = project.files.join("checkpoints");
        all.push(Place::Checkpoints(folder, Box::new(project.clone())));
    }
    // A copy is masked together with its file, under one lock.
    let copies: Vec<PathBuf> = all
        .iter()
        .filter_map(|place| match place {
            Place::State { folder, .. } => Some(folder.join("last-state.json")),
            _ => None,
        })
        .collect();
    all.retain(|place| !matches!(place, Place::Document(path) if copies.contains(path)));
    all.sort_by(|one, other| one.path().cmp(other.path()));
    all.dedup();
    all
}

/// Top folders of the projects whose sessions are known.
pub(super) fn roots_of_sessions(home: &Home) -> Vec<PathBuf> {
    let folders = fs::read_dir(home.root().join("sessions")).into_iter().flatten().flatten().take(FILES_MAX);
    folders.filter_map(|folder| SessionCache::read(&folder.path()).map(|cache| cache.project_root)).collect()
}

fn of_working_set(home: &Home, project: &Project, all: &mut Vec<Place>) {
    let folder = home.project(&project.key);
    if let Ok(path) = crate::state_file::real_path(project)
        && path.exists()
    {
        all.push(Place::State { path, folder });
    }
    for entry in fs::read_dir(&project.files).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_aside = name.starts_with("unified-session-state.json.");
        if (is_aside || name == "compaction-snapshot.md")
            && entry.file_type().is_ok_and(|kind| kind.is_file())
        {
            all.push(Place::Document(entry.path()));
        }
    }
}

fn of_notes(folder: &Path, all: &mut Vec<Place>) {
    let mut files = Vec::new();
    walk(folder, 2, &mut files);
    all.extend(files.into_iter().map(|place| match place {
        Place::Document(path)
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("notes")) =>
        {
            Place::Notes(path)
        }
        other => other,
    }));
}

fn walk(folder: &Path, depth: usize, all: &mut Vec<Place>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && depth > 0 && !COPIES.contains(&name.as_str()) {
            walk(&entry.path(), depth - 1, all);
        } else if kind.is_file() && all.len() < FILES_MAX {
            all.extend(place_of(entry.path(), &name));
        }
    }
}

/// How a file is masked, by its name; links are no files here.
fn place_of(path: PathBuf, name: &str) -> Option<Place> {
    let ends = |end: &str| name.ends_with(end);
    if archive::is_aside(name) {
        // The index of a log holds no text.
        return (!ends("-shm")).then_some(Place::Aside(path));
    }
    if OTHERS.contains(&name) || name.contains(".db") || ends(".lock") || ends(".gz") || ends(".tmp") {
        return None;
    }
    let is_lines = ends(".jsonl") || ends(".log") || name.contains(".log.") || name.contains(".jsonl.");
    Some(if is_lines { Place::Lines(path) } else { Place::Document(path) })
}
