//! Files that are not ours: named by the user, the client or the system. They are read; regular ones alone.
#![expect(clippy::disallowed_methods, reason = "this is where paths of others are resolved")]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::{Refused, Spot};
use crate::files::{AtPath, FileError};

const RANDOM: &str = "/dev/urandom";

/// Opens a regular file for reading. Anything else is an error at once: opening a pipe would wait for its writer.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match file.metadata()? {
        meta if meta.is_file() => Ok(file),
        meta if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(Refused::NotRegular.into()),
    }
}

/// Reads a whole file of at most `bytes_max`; `None` when there is none. A longer one is an error.
pub fn read_limited(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, FileError> {
    match open(path) {
        Ok(file) => read_whole(file, bytes_max).at("read", path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at("open", path),
    }
}

/// The bytes of a file that is not longer than `bytes_max`.
pub(crate) fn read_whole(file: File, bytes_max: u64) -> io::Result<Vec<u8>> {
    // Room for the small files that are read most: one call instead of six that double a buffer.
    let mut bytes = Vec::with_capacity(2_048);
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {bytes_max} bytes")));
    }
    Ok(bytes)
}

/// What a file looks like; links are followed.
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    std::fs::metadata(path)
}

/// What a file looks like; a link is a link.
pub fn link_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    std::fs::symlink_metadata(path)
}

/// The names in a folder of the user's or of the client's.
pub fn list(path: impl AsRef<Path>) -> io::Result<std::fs::ReadDir> {
    std::fs::read_dir(path)
}

/// A path with its links followed.
pub fn real(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// What the system tells about a process or itself (`/proc`).
pub fn system_text(path: impl AsRef<Path>) -> io::Result<String> {
    std::fs::read_to_string(path)
}

/// A pipe that the caller's shell opened for us (`<(…)`), by the name that it gave it.
pub fn open_handed_over(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A file that the user named to be written: links on the way to it are followed once, here; after that none is.
#[must_use]
pub fn resolved(path: &Path) -> Spot {
    let real = path.ancestors().find_map(|standing| {
        let folder = if standing.as_os_str().is_empty() { Path::new(".") } else { standing };
        let real = std::fs::canonicalize(folder).ok()?;
        let rest = path.strip_prefix(standing).ok().filter(|rest| !rest.as_os_str().is_empty());
        Some(rest.map_or_else(|| real.clone(), |rest| real.join(rest)))
    });
    let real = real.unwrap_or_else(|| path.to_owned());
    // Two folders: an empty one may go with the file that was alone in it.
    match (real.parent().and_then(Path::parent), real.parent().and_then(Path::file_name), real.file_name()) {
        (Some(root), Some(folder), Some(name)) => Spot::root(root).join(folder).join(name),
        _ => at(&real),
    }
}

/// Makes a folder that everybody may look into, and those above it.
pub(crate) fn create_folder_for_all(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// A file by its path, which is taken as it is: its folder is the root.
#[must_use]
pub fn at(path: &Path) -> Spot {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => {
            let folder: PathBuf =
                if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() };
            Spot::root(folder).join(name)
        }
        _ => Spot::root(path),
    }
}

/// Bytes that nobody can guess.
pub(crate) fn random<const BYTES: usize>() -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    File::open(RANDOM)?.read_exact(&mut bytes)?;
    Ok(bytes)
}
