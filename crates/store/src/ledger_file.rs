//! The ledger file: what a session's transcript has told, and how far it was read, in one file: never a line twice.

use std::path::Path;

use serde::{Deserialize, Serialize};
use throughline_domain::ledger::{LEDGER_VERSION, Ledger};

use crate::files::{self, AtPath, Durability, FileError};
use crate::redact;
use crate::transcript_file::Cursor;

/// Largest ledger file that is read; the ledger's own bounds keep it far below.
const LEDGER_BYTES_MAX: u64 = 16 << 20;

/// A ledger and the place up to which it was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Track {
    /// How far.
    pub cursor: Cursor,
    /// What was found.
    pub ledger: Ledger,
}

/// What is known of a session's transcript.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerFile {
    /// The transcript it was read from.
    pub transcript: String,
    /// What can be used now.
    pub main: Track,
    /// After the first sight of a huge transcript: the same, read from its beginning, slice by slice, until it has
    /// caught up and takes the other's place.
    pub behind: Option<Track>,
}

impl LedgerFile {
    /// The ledger of a session; an empty one when there is none, or one of another form or another transcript.
    #[must_use]
    pub fn read(session_folder: &Path, transcript: &str) -> Self {
        let fresh = || Self { transcript: transcript.to_owned(), ..Self::default() };
        let bytes = files::read_limited(&session_folder.join("ledger.json"), LEDGER_BYTES_MAX).ok().flatten();
        let file: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let is_ours = |file: &Self| {
            let version = file.main.ledger.version;
            file.transcript == transcript && (version == LEDGER_VERSION || version == 0)
        };
        file.filter(is_ours).unwrap_or_else(fresh)
    }

    /// Forgets what was read; says whether there was anything.
    pub fn forget(session_folder: &Path) -> Result<bool, FileError> {
        let path = session_folder.join("ledger.json");
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true).at("remove", &path),
        }
    }

    /// Writes it, redacted.
    pub fn write(&self, session_folder: &Path) -> Result<(), FileError> {
        let path = session_folder.join("ledger.json");
        let mut bytes = serde_json::to_vec(self).map_err(std::io::Error::other).at("encode", &path)?;
        if redact::may_need(&bytes) {
            let mut value =
                serde_json::from_slice(&bytes).map_err(std::io::Error::other).at("encode", &path)?;
            redact::json(&mut value);
            bytes = serde_json::to_vec(&value).map_err(std::io::Error::other).at("encode", &path)?;
        }
        files::create_folder(session_folder)?;
        files::replace(&path, &bytes, Durability::Quick)
    }
}
