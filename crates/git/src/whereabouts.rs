//! Whereabouts: which repository a folder belongs to, found by reading files and believed only where both sides agree.
//!
//! A `.git` file is a claim. Of a linked worktree it counts when the main repository lists exactly this working tree;
//! of a submodule when its git folder is among the modules of the repository around it and names this working tree.
//! Everything else is foreign: git is not asked about it and nothing is written there.

use std::fs::{self, FileType};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::reading;
use crate::settings::Settings;

/// A file with a path in it is one short line.
const POINTER_BYTES_MAX: u64 = throughline_domain::limits::GIT_POINTER_BYTES_MAX;
/// Submodules in submodules; deeper is no project.
const DEPTH_MAX: u8 = throughline_domain::limits::GIT_SUBMODULE_DEPTH_MAX;

/// A repository whose files agree on where it is. All paths are absolute and without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The working tree: the folder with `.git` in it.
    pub top: PathBuf,
    /// Where `HEAD` and the index are.
    pub git_dir: PathBuf,
    /// Where objects, references and settings are: what linked worktrees share.
    pub common_dir: PathBuf,
    /// The main working tree, when this is a linked one of a repository that has one.
    pub main_worktree: Option<PathBuf>,
}

impl Repository {
    /// Whether this is a linked worktree.
    #[must_use]
    pub fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// The list of files that git ignores here and nowhere else.
    #[must_use]
    pub fn exclude_file(&self) -> ExcludeFile {
        ExcludeFile { common_dir: self.common_dir.clone(), name: "info/exclude" }
    }
}

/// A file in a git folder that was found to be the project's own. What is below that folder may still be links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludeFile {
    /// The folder: absolute, without links.
    pub common_dir: PathBuf,
    /// The file, from there.
    pub name: &'static str,
}

impl ExcludeFile {
    /// The whole path.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.common_dir.join(self.name)
    }
}

/// Why a folder has no repository that is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyNot {
    /// There is none.
    NoRepository,
    /// There is one that is not believed or cannot be read whole.
    Refused(String),
}

