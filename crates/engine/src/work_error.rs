//! What can fail under a piece of work: an error of the store's own, passed on as it is.

use throughline_store::anchor_proposals::ProposalsError;
use throughline_store::archive::ArchiveError;
use throughline_store::checkpoints::CheckpointError;
use throughline_store::files::FileError;
use throughline_store::forget::NeedleError;
use throughline_store::gate::GateError;
use throughline_store::lock::LockError;
use throughline_store::memory::MemoryError;
use throughline_store::recall::RecallError;

/// A failure of work that spans several stores.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// Of the archive, or of usage in it.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Of checkpoints.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Of a file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Of the archive's catching up.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// Of the working set.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Of words to look for.
    #[error(transparent)]
    Needle(#[from] NeedleError),
    /// Of proposed anchors.
    #[error(transparent)]
    Proposals(#[from] ProposalsError),
    /// Of the index of recall.
    #[error(transparent)]
    Recall(#[from] RecallError),
}

impl From<LockError> for WorkError {
    fn from(error: LockError) -> Self {
        Self::Memory(error.into())
    }
}
