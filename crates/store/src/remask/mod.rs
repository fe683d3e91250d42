//! Masking again: what was stored under earlier rules loses the secrets that today's rules know.
//!
//! It goes step by step, each in slices, and notes how far it came: whoever is killed is followed by somebody who goes
//! on. Every slice can be done twice. Copies that are not ours to edit stay: backups of transcripts, settings as they
//! were before us, files that a restore overwrote.

mod documents;
mod form;
mod lines;
mod maskable;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use std::path::{Path, PathBuf};

use crate::archive::{self, Archive, ArchiveError, MASKED_TABLES};
use crate::door::Spot;
use crate::files::{self, Durability};
use crate::lock::{Lock, Patience};
use crate::paths::{Home, Project};
use crate::recall::{Recall, RecallError, Writing};
use maskable::Remasked;
use throughline_redact::RULES_VERSION;

/// Above this a database is put in order only for somebody who waits for it.
const QUICK_BYTES_MAX: u64 = throughline_domain::limits::REMASKED_QUICK_BYTES_MAX;
/// Names in a project that a hook looks at; a clone may bring any number.
const QUICK_NAMES_MAX: usize = 2_000;
/// Problems that are told.
const PROBLEMS_MAX: usize = 20;
/// Damaged databases that are named.
const KEPT_MAX: usize = 40;

/// How far it came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct MaskedSoFar {
    /// The rules that everything was masked by.
    done: u32,
    /// Those that are being applied.
    to: u32,
    /// The step that is at work.
    step: usize,
    /// What of it is done.
    at: i64,
    /// Something could not be done in passing: no hook tries it again.
    waits: bool,
    /// Names of damaged databases that were set aside: nobody can mask them.
    kept: Vec<String>,
}

impl MaskedSoFar {
    fn keep(&mut self, path: &Spot) {
        let name = path.name();
        if !self.kept.contains(&name) && self.kept.len() < KEPT_MAX {
            self.kept.push(name);
        }
    }
}

/// The steps, in their order. A database is put in order after its rows.
const STEPS: usize = 2 + MASKED_TABLES + 2;

/// What is masked, and how long it may take.
#[derive(Debug)]
pub struct Job<'a> {
    /// The data folder.
    pub home: &'a Home,
    /// The client's configuration folder, where other tools read our summaries.
    pub claude_folder: Option<&'a Path>,
    /// The user's own home folder.
    pub user_home: Option<&'a Path>,
    /// When to stop; `None` for somebody who waits.
    pub deadline: Option<Instant>,
    /// How long to wait for whoever has a database open.
    pub wait: Duration,
}

/// What was done.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Done {
    /// Files and rows in which something was masked.
    pub masked: u64,
    /// What could not be looked into, and why.
    pub problems: Vec<String>,
    /// Damaged databases that were set aside: what they hold cannot be masked.
    pub kept: Vec<Spot>,
    /// Whether nothing is left to do.
    pub is_finished: bool,
}

impl Done {
    fn problem(&mut self, path: &Spot, what: impl std::fmt::Display) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(format!("{}: {what}", path.display()));
        }
    }
}

/// The rules by which everything that is stored was masked; 0 before the first time.
#[must_use]
pub fn rules_of(home: &Home) -> u32 {
    progress(home).done
}

/// Whether something was stored under earlier rules.
#[must_use]
pub fn is_due(home: &Home) -> bool {
    rules_of(home) < RULES_VERSION
}

/// Damaged databases that were set aside before today's rules masked everything else, and that are still there.
#[must_use]
pub fn kept(home: &Home) -> Vec<Spot> {
    kept_in(home, &progress(home))
}

fn kept_in(home: &Home, progress: &MaskedSoFar) -> Vec<Spot> {
    let paths = progress.kept.iter().filter(|name| archive::is_aside(name) && !name.contains('/'));
    paths.map(|name| home.root().join(name)).filter(Spot::is_file).collect()
}

fn marker(home: &Home) -> Spot {
    home.root().join("masked.json")
}

