//! Appending to the usage log: one write a line, whoever else writes at the same moment.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use throughline_domain::Timestamp;

use super::{FILE_NAME, folder, rotate};
use crate::door::Spot;
use crate::files::{self, AtPath, FileError};
use crate::paths::Project;

/// Long enough for a write of one line.
const PAUSE: Duration = Duration::from_millis(2);
/// Looks at an end that keeps moving.
const LOOKS_MAX: usize = 4;

/// What an append met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// A log.
    ToLog,
    /// None: this is its first line.
    ToNewLog,
}

/// Appends a line (without its end). A log of `rotate_bytes` is put aside first.
pub fn append(
    project: &Project,
    line: &[u8],
    rotate_bytes: u64,
    now: Timestamp,
) -> Result<Appended, FileError> {
    let folder = folder(project);
    let path = folder.join(FILE_NAME);
    let mut appended = Appended::ToLog;
    let (mut file, mut bytes) = match open(&path, false) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if !folder.is_folder() {
                appended = Appended::ToNewLog;
            }
            files::create_folder(&folder)?;
            open(&path, true).at("open", &path)?
        }
        opened => opened.at("open", &path)?,
    };
    if bytes >= rotate_bytes.max(super::LINE_BYTES_MAX as u64) && rotate::rotate(&folder, rotate_bytes, now)?
    {
        (file, bytes) = open(&path, true).at("open", &path)?;
    }
    let ends_line = ends_line(&file, bytes, || std::thread::sleep(PAUSE)).at("read", &path)?;
    files::append_line(&mut file, line, ends_line).at("append to", &path)?;
    Ok(appended)
}

/// Opens the log and tells its size. Anything but a regular file is refused: a link may have come with a clone.
fn open(path: &Spot, create: bool) -> io::Result<(File, u64)> {
    let opened = if create { files::open_append(path) } else { files::open_append_standing(path) };
    let file = opened.map_err(|error| error.source)?;
    let bytes = file.metadata()?.len();
    Ok((file, bytes))
}

/// Whether the log ends at a line's end: a full disk may have torn the last one. While somebody writes, the system may
/// show a line up to the end of a page: such an end is looked at again after a `pause`, a torn one stands still.
fn ends_line(file: &File, mut bytes: u64, mut pause: impl FnMut()) -> io::Result<bool> {
    for _ in 0..LOOKS_MAX {
        let Some(last) = bytes.checked_sub(1) else { return Ok(true) };
        let mut byte = [b'\n'];
        file.read_at(&mut byte, last)?;
        if byte[0] == b'\n' {
            return Ok(true);
        }
        pause();
        let bytes_now = file.metadata()?.len();
        if bytes_now == bytes {
            return Ok(false);
        }
        bytes = bytes_now;
    }
    // A blank line is the worst that comes of it.
    Ok(false)
}

/// Whether the log can be written: opens it, or tries its folder where there is none. Nothing is left behind.
pub fn is_writable(project: &Project) -> Result<(), FileError> {
    let folder = folder(project);
    let path = folder.join(FILE_NAME);
    match open(&path, false) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let standing = [&folder, &project.files].into_iter().find(|above| above.is_folder());
            files::try_write(standing.unwrap_or(&project.top))
        }
        opened => opened.map(|_| ()).at("open", &path),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_line_that_is_being_written_is_not_torn_and_one_that_stands_still_is() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, _) = open(&Spot::root(folder.path()).join(FILE_NAME), true).unwrap();
        assert!(ends_line(&file, 0, || ()).unwrap());
        file.write_all(b"{\"ts\":1}\n{\"ts\"").unwrap();
        let bytes = file.metadata().unwrap().len();
        assert!(!ends_line(&file, bytes, || ()).unwrap(), "torn");
        let mut rest = b":2}\n".chunks(2);
        let mut writer = file.try_clone().unwrap();
        let go_on = || rest.next().into_iter().for_each(|piece| writer.write_all(piece).unwrap());
        assert!(ends_line(&file, bytes, go_on).unwrap(), "in the middle of a write");
    }
}
