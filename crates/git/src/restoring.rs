//! Restoring: files of the working tree as a kept tree has them. Planned first, so that a person can say no.
//!
//! The plan knows every file on disk that would make room, and whether the tree of "now" holds it: what git ignores, or
//! was told not to look at, is in no tree. Git then writes the wanted files into a folder beside the working tree;
//! whoever moves them in has the plan to tell that nothing else came in the way meanwhile.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::Git;
use crate::names::path_text;
use crate::output::{Head, NulSeparated, Records};
use crate::process::Job;
use crate::queries::{is_tracked, path_from_bytes};
use crate::taking::Taken;
use crate::touched;
use crate::tree_diff::{FILES_MAX, RAW_ARGS};
use crate::trees::{QUIET_ARGS, empty_tree, is_id, run_one};
use crate::whereabouts::{repository_around, repository_at};

/// Most files that may have to make room.
const IN_THE_WAY_MAX: usize = 10_000;
const GITLINK: &str = "160000";
const NOTHING: &str = "000000";

/// The moment that is wanted back.
#[derive(Debug, Clone, Copy)]
pub struct Then<'a> {
    /// The commit that was checked out.
    pub head: Option<&'a str>,
    /// The working tree.
    pub tree: &'a str,
    /// What a restore was about to touch then, as [`Restoring::touched`] tells it.
    pub touched: &'a [String],
}

/// What a restore would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restoring {
    top: PathBuf,
    tree: String,
    steps: Vec<Step>,
    in_the_way: BTreeMap<Vec<u8>, Seen>,
    /// Files that would be written (`M`, `A`) or removed (`D`).
    pub files: Vec<(char, String)>,
    /// Files with changes of their own that are neither committed nor in the tree.
    pub other_changes: Vec<String>,
    /// Files that were deleted then and that git does not track now: they stay.
    pub kept: Vec<String>,
    /// Submodules that were another commit then, and files that are inside of one now: they stay.
    pub submodules: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    letter: char,
    raw: Vec<u8>,
}

/// A file on disk, as it was when the plan was made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    is_in_git: bool,
    look: Look,
}

/// What a file looks like from outside. Another look means that somebody wrote to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Its length.
    pub bytes: u64,
    /// When it was written.
    pub modified: Option<SystemTime>,
    /// Its number on the disk, and its kind and permissions as the system keeps them.
    pub identity: (u64, u32),
}

impl Restoring {
    /// The folder that the paths begin at.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The repository's own folder, where git looks for no files of the user's.
    #[must_use]
    pub fn git_folder(&self) -> Option<PathBuf> {
        repository_at(&self.top).ok().map(|repository| repository.git_dir)
    }

    /// The files from the top, and whether each is written (or else removed); what is removed comes first.
    pub fn steps(&self) -> impl Iterator<Item = (PathBuf, bool)> {
        self.steps.iter().map(|step| (path_from_bytes(&step.raw), step.letter != 'D'))
    }

    /// Files that would make room and whose content is not in git.
    #[must_use]
    pub fn not_in_git(&self) -> Vec<PathBuf> {
        let lost = self.in_the_way.iter().filter(|(_, seen)| !seen.is_in_git);
        lost.map(|(raw, _)| path_from_bytes(raw)).collect()
    }

    /// The same, for people.
    #[must_use]
    pub fn names_not_in_git(&self) -> Vec<String> {
        let lost = self.in_the_way.iter().filter(|(_, seen)| !seen.is_in_git);
        lost.map(|(raw, _)| path_text(raw)).collect()
    }

    /// Whether a file is the one that stood there when the plan was made, unchanged.
    #[must_use]
    pub fn is_as_planned(&self, path: &Path, look: Look) -> bool {
        let planned = self.in_the_way.get(path.as_os_str().as_encoded_bytes());
        planned.is_some_and(|planned| planned.look == look)
    }

