//! Files: reads with a limit, replacements that a kill or a power cut cannot tear, appends that start on a new line.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::door::{OWNER_FILE, Refused, Spot, outside};

/// A temp file is written and renamed within milliseconds; one of this age belongs to nobody.
const TEMP_AGE_MAX: Duration = Duration::from_mins(1);
/// Most names looked at in one sweep.
const SWEEP_MAX: usize = 10_000;
/// Opening a pipe would wait for its other end.
const AT_ONCE: OFlags = OFlags::NONBLOCK;

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

/// What can be named in an error.
pub trait Shown {
    /// The path that people know it by.
    fn shown_path(&self) -> PathBuf;
}

impl Shown for Path {
    fn shown_path(&self) -> PathBuf {
        self.to_owned()
    }
}

impl Shown for PathBuf {
    fn shown_path(&self) -> PathBuf {
        self.clone()
    }
}

impl Shown for Spot {
    fn shown_path(&self) -> PathBuf {
        self.shown()
    }
}

/// A file that can be read: one of ours, or one that the user or the client names.
pub trait Readable: Shown {
    /// Opens it, if it is a regular file.
    fn open_to_read(&self) -> io::Result<File>;
}

impl Readable for Path {
    fn open_to_read(&self) -> io::Result<File> {
        outside::open(self)
    }
}

impl Readable for PathBuf {
    fn open_to_read(&self) -> io::Result<File> {
        outside::open(self)
    }
}

impl Readable for Spot {
    fn open_to_read(&self) -> io::Result<File> {
        open_regular(self)
    }
}

/// Adds the path to an IO result.
pub trait AtPath<T> {
    /// Says what was tried, and on what.
    fn at(self, deed: &'static str, path: &(impl Shown + ?Sized)) -> Result<T, FileError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, deed: &'static str, path: &(impl Shown + ?Sized)) -> Result<T, FileError> {
        self.map_err(|source| FileError { deed, path: path.shown_path(), source })
    }
}

/// Creates a folder and its parents, for the owner alone.
pub fn create_folder(folder: &Spot) -> Result<(), FileError> {
    if folder.is_folder() {
        return Ok(());
    }
    folder.make_folders().map(drop).at("create", folder)
}

/// Creates a folder and its parents so that a power cut does not take them away: each is flushed into the one above.
pub fn create_folder_flushed(folder: &Spot) -> Result<(), FileError> {
    if folder.is_folder() {
        return Ok(());
    }
    for made in folder.make_folders().at("create", folder)? {
        made.flush().at("flush the folder of", folder)?;
    }
    Ok(())
}

/// Flushes a folder's list of names. Without it a power cut can bring back what was renamed or created in it.
pub fn flush_folder(folder: &Spot) -> Result<(), FileError> {
    folder.flush_names().at("flush", folder)
}

/// Opens a regular file for reading.
pub fn open_regular(spot: &Spot) -> io::Result<File> {
    let file = spot.open(OFlags::RDONLY | AT_ONCE, Mode::empty())?;
    match file.metadata()? {
        meta if meta.is_file() => Ok(file),
        meta if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(Refused::NotRegular.into()),
    }
}

/// Reads a whole file of at most `bytes_max`; `None` when there is none. A longer one is an error.
pub fn read_limited(spot: &Spot, bytes_max: u64) -> Result<Option<Vec<u8>>, FileError> {
    match open_regular(spot) {
        Ok(file) => outside::read_whole(file, bytes_max).at("read", spot).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at("open", spot),
    }
}

/// Removes a file; one that is not there is removed already.
pub fn remove(spot: &Spot) -> Result<(), FileError> {
    match spot.unlink() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.at("remove", spot),
    }
}

/// Removes a folder with everything in it; one that is not there is removed already.
pub fn remove_tree(folder: &Spot) -> Result<(), FileError> {
    match folder.remove_tree() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.at("remove", folder),
    }
}

/// Removes a folder where nothing is in it; says whether it is gone.
#[expect(clippy::must_use_candidate, reason = "most callers do not mind whether it stays")]
pub fn remove_if_empty(folder: &Spot) -> bool {
    folder.remove_folder().is_ok()
}

