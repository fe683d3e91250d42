//! Restoring a backup: every member unpacked and checked before the transcript is said to be whole.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use throughline_domain::text::fingerprint;

use super::index::{Backup, Member, hex};
use crate::door::{Spot, outside};
use crate::files::{self, AtPath, FileError};

/// Why a backup could not be given back.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// There is something where it should go.
    #[error("{} exists already", path.display())]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The file is not what its index says.
    #[error("part {number} of {}, from byte {offset} of the transcript on, is damaged: {what}", path.display())]
    Damaged {
        /// The backup.
        path: PathBuf,
        /// Which member, counted from 1.
        number: usize,
        /// Where its bytes begin.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes the transcript; gives its length.
pub(super) fn write(backup: &Backup, to: &mut dyn Write) -> Result<u64, RestoreError> {
    let file = files::open_regular(&backup.path).at("open", &backup.path)?;
    let mut written = 0;
    for (at, member) in backup.members.iter().enumerate() {
        let damaged = |what: String| RestoreError::Damaged {
            path: backup.path.shown(),
            number: at + 1,
            offset: member.offset,
            what,
        };
        let bytes = unpack(&file, member).map_err(|error| damaged(error.to_string()))?;
        if bytes.len() as u64 != member.bytes || hex(fingerprint(&bytes)) != member.print {
            return Err(damaged("these are not the bytes that were copied".to_owned()));
        }
        to.write_all(&bytes).at("write from", &backup.path)?;
        written += member.bytes;
    }
    Ok(written)
}

/// One member's bytes. A damaged one must not unpack to more than it should hold.
fn unpack(file: &File, member: &Member) -> io::Result<Vec<u8>> {
    let too_long = || io::Error::other("its index is wrong");
    if member.bytes > super::SLICE_BYTES_MAX || member.packed_bytes > 2 * super::SLICE_BYTES_MAX {
        return Err(too_long());
    }
    let mut packed = vec![0; usize::try_from(member.packed_bytes).map_err(|_| too_long())?];
    file.read_exact_at(&mut packed, member.packed_offset)?;
    let mut bytes = Vec::with_capacity(usize::try_from(member.bytes).map_err(|_| too_long())?);
    GzDecoder::new(packed.as_slice()).take(member.bytes + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes the transcript to a file that is not there yet.
pub(super) fn write_file(backup: &Backup, path: &Path) -> Result<u64, RestoreError> {
    let to = outside::resolved(path);
    let exists = || RestoreError::Exists { path: path.to_owned() };
    // Also a link that leads nowhere.
    if to.exists() || outside::at(path).exists() {
        return Err(exists());
    }
    let temp = files::temp_beside(&to);
    let result = fill(backup, &temp).and_then(|bytes| {
        // A second name takes no other file's place, a rename would.
        match temp.second_name(&to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
            linked => Ok(linked.at("write", path).map(|()| bytes)?),
        }
    });
    let _ = temp.unlink();
    result
}

fn fill(backup: &Backup, temp: &Spot) -> Result<u64, RestoreError> {
    let mut file = files::create_new(temp).at("create", temp)?;
    let bytes = write(backup, &mut file)?;
    file.sync_all().at("flush", temp)?;
    Ok(bytes)
}
