//! Taking: the working tree as a tree of git objects. The user's index, files and references stay as they are.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use crate::asking::Asking;
use crate::names::path_text;
use crate::output::{Head, NulSeparated, Records};
use crate::own_dir::OwnDir;
use crate::process::{Job, run_in};
use crate::queries::path_from_bytes;
use crate::settings::Settings;
use crate::status::{self, Status, Untracked};
use crate::tree_diff::{Change, RAW_ARGS, TreeDiff};
use crate::trees::{QUIET_ARGS, empty_tree, is_id, words};

/// Most names of files that were left out.
const LEFT_OUT_NAMES_MAX: usize = 20;

/// Every untracked file by itself, from the repository's top.
const EACH_UNTRACKED_ARGS: &[&str] =
    &["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"];

/// How much of a working tree is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// Most files.
    pub files_max: usize,
    /// The largest file.
    pub file_bytes_max: u64,
    /// Most bytes in all.
    pub total_bytes_max: u64,
    /// Whether their content is written as git objects; else only its ids are told.
    pub with_content: bool,
}

/// A working tree at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// The commit that was checked out.
    pub head: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// Files that differ from the commit, with the ids of their content.
    pub files: Vec<Change>,
    /// The first files that were too many, too large or not readable.
    pub left_out: Vec<String>,
    /// How many there are in all.
    pub left_out_count: u64,
    /// The whole working tree as a tree (the commit itself, where nothing differs); `None` when it was not written.
    pub tree: Option<String>,
    /// Why something is missing.
    pub error: Option<String>,
}

impl Taken {
    /// Whether something differs from the commit.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        !self.files.is_empty() || self.left_out_count > 0
    }
}

/// See [`Asking::take`].
pub(crate) fn take(asking: &Asking, index: &Path, bounds: &Bounds, end: Instant) -> Taken {
    let own = match OwnDir::around(&asking.git, &asking.folder, end) {
        Ok(own) => own,
        Err(why) => return Taken { error: Some(format!("git was not asked: {why}")), ..Taken::default() },
    };
    let opened = Opened { asking, own: &own, end };
    let (status, error) = opened.status(bounds.files_max);
    let mut taken =
        Taken { head: status.head.clone(), branch: status.branch.clone(), error, ..Taken::default() };
    if taken.error.is_some() {
        return taken;
    }
    if status.entries == 0 {
        taken.tree.clone_from(&taken.head);
        return taken;
    }
    let mut chosen = choose(&own.repository.top, &status, bounds, &mut taken);
    if let Err(why) = leave_filtered(&opened, &mut chosen, &mut taken) {
        taken.error = Some(why);
        return taken;
    }
    if let Err(why) = update_copy(&opened, index, &chosen, bounds) {
        taken.error = Some(why);
        taken.files = chosen.iter().map(|raw| unhashed(raw)).collect();
        return taken;
    }
    read_copy(&opened, index, bounds, &mut taken);
    taken
}

/// Git, and a repository that was opened for it.
struct Opened<'a> {
    asking: &'a Asking,
    own: &'a OwnDir,
    end: Instant,
}

impl Opened<'_> {
    fn run(&self, jobs: &mut [Job<'_>]) -> Option<String> {
        let Asking { git, deadline, .. } = self.asking;
        words(&run_in(git, self.own, &self.own.repository.top, self.end, jobs), *deadline)
    }

    /// The status with every untracked file by itself, and why it is not whole: the one that is known, else a new one.
    fn status(&self, files_max: usize) -> (Status, Option<String>) {
        let mut untracked = NulSeparated::new(Untracked::new(files_max));
        let untracked_job = Job::new("ls-files", EACH_UNTRACKED_ARGS, &mut untracked);
        match self.asking.kept(&self.own.repository, files_max) {
            Some((status, error)) if error.is_some() || !status.has_untracked_folder() => {
                (status.bounded(files_max), error)
            }
            Some((status, _)) => {
                let error = self.run(&mut [untracked_job]);
                (status.of_tracked(files_max).with_untracked(untracked.records), error)
            }
            None => {
                let mut status = NulSeparated::new(Status::new(files_max));
                let status_job = Job::new("status", status::TRACKED_ARGS, &mut status);
                let error = self.run(&mut [status_job, untracked_job]);
                (status.records.with_untracked(untracked.records), error)
            }
        }
    }
}

/// The files that are taken; what is too much is only counted.
fn choose(top: &Path, status: &Status, bounds: &Bounds, taken: &mut Taken) -> Vec<Vec<u8>> {
    let mut bytes_left = bounds.total_bytes_max;
    let mut chosen: Vec<Vec<u8>> = Vec::new();
    // Folders are repositories of their own that nobody added.
    for raw in status.paths.iter().filter(|raw| !raw.ends_with(b"/")) {
        let path = top.join(path_from_bytes(raw));
        let bytes = match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() => {
                let is_fine = meta.len() <= bounds.file_bytes_max && File::open(&path).is_ok();
                if is_fine { meta.len() } else { u64::MAX }
            }
            // Gone, a link, a submodule: next to nothing.
            _ => 0,
        };
        if bytes <= bytes_left {
            bytes_left -= bytes;
            chosen.push(raw.clone());
        } else if taken.left_out.len() < LEFT_OUT_NAMES_MAX {
            taken.left_out.push(path_text(raw));
        }
    }
    let folders = status.paths.iter().filter(|raw| raw.ends_with(b"/")).count();
    taken.left_out_count = status.entries.saturating_sub((chosen.len() + folders) as u64);
    chosen
}