fn progress(home: &Home) -> MaskedSoFar {
    let bytes = files::read_limited(&marker(home), 64 << 10).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

impl Job<'_> {
    /// Goes on where the last one stopped. `None` when somebody else is at it.
    #[must_use]
    pub fn run(&self) -> Option<Done> {
        let mut done = Done::default();
        if !self.home.root().is_folder() {
            return Some(Done { is_finished: true, ..done });
        }
        let lock = self.home.root().join("masked.lock");
        let alone = match self.deadline {
            Some(_) => Lock::try_now(&lock)?,
            None => Lock::acquire(&lock, Patience::Person).ok()?,
        };
        let mut progress = progress(self.home);
        if progress.done >= RULES_VERSION {
            return Some(Done { is_finished: true, ..done });
        }
        if progress.to != RULES_VERSION || (progress.waits && self.deadline.is_none()) {
            progress = MaskedSoFar { done: progress.done, to: RULES_VERSION, ..MaskedSoFar::default() };
        }
        if progress.waits {
            return Some(done);
        }
        while progress.step < STEPS && !self.is_late() {
            match self.slice(&mut progress, &mut done) {
                Some(at) => progress.at = at,
                None => progress = MaskedSoFar { step: progress.step + 1, at: 0, ..progress },
            }
            self.note(&progress, &mut done);
        }
        done.is_finished = progress.step >= STEPS && done.problems.is_empty();
        done.kept = kept_in(self.home, &progress);
        if progress.step >= STEPS {
            // What could not be looked into is tried again from the start.
            let finished = if done.is_finished { RULES_VERSION } else { progress.done };
            let (waits, kept) = (!done.is_finished, progress.kept);
            let progress = MaskedSoFar { done: finished, to: RULES_VERSION, step: 0, at: 0, waits, kept };
            self.note(&progress, &mut done);
        }
        drop(alone);
        Some(done)
    }

    fn note(&self, progress: &MaskedSoFar, done: &mut Done) {
        let path = marker(self.home);
        let bytes = serde_json::to_vec(progress).unwrap_or_default();
        if let Err(error) = files::replace(&path, &bytes, Durability::Quick) {
            done.problem(&path, error);
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Does a slice of a step; gives where the next one begins, `None` after the last.
    fn slice(&self, progress: &mut MaskedSoFar, done: &mut Done) -> Option<i64> {
        let (archive, recall) = (self.home.archive(), self.home.recall());
        match progress.step {
            0 => self.next_file(progress, done),
            step if step <= MASKED_TABLES => {
                self.in_archive(done, |archive| archive.mask_table(step - 1, progress.at))
            }
            step if step == MASKED_TABLES + 1 => {
                self.in_recall(done, |index, writing| index.mask_blocks(writing, progress.at))
            }
            step if step == MASKED_TABLES + 2 => {
                if self.may_tidy(&archive) {
                    return self.in_archive(done, |archive| archive.tidy_masked().map(|()| (0, None)));
                }
                done.problem(&archive, "large; put in order by `throughline doctor --mask`");
                None
            }
            _ => {
                if self.may_tidy(&recall) {
                    return self.in_recall(done, |index, _| index.tidy_masked().map(|()| (0, None)));
                }
                done.problem(&recall, "large; put in order by `throughline doctor --mask`");
                None
            }
        }
    }

    /// A large database takes seconds to be put in order, and no hook has them.
    fn may_tidy(&self, path: &Spot) -> bool {
        self.deadline.is_none() || path.bytes() <= QUICK_BYTES_MAX
    }

    fn next_file(&self, progress: &mut MaskedSoFar, done: &mut Done) -> Option<i64> {
        let roots = self.project_roots(done);
        let projects: Vec<Project> =
            roots.iter().map(|root| Project::at(root, self.user_home, self.home)).collect();
        let names_max = if self.deadline.is_some() { QUICK_NAMES_MAX } else { usize::MAX };
        let (all, crowded) = maskable::of(self.home, &projects, self.claude_folder, names_max);
        let from = usize::try_from(progress.at).unwrap_or(0).min(all.len());
        for (number, maskable) in all.iter().enumerate().skip(from) {
            if self.is_late() {
                return i64::try_from(number).ok();
            }
            match maskable.mask(self.home) {
                Ok(Remasked::Masked) => done.masked += 1,
                Ok(Remasked::Clean) => {}
                Ok(Remasked::Kept) => progress.keep(maskable.spot()),
                Err(error) => done.problem(maskable.spot(), error),
            }
        }
        for folder in crowded {
            done.problem(
                &folder,
                "more files than are looked at in passing; `throughline doctor --mask` does it",
            );
        }
        None
    }

    fn project_roots(&self, done: &mut Done) -> Vec<PathBuf> {
        let path = self.home.archive();
        let mut roots = maskable::roots_of_sessions(self.home);
        if path.exists() {
            match Archive::open(&path, self.wait).and_then(|archive| archive.project_roots()) {
                Ok(known) => roots.extend(known),
                Err(error) => done.problem(&path, error),
            }
        }
        roots.sort();
        roots.dedup();
        roots
    }

    fn in_archive(
        &self,
        done: &mut Done,
        work: impl FnOnce(&mut Archive) -> Result<(u64, Option<i64>), ArchiveError>,
    ) -> Option<i64> {
        let path = self.home.archive();
        if !path.exists() {
            return None;
        }
        match Archive::open(&path, self.wait).and_then(|mut archive| work(&mut archive)) {
            Ok((masked, next)) => {
                done.masked += masked;
                next
            }
            Err(error) => {
                done.problem(&path, error);
                None
            }
        }
    }

    fn in_recall(
        &self,
        done: &mut Done,
        work: impl FnOnce(&mut Recall, &Writing) -> Result<(u64, Option<i64>), RecallError>,
    ) -> Option<i64> {
        let path = self.home.recall();
        if !path.exists() {
            return None;
        }
        let patience = if self.deadline.is_some() { Patience::Hook } else { Patience::Person };
        let worked = Recall::writing(&path, patience).and_then(|writing| {
            let mut index = Recall::open(&path, self.wait)?;
            work(&mut index, &writing)
        });
        match worked {
            Ok((masked, next)) => {
                done.masked += masked;
                next
            }
            Err(error) => {
                done.problem(&path, error);
                None
            }
        }
    }
}
