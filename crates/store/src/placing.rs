//! Placing: files that were prepared elsewhere come into a folder of the user's, and nothing there is overwritten unseen.
//!
//! What stands in the way is moved out first, looked at where nobody else writes, and put back when it is not what was
//! expected. A file comes in by a rename that replaces nothing. A kill leaves what was moved out in the stage.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::files::{self, AtPath, FileError};

const PREFIX: &str = "throughline-restore-";
/// Most stages of interrupted restores that are looked for.
const INTERRUPTED_MAX: usize = 1_000;

/// Why not every file was placed.
#[derive(Debug, thiserror::Error)]
pub enum PlacingError {
    /// An IO failure.
    #[error(transparent)]
    File(#[from] FileError),
    /// Somebody wrote there meanwhile.
    #[error("{} changed meanwhile; it is as it was", .0.display())]
    Changed(PathBuf),
}

/// Tells whether a file, by its path from the top, is the one that may go.
pub type IsExpected<'a> = &'a dyn Fn(&Path, &Metadata) -> bool;

/// A folder for what comes and what goes, on the file system of the user's files.
#[derive(Debug)]
pub struct Stage {
    folder: PathBuf,
    moved: u64,
}

impl Stage {
    /// In the first of these folders that is on the file system of `top`.
    pub fn beside(top: &Path, folders: &[PathBuf]) -> Result<Self, FileError> {
        let device = |path: &Path| fs::metadata(path).map(|meta| meta.dev());
        let device_of_top = device(top).at("look at", top)?;
        let parent = folders.iter().find(|folder| device(folder).is_ok_and(|it| it == device_of_top));
        let no_place = || io::Error::other("no folder of ours is on the same file system");
        let parent = parent.ok_or_else(no_place).at("prepare files for", top)?;
        let mut number = 0;
        let folder = loop {
            let folder = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match fs::create_dir(&folder) {
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
    pub fn coming(&self) -> PathBuf {
        self.folder.join("coming")
    }

    fn gone(&self) -> PathBuf {
        self.folder.join("gone")
    }

    /// Removes what stands at a path; a folder only with all files in it expected.
    pub fn take_away(
        &mut self,
        top: &Path,
        path: &Path,
        is_expected: IsExpected<'_>,
    ) -> Result<(), PlacingError> {
        let whole = top.join(path);
        match fs::symlink_metadata(&whole) {
            Ok(meta) if !meta.is_dir() => self.move_out(top, path, is_expected)?,
            _ => return Ok(()),
        }
        // Git knows no empty folders: those that this leaves go too.
        for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            if fs::remove_dir(top.join(folder)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Brings in the file that was prepared for a path.
    pub fn put(&mut self, top: &Path, path: &Path, is_expected: IsExpected<'_>) -> Result<(), PlacingError> {
        let mut parents: Vec<&Path> = path.ancestors().skip(1).collect();
        parents.reverse();
        for parent in parents.into_iter().filter(|parent| !parent.as_os_str().is_empty()) {
            let folder = top.join(parent);
            match fs::symlink_metadata(&folder) {
                Ok(meta) if meta.is_dir() => continue,
                Ok(_) => self.move_out(top, parent, is_expected)?,
                Err(_) => {}
            }
            fs::create_dir(&folder).at("create", &folder)?;
        }
        let whole = top.join(path);
        if fs::symlink_metadata(&whole).is_ok() {
            self.move_out(top, path, is_expected)?;
        }
        match rename_to_free(&self.coming().join(path), &whole) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(PlacingError::Changed(whole)),
            renamed => Ok(renamed.at("write", &whole)?),
        }
    }

    fn move_out(&mut self, top: &Path, path: &Path, is_expected: IsExpected<'_>) -> Result<(), PlacingError> {
        let whole = top.join(path);
        self.moved += 1;
        let out = self.gone().join(self.moved.to_string());
        rename_to_free(&whole, &out).at("move away", &whole)?;
        if all_expected(&out, path, is_expected) {
            return Ok(());
        }
        // Where somebody wrote once more in this instant, both stay: one there, one in the stage.
        rename_to_free(&out, &whole).at("put back", &whole)?;
        Err(PlacingError::Changed(whole))
    }

    /// Everything is in its place: what was moved out is not needed any more.
    pub fn finish(self) -> Result<(), FileError> {
        fs::remove_dir_all(&self.folder).at("remove", &self.folder)
    }

    /// It did not work out: what was prepared goes, what was moved out stays. Gives the folder where there is some.
    #[must_use]
    pub fn give_up(self) -> Option<PathBuf> {
        let _ = fs::remove_dir_all(self.coming());
        let _ = fs::remove_dir(self.gone());
        let _ = fs::remove_dir(&self.folder);
        Some(self.gone()).filter(|gone| gone.is_dir())
    }
}

/// Folders with files that interrupted restores moved out; what such a one only prepared is removed.
/// Nobody else may be restoring.
#[must_use]
pub fn interrupted(folders: &[PathBuf]) -> Vec<PathBuf> {
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let left =
        ours.take(INTERRUPTED_MAX).filter_map(|entry| Stage { folder: entry.path(), moved: 0 }.give_up());
    left.collect()
}

fn all_expected(out: &Path, path: &Path, is_expected: IsExpected<'_>) -> bool {
    let Ok(meta) = fs::symlink_metadata(out) else { return false };
    if !meta.is_dir() {
        return is_expected(path, &meta);
    }
    let Ok(entries) = fs::read_dir(out) else { return false };
    let mut entries = entries.map(|entry| entry.map(|entry| entry.file_name()));
    entries.all(|name| name.is_ok_and(|name| all_expected(&out.join(&name), &path.join(&name), is_expected)))
}

/// Renames, unless something has that name already.
fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system can. A second name is refused where there is one already, too.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if fs::symlink_metadata(from)?.is_dir() {
                if fs::symlink_metadata(to).is_ok() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                return fs::rename(from, to);
            }
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        renamed => Ok(renamed?),
    }
}

/// Copies files, byte for byte, into a folder that is new; an `Ok` means that they are on disk, flushed.
pub fn keep_copies(top: &Path, paths: &[PathBuf], into: &Path) -> Result<(), FileError> {
    for path in paths {
        let (from, to) = (top.join(path), into.join(path));
        files::create_folder_flushed(to.parent().unwrap_or(into))?;
        let meta = fs::symlink_metadata(&from).at("look at", &from)?;
        if meta.is_symlink() {
            let target = fs::read_link(&from).at("read", &from)?;
            symlink(target, &to).at("write", &to)?;
        } else {
            copy(&from, &to)?;
        }
        files::flush_folder(to.parent().unwrap_or(into))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), FileError> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(from);
    let mut source: File = opened.at("read", from)?;
    let meta = source.metadata().at("read", from)?;
    if !meta.is_file() {
        return Err(io::Error::other("not a regular file")).at("copy", from);
    }
    files::room_for(meta.len()).at("copy", from)?;
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to).at("create", to)?;
    io::copy(&mut source, &mut copy).at("write", to)?;
    let mode = fs::Permissions::from_mode(meta.mode() & 0o777);
    copy.set_permissions(mode).and_then(|()| copy.sync_all()).at("write", to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_expected_stays_and_what_is_expected_makes_room() {
        let temp = tempfile::tempdir().unwrap();
        let (top, beside) = (temp.path().join("top"), temp.path().join("beside"));
        for folder in [top.join("w"), beside.clone()] {
            fs::create_dir_all(folder).unwrap();
        }
        let mut stage = Stage::beside(&top, std::slice::from_ref(&beside)).unwrap();
        fs::write(top.join("w/late"), "mine").unwrap();
        fs::write(top.join("late"), "mine").unwrap();
        for name in ["w", "late"] {
            fs::write(stage.coming().join(name), "theirs").unwrap();
            let placed = stage.put(&top, Path::new(name), &|_, _| false);
            assert!(matches!(placed, Err(PlacingError::Changed(_))), "{name}: {placed:?}");
        }
        assert!(stage.take_away(&top, Path::new("late"), &|_, _| false).is_err());
        let read = |name: &str| fs::read_to_string(top.join(name)).unwrap();
        assert_eq!((read("w/late").as_str(), read("late").as_str()), ("mine", "mine"));
        let taken = rename_to_free(&stage.coming().join("late"), &top.join("late"));
        assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        stage.put(&top, Path::new("w"), &|path, _| path == Path::new("w/late")).unwrap();
        assert_eq!(read("w"), "theirs");
        assert_eq!(interrupted(std::slice::from_ref(&beside)).len(), 1, "what was moved out is still there");
        assert!(stage.finish().is_ok() && interrupted(&[beside]).is_empty());
    }
}