/// Renames a file; what has that name goes.
pub fn rename(from: &Spot, to: &Spot, deed: &'static str) -> Result<(), FileError> {
    from.rename(to).at(deed, from)
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
pub fn replace(spot: &Spot, bytes: &[u8], durability: Durability) -> Result<(), FileError> {
    replace_with_mode(spot, bytes, durability, OWNER_FILE)
}

/// Replaces a file that others may read as well.
pub fn replace_with_mode(
    spot: &Spot,
    bytes: &[u8],
    durability: Durability,
    mode: Mode,
) -> Result<(), FileError> {
    let temp = temp_beside(spot);
    let written =
        write_temp(&temp, bytes, durability, mode).and_then(|()| temp.rename(spot).at("replace", spot));
    if written.is_err() {
        // The old file still stands; the half-written one is of no use to anybody.
        let _ = temp.unlink();
    }
    written?;
    if let (Durability::Flushed, Some(folder)) = (durability, spot.parent()) {
        flush_folder(&folder)?;
    }
    Ok(())
}

/// Replaces a file's content once the new one was read back from the disk: until then the old one stands.
pub fn replace_verified(spot: &Spot, bytes: &[u8]) -> Result<(), FileError> {
    let temp = temp_beside(spot);
    let written = write_temp(&temp, bytes, Durability::Flushed, OWNER_FILE).and_then(|()| {
        let read = read_limited(&temp, bytes.len() as u64)?;
        if read.as_deref() != Some(bytes) {
            return Err(io::Error::other("what was read back is not what was written")).at("write", &temp);
        }
        temp.rename(spot).at("replace", spot)
    });
    if written.is_err() {
        let _ = temp.unlink();
    }
    written?;
    spot.parent().map_or(Ok(()), |folder| flush_folder(&folder))
}

/// Makes a file with its whole content; one that is there is an error, and stays as it is.
pub fn create_whole(spot: &Spot, bytes: &[u8]) -> Result<(), FileError> {
    let temp = temp_beside(spot);
    // A second name takes no other file's place, a rename would.
    let made = write_temp(&temp, bytes, Durability::Flushed, OWNER_FILE)
        .and_then(|()| temp.second_name(spot).at("create", spot));
    let _ = temp.unlink();
    made?;
    spot.parent().map_or(Ok(()), |folder| flush_folder(&folder))
}

/// Makes a file that is not there yet, to be written by the caller.
pub fn create_new(spot: &Spot) -> io::Result<File> {
    spot.open(OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, OWNER_FILE)
}

fn write_temp(temp: &Spot, bytes: &[u8], durability: Durability, mode: Mode) -> Result<(), FileError> {
    let mut file = create_new(temp).at("create", temp)?;
    room_for(bytes.len() as u64).and_then(|()| file.write_all(bytes)).at("write", temp)?;
    if mode != OWNER_FILE {
        // By hand: what a new file gets depends on the user's mask.
        rustix::fs::fchmod(&file, mode).map_err(io::Error::from).at("set the permissions of", temp)?;
    }
    if durability == Durability::Flushed {
        // Flushed before the rename: otherwise a power cut can leave an empty file under the final name.
        file.sync_all().at("flush", temp)?;
    }
    Ok(())
}

/// Whether a file can be created, written and flushed in a folder; nothing of it stays.
pub fn try_write(folder: &Spot) -> Result<(), FileError> {
    let temp = temp_beside(&folder.join("write-test"));
    let written = write_temp(&temp, b"can this be written?\n", Durability::Flushed, OWNER_FILE);
    let _ = temp.unlink();
    written
}

/// A name that no other writer uses, in the same folder (a rename does not cross file systems).
pub(crate) fn temp_beside(spot: &Spot) -> Spot {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    spot.with_file_name(format!(".{}.{}.{count}.tmp", spot.name(), std::process::id()))
}

/// Removes temp files that killed writers left in a folder: those of `locked` at once (the caller holds its lock),
/// those of other files when they are so old that nobody can still be writing them.
pub fn sweep_temps(folder: &Spot, locked: Option<&str>) {
    let prefix = locked.map(|name| format!(".{name}."));
    for listed in folder.list(SWEEP_MAX) {
        let name = listed.text();
        let is_locked = prefix.as_ref().is_some_and(|prefix| name.starts_with(prefix));
        let spot = folder.join(&listed.name);
        if is_temp(&name) && (is_locked || is_old(&spot)) {
            let _ = spot.unlink();
        }
    }
}

/// Whether a name was made by [`temp_beside`]: other programs leave temp files too, and those are not ours to remove.
pub(crate) fn is_temp(name: &str) -> bool {
    temp_parts(name).is_some()
}

/// The name of the file that a temp file was to become.
pub(crate) fn temp_target(name: &str) -> Option<&str> {
    temp_parts(name).map(|(target, _)| target)
}

/// What [`temp_beside`] made a name of: the file it was to become, and the process that wrote it.
fn temp_parts(name: &str) -> Option<(&str, u64)> {
    let rest = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (rest, count) = rest.rsplit_once('.')?;
    let (target, process) = rest.rsplit_once('.')?;
    count.parse::<u64>().ok()?;
    Some((target, process.parse().ok()?)).filter(|(target, _)| !target.is_empty())
}

/// Whether nobody will finish a temp file: whoever wrote it is gone, or it is too old. A process that this system does
/// not see (a container that shares the folder) loses one write then, and is told so.
pub(crate) fn is_abandoned(temp: &Spot) -> bool {
    let Some((_, process)) = temp_parts(&temp.name()) else { return false };
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let is_gone = process.is_none_or(|process| test_kill_process(process) == Err(Errno::SRCH));
    is_gone || is_old(temp)
}

fn is_old(spot: &Spot) -> bool {
    let modified = spot.meta().map(|meta| meta.modified());
    modified.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > TEMP_AGE_MAX))
}

/// Opens a file for appending and for reading its tail; creates it for the owner alone.
pub fn open_append(spot: &Spot) -> Result<File, FileError> {
    open_own(spot, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE).at("open", spot)
}

/// The same for a file that is there.
pub fn open_append_standing(spot: &Spot) -> Result<File, FileError> {
    open_own(spot, OFlags::RDWR | OFlags::APPEND).at("open", spot)
}

/// Opens a file for reading and for writing at a place in it; creates it for the owner alone.
pub fn open_in_place(spot: &Spot) -> Result<File, FileError> {
    open_own(spot, OFlags::RDWR | OFlags::CREATE).at("open", spot)
}

/// Opens a file that is written in place: a regular one, with this name alone. What another name leads to is not ours.
fn open_own(spot: &Spot, flags: OFlags) -> io::Result<File> {
    let open = || spot.open(flags | AT_ONCE, OWNER_FILE);
    let file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && flags.contains(OFlags::CREATE) => {
            spot.parent().map_or(Ok(Vec::new()), |folder| folder.make_folders())?;
            open()?
        }
        opened => opened?,
    };
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(Refused::NotRegular.into());
    }
    if std::os::unix::fs::MetadataExt::nlink(&meta) > 1 {
        return Err(Refused::SecondName.into());
    }
    Ok(file)
}

/// Opens a file that is there, to overwrite parts of it.
pub(crate) fn open_standing(spot: &Spot) -> Result<File, FileError> {
    open_own(spot, OFlags::RDWR).at("open", spot)
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
