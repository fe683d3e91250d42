//! The state file: where it really is, replacing it whole, setting a broken one aside.

use std::path::PathBuf;

use serde_json::Value;
use throughline_domain::State;
use throughline_redact as redact;

use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::paths::Project;

/// In the place of a fingerprint: a state file that we wrote and that somebody removed. No file has this one, and it
/// differs from `None`, which stands for a file that never was.
pub(crate) const GONE: &str = "gone";

/// Why the state file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateFileError {
    /// It, or a folder above it, is a link.
    #[error("{} is a link, or is behind one; nothing is read or written through it", path.display())]
    Linked {
        /// The state file.
        path: PathBuf,
    },
    /// An IO failure.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The state file, where no link is on the way to it.
pub fn standing(project: &Project) -> Result<Spot, StateFileError> {
    let path = project.state_file();
    if path.is_linked() { Err(StateFileError::Linked { path: path.shown() }) } else { Ok(path) }
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
pub fn replace(path: &Spot, bytes: &[u8]) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        files::create_folder_flushed(&folder)?;
    }
    files::replace(path, bytes, Durability::Flushed)
}

/// Renames a broken state file, so that nothing in it is lost. Returns its new name.
pub fn set_aside(path: &Spot, stamp: &str) -> Result<Spot, FileError> {
    let name = path.name();
    let stamp: String = stamp.chars().filter(char::is_ascii_alphanumeric).collect();
    let aside = (0..100)
        .map(|count| match count {
            0 => path.with_file_name(format!("{name}.corrupt-{stamp}")),
            count => path.with_file_name(format!("{name}.corrupt-{stamp}-{count}")),
        })
        .find(|aside| !aside.exists())
        .unwrap_or_else(|| path.with_file_name(format!("{name}.corrupt-{stamp}-more")));
    files::rename(path, &aside, "set aside")?;
    Ok(aside)
}