    /// Every file that this touches, so that the working tree of now can be brought back: see [`Then::touched`].
    #[must_use]
    pub fn touched(&self) -> Vec<String> {
        let of_steps = self.steps.iter().map(|step| {
            // Where something stands that git does not hold, nothing can be brought back, and nothing is to be removed.
            let is_new = step.letter == 'A' && !self.in_the_way.contains_key(&step.raw);
            touched::encode(if is_new { 'A' } else { 'M' }, &step.raw)
        });
        of_steps.chain(self.besides().map(|raw| touched::encode('D', raw))).collect()
    }

    /// Files in git that make room for others: what is in a folder where a file comes, or a file where a folder comes.
    fn besides(&self) -> impl Iterator<Item = &Vec<u8>> {
        let named: HashSet<&[u8]> = self.steps.iter().map(|step| step.raw.as_slice()).collect();
        let taken = self.in_the_way.iter().filter(|(_, seen)| seen.is_in_git).map(|(raw, _)| raw);
        taken.filter(move |raw| !named.contains(raw.as_slice()))
    }
}

/// See [`Git::plan_restore`].
pub(crate) fn plan(
    git: &Git,
    folder: &Path,
    then: &Then<'_>,
    now: &Taken,
    deadline: Duration,
) -> Result<Restoring, String> {
    let gone = || "git does not know the checkpoint's files any more".to_owned();
    let now_tree = now.tree.as_deref().ok_or_else(|| {
        let why = now.error.as_deref().unwrap_or("checkpoints.keep_files is off");
        format!("the working tree as it is could not be kept: {why}")
    })?;
    let top = repository_around(folder).map_err(|why| format!("git was not asked: {why}"))?.top;
    let base = then.head.unwrap_or_else(|| empty_tree(then.tree.len() == 64));
    let was_dirty = git.diff_trees(folder, base, then.tree, deadline).ok_or_else(gone)?;
    let since = rows(git, folder, now_tree, then.tree, deadline).ok_or_else(gone)?;
    if was_dirty.count > FILES_MAX as u64 || since.len() > FILES_MAX {
        return Err(format!("more than {FILES_MAX} files differ"));
    }
    let touched: HashMap<Vec<u8>, char> = then.touched.iter().filter_map(|it| touched::decode(it)).collect();
    let was_dirty: HashSet<&[u8]> = was_dirty.changes.iter().map(|change| change.raw.as_slice()).collect();
    let differs: HashSet<&[u8]> = since.iter().map(|row| row.raw.as_slice()).collect();
    let mut plan = Restoring { top, tree: then.tree.to_owned(), ..Restoring::default() };
    let other = now.files.iter().filter(|change| differs.contains(change.raw.as_slice()));
    plan.other_changes = other.map(|change| change.path.clone()).collect();
    let modules: HashSet<&[u8]> =
        since.iter().filter(|row| row.has_mode(GITLINK)).map(|row| row.raw.as_slice()).collect();
    for row in &since {
        let is_touched = touched.contains_key(&row.raw);
        if !is_touched && !was_dirty.contains(row.raw.as_slice()) {
            continue;
        }
        let name = path_text(&row.raw);
        if with_parents(&row.raw).any(|path| modules.contains(path)) {
            plan.submodules.push(name);
        } else if row.letter == 'D' && !is_touched && !can_remove(git, &plan.top, &row.raw) {
            plan.kept.push(name);
        } else {
            plan.files.push((row.letter, name));
            plan.steps.push(Step { letter: row.letter, raw: row.raw.clone() });
        }
    }
    // What a restore added and git ignores is in no tree.
    for (raw, _) in
        touched.iter().filter(|(raw, letter)| **letter == 'A' && !differs.contains(raw.as_slice()))
    {
        if fs::symlink_metadata(plan.top.join(path_from_bytes(raw))).is_ok_and(|meta| !meta.is_dir()) {
            plan.files.push(('D', path_text(raw)));
            plan.steps.push(Step { letter: 'D', raw: raw.clone() });
        }
    }
    let unwatched = unwatched(git, &plan.top, deadline)?;
    let is_in_git = |raw: &[u8]| {
        let row = since.iter().find(|row| row.raw == raw);
        row.is_some_and(|row| row.before != NOTHING && row.before != GITLINK) && !unwatched.contains(raw)
    };
    look_at_the_way(&mut plan, is_in_git)?;
    // What is removed goes first: it may be a file where a folder comes, or the other way round.
    plan.steps.sort_by_key(|step| step.letter != 'D');
    let besides: Vec<(char, String)> = plan.besides().map(|raw| ('D', path_text(raw))).collect();
    plan.files.extend(besides);
    Ok(plan)
}

