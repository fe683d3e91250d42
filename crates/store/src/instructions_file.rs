//! A file of instructions that people write (CLAUDE.md): read under a limit, replaced whole, never outside the project.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::files::{self, AtPath, Durability, FileError};
use crate::project_files::leaves_project;

/// A longer file is no instructions: the client would not read it whole either.
const INSTRUCTIONS_BYTES_MAX: u64 = throughline_domain::limits::INSTRUCTIONS_BYTES_MAX;
/// A new one is for everybody who works here, as if an editor had made it.
const NEW_FILE_MODE: u32 = 0o644;

/// The text; `None` when there is no file. With `within`, a link that leaves that folder is an error: it may have come
/// with a clone.
pub fn read(path: &Path, within: Option<&Path>) -> Result<Option<String>, FileError> {
    let Some(bytes) = files::read_limited(&real(path, within)?, INSTRUCTIONS_BYTES_MAX)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|_| std::io::Error::other("not UTF-8 text"));
    text.map(Some).at("read", path)
}

/// Replaces the text; permissions and links stay.
pub fn write(path: &Path, within: Option<&Path>, text: &str) -> Result<(), FileError> {
    let real = real(path, within)?;
    if let Some(folder) = real.parent() {
        files::create_folder(folder)?;
    }
    let mode = std::fs::metadata(&real).map_or(NEW_FILE_MODE, |meta| meta.permissions().mode() & 0o7777);
    files::replace(&real, text.as_bytes(), Durability::Flushed)?;
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(mode)).at("set the permissions of", &real)
}

/// Removes a file that we had created; a link goes, what it leads to stays.
pub fn remove(path: &Path) -> Result<(), FileError> {
    files::remove(path)
}

/// Where the file really is.
fn real(path: &Path, within: Option<&Path>) -> Result<PathBuf, FileError> {
    let standing = path.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(path);
    let followed = std::fs::canonicalize(standing).at("follow", path)?;
    if let Some(folder) = within {
        let folder = std::fs::canonicalize(folder).at("find", folder)?;
        if !followed.starts_with(&folder) {
            return Err(leaves_project()).at("follow", path);
        }
    }
    let rest = path.strip_prefix(standing).unwrap_or(Path::new(""));
    Ok(if rest.as_os_str().is_empty() { followed } else { followed.join(rest) })
}
