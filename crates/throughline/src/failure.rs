//! Failures for people: what was tried, on what, why not, and the way out.

use throughline_domain::Kind;
use throughline_engine::work_error::WorkError;
use throughline_store::checkpoints::CheckpointError;
use throughline_store::files::FileError;
use throughline_store::gate::GateError;
use throughline_store::lock::LockError;
use throughline_store::memory::{EntryError, MemoryError};
use throughline_store::state_file::StateFileError;

/// A verb's failure, as it is shown.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) code: u8,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code: 1 }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Ends with this code; the verb has said all there is to say.
    pub(crate) fn silent(code: u8) -> Self {
        Self { message: String::new(), hint: None, code }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let hint = match error.source.kind() {
            _ if throughline_store::door::is_refusal(&error.source) => {
                "nothing was written; put a file or folder of your own in its place, or remove it"
            }
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                "nothing was lost: what stood there still stands; free some space and try again"
            }
            std::io::ErrorKind::FileTooLarge => {
                "nothing was lost: what stood there still stands; see `ulimit -f`, and what made the file so large"
            }
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                "nothing was lost; check who owns the folder, or set THROUGHLINE_HOME to one you can write"
            }
            _ => "run `throughline doctor` to see what is wrong",
        };
        Self::new(error.to_string()).hint(hint)
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        let message = error.to_string();
        match error {
            MemoryError::Lock(LockError::Busy { .. }) => Self::new(message)
                .hint("nothing was changed; try again, and see `throughline doctor` if it lasts"),
            MemoryError::Lock(LockError::Unsupported { .. }) => Self::new(message)
                .hint("nothing was changed; set THROUGHLINE_HOME to a folder on a local disk"),
            MemoryError::Lock(LockError::File(error)) | MemoryError::File(error) => error.into(),
            MemoryError::StateFile(StateFileError::File(error)) => error.into(),
            MemoryError::StateFile(StateFileError::Linked { .. }) => {
                Self::new(message).hint("nothing was written; replace the link by a real file or folder")
            }
            MemoryError::Newer { .. } => {
                Self::new(message).hint("nothing was changed; install the newer version")
            }
            MemoryError::Entry(error) => error.into(),
        }
    }
}

impl From<EntryError> for Failure {
    fn from(error: EntryError) -> Self {
        let message = error.to_string();
        match error {
            EntryError::TooLong { .. } => {
                Self::new(message).hint("put the detail into a file and record the file's name")
            }
            EntryError::Unknown { .. } => Self::new(message).hint(
                "`throughline list` shows what there is; `throughline list --all` shows the archive too",
            ),
            EntryError::OtherKind { id, .. } if id.kind == Kind::Action => {
                Self::new(message).hint(format!("an action is finished with `throughline done {id}`"))
            }
            EntryError::Same(id) => Self::new(message)
                .hint(format!("`throughline edit {id}` changes its words or its reason without a new entry")),
            EntryError::UsersWords(_) => {
                Self::new(message).hint("a person changes it in a terminal of their own, or withdraws it")
            }
            EntryError::Empty(_) | EntryError::OtherKind { .. } | EntryError::Resolved(_) => {
                Self::new(message)
            }
        }
    }
}

impl From<throughline_store::anchor_proposals::ProposalsError> for Failure {
    fn from(error: throughline_store::anchor_proposals::ProposalsError) -> Self {
        use throughline_store::anchor_proposals::ProposalsError;
        match error {
            ProposalsError::Lock(error) => MemoryError::from(error).into(),
            ProposalsError::File(error) => error.into(),
        }
    }
}

impl From<throughline_store::notes_file::NotesError> for Failure {
    fn from(error: throughline_store::notes_file::NotesError) -> Self {
        use throughline_store::notes_file::NotesError;
        match error {
            NotesError::Lock(error) => MemoryError::from(error).into(),
            NotesError::File(error) => error.into(),
            NotesError::Contended(_) => {
                Self::new(error.to_string()).hint("the page is as it was; save it there, and try again")
            }
        }
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        let message = error.to_string();
        match error {
            CheckpointError::Lock(error) => MemoryError::from(error).into(),
            CheckpointError::File(error) => error.into(),
            CheckpointError::Unknown(_) => Self::new(message).hint(
                "`throughline checkpoint list` shows them; the beginning or the end of a name is enough",
            ),
            CheckpointError::Several { .. } => Self::new(message).hint("give more of the name"),
            CheckpointError::Broken { .. } => Self::new(message)
                .hint("the others are not concerned; remove the file when you need nothing of it"),
        }
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Archive(error) => error.into(),
            WorkError::Checkpoint(error) => error.into(),
            WorkError::File(error) => error.into(),
            WorkError::Gate(error) => error.into(),
            WorkError::Memory(error) => error.into(),
            WorkError::Needle(error) => error.into(),
            WorkError::Proposals(error) => error.into(),
            WorkError::Recall(error) => error.into(),
        }
    }
}

impl From<GateError> for Failure {
    fn from(error: GateError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<throughline_store::archive::ArchiveError> for Failure {
    fn from(error: throughline_store::archive::ArchiveError) -> Self {
        Self::new(error.to_string())
    }
}
