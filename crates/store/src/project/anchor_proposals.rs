//! The file of proposed anchors: beside the working set, so that what nobody confirmed takes none of its room.

use throughline_domain::proposal::Proposals;
use throughline_redact as redact;

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};
use crate::lock::{Lock, LockError, Patience};

/// Ten sentences, a thousand fingerprints.
const FILE_BYTES_MAX: u64 = throughline_domain::limits::PROPOSALS_BYTES_MAX;

/// Why the proposals could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum ProposalsError {
    /// No lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// An IO failure.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The proposals of a project; none where there is no file, or none that can be read.
#[must_use]
pub fn read(project_folder: &Spot) -> Proposals {
    let bytes = files::read_limited(&file(project_folder), FILE_BYTES_MAX).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Changes the proposals, one writer at a time. Nothing is written where nothing changed.
pub fn update<T>(
    project_folder: &Spot,
    patience: Patience,
    change: impl FnOnce(&mut Proposals) -> T,
) -> Result<T, ProposalsError> {
    files::create_folder(project_folder)?;
    let _lock = Lock::acquire(&project_folder.join("anchor-proposals.lock"), patience)?;
    let before = read(project_folder);
    let mut after = before.clone();
    let value = change(&mut after);
    for proposal in &mut after.waiting {
        proposal.quote = redact::text(&proposal.quote).into_owned();
    }
    if after != before {
        let path = file(project_folder);
        let bytes = serde_json::to_vec(&after).map_err(std::io::Error::other).at("encode", &path)?;
        files::replace(&path, &bytes, Durability::Quick)?;
    }
    Ok(value)
}

fn file(project_folder: &Spot) -> Spot {
    project_folder.join("anchor-proposals.json")
}
