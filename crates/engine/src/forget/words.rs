//! Forgetting words: they go out of everything that is remembered about a project, and it is proven.

use std::path::Path;

use serde_json::Value;
use throughline_domain::State;
use throughline_store::archive::Archive;
use throughline_store::checkpoints::Checkpoints;
use throughline_store::door::Spot;
use throughline_store::forget::{self, Needle, Places};
use throughline_store::gate;
use throughline_store::lock::Patience;
use throughline_store::recall::Recall;
use throughline_store::session::SessionFacts;

use super::{FOLDERS_MAX, ROUNDS_MAX};
use crate::at_hand::{ARCHIVE_WAIT, AtHand};
use crate::checkpoint as making;
use crate::work_error::WorkError;

/// What holds the words.
#[derive(Debug, Default)]
pub struct Occurrences {
    /// Entries of the working set, by their ids.
    pub entries: Vec<String>,
    /// Rows of the archive.
    pub rows: usize,
    /// Files of ours.
    pub files: Vec<Spot>,
    /// Checkpoints, by their ids.
    pub checkpoints: Vec<String>,
    /// Sessions with backups of their transcripts.
    pub backups: Vec<String>,
    /// Passages of the index of recall that go with those that hold the words.
    pub passages: u64,
}

impl Occurrences {
    /// Whether nothing does.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
            && self.rows == 0
            && self.files.is_empty()
            && self.checkpoints.is_empty()
            && self.backups.is_empty()
            && self.passages == 0
    }
}

/// A forgetting of words, under way.
#[derive(Debug)]
pub struct Forgetting<'a> {
    at_hand: &'a AtHand<'a>,
    needle: Needle,
    places: Places,
}

/// What is left after it.
#[derive(Debug, Default)]
pub struct Left {
    /// Files that hold the words still.
    pub holding: Vec<Spot>,
    /// Databases in which nobody can look.
    pub damaged: Vec<Spot>,
}

impl<'a> Forgetting<'a> {
    /// Nothing is done yet.
    pub fn of(at_hand: &'a AtHand<'a>, words: &[String]) -> Result<Self, WorkError> {
        let (place, project) = (at_hand.place, &at_hand.memory.project);
        let places = Places::of(&place.home, project, place.claude_folder.as_deref());
        Ok(Self { at_hand, needle: Needle::new(words)?, places })
    }

    /// What holds the words, in a state and everywhere else.
    pub fn found(&self, state: &State) -> Result<Occurrences, WorkError> {
        let needle = &self.needle;
        let rows = self.archive()?.forget(self.project_key(), &|text| needle.is_in(text), true)?;
        let checkpoints = self.checkpoints_holding();
        let of_checkpoint =
            |path: &Spot| checkpoints.iter().any(|id| path.name().strip_suffix(".json") == Some(id));
        let mut files = self.places.mask(needle, true)?;
        files.retain(|path| !of_checkpoint(path));
        Ok(Occurrences {
            entries: entries_holding(state, needle),
            rows: rows.entries + rows.others,
            files,
            checkpoints,
            backups: self.places.remove_backups(needle, true)?,
            passages: self.forget_passages(true)?,
        })
    }

    /// Forgets them, until they are found nowhere or there is no point in going on; says at once what could not be done.
    pub fn run(&self, mut trouble: impl FnMut(&str)) -> Result<Left, WorkError> {
        let mut left = Left { damaged: self.places.damaged(), ..Left::default() };
        for _ in 0..ROUNDS_MAX {
            self.forget_everywhere(&mut trouble)?;
            left.holding = self.places.still_holding(&self.needle);
            left.holding.retain(|path| !left.damaged.contains(path));
            if self.forget_passages(true)? > 0 {
                left.holding.push(self.at_hand.place.home.recall());
            }
            if left.holding.is_empty() {
                break;
            }
        }
        Ok(left)
    }

    /// Other projects that hold them.
    pub fn other_projects(&self) -> Result<Vec<String>, WorkError> {
        Ok(self.archive()?.others_holding(self.project_key(), &|text| self.needle.is_in(text))?)
    }

