//! Restore stage: files prepared elsewhere come into a folder of the user's, and nothing there is overwritten unseen.
//!
//! What stands in the way is moved out first, looked at where nobody else writes, and put back when it is not what was
//! expected. A file comes in by a rename that replaces nothing. A kill leaves what was moved out in the stage.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use crate::door::{Meta, Spot};
use crate::files::{self, AtPath, FileError};

const PREFIX: &str = "throughline-restore-";
/// Most stages of interrupted restores that are looked for.
const INTERRUPTED_MAX: usize = 1_000;
/// Most names of a folder that are looked at.
const NAMES_MAX: usize = 1_000_000;

/// Why not every file was placed.
#[derive(Debug, thiserror::Error)]
pub enum RestoreStageError {
    /// An IO failure.
    #[error(transparent)]
    File(#[from] FileError),
    /// Somebody wrote there meanwhile.
    #[error("{} changed meanwhile; it is as it was", .0.display())]
    Changed(PathBuf),
}

/// Tells whether a file, by its path from the top, is the one that may go.
pub type IsExpected<'a> = &'a dyn Fn(&Path, &Meta) -> bool;

/// A folder for what comes and what goes, on the file system of the user's files.
#[derive(Debug)]
pub struct RestoreStage {
    folder: Spot,
    moved: u64,
}

impl RestoreStage {
    /// In the first of these folders that is on the file system of `top`.
    pub fn beside(top: &Spot, folders: &[Spot]) -> Result<Self, FileError> {
        let device_of_top = top.meta().at("look at", top)?.device;
        let is_beside = |folder: &&Spot| folder.meta().is_ok_and(|it| it.device == device_of_top);
        let no_place = || io::Error::other("no folder of ours is on the same file system");
        let parent = folders.iter().find(is_beside).ok_or_else(no_place).at("prepare files for", top)?;
        let mut number = 0;
        let folder = loop {
            let folder = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match folder.make_folder() {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => break made.map(|()| folder.clone()).at("create", &folder)?,
            }
        };
        let stage = Self { folder, moved: 0 };
        for part in [stage.coming(), stage.gone()] {
            files::create_folder(&part)?;
        }
        Ok(stage)
    }

    /// Where files are prepared, each under its path from the top.
    #[must_use]
    pub fn coming(&self) -> Spot {
        self.folder.join("coming")
    }

    fn gone(&self) -> Spot {
        self.folder.join("gone")
    }

    /// Removes what stands at a path; a folder only with all files in it expected.
    pub fn take_away(
        &mut self,
        top: &Spot,
        path: &Path,
        is_expected: IsExpected<'_>,
    ) -> Result<(), RestoreStageError> {
        let whole = top.join(path);
        match whole.meta() {
            Ok(meta) if !meta.is_folder() => self.move_out(top, path, is_expected)?,
            _ => return Ok(()),
        }
        // Git knows no empty folders: those that this leaves go too.
        for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            if !files::remove_if_empty(&top.join(folder)) {
                break;
            }
        }
        Ok(())
    }

    /// Brings in the file that was prepared for a path.
    pub fn put(
        &mut self,
        top: &Spot,
        path: &Path,
        is_expected: IsExpected<'_>,
    ) -> Result<(), RestoreStageError> {
        let mut parents: Vec<&Path> = path.ancestors().skip(1).collect();
        parents.reverse();
        for parent in parents.into_iter().filter(|parent| !parent.as_os_str().is_empty()) {
            let folder = top.join(parent);
            match folder.meta() {
                Ok(meta) if meta.is_folder() => continue,
                Ok(_) => self.move_out(top, parent, is_expected)?,
                Err(_) => {}
            }
            folder.make_folder().at("create", &folder)?;
        }
        let whole = top.join(path);
        if whole.exists() {
            self.move_out(top, path, is_expected)?;
        }
        match self.coming().join(path).rename_to_free(&whole) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(RestoreStageError::Changed(whole.shown()))
            }
            renamed => Ok(renamed.at("write", &whole)?),
        }
    }

    fn move_out(
        &mut self,
        top: &Spot,
        path: &Path,
        is_expected: IsExpected<'_>,
    ) -> Result<(), RestoreStageError> {
        let whole = top.join(path);
        self.moved += 1;
        let out = self.gone().join(self.moved.to_string());
        whole.rename_to_free(&out).at("move away", &whole)?;
        if all_expected(&out, path, is_expected) {
            return Ok(());
        }
        // Where somebody wrote once more in this instant, both stay: one there, one in the stage.
        out.rename_to_free(&whole).at("put back", &whole)?;
        Err(RestoreStageError::Changed(whole.shown()))
    }

    /// Everything is in its place: what was moved out is not needed any more.
    pub fn finish(self) -> Result<(), FileError> {
        files::remove_tree(&self.folder)
    }

    /// It did not work out: what was prepared goes, what was moved out stays. Gives the folder where there is some.
    #[must_use]
    pub fn give_up(self) -> Option<Spot> {
        let _ = self.coming().remove_tree();
        files::remove_if_empty(&self.gone());
        files::remove_if_empty(&self.folder);
        Some(self.gone()).filter(Spot::is_folder)
    }
}

