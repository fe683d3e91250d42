//! Given files: what a person names on the command line is opened at once or refused at once, and read under a limit.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use throughline_domain::text::one_line;
use throughline_store::door::outside;
use throughline_store::files::FileError;

use crate::failure::Failure;

/// How a path is repeated.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { one_line(&path.display().to_string(), 200) }
}

/// Whether `-` stands there: standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a regular file. A pipe, a device or a socket by its name would wait for somebody, or never end.
pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    let name = name(path);
    let kind = outside::metadata(path).map(|meta| meta.file_type());
    match outside::open(path) {
        Ok(file) => Ok(file),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(Failure::new(format!("there is no file {name}")))
        }
        Err(error) if error.kind() == ErrorKind::IsADirectory => {
            Err(Failure::new(format!("{name} is a folder")).hint("name a file in it"))
        }
        Err(_) if kind.is_ok_and(|kind| !kind.is_file()) => Err(Failure::new(format!(
            "{name} is no regular file but a pipe, a device or a socket"
        ))
        .hint("save it to a file first, or give it on standard input, as `-`, where the help says so")),
        Err(source) => Err(FileError { deed: "open", path: path.to_owned(), source }.into()),
    }
}

/// What is to be read: standard input for `-`; a pipe that the caller's shell opened for us (`<(…)`) as it is; else a regular
/// file.
pub(crate) fn source(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if is_stdin(path) {
        return Ok(Box::new(std::io::stdin()));
    }
    if path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd") {
        let opened = outside::open_handed_over(path);
        let opened = opened.map_err(|source| FileError { deed: "open", path: path.to_owned(), source })?;
        return Ok(Box::new(opened));
    }
    Ok(Box::new(open(path)?))
}

/// Reads a whole file, or standard input, of at most `bytes_max`.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Failure> {
    let name = name(path);
    let mut bytes = Vec::new();
    source(path)?
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::new(format!("could not read {name}: {error}")))?;
    if bytes.len() as u64 > bytes_max {
        return Err(Failure::new(format!("{name} holds more than {bytes_max} bytes")));
    }
    Ok(bytes)
}
