//! Backups of transcripts: what a session's file has grown by since the last one, one more gzip member in one file.
//!
//! `<project>/<session>.jsonl.gz` holds the bytes, unmasked; `zcat` gives the transcript back. `<session>.json` beside it is the
//! index: which member holds which bytes. A member is flushed before the index names it, so the index never promises
//! what is not there, and what stands behind its last member was torn by a kill: the next backup cuts it off. A transcript
//! that was rewritten begins another generation (`<session>.2.jsonl.gz`).

mod index;
mod restore;
mod room;

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use throughline_domain::text::fingerprint;
use throughline_domain::{Timestamp, time};

pub use index::{Backup, Member};
use index::{Generation, INDEX_VERSION, Index};
pub use restore::RestoreError;

use crate::door::{Spot, outside};
use crate::files::{self, AtPath, FileError};
use crate::lock::{Lock, LockError, Patience};
use crate::paths::{Home, safe_name};

/// What one backup copies at most: a seventh of a second. The rest is copied at the next gate.
pub const SLICE_BYTES_MAX: u64 = throughline_domain::limits::BACKUP_SLICE_BYTES_MAX;
/// Half of what level 6 takes in time, for a twenty-fifth more in bytes (measured on a real transcript of 4 MB).
const LEVEL: u32 = 3;
/// Bytes by which a transcript is known again: its first ones, and the last that were copied.
const MARK_BYTES: u64 = 4_096;

/// Why a transcript could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// Somebody else copies it at this moment.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The limit is smaller than this one session needs.
    #[error("the backup of this session would take more than the {bytes_max} bytes of backup.max_bytes")]
    TooLarge {
        /// The limit.
        bytes_max: u64,
    },
}

/// What is copied, and why now.
#[derive(Debug, Clone, Copy)]
pub struct BackupMoment<'a> {
    /// The project's key.
    pub project: &'a str,
    /// The session's id, as the agent spells it.
    pub session: &'a str,
    /// Its transcript.
    pub transcript: &'a Path,
    /// Tokens in the context, where they are known.
    pub tokens: Option<u64>,
    /// The time.
    pub now: Timestamp,
    /// Most bytes of all backups.
    pub bytes_max: u64,
    /// How long to wait for another writer.
    pub patience: Patience,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// Bytes of the transcript that were copied.
    pub bytes: u64,
    /// Bytes that they take.
    pub packed_bytes: u64,
    /// Whether the transcript has more than was copied.
    pub more: bool,
    /// Which generation they went to.
    pub generation: u32,
}

/// What there is of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptBackups {
    /// The name of its files: the session's id, where that is plain.
    pub name: String,
    /// When the first part was copied; `None` when an index does not tell.
    pub first_at: Option<String>,
    /// Bytes on disk.
    pub bytes: u64,
}

/// All backups of this machine.
#[derive(Debug, Clone)]
pub struct Backups {
    root: Spot,
}