impl std::fmt::Display for WhyNot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoRepository => f.write_str("this is not a git repository, and it is in none"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

/// The repository whose working tree begins at `root`.
pub fn repository_at(root: &Path) -> Result<Repository, WhyNot> {
    at(&real(root)?, DEPTH_MAX)
}

/// The repository that holds `folder`: the nearest one, upwards.
pub fn repository_around(folder: &Path) -> Result<Repository, WhyNot> {
    around(&real(folder)?, DEPTH_MAX)
}

fn around(folder: &Path, depth: u8) -> Result<Repository, WhyNot> {
    // Git goes on upwards where a `.git` folder is no repository; where it is something else it does not.
    let mut found = folder.ancestors().map(|above| at(above, depth));
    found.find(|found| *found != Err(WhyNot::NoRepository)).unwrap_or(Err(WhyNot::NoRepository))
}

fn at(top: &Path, depth: u8) -> Result<Repository, WhyNot> {
    let dot_git = top.join(".git");
    let Some(kind) = kind_of(&dot_git)? else { return Err(WhyNot::NoRepository) };
    if kind.is_symlink() {
        return refused("its `.git` is a link");
    }
    if !kind.is_dir() {
        return pointed_to(top, &dot_git, depth);
    }
    match kind_of(&dot_git.join("HEAD"))? {
        None => return Err(WhyNot::NoRepository),
        Some(head) if !head.is_file() => return refused("its `HEAD` is no file"),
        Some(_) => {}
    }
    // Only the git folder of a linked worktree has one, and that is never `.git` itself.
    if kind_of(&dot_git.join("commondir"))?.is_some() {
        return refused("its `.git` folder says that it belongs to another repository");
    }
    Ok(Repository { top: top.to_owned(), git_dir: dot_git.clone(), common_dir: dot_git, main_worktree: None })
}

/// What a `.git` file says, if the other side agrees.
fn pointed_to(top: &Path, dot_git: &Path, depth: u8) -> Result<Repository, WhyNot> {
    let text = reading::line(dot_git, POINTER_BYTES_MAX).map_err(WhyNot::Refused)?.unwrap_or_default();
    let Some(target) = text.strip_prefix("gitdir:").map(str::trim_start).filter(|it| !it.is_empty()) else {
        return refused("its `.git` file names no git folder");
    };
    let Ok(git_dir) = fs::canonicalize(top.join(target)) else {
        return refused("its `.git` file names a git folder that is not there");
    };
    if !kind_of(&git_dir.join("HEAD"))?.is_some_and(|head| head.is_file()) {
        return refused("its `.git` file names a folder that is no git folder");
    }
    match reading::line(&git_dir.join("commondir"), POINTER_BYTES_MAX).map_err(WhyNot::Refused)? {
        Some(common) => linked(top, dot_git, git_dir, &common),
        None if git_dir.starts_with(top) || is_submodule(top, &git_dir, depth) => {
            let top = top.to_owned();
            Ok(Repository { top, common_dir: git_dir.clone(), git_dir, main_worktree: None })
        }
        None => refused("its `.git` file points to a git folder that does not name this working tree"),
    }
}

fn linked(top: &Path, dot_git: &Path, git_dir: PathBuf, common: &str) -> Result<Repository, WhyNot> {
    let unlisted = || refused("its `.git` file points to a repository that does not list this working tree");
    let Ok(common_dir) = fs::canonicalize(git_dir.join(common)) else { return unlisted() };
    if git_dir.parent() != Some(&common_dir.join("worktrees")) {
        return unlisted();
    }
    let listed = reading::line(&git_dir.join("gitdir"), POINTER_BYTES_MAX).map_err(WhyNot::Refused)?;
    // It may be relative, to the folder that it stands in. The folder is resolved, `.git` itself was looked at.
    let listed = listed.map(|listed| git_dir.join(listed));
    let back = listed.as_deref().filter(|it| it.file_name() == dot_git.file_name()).and_then(Path::parent);
    if back.and_then(|back| fs::canonicalize(back).ok()).as_deref() != Some(top) {
        return unlisted();
    }
    let main_worktree = common_dir.parent().filter(|_| common_dir.ends_with(".git")).map(Path::to_owned);
    Ok(Repository { top: top.to_owned(), git_dir, common_dir, main_worktree })
}

/// Whether a git folder is among the modules of the repository around `top`, and names `top` as its working tree.
fn is_submodule(top: &Path, git_dir: &Path, depth: u8) -> bool {
    let (Some(above), Some(depth)) = (top.parent(), depth.checked_sub(1)) else { return false };
    let Ok(outer) = around(above, depth) else { return false };
    let is_among =
        [&outer.git_dir, &outer.common_dir].iter().any(|it| git_dir.starts_with(it.join("modules")));
    let settings = is_among.then(|| Settings::read(git_dir, git_dir).ok()).flatten();
    settings.is_some_and(|settings| settings.work_tree_of(git_dir).as_deref() == Some(top))
}

fn kind_of(path: &Path) -> Result<Option<FileType>, WhyNot> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(meta.file_type())),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => {
            let name = crate::names::path_text(path.as_os_str().as_encoded_bytes());
            Err(WhyNot::Refused(format!("`{name}` cannot be looked at: {error}")))
        }
    }
}

/// Links are resolved first: `..` of a linked folder is not the folder the link stands in.
fn real(folder: &Path) -> Result<PathBuf, WhyNot> {
    std::path::absolute(folder).and_then(fs::canonicalize).map_err(|error| {
        let name = crate::names::path_text(folder.as_os_str().as_encoded_bytes());
        WhyNot::Refused(format!("`{name}` cannot be entered: {error}"))
    })
}

fn refused<T>(why: &str) -> Result<T, WhyNot> {
    Err(WhyNot::Refused(why.to_owned()))
}