    /// The agent's own files that hold them: they stay.
    #[must_use]
    pub fn transcripts(&self) -> Vec<String> {
        let folders = self.at_hand.place.home.root().join("sessions").children(FOLDERS_MAX);
        let caches = folders.iter().filter_map(SessionFacts::read);
        let of_project = caches.filter(|cache| cache.project_root == self.at_hand.memory.project.root);
        let paths = of_project.map(|cache| cache.transcript).filter(|path| !path.is_empty());
        paths.filter(|path| forget::holds(Path::new(path), &self.needle)).collect()
    }

    fn archive(&self) -> Result<Archive, WorkError> {
        Ok(Archive::open(&self.at_hand.place.home.archive(), ARCHIVE_WAIT)?)
    }

    fn project_key(&self) -> &str {
        &self.at_hand.memory.project.key
    }

    fn checkpoints_holding(&self) -> Vec<String> {
        Checkpoints::of(&self.at_hand.memory.project, &self.at_hand.place.home).holding(&self.needle)
    }

    /// One round. Each step can be done again: a run that was killed between two of them is completed by the next.
    fn forget_everywhere(&self, trouble: &mut impl FnMut(&str)) -> Result<(), WorkError> {
        let Self { at_hand, needle, places } = self;
        at_hand.memory.update(&at_hand.author, |draft| {
            for id in entries_holding(&draft.state, needle) {
                draft.withdraw(&id, "forgotten")?;
            }
            let text = draft.state.to_json().to_string();
            if needle.is_in(&text)
                && let Ok(masked) = String::from_utf8(needle.masked(text.as_bytes()))
                && let Ok((state, _)) = State::read(&masked)
            {
                draft.state = state;
            }
            Ok(())
        })?;
        let sessions = places.sessions();
        let sessions: Vec<&str> = sessions.iter().map(String::as_str).collect();
        // What waits would bring the words back into the archive.
        gate::fold(at_hand.memory, &sessions, ARCHIVE_WAIT)?;
        let ids = self.checkpoints_holding();
        if !ids.is_empty() {
            let on_disk = Checkpoints::of(&at_hand.memory.project, &at_hand.place.home);
            let alone = on_disk.alone(Patience::Person)?;
            if let Some(what) = making::remove(at_hand.memory, &on_disk, &alone, &ids)? {
                trouble(&what);
            }
        }
        places.remove_backups(needle, false)?;
        places.mask(needle, false)?;
        self.archive()?.forget(self.project_key(), &|text| needle.is_in(text), false)?;
        self.forget_passages(false)?;
        Ok(())
    }

    /// Out of the index of recall, of whatever project: its texts are compressed, and no look at its bytes would find the words.
    fn forget_passages(&self, is_trial: bool) -> Result<u64, WorkError> {
        let path = self.at_hand.place.home.recall();
        if !path.exists() {
            return Ok(0);
        }
        let writing = Recall::writing(&path, Patience::Person)?;
        let mut index = Recall::open(&path, ARCHIVE_WAIT)?;
        Ok(index.forget(&writing, &|text| self.needle.is_in(text), is_trial)?)
    }
}

fn entries_holding(state: &State, needle: &Needle) -> Vec<String> {
    let json = state.to_json();
    let rows = |section: &Value| section.as_array().cloned().unwrap_or_default();
    let sections = json.as_object().into_iter().flat_map(|map| map.values()).flat_map(rows);
    let held: Vec<String> = sections
        .filter(|row| needle.is_in(&row.to_string()))
        .filter_map(|row| Some(row.get("id")?.as_str()?.to_owned()))
        .collect();
    let by_text =
        state.all_entries().filter(|entry| needle.is_in(&entry.text)).map(|entry| entry.id.to_string());
    let mut all: Vec<String> =
        held.into_iter().filter(|id| state.find(id).is_some()).chain(by_text).collect();
    all.sort();
    all.dedup();
    all
}