/// Git removes only what it tracks; what it does not may be the only copy.
fn can_remove(git: &Git, top: &Path, raw: &[u8]) -> bool {
    is_tracked(git, top, &path_from_bytes(raw)) == Some(true)
}

/// Finds every file on disk that the steps of a plan would overwrite or remove.
fn look_at_the_way(plan: &mut Restoring, is_in_git: impl Fn(&[u8]) -> bool) -> Result<(), String> {
    let Restoring { top, steps, in_the_way, .. } = plan;
    for step in steps.iter() {
        let parts = || step.raw.split(|byte| *byte == b'/');
        // Checked here once more: git itself refuses such names, and nothing may be written outside.
        if parts().any(|part| matches!(part, b"" | b"." | b"..") || part.eq_ignore_ascii_case(b".git")) {
            return Err(format!("`{}` leads out of the project", path_text(&step.raw)));
        }
        for raw in with_parents(&step.raw) {
            match fs::symlink_metadata(top.join(path_from_bytes(raw))) {
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => break,
                Err(error) => return Err(format!("`{}` can not be looked at: {error}", path_text(raw))),
                Ok(meta) if meta.is_dir() && raw.len() < step.raw.len() => {}
                Ok(meta) if meta.is_dir() => {
                    // A folder that is to be removed as a file was one is left alone.
                    if step.letter != 'D' {
                        walk(top, raw, &is_in_git, in_the_way)?;
                    }
                }
                Ok(meta) => {
                    // Nothing to remove behind a file or a link.
                    if step.letter != 'D' || raw.len() == step.raw.len() {
                        in_the_way.insert(raw.to_vec(), seen(&meta, is_in_git(raw)));
                    }
                    break;
                }
            }
        }
    }
    Ok(())
}

fn walk(
    top: &Path,
    folder: &[u8],
    is_in_git: &impl Fn(&[u8]) -> bool,
    found: &mut BTreeMap<Vec<u8>, Seen>,
) -> Result<(), String> {
    let unread =
        |error: std::io::Error| format!("the folder `{}` can not be read: {error}", path_text(folder));
    for entry in fs::read_dir(top.join(path_from_bytes(folder))).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        let raw = [folder, b"/", entry.file_name().as_encoded_bytes()].concat();
        let meta = entry.metadata().map_err(unread)?;
        if meta.is_dir() {
            walk(top, &raw, is_in_git, found)?;
        } else {
            let seen = seen(&meta, is_in_git(&raw));
            found.insert(raw, seen);
        }
        if found.len() > IN_THE_WAY_MAX {
            return Err(format!(
                "more than {IN_THE_WAY_MAX} files stand in the way, in `{}`",
                path_text(folder)
            ));
        }
    }
    Ok(())
}

/// A path's parents, the topmost first, then the path itself.
fn with_parents(raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = raw.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    ends.chain([raw.len()]).map(|end| &raw[..end])
}

fn seen(meta: &Metadata, is_in_git: bool) -> Seen {
    let look = Look { bytes: meta.len(), modified: meta.modified().ok(), identity: identity(meta) };
    Seen { is_in_git, look }
}

#[cfg(unix)]
fn identity(meta: &Metadata) -> (u64, u32) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.ino(), meta.mode())
}

#[cfg(not(unix))]
fn identity(_meta: &Metadata) -> (u64, u32) {
    (0, 0)
}