/// Files that pass through a filter of the repository's own stay where they are: it is not started, and without it git
/// would store what it is meant to hide.
fn leave_filtered(opened: &Opened<'_>, chosen: &mut Vec<Vec<u8>>, taken: &mut Taken) -> Result<(), String> {
    let Settings { filters, may_have_more_filters, .. } = &opened.own.settings;
    if (filters.is_empty() && !may_have_more_filters) || chosen.is_empty() {
        return Ok(());
    }
    let filters = (!may_have_more_filters).then(|| filters.clone());
    let mut attributes = NulSeparated::new(Filtered { filters, ..Filtered::default() });
    let input = chosen.iter().flat_map(|raw| raw.iter().copied().chain([0])).collect();
    let job =
        Job::new("check-attr", &["check-attr", "-z", "--stdin", "filter"], &mut attributes).input(input);
    opened.run(&mut [job]).map_or(Ok(()), Err)?;
    let filtered = attributes.records.paths;
    chosen.retain(|raw| !filtered.contains(raw));
    taken.left_out_count += filtered.len() as u64;
    let room = LEFT_OUT_NAMES_MAX.saturating_sub(taken.left_out.len());
    taken.left_out.extend(filtered.iter().take(room).map(|raw| path_text(raw)));
    Ok(())
}

/// `path`, `filter`, its value: three records a file.
#[derive(Debug, Default)]
struct Filtered {
    /// The filters that count; `None` when all do.
    filters: Option<BTreeSet<Vec<u8>>>,
    paths: Vec<Vec<u8>>,
    at: u8,
    path: Vec<u8>,
}

impl Records for Filtered {
    fn record(&mut self, record: Option<&[u8]>) {
        match self.at {
            0 => self.path = record.unwrap_or_default().to_vec(),
            2 if record.is_none_or(|value| self.counts(value)) => {
                self.paths.push(std::mem::take(&mut self.path));
            }
            _ => {}
        }
        self.at = (self.at + 1) % 3;
    }
}

impl Filtered {
    fn counts(&self, value: &[u8]) -> bool {
        match &self.filters {
            Some(filters) => filters.contains(value),
            None => !matches!(value, b"unspecified" | b"unset" | b"set"),
        }
    }
}

/// Brings the copy of the index to what the working tree holds, and writes the contents as objects.
fn update_copy(opened: &Opened<'_>, index: &Path, chosen: &[Vec<u8>], bounds: &Bounds) -> Result<(), String> {
    if chosen.is_empty() {
        return Ok(());
    }
    let top = &opened.own.repository.top;
    let mut input = Vec::new();
    // A link where a folder was: adding it removes what was in the folder, and git refuses to look behind it.
    let links = chosen.iter().filter(|raw| top.join(path_from_bytes(raw)).is_symlink());
    let links: HashSet<&[u8]> = links.map(Vec::as_slice).collect();
    let is_behind_link = |raw: &[u8]| {
        let mut ends = raw.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        ends.any(|(end, _)| links.contains(&raw[..end]))
    };
    for raw in chosen.iter().filter(|raw| !is_behind_link(raw)) {
        input.extend_from_slice(raw);
        input.push(0);
    }
    let mut nothing = Head::new(0);
    let mut job = Job::new("update-index", QUIET_ARGS, &mut nothing)
        .args(&["update-index", "--add", "--remove", "--replace"])
        .index(index)
        .input(input);
    if !bounds.with_content {
        job = job.arg("--info-only");
    }
    opened.run(&mut [job.args(&["-z", "--stdin"])]).map_or(Ok(()), Err)
}

/// What the copy of the index holds, and its tree.
fn read_copy(opened: &Opened<'_>, index: &Path, bounds: &Bounds, taken: &mut Taken) {
    let has_long_ids = opened.own.settings.object_format == Some("sha256");
    let base = taken.head.clone().unwrap_or_else(|| empty_tree(has_long_ids).to_owned());
    let mut diff = NulSeparated::new(TreeDiff::default());
    let mut tree = Head::new(128);
    let mut jobs = vec![
        Job::new("diff-index", QUIET_ARGS, &mut diff)
            .args(&["diff-index", "--cached"])
            .args(RAW_ARGS)
            .arg(base)
            .index(index),
    ];
    if bounds.with_content {
        jobs.push(Job::new("write-tree", QUIET_ARGS, &mut tree).args(&["write-tree"]).index(index));
    }
    taken.error = opened.run(&mut jobs);
    drop(jobs);
    taken.files = diff.records.changes;
    let id = String::from_utf8_lossy(&tree.bytes).trim().to_owned();
    taken.tree = Some(id).filter(|id| is_id(id));
    if opened.own.holds_large_files() {
        let why = "the large file store has no folder here yet, so what it took cannot be kept";
        (taken.tree, taken.error) = (None, Some(why.to_owned()));
    }
}

fn unhashed(raw: &[u8]) -> Change {
    Change { letter: 'M', path: path_text(raw), hash: None, raw: raw.to_vec() }
}