/// Folders with files that interrupted restores moved out; what such a one only prepared is removed.
/// Nobody else may be restoring.
#[must_use]
pub fn interrupted(folders: &[Spot]) -> Vec<Spot> {
    let named = |folder: &Spot| {
        let ours = folder.list(NAMES_MAX).into_iter().filter(|it| it.text().starts_with(PREFIX));
        ours.map(|it| folder.join(it.name)).collect::<Vec<_>>()
    };
    let left = folders.iter().flat_map(named).take(INTERRUPTED_MAX);
    left.filter_map(|folder| RestoreStage { folder, moved: 0 }.give_up()).collect()
}

fn all_expected(out: &Spot, path: &Path, is_expected: IsExpected<'_>) -> bool {
    let Ok(meta) = out.meta() else { return false };
    if !meta.is_folder() {
        return is_expected(path, &meta);
    }
    let Ok(names) = out.try_list(NAMES_MAX) else { return false };
    names.into_iter().all(|it| all_expected(&out.join(&it.name), &path.join(&it.name), is_expected))
}

/// Copies files, byte for byte, into a folder that is new; an `Ok` means that they are on disk, flushed.
pub fn keep_copies(top: &Spot, paths: &[PathBuf], into: &Spot) -> Result<(), FileError> {
    for path in paths {
        let (from, to) = (top.join(path), into.join(path));
        let folder = to.parent().unwrap_or_else(|| into.clone());
        files::create_folder_flushed(&folder)?;
        if from.meta().at("look at", &from)?.is_link() {
            let target = from.link_target().at("read", &from)?;
            to.make_link(&target).at("write", &to)?;
        } else {
            copy(&from, &to)?;
        }
        files::flush_folder(&folder)?;
    }
    Ok(())
}

fn copy(from: &Spot, to: &Spot) -> Result<(), FileError> {
    let mut source = files::open_regular(from).at("copy", from)?;
    let meta = from.meta().at("read", from)?;
    files::room_for(meta.len).at("copy", from)?;
    let mut copy = files::create_new(to).at("create", to)?;
    io::copy(&mut source, &mut copy).at("write", to)?;
    let mode = Mode::from_raw_mode(meta.mode & 0o777);
    rustix::fs::fchmod(&copy, mode).map_err(io::Error::from).and_then(|()| copy.sync_all()).at("write", to)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files behind the door's back")]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_expected_stays_and_what_is_expected_makes_room() {
        let temp = tempfile::tempdir().unwrap();
        let (top, beside) = (Spot::root(temp.path().join("top")), Spot::root(temp.path().join("beside")));
        for folder in [top.join("w"), beside.clone()] {
            files::create_folder(&folder).unwrap();
        }
        let write = |spot: Spot, text: &str| std::fs::write(spot.shown(), text).unwrap();
        let mut stage = RestoreStage::beside(&top, std::slice::from_ref(&beside)).unwrap();
        write(top.join("w/late"), "mine");
        write(top.join("late"), "mine");
        for name in ["w", "late"] {
            write(stage.coming().join(name), "theirs");
            let placed = stage.put(&top, Path::new(name), &|_, _| false);
            assert!(matches!(placed, Err(RestoreStageError::Changed(_))), "{name}: {placed:?}");
        }
        assert!(stage.take_away(&top, Path::new("late"), &|_, _| false).is_err());
        let read = |name: &str| std::fs::read_to_string(top.join(name).shown()).unwrap();
        assert_eq!((read("w/late").as_str(), read("late").as_str()), ("mine", "mine"));
        let taken = stage.coming().join("late").rename_to_free(&top.join("late"));
        assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        stage.put(&top, Path::new("w"), &|path, _| path == Path::new("w/late")).unwrap();
        assert_eq!(read("w"), "theirs");
        assert_eq!(interrupted(std::slice::from_ref(&beside)).len(), 1, "what was moved out is still there");
        assert!(stage.finish().is_ok() && interrupted(&[beside]).is_empty());
    }
}
