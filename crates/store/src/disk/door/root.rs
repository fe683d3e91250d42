//! A root: a folder that is opened once, by the path that the user chose; everything below it is reached from there.
#![expect(clippy::disallowed_methods, reason = "this is where roots are resolved")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{CWD, Mode, OFlags};

/// A folder, and its handle once somebody needed it.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    handle: OnceLock<OwnedFd>,
}

/// For a folder that is only a place to look names up from.
pub(super) const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Root {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, handle: OnceLock::new() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The handle. A folder that is not there yet is looked for again the next time.
    pub(super) fn handle(&self) -> io::Result<BorrowedFd<'_>> {
        if self.handle.get().is_none() {
            let opened = rustix::fs::openat(CWD, &self.path, FOLDER, Mode::empty())?;
            // Whoever was faster has opened the same.
            let _ = self.handle.set(opened);
        }
        self.handle.get().map(AsFd::as_fd).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Where it really is, for those who can only be told a path: links are followed now, and not once more.
    pub(super) fn real_path(&self) -> io::Result<PathBuf> {
        std::fs::canonicalize(&self.path)
    }

    /// Makes the folder, and those above it; gives the ones that are new, the innermost first.
    pub(super) fn create(&self) -> io::Result<Vec<PathBuf>> {
        use std::os::unix::fs::DirBuilderExt;
        let new: Vec<PathBuf> =
            self.path.ancestors().take_while(|folder| !folder.is_dir()).map(Path::to_owned).collect();
        if !new.is_empty() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        }
        Ok(new)
    }
}

/// Flushes the list of names of a folder above a root that was just made.
pub(super) fn flush_above(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}
