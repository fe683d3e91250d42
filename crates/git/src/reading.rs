//! Reading: small files of a repository, whole or not at all, never through a link.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// The bytes of a regular file; `None` when there is none. Why not, in words that name the file, when it is a link, no
/// regular file, longer than `bytes_max` or unreadable.
pub(crate) fn whole(path: &Path, bytes_max: u64) -> Result<Option<Vec<u8>>, String> {
    let refused = |why: &str| format!("its `{}` {why}", name(path));
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
            return Err(if is_link {
                refused("is a link")
            } else {
                refused(&format!("cannot be read: {error}"))
            });
        }
    };
    let meta = file.metadata().map_err(|error| refused(&format!("cannot be read: {error}")))?;
    if !meta.is_file() {
        return Err(refused("is no file"));
    }
    let mut bytes = Vec::new();
    // One byte more tells that there is more; what the system says of the length may be over by now.
    file.take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refused(&format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > bytes_max {
        return Err(refused(&format!("is longer than {bytes_max} bytes")));
    }
    Ok(Some(bytes))
}

/// One line that names a path, without its line end; `None` when there is no such file.
pub(crate) fn line(path: &Path, bytes_max: u64) -> Result<Option<String>, String> {
    let Some(bytes) = whole(path, bytes_max)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| format!("its `{}` is not UTF-8", name(path)))?;
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    crate::names::path_text(name.as_encoded_bytes())
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    // Opening a pipe would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    let meta = fs::symlink_metadata(path)?;
    if meta.is_file() { File::open(path) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
