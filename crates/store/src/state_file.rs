//! The state file: where it really is, replacing it whole, setting a broken one aside.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_domain::State;

use crate::files::{self, AtPath, Durability, FileError};
use crate::paths::Project;
use crate::redact;

/// In the place of a fingerprint: a state file that we wrote and that somebody removed. No file has this one, and it
/// differs from `None`, which stands for a file that never was.
pub(crate) const GONE: &str = "gone";

/// Why the state file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateFileError {
    /// It, or a folder above it, is a link to somewhere else.
    #[error("{} is a link that leaves the project (to {})", path.display(), target.display())]
    LeavesProject {
        /// The state file.
        path: PathBuf,
        /// Where it really is.
        target: PathBuf,
    },
    /// An IO failure.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Where the state file really is: links inside the project are followed, others refused.
pub fn real_path(project: &Project) -> Result<PathBuf, StateFileError> {
    let path = project.state_file();
    let root = fs::canonicalize(&project.root).unwrap_or_else(|_| project.root.clone());
    let files = fs::canonicalize(&project.files).unwrap_or_else(|_| project.files.clone());
    let beside = |target: &Path| {
        // Files of a project that is the user's home live in the data folder: their own folder bounds them.
        target.starts_with(&root) || (!project.files.starts_with(&project.root) && target.starts_with(&files))
    };
    let target = match fs::canonicalize(&path) {
        Ok(target) => target,
        Err(_) if path.is_symlink() => {
            let target = fs::read_link(&path).at("follow", &path)?;
            return Err(StateFileError::LeavesProject { path, target });
        }
        Err(_) => files.join(path.file_name().unwrap_or_default()),
    };
    if files.exists() && !beside(&target) {
        return Err(StateFileError::LeavesProject { path, target });
    }
    Ok(target)
}

/// What a state is written as: redacted, in the schema's order; the value, and its bytes with a newline at the end.
#[must_use]
pub fn encode(state: &State) -> (Value, Vec<u8>) {
    let mut value = state.to_json();
    redact::json(&mut value);
    let mut bytes = serde_json::to_vec_pretty(&value).unwrap_or_default();
    bytes.push(b'\n');
    (value, bytes)
}

/// Replaces the state file: the commit point of a change.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        files::create_folder_flushed(folder)?;
    }
    files::replace(path, bytes, Durability::Flushed)
}

/// Renames a broken state file, so that nothing in it is lost. Returns its new name.
pub fn set_aside(path: &Path, stamp: &str) -> Result<PathBuf, FileError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stamp: String = stamp.chars().filter(char::is_ascii_alphanumeric).collect();
    let aside = (0..100)
        .map(|count| match count {
            0 => path.with_file_name(format!("{name}.corrupt-{stamp}")),
            count => path.with_file_name(format!("{name}.corrupt-{stamp}-{count}")),
        })
        .find(|aside| !aside.exists())
        .unwrap_or_else(|| path.with_file_name(format!("{name}.corrupt-{stamp}-more")));
    fs::rename(path, &aside).at("set aside", path)?;
    Ok(aside)
}