/// A file that differs between two trees, with its mode before and afterwards.
#[derive(Debug, Default)]
struct Row {
    letter: char,
    raw: Vec<u8>,
    before: String,
    after: String,
}

impl Row {
    fn has_mode(&self, mode: &str) -> bool {
        self.before == mode || self.after == mode
    }
}

#[derive(Debug, Default)]
struct Rows {
    rows: Vec<Row>,
    pending: Option<Row>,
}

impl Records for Rows {
    fn record(&mut self, record: Option<&[u8]>) {
        let Some(row) = self.pending.take() else {
            self.pending = record.and_then(row_head);
            return;
        };
        // One too many tells that there are too many.
        if let Some(raw) = record.filter(|_| self.rows.len() <= FILES_MAX) {
            self.rows.push(Row { raw: raw.to_vec(), ..row });
        }
    }
}

/// `:100644 100755 <id> <id> M`
fn row_head(record: &[u8]) -> Option<Row> {
    let mut fields = std::str::from_utf8(record).ok()?.strip_prefix(':')?.split(' ');
    let (before, after) = (fields.next()?.to_owned(), fields.next()?.to_owned());
    let letter = fields.nth(2)?.chars().next()?;
    Some(Row { letter, before, after, raw: Vec::new() })
}

fn rows(git: &Git, folder: &Path, from: &str, to: &str, deadline: Duration) -> Option<Vec<Row>> {
    if !is_id(from) || !is_id(to) {
        return None;
    }
    let mut rows = NulSeparated::new(Rows::default());
    let job = Job::new("diff-tree", &["diff-tree"], &mut rows).args(RAW_ARGS).arg(from).arg(to);
    run_one(git, folder, job, deadline).ok()?;
    Some(rows.records.rows)
}

/// Files that git was told not to look at: what is on disk may be in no tree.
#[derive(Debug, Default)]
struct Unwatched(HashSet<Vec<u8>>);

impl Records for Unwatched {
    fn record(&mut self, record: Option<&[u8]>) {
        // `H path`; a small letter stands for `assume-unchanged`, `S` for `skip-worktree`.
        if let Some([tag, b' ', raw @ ..]) = record
            && (tag.is_ascii_lowercase() || *tag == b'S')
        {
            self.0.insert(raw.to_vec());
        }
    }
}

fn unwatched(git: &Git, top: &Path, deadline: Duration) -> Result<HashSet<Vec<u8>>, String> {
    let mut found = NulSeparated::new(Unwatched::default());
    run_one(git, top, Job::new("ls-files", &["ls-files", "-v", "-z"], &mut found), deadline)?;
    Ok(found.records.0)
}

/// See [`Git::write_restored`].
pub(crate) fn write_into(
    git: &Git,
    plan: &Restoring,
    index: &Path,
    folder: &Path,
    deadline: Duration,
) -> Result<(), String> {
    let mut input = Vec::new();
    for step in plan.steps.iter().filter(|step| step.letter != 'D') {
        input.extend_from_slice(&step.raw);
        input.push(0);
    }
    if input.is_empty() {
        return Ok(());
    }
    let mut nothing = Head::new(0);
    let job =
        Job::new("read-tree", QUIET_ARGS, &mut nothing).args(&["read-tree"]).arg(&plan.tree).index(index);
    run_one(git, &plan.top, job, deadline)?;
    let mut nothing = Head::new(0);
    let mut work_tree = std::ffi::OsString::from("--work-tree=");
    work_tree.push(folder);
    let job = Job::new("checkout-index", QUIET_ARGS, &mut nothing)
        .arg(work_tree)
        .args(&["checkout-index", "-z", "--stdin"])
        .index(index)
        .input(input);
    run_one(git, &plan.top, job, deadline)?;
    let missing = plan.steps.iter().find(|step| {
        step.letter != 'D' && fs::symlink_metadata(folder.join(path_from_bytes(&step.raw))).is_err()
    });
    missing.map_or(Ok(()), |step| Err(format!("git did not write `{}`", path_text(&step.raw))))
}
