//! Maskable: the files of the catalogue that hold words, in the data folder and in every project that is known.

use std::path::{Path, PathBuf};

use super::{documents, lines};
use crate::catalogue::{self, Entry, Inventory, Masked, Under};
use crate::checkpoints::Checkpoints;
use crate::door::Spot;
use crate::lock::{Lock, Patience};
use crate::paths::{Home, Project};
use crate::session::SessionFacts;
use crate::state_file;

/// Most sessions that are looked at.
const SESSIONS_MAX: usize = 100_000;

/// What is masked at once, under one lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Maskable {
    /// A file by itself.
    One(Entry),
    /// The working set, with the copy that tells whether somebody edited it: under the project's lock.
    State {
        /// The file.
        spot: Spot,
        /// The project's folder in the data folder.
        folder: Spot,
    },
    /// Checkpoints that were made here; they are known by the fingerprints of their files.
    Checkpoints(Spot, Box<Project>),
}

/// What became of it when it was masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remasked {
    /// There was something to mask.
    Masked,
    /// There was nothing.
    Clean,
    /// It cannot be masked.
    Kept,
}

impl Maskable {
    pub(super) fn spot(&self) -> &Spot {
        match self {
            Self::One(entry) => &entry.spot,
            Self::State { spot, .. } | Self::Checkpoints(spot, _) => spot,
        }
    }

    /// Masks it; says whether something was to be masked.
    pub(super) fn mask(&self, home: &Home) -> Result<Remasked, String> {
        let said = |error: crate::files::FileError| error.to_string();
        let is_masked = match self {
            Self::One(Entry { row, spot, .. }) => match row.masked {
                Masked::InPlace => lines::mask(spot, row.form).map_err(said),
                Masked::Whole => documents::mask(spot, row.form).map_err(said),
                Masked::OurPart => documents::mask_notes(spot).map_err(said),
                Masked::IfText => match documents::mask_text(spot, row.form).map_err(said)? {
                    Some(is_masked) => Ok(is_masked),
                    None => return Ok(Remasked::Kept),
                },
                // A copy whose working set is gone.
                Masked::WithItsCopy => documents::mask_json(spot).map_err(said),
                Masked::IfMadeHere | Masked::Rows => Ok(false),
                Masked::NoWords | Masked::Exact => Ok(false),
            },
            Self::State { spot, folder } => mask_state(spot, folder),
            Self::Checkpoints(_, project) => mask_checkpoints(project, home),
        };
        is_masked.map(|is_masked| if is_masked { Remasked::Masked } else { Remasked::Clean })
    }
}

/// Only what we wrote ourselves: a file that differs from our copy is somebody else's, and stays as it is.
fn mask_state(spot: &Spot, folder: &Spot) -> Result<bool, String> {
    let said = |error: crate::files::FileError| error.to_string();
    let lock = Lock::acquire(&folder.join("lock"), Patience::Hook);
    let _alone = lock.map_err(|error| error.to_string())?;
    let copy = folder.join("last-state.json");
    let is_ours = documents::is_alike(spot, &copy).map_err(said)?;
    // The copy first: a kill between the two leaves the file to be masked by the next one.
    let of_copy = documents::mask_json(&copy).map_err(said)?;
    Ok((is_ours && documents::mask_json(spot).map_err(said)?) || of_copy)
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

/// Everything that can be masked, in an order that stays.
/// `names_max`: of a project so many names are looked at; those that have more come second.
pub(super) fn of(
    home: &Home,
    projects: &[Project],
    claude_folder: Option<&Path>,
    names_max: usize,
) -> (Vec<Maskable>, Vec<Spot>) {
    let mut crowded = Vec::new();
    let mut all = singles(catalogue::find(Under::Data, home.root(), Path::new("")), Under::Data);
    if let Some(folder) = claude_folder {
        let found = catalogue::find(Under::Client, &Spot::root(folder), Path::new("data"));
        all.extend(singles(found, Under::Client));
    }
    for project in projects {
        let found = catalogue::find_some(Under::Project, &project.files, Path::new(""), names_max);
        crowded.extend(found.is_cut().then(|| project.files.clone()));
        all.extend(singles(found, Under::Project));
        if let Ok(spot) = state_file::standing(project)
            && spot.is_file()
        {
            all.push(Maskable::State { spot, folder: home.project(&project.key) });
        }
        all.push(Maskable::Checkpoints(project.files.join("checkpoints"), Box::new(project.clone())));
    }
    // A copy is masked together with its file, under one lock.
    let copies: Vec<Spot> = all
        .iter()
        .filter_map(|it| match it {
            Maskable::State { folder, .. } => Some(folder.join("last-state.json")),
            _ => None,
        })
        .collect();
    all.retain(|it| !matches!(it, Maskable::One(entry) if copies.contains(&entry.spot)));
    all.sort_by(|one, other| one.spot().cmp(other.spot()));
    all.dedup();
    (all, crowded)
}

fn singles(found: Inventory, under: Under) -> Vec<Maskable> {
    let is_one = |entry: &Entry| match entry.row.masked {
        Masked::InPlace | Masked::Whole | Masked::OurPart | Masked::IfText => true,
        Masked::WithItsCopy => under == Under::Data,
        _ => false,
    };
    found.entries.into_iter().filter(is_one).map(Maskable::One).collect()
}

/// Top folders of the projects whose sessions are known.
pub(super) fn roots_of_sessions(home: &Home) -> Vec<PathBuf> {
    let folders = home.root().join("sessions").children(SESSIONS_MAX);
    folders.iter().filter_map(|folder| SessionFacts::read(folder).map(|cache| cache.project_root)).collect()
}
