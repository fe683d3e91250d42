//! Waiting: versions of the state file that are not ours and that nobody has taken over yet.
//!
//! One stands in the state file until we write there; then it is kept beside it, under a name of its own, and the version
//! of ours that it was made from is noted in the data folder, so that it can still be told what it changed.

use throughline_domain::{Problem, State};

use super::difference::Difference;
use super::reconcile::{self, Foreign, WhoseVersion};
use super::versions::Versions;
use super::{Author, Changed, Memory, MemoryError};
use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::{content_hash, state_file};

/// Most versions beside the state file that are looked at.
const KEPT_MAX: usize = 16;
/// Largest note about one.
const BASE_BYTES_MAX: u64 = throughline_domain::limits::STATE_FILE_BYTES_MAX;

/// A version that waits for a person's word.
#[derive(Debug)]
pub struct Waiting {
    /// The hash of its bytes: what is taken over is what was shown.
    pub hash: String,
    /// Where it is, when it no longer stands in the state file.
    pub aside: Option<Spot>,
    /// What it would change.
    pub difference: Difference,
    /// What in it does not fit the schema.
    pub problems: Vec<Problem>,
    state: State,
    base: Option<State>,
    /// The note about it in the data folder.
    note: Option<Spot>,
}

impl Memory {
    /// The versions that wait, the one in the state file first. Nothing is changed.
    pub fn waiting(&self) -> Result<Vec<Waiting>, MemoryError> {
        let path = state_file::standing(&self.project)?;
        let (standing, last) = reconcile::standing(self, &path)?;
        let last = last.map(|last| last.state);
        let (foreign, ours) = match standing {
            WhoseVersion::Ours { state, .. } => (None, Some(*state)),
            WhoseVersion::Missing => (None, None),
            WhoseVersion::Foreign(foreign) => (Some(foreign), last.clone()),
            WhoseVersion::Earlier(_) | WhoseVersion::Corrupt(_) => (None, last.clone()),
        };
        let ours = ours.unwrap_or_else(State::empty);
        let mut found = Vec::new();
        if let Some(foreign) = foreign {
            found.extend(read(&foreign, last, &ours));
        }
        for Kept { aside, note, base } in kept(self, &path) {
            let Some(bytes) = files::read_limited(&aside, reconcile::FOREIGN_BYTES_MAX).ok().flatten() else {
                continue;
            };
            let foreign = Foreign { hash: content_hash::of(&bytes), bytes };
            let is_there = found.iter().any(|it: &Waiting| it.hash == foreign.hash);
            if !is_there && !Versions::known(self).has(&foreign.hash) {
                let waiting = read(&foreign, base, &ours);
                found.extend(waiting.map(|it| Waiting { aside: Some(aside), note: Some(note), ..it }));
            }
        }
        found.retain(|it| !it.difference.is_empty());
        Ok(found)
    }

    /// Whether a version waits of which no person was told; from now on one was.
    #[must_use]
    pub fn tell_once(&self, hash: &str) -> bool {
        let told = Versions::told(self);
        !told.has(hash) && told.note(hash).is_ok()
    }

    /// Takes a version over, or the parts of it under some names: from then on its words are the user's.
    pub fn take(
        &self,
        author: &Author,
        waiting: &Waiting,
        names: &[String],
    ) -> Result<Changed<usize>, MemoryError> {
        let whole = names.is_empty();
        // The whole file as it stands: what it holds beside entries is kept as well.
        let taking = (whole && waiting.aside.is_none()).then_some(waiting.hash.as_str());
        let changed = self.update_taking(author, taking, |draft| {
            if !draft.took_whole {
                let difference = Difference::of(&draft.state, waiting.base.as_ref(), &waiting.state);
                let difference = if whole { difference } else { difference.only(names) };
                difference.make(draft);
            }
            let shown = waiting.difference.clone();
            Ok(if whole { shown } else { shown.only(names) }.len())
        })?;
        if whole {
            Versions::known(self).note(&waiting.hash)?;
            for file in waiting.aside.iter().chain(&waiting.note) {
                files::remove(file)?;
            }
        }
        Ok(changed)
    }

    /// Takes over what a person saved through our own verb, made from `base`.
    pub fn take_edited(
        &self,
        author: &Author,
        base: &State,
        edited: &State,
    ) -> Result<Changed<Difference>, MemoryError> {
        self.update(author, |draft| {
            let difference = Difference::of(&draft.state, Some(base), edited);
            difference.make(draft);
            Ok(difference)
        })
    }
}

/// Keeps a version that stands in the state file, before we write there. The same one is kept once.
pub(super) fn keep(
    memory: &Memory,
    path: &Spot,
    foreign: &Foreign,
    base: Option<&State>,
) -> Result<Spot, FileError> {
    let aside = aside_of(path, &foreign.hash);
    let standing = files::read_limited(&aside, reconcile::FOREIGN_BYTES_MAX).ok().flatten();
    if standing.as_ref() != Some(&foreign.bytes) {
        files::replace(&aside, &foreign.bytes, Durability::Flushed)?;
    }
    let note = base_path(memory, &foreign.hash);
    if files::read_limited(&note, BASE_BYTES_MAX).ok().flatten().is_none() {
        files::create_folder(&memory.folder().join("waiting"))?;
        let bytes = base.map(|base| state_file::encode(base).1).unwrap_or_default();
        files::replace(&note, &bytes, Durability::Flushed)?;
    }
    Ok(aside)
}

fn aside_of(path: &Spot, hash: &str) -> Spot {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.theirs-{}", content_hash::short(hash)))
}

fn base_path(memory: &Memory, hash: &str) -> Spot {
    memory.folder().join("waiting").join(format!("{}.json", content_hash::short(hash)))
}

/// A version that we kept.
struct Kept {
    aside: Spot,
    note: Spot,
    /// The version of ours that it was made from.
    base: Option<State>,
}

/// What we kept. Files of such a name that a clone brought are none of it: nothing is noted about them.
fn kept(memory: &Memory, path: &Spot) -> Vec<Kept> {
    let name = path.name();
    let mut notes: Vec<Spot> = memory.folder().join("waiting").children(KEPT_MAX);
    notes.sort();
    let of = |note: Spot| {
        let aside = path.with_file_name(format!("{name}.theirs-{}", note.name().strip_suffix(".json")?));
        let bytes = files::read_limited(&note, BASE_BYTES_MAX).ok().flatten()?;
        let base = reconcile::state_in(&bytes).ok().map(|(state, _)| state);
        Some(Kept { aside, note, base })
    };
    notes.into_iter().filter_map(of).collect()
}

fn read(foreign: &Foreign, base: Option<State>, ours: &State) -> Option<Waiting> {
    let (state, problems) = reconcile::state_in(&foreign.bytes).ok()?;
    // Made from ours, it carries our time; anything else has a history of its own.
    let base = base.filter(|base| base.timestamp == state.timestamp);
    let difference = Difference::of(ours, base.as_ref(), &state);
    Some(Waiting { hash: foreign.hash.clone(), aside: None, note: None, difference, problems, state, base })
}
