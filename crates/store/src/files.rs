//! Files: reads with a limit, replacements that a kill or a power cut cannot tear, appends that start on a new line.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A temp file is written and renamed within milliseconds; one of this age belongs to nobody.
const TEMP_AGE_MAX: Duration = Duration::from_mins(1);
/// Most names looked at in one sweep.
const SWEEP_MAX: usize = 10_000;

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

/// Creates a folder and its parents so that a power cut does not take them away: each is flushed into the one above.
pub fn create_folder_flushed(path: &Path) -> Result<(), FileError> {
    let new: Vec<&Path> = path.ancestors().take_while(|folder| !folder.is_dir()).collect();
    create_folder(path)?;
    for above in new.iter().filter_map(|folder| folder.parent()) {
        flush_folder(above)?;
    }
    Ok(())
}

/// Flushes a folder's list of names. Without it a power cut can bring back what was renamed or created in it.
pub fn flush_folder(folder: &Path) -> Result<(), FileError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder).and_then(|folder| folder.sync_all()).at("flush", folder)
}

/// Opens a regular file for reading. Anything else is an error at once: opening a pipe would wait for its writer.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match file.metadata()? {
        meta if meta.is_file() => Ok(file),
        meta if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::other("not a regular file")),
    }
}

/// Reads a whole file of at most `bytes_max`; `None` when there is none. A longer one is an error.
pub fn read_limited(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, FileError> {
    let file = match open_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).at("open", path),
    };
    // Room for the small files that are read most: one call instead of six that double a buffer.
    let mut bytes = Vec::with_capacity(2_048);
    file.take(bytes_max + 1).read_to_end(&mut bytes).at("read", path)?;
    if bytes.len() as u64 > bytes_max {
        let error = io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {bytes_max} bytes"));
        return Err(error).at("read", path);
    }
    Ok(Some(bytes))
}

/// Removes a file; one that is not there is removed already.
pub fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.at("remove", path),
    }
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
        flush_folder(folder)?;
    }
    Ok(())
}

/// Makes a file with its whole content; one that is there is an error, and stays as it is.
pub fn create_whole(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let temp = temp_beside(path);
    // A link takes no other file's place, a rename would.
    let made = write_temp(&temp, bytes, Durability::Flushed)
        .and_then(|()| fs::hard_link(&temp, path).at("create", path));
    let _ = fs::remove_file(&temp);
    made?;
    flush_folder(path.parent().unwrap_or(Path::new(".")))
}

fn write_temp(temp: &Path, bytes: &[u8], durability: Durability) -> Result<(), FileError> {
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(temp).at("create", temp)?;
    room_for(bytes.len() as u64).and_then(|()| file.write_all(bytes)).at("write", temp)?;
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

/// Removes temp files that killed writers left in a folder: those of `locked` at once (the caller holds its lock),
/// those of other files when they are so old that nobody can still be writing them.
pub fn sweep_temps(folder: &Path, locked: Option<&str>) {
    let prefix = locked.map(|name| format!(".{name}."));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().take(SWEEP_MAX) {
        let file_name = entry.file_name();
        let file_name = file_name.to_string_lossy();
        let is_locked = prefix.as_ref().is_some_and(|prefix| file_name.starts_with(prefix));
        if is_temp(&file_name) && (is_locked || is_old(&entry)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a name was made by [`temp_beside`]: other programs leave temp files too, and those are not ours to remove.
fn is_temp(name: &str) -> bool {
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u64>().is_ok());
    let Some(rest) = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp")) else { return false };
    let mut parts = rest.rsplit('.');
    is_number(parts.next()) && is_number(parts.next()) && parts.next().is_some()
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let modified = entry.metadata().and_then(|meta| meta.modified());
    modified.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > TEMP_AGE_MAX))
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
    if file_bytes_max().is_some() {
        room_for(file.metadata()?.len() + bytes.len() as u64)?;
    }
    file.write_all(&bytes)
}

/// The largest file that this process may write (`ulimit -f`); `None` without a limit.
pub(crate) fn file_bytes_max() -> Option<u64> {
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    *LIMIT.get_or_init(|| rustix::process::getrlimit(rustix::process::Resource::Fsize).current)
}

/// Refuses a file that would pass the limit: the system would not only refuse, it would kill the process.
pub(crate) fn room_for(bytes: u64) -> io::Result<()> {
    match file_bytes_max() {
        Some(bytes_max) if bytes > bytes_max => Err(rustix::io::Errno::FBIG.into()),
        _ => Ok(()),
    }
}
