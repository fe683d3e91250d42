//! Scratch files: texts that lie in the data folder while a person edits them.

use crate::door::Spot;
use crate::files::{self, Durability, FileError};
use crate::paths::{Home, Project};

/// Longest text that comes back.
const SCRATCH_BYTES_MAX: u64 = throughline_domain::limits::STATE_FILE_BYTES_MAX;

/// A text that is being edited.
#[derive(Debug)]
pub struct Scratch {
    path: Spot,
}

impl Scratch {
    /// Lays a text there, over whatever an earlier attempt left.
    pub fn put(home: &Home, project: &Project, name: &str, text: &[u8]) -> Result<Self, FileError> {
        let folder = home.project(&project.key).join("editing");
        files::create_folder(&folder)?;
        let path = folder.join(name);
        files::replace(&path, text, Durability::Quick)?;
        Ok(Self { path })
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Spot {
        &self.path
    }

    /// What was saved; nothing stays.
    pub fn taken(self) -> Result<Vec<u8>, FileError> {
        let bytes = files::read_limited(&self.path, SCRATCH_BYTES_MAX)?.unwrap_or_default();
        files::remove(&self.path)?;
        Ok(bytes)
    }
}
