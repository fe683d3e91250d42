//! Files: reads with a limit, replacements that a kill or a power cut cannot tear, appends that start on a new line.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// An IO failure with the path and the deed in it.
#[derive(Debug, thiserror::Error)]
#[error("could not {deed} {}: {source}", path.display())]
pub struct FileError {
    /// `read`, `write`, …
    pub deed: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Adds the path to an IO result.
pub trait AtPath<T> {
    /// Says what was tried, and on what.
    fn at(self, deed: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, deed: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError { deed, path: path.to_owned(), source })
    }
}

/// Creates a folder and its parents, for the owner alone.
pub fn create_folder(path: &Path) -> Result<(), FileError> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path).at("create", path)
}

/// Reads a whole file of at most `bytes_max`; `None` when there is none. A longer one is an error.
pub fn read_limited(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, FileError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).at("open", path),
    };
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes).at("read", path)?;
    if bytes.len() as u64 > bytes_max {
        let error = io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {bytes_max} bytes"));
        return Err(error).at("read", path);
    }
    Ok(Some(bytes))
}

/// Whether the folder entry is flushed too after a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives a power cut: file and folder are flushed.
    Flushed,
    /// Survives a kill; for what can be rebuilt.
    Quick,
}

/// Replaces a file's content: all of it or nothing, whatever happens in between.
pub fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let temp = temp_beside(path);
    let written =
        write_temp(&temp, bytes, durability).and_then(|()| fs::rename(&temp, path).at("replace", path));
    if written.is_err() {
        // The old file still stands; the half-written one is of no use to anybody.
        let _ = fs::remove_file(&temp);
    }
    written?;
    if durability == Durability::Flushed {
        // Without this a power cut can bring the old file back after we said that the new one is there.
        File::open(folder).and_then(|folder| folder.sync_all()).at("flush", folder)?;
    }
    Ok(())
}

fn write_temp(temp: &Path, bytes: &[u8], durability: Durability) -> Result<(), FileError> {
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(temp).at("create", temp)?;
    file.write_all(bytes).at("write", temp)?;
    if durability == Durability::Flushed {
        // Flushed before the rename: otherwise a power cut can leave an empty file under the final name.
        file.sync_all().at("flush", temp)?;
    }
    Ok(())
}

/// Whether a file can be created, written and flushed in a folder; nothing of it stays.
pub fn try_write(folder: &Path) -> Result<(), FileError> {
    let temp = temp_beside(&folder.join("write-test"));
    let written = write_temp(&temp, b"can this be written?\n", Durability::Flushed);
    let _ = fs::remove_file(&temp);
    written
}

/// A name that no other writer uses, in the same folder (a rename does not cross file systems).
fn temp_beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{name}.{}.{count}.tmp", std::process::id()))
}

/// Removes temp files that killed writers left beside `path`. Only for the holder of its lock.
pub fn sweep_temps(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let prefix = format!(".{}.", name.to_string_lossy());
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().take(10_000) {
        let file_name = entry.file_name();
        let file_name = file_name.to_string_lossy();
        if file_name.starts_with(&prefix) && file_name.ends_with(".tmp") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Opens a file for appending and for reading its tail; creates it for the owner alone.
pub fn open_append(path: &Path) -> Result<File, FileError> {
    let options = || {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        options
    };
    match options().open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_folder(path.parent().unwrap_or(Path::new(".")))?;
            options().open(path).at("open", path)
        }
        opened => opened.at("open", path),
    }
}

/// The last `bytes_max` bytes of a file, and whether they end at a line's end (an empty file does).
pub fn read_tail(file: &mut File, bytes_max: u64) -> io::Result<(Vec<u8>, bool)> {
    let bytes = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(bytes.saturating_sub(bytes_max)))?;
    let mut tail = Vec::with_capacity(usize::try_from(bytes.min(bytes_max)).unwrap_or(0));
    file.take(bytes_max).read_to_end(&mut tail)?;
    let ends_line = tail.last().is_none_or(|byte| *byte == b'\n');
    Ok((tail, ends_line))
}

/// Appends one line in a single write. After a torn tail the line starts on a new one.
pub fn append_line(file: &mut File, line: &[u8], tail_ends_line: bool) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(line.len() + 2);
    if !tail_ends_line {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(line);
    bytes.push(b'\n');
    file.write_all(&bytes)
}
