//! The index of a backup: which gzip member holds which bytes of the transcript.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::door::Spot;
use crate::files::{self, AtPath, Durability, FileError};

pub(super) const INDEX_VERSION: u32 = 1;
/// Largest index that is read: tens of thousands of members.
const INDEX_BYTES_MAX: u64 = throughline_domain::limits::BACKUP_INDEX_BYTES_MAX;
/// Most files looked at in one folder of backups.
pub(super) const FILES_MAX: usize = 100_000;
const DATA: &str = ".jsonl.gz";

/// One gzip member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Member {
    /// Where its bytes begin in the transcript.
    pub offset: u64,
    /// How many they are.
    pub bytes: u64,
    /// Where it begins in the backup.
    pub packed_offset: u64,
    /// How long it is there.
    pub packed_bytes: u64,
    /// When it was made.
    pub at: String,
    /// Tokens in the context at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Fingerprint of its bytes.
    pub print: String,
}

/// What a backup holds, as it stands on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Index {
    pub(super) version: u32,
    pub(super) session: String,
    pub(super) source: String,
    /// Fingerprints of the transcript's first bytes, and of the last that were copied.
    pub(super) head_print: String,
    pub(super) tail_print: String,
    pub(super) members: Vec<Member>,
}

impl Index {
    /// Bytes of the transcript that were copied.
    pub(super) fn source_bytes(&self) -> u64 {
        self.members.last().map_or(0, |last| last.offset + last.bytes)
    }

    /// Where the next member goes.
    pub(super) fn packed_bytes(&self) -> u64 {
        self.members.last().map_or(0, |last| last.packed_offset + last.packed_bytes)
    }

    pub(super) fn add(&mut self, member: Member) {
        self.members.push(member);
    }

    pub(super) fn is_of(&self, transcript: &Path) -> bool {
        self.source == transcript.to_string_lossy()
    }

    /// Whether every member begins where the one before it ends.
    fn is_whole(&self) -> bool {
        let mut ends = (0, 0);
        self.members.iter().all(|it| {
            let follows = (it.offset, it.packed_offset) == ends;
            let next = (it.offset.checked_add(it.bytes), it.packed_offset.checked_add(it.packed_bytes));
            ends = (next.0.unwrap_or(u64::MAX), next.1.unwrap_or(u64::MAX));
            follows
        })
    }
}

/// A fingerprint as JSON keeps it exactly.
pub(super) fn hex(print: u64) -> String {
    format!("{print:016x}")
}

/// A backup, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The session's id, as the agent spells it.
    pub session: String,
    /// The folder that it stands in: the project's key.
    pub project: String,
    /// 1, and one more each time the transcript was rewritten.
    pub generation: u32,
    /// The transcript.
    pub source: String,
    /// Its parts.
    pub members: Vec<Member>,
    /// When the last was made.
    pub at: String,
    /// The file.
    pub path: Spot,
}

impl Backup {
    /// Bytes of the transcript that are in it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.members.iter().map(|member| member.bytes).sum()
    }

    /// Bytes that they take.
    #[must_use]
    pub fn packed_bytes(&self) -> u64 {
        self.members.iter().map(|member| member.packed_bytes).sum()
    }
}

/// One pair of files: the members and their index.
#[derive(Debug, Clone)]
pub(super) struct Generation {
    folder: Spot,
    /// The session as a file name.
    pub(super) name: String,
    pub(super) number: u32,
}

impl Generation {
    /// A session's newest; the first where there is none yet.
    pub(super) fn latest(folder: &Spot, name: &str) -> Self {
        let all = in_folder(folder).into_iter().filter(|it| it.name == name);
        all.max_by_key(|it| it.number).unwrap_or_else(|| Self {
            folder: folder.to_owned(),
            name: name.to_owned(),
            number: 1,
        })
    }

    pub(super) fn next(&self) -> Self {
        Self { number: self.number + 1, ..self.clone() }
    }

    fn stem(&self) -> String {
        if self.number == 1 { self.name.clone() } else { format!("{}.{}", self.name, self.number) }
    }

    pub(super) fn data_path(&self) -> Spot {
        self.folder.join(format!("{}{DATA}", self.stem()))
    }

    pub(super) fn index_path(&self) -> Spot {
        self.folder.join(format!("{}.json", self.stem()))
    }

    /// The index; `None` when there is none, or none that makes sense.
    pub(super) fn read_index(&self) -> Option<Index> {
        let bytes = files::read_limited(&self.index_path(), INDEX_BYTES_MAX).ok()??;
        let index: Index = serde_json::from_slice(&bytes).ok()?;
        (index.version == INDEX_VERSION && index.is_whole()).then_some(index)
    }

    pub(super) fn write_index(&self, index: &Index) -> Result<(), FileError> {
        let path = self.index_path();
        let bytes = serde_json::to_vec(index).map_err(std::io::Error::other).at("encode", &path)?;
        files::replace(&path, &bytes, Durability::Flushed)
    }

    /// Whether the file is as long as its index says.
    pub(super) fn holds(&self, index: &Index) -> bool {
        self.data_path().meta().is_ok_and(|meta| meta.len >= index.packed_bytes())
    }

    /// Bytes that both files take.
    pub(super) fn disk_bytes(&self) -> u64 {
        self.data_path().bytes() + self.index_path().bytes()
    }

    /// Removes both; the index first: without it the rest is nothing.
    pub(super) fn remove(&self) -> Result<u64, FileError> {
        let bytes = self.disk_bytes();
        files::remove(&self.index_path())?;
        files::remove(&self.data_path())?;
        Ok(bytes)
    }

    pub(super) fn backup(&self) -> Option<Backup> {
        let index = self.read_index()?;
        Some(Backup {
            session: index.session,
            project: self.folder.name(),
            generation: self.number,
            source: index.source,
            at: index.members.last().map(|member| member.at.clone()).unwrap_or_default(),
            members: index.members,
            path: self.data_path(),
        })
    }
}

/// Every pair of files of all projects.
pub(super) fn generations(root: &Spot) -> Vec<Generation> {
    root.children(FILES_MAX).iter().flat_map(in_folder).collect()
}

/// The pairs of one project, also those that lack one of their files.
fn in_folder(folder: &Spot) -> Vec<Generation> {
    let mut found: Vec<Generation> = Vec::new();
    for listed in folder.list(FILES_MAX) {
        let Some(file_name) = listed.name.to_str().filter(|it| !it.starts_with('.')) else { continue };
        let Some(stem) = file_name.strip_suffix(DATA).or_else(|| file_name.strip_suffix(".json")) else {
            continue;
        };
        let (name, number) = match stem.split_once('.') {
            None => (stem, Some(1)),
            Some((name, number)) => (name, number.parse().ok().filter(|number| *number > 1)),
        };
        let Some(number) = number else { continue };
        if !found.iter().any(|it| it.name == name && it.number == number) {
            found.push(Generation { folder: folder.to_owned(), name: name.to_owned(), number });
        }
    }
    found
}
