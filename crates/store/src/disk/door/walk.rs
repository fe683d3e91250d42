//! The walk: from a folder's handle to a name below it, through folders alone.
//!
//! Linux does it in one call. Where that is missing (other systems, older kernels, some containers) each folder is
//! opened by itself, from the one before: a link among them is an error there too.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::Refused;
use super::root::FOLDER;

/// Opens what stands at `below`.
pub(super) fn open(root: BorrowedFd<'_>, below: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    if !is_plain(below) {
        return Err(Refused::LeadsOut.into());
    }
    if below.as_os_str().is_empty() {
        return Ok(rustix::fs::openat(root, ".", flags, mode)?);
    }
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // The system refuses permissions for what is not made.
    let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
    if let Some(opened) = in_one_call(root, below, flags, mode) {
        return opened;
    }
    step_by_step(root, below, flags, mode)
}

/// Only names: nothing that leads upwards or begins anew.
pub(super) fn is_plain(below: &Path) -> bool {
    below.components().all(|component| matches!(component, Component::Normal(_)))
}

#[cfg(target_os = "linux")]
fn in_one_call(root: BorrowedFd<'_>, below: &Path, flags: OFlags, mode: Mode) -> Option<io::Result<OwnedFd>> {
    use rustix::fs::ResolveFlags;
    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_MISSING: AtomicBool = AtomicBool::new(false);
    if IS_MISSING.load(Ordering::Relaxed) {
        return None;
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, below, flags, mode, resolve) {
        Ok(opened) => Some(Ok(opened)),
        Err(Errno::LOOP | Errno::XDEV) => Some(Err(Refused::Link.into())),
        Err(Errno::NOSYS | Errno::PERM) => {
            // Not known here, or forbidden by a container: the other way says what is really the matter.
            IS_MISSING.store(true, Ordering::Relaxed);
            None
        }
        // Somebody renamed a folder meanwhile.
        Err(Errno::AGAIN) => None,
        Err(error) => Some(Err(error.into())),
    }
}

#[cfg(not(target_os = "linux"))]
fn in_one_call(_: BorrowedFd<'_>, _: &Path, _: OFlags, _: Mode) -> Option<io::Result<OwnedFd>> {
    None
}

fn step_by_step(root: BorrowedFd<'_>, below: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let name = below.file_name().ok_or(Refused::LeadsOut)?;
    let mut folder: Option<OwnedFd> = None;
    for step in below.parent().into_iter().flat_map(Path::components) {
        let from = folder.as_ref().map_or(root, AsFd::as_fd);
        let step: &Path = step.as_ref();
        let opened = rustix::fs::openat(from, step, FOLDER | OFlags::NOFOLLOW, Mode::empty());
        folder = Some(opened.map_err(|error| said(from, step, error))?);
    }
    let from = folder.as_ref().map_or(root, AsFd::as_fd);
    rustix::fs::openat(from, name, flags, mode).map_err(|error| said(from, Path::new(name), error))
}

/// A link is told as such: some systems say of it that it is no folder.
fn said(folder: BorrowedFd<'_>, name: &Path, error: Errno) -> io::Error {
    let is_link = |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
    if matches!(error, Errno::LOOP | Errno::NOTDIR | Errno::MLINK)
        && rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(is_link)
    {
        return Refused::Link.into();
    }
    error.into()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files behind the door's back")]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::os::unix::fs::symlink;

    #[test]
    fn both_ways_open_the_same_and_refuse_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().join("top");
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::write(top.join("a/b/file"), "x").unwrap();
        fs::write(temp.path().join("outside"), "x").unwrap();
        symlink("b", top.join("a/link")).unwrap();
        symlink("../outside", top.join("out")).unwrap();
        symlink("nowhere", top.join("a/b/broken")).unwrap();
        let root = File::open(&top).unwrap();
        let one = |path: &str| {
            in_one_call(root.as_fd(), Path::new(path), OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())
        };
        let other = |path: &str| {
            step_by_step(root.as_fd(), Path::new(path), OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())
        };
        for path in ["a", "a/b", "a/b/file"] {
            assert!(other(path).is_ok(), "{path}");
            assert!(one(path).is_none_or(|opened| opened.is_ok()), "{path}");
        }
        for path in ["a/link", "a/link/file", "out", "a/b/broken"] {
            assert!(super::super::is_refusal(&other(path).unwrap_err()), "{path}");
            assert!(one(path).is_none_or(|opened| super::super::is_refusal(&opened.unwrap_err())), "{path}");
        }
        for path in ["none", "a/none", "a/b/none/deeper"] {
            assert_eq!(other(path).unwrap_err().kind(), io::ErrorKind::NotFound, "{path}");
        }
        for path in ["../outside", "/etc/passwd", "a/../../outside", "./a"] {
            let opened = open(root.as_fd(), Path::new(path), OFlags::RDONLY, Mode::empty());
            assert!(super::super::is_refusal(&opened.unwrap_err()), "{path}");
        }
    }
}