impl Backups {
    /// Those in a data folder.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self { root: home.root().join("backups") }
    }

    /// Copies what is new in a transcript, at most [`SLICE_BYTES_MAX`] of it. Nothing new, or no transcript: nothing is written.
    pub fn take(&self, moment: &BackupMoment<'_>) -> Result<Taken, BackupError> {
        let Some(source) = open_source(moment.transcript)? else { return Ok(Taken::default()) };
        let name = safe_name(moment.session);
        let folder = self.root.join(safe_name(moment.project));
        files::create_folder_flushed(&folder)?;
        let _alone = self.alone(&name, moment.patience)?;
        // Asked under the lock: another writer may have copied more than there was before it.
        let source_bytes = source.metadata().at("read", moment.transcript)?.len();
        let mut generation = Generation::latest(&folder, &name);
        let mut index = generation.read_index().filter(|index| index.is_of(moment.transcript));
        if let Some(known) = &index
            && !(is_same(&source, source_bytes, known).at("read", moment.transcript)?
                && generation.holds(known))
        {
            // Rewritten, or our own file was cut: what was copied stays, and a new file begins.
            generation = generation.next();
            index = None;
        } else if index.is_none() && generation.index_path().exists() {
            // Somebody's hand, or another transcript: not ours to write over.
            generation = generation.next();
        }
        let mut index = index.unwrap_or_else(|| Index {
            version: INDEX_VERSION,
            session: moment.session.to_owned(),
            source: moment.transcript.to_string_lossy().into_owned(),
            ..Index::default()
        });
        let from = index.source_bytes();
        let bytes = (source_bytes - from).min(SLICE_BYTES_MAX);
        if bytes == 0 {
            return Ok(Taken { generation: generation.number, ..Taken::default() });
        }
        let mut slice = vec![0; usize::try_from(bytes).unwrap_or(0)];
        source.read_exact_at(&mut slice, from).at("read", moment.transcript)?;
        let packed = pack(&slice).at("compress", moment.transcript)?;
        let packed_bytes = packed.len() as u64;
        if room::bytes_of(&self.root, &name).saturating_add(packed_bytes) > moment.bytes_max {
            return Err(BackupError::TooLarge { bytes_max: moment.bytes_max });
        }
        // Room first: over the limit for a moment would be over it for good, were we killed in between.
        room::make(&self.root, &name, packed_bytes, moment.bytes_max);
        append(&generation.data_path(), index.packed_bytes(), &packed)?;
        index.add(Member {
            offset: from,
            bytes,
            packed_offset: index.packed_bytes(),
            packed_bytes,
            at: time::iso(moment.now),
            tokens: moment.tokens,
            print: index::hex(fingerprint(&slice)),
        });
        let marks = marks(&source, from + bytes).at("read", moment.transcript)?;
        (index.head_print, index.tail_print) = (index::hex(marks.0), index::hex(marks.1));
        generation.write_index(&index)?;
        files::sweep_temps(&folder, None);
        Ok(Taken { bytes, packed_bytes, more: from + bytes < source_bytes, generation: generation.number })
    }

    /// Every backup, the one made last first.
    #[must_use]
    pub fn all(&self) -> Vec<Backup> {
        let mut all: Vec<Backup> =
            index::generations(&self.root).iter().filter_map(Generation::backup).collect();
        all.sort_by(|left, right| (&right.at, right.generation).cmp(&(&left.at, left.generation)));
        all
    }

    /// Writes a backup back, every member checked.
    pub fn restore(&self, backup: &Backup, to: &mut dyn Write) -> Result<u64, RestoreError> {
        restore::write(backup, to)
    }

    /// Writes a backup back to a new file, whole or not at all.
    pub fn restore_to(&self, backup: &Backup, path: &Path) -> Result<u64, RestoreError> {
        restore::write_file(backup, path)
    }

    /// Removes all backups of a session; gives the bytes that are free then.
    pub fn remove(&self, session: &str, patience: Patience) -> Result<u64, BackupError> {
        let name = safe_name(session);
        let _alone = self.alone(&name, patience)?;
        let mut bytes = 0;
        for generation in index::generations(&self.root).iter().filter(|it| it.name == name) {
            bytes += generation.remove()?;
        }
        Ok(bytes)
    }

    /// The sessions of a project that have backups: by the names of their files, whatever their index looks like.
    #[must_use]
    pub fn kept_in(&self, project: &str) -> Vec<KeptBackups> {
        let folder = self.root.join(safe_name(project));
        let mut kept: Vec<KeptBackups> = Vec::new();
        for generation in
            index::generations(&self.root).iter().filter(|it| it.data_path().starts_with(&folder))
        {
            let first_at =
                generation.backup().and_then(|backup| backup.members.first().map(|first| first.at.clone()));
            let bytes = generation.disk_bytes();
            match kept.iter_mut().find(|it| it.name == generation.name) {
                Some(known) => {
                    known.bytes += bytes;
                    known.first_at = known.first_at.take().min(first_at);
                }
                None => kept.push(KeptBackups { name: generation.name.clone(), first_at, bytes }),
            }
        }
        kept
    }

    /// Removes everything that tells of a session here, its lock too.
    pub fn forget(&self, session: &str, patience: Patience) -> Result<u64, BackupError> {
        let bytes = self.remove(session, patience)?;
        files::remove(&self.lock_of(&safe_name(session)))?;
        for folder in self.root.children(index::FILES_MAX) {
            // One that holds something stays.
            files::remove_if_empty(&folder);
        }
        Ok(bytes)
    }

    /// Bytes that all backups take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        room::total(&self.root)
    }

    /// Whether a session has backups, or had some: its lock stays.
    #[must_use]
    pub fn knows(&self, session: &str) -> bool {
        self.lock_of(&safe_name(session)).exists()
    }

    fn lock_of(&self, name: &str) -> Spot {
        self.root.join("locks").join(format!("{name}.lock"))
    }

    /// One writer for each session. The lock files stay: to remove one would hand its lock to two.
    fn alone(&self, name: &str, patience: Patience) -> Result<Lock, LockError> {
        Lock::acquire(&self.lock_of(name), patience)
    }
}

fn open_source(path: &Path) -> Result<Option<File>, FileError> {
    if !path.is_absolute() {
        return Ok(None);
    }
    match outside::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at("open", path),
    }
}

/// Whether a transcript is the one that was copied, grown.
fn is_same(source: &File, source_bytes: u64, index: &Index) -> io::Result<bool> {
    if source_bytes < index.source_bytes() {
        return Ok(false);
    }
    let (head, tail) = marks(source, index.source_bytes())?;
    Ok(index::hex(head) == index.head_print && index::hex(tail) == index.tail_print)
}

/// Fingerprints of a file's first bytes, and of the last before `end`.
fn marks(source: &File, end: u64) -> io::Result<(u64, u64)> {
    let bytes = usize::try_from(end.min(MARK_BYTES)).unwrap_or(0);
    let mut part = vec![0; bytes];
    source.read_exact_at(&mut part, 0)?;
    let head = fingerprint(&part);
    source.read_exact_at(&mut part, end - bytes as u64)?;
    Ok((head, fingerprint(&part)))
}

fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(LEVEL));
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Adds a member behind the last one that the index names, and flushes it. What a killed writer left there is cut off.
fn append(path: &Spot, end: u64, packed: &[u8]) -> Result<(), FileError> {
    let file = files::open_in_place(path)?;
    file.set_len(end).at("cut", path)?;
    files::room_for(end + packed.len() as u64)
        .and_then(|()| file.write_all_at(packed, end))
        .and_then(|()| file.sync_all())
        .at("write", path)
        .inspect_err(|_| {
            // Of no use to anybody, and there is no room for it.
            let _ = file.set_len(end);
        })
}
