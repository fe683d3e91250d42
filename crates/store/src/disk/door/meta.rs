//! What a file looks like from outside, without following a link.

use std::ffi::OsString;
use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Stat};

/// What stands at a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link.
    Link,
    /// A pipe, a device, a socket.
    Other,
}

impl NodeKind {
    pub(super) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// A file's size, age and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    /// What it is.
    pub kind: NodeKind,
    /// Its length in bytes.
    pub len: u64,
    /// When it was written, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// How many names it has.
    pub links: u64,
    /// Its permissions.
    pub mode: u32,
    /// Its kind and permissions as the system keeps them.
    pub raw_mode: u32,
}

impl Meta {
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_cast,
        clippy::allow_attributes,
        reason = "the widths of these numbers differ from system to system"
    )]
    pub(super) fn of(stat: &Stat) -> Self {
        let nanos = i64::try_from(stat.st_mtime_nsec).unwrap_or(0);
        Self {
            kind: NodeKind::of(FileType::from_raw_mode(stat.st_mode)),
            len: u64::try_from(stat.st_size).unwrap_or(0),
            mtime_ns: i64::from(stat.st_mtime).saturating_mul(1_000_000_000).saturating_add(nanos),
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            links: stat.st_nlink as u64,
            mode: stat.st_mode as u32 & 0o7777,
            raw_mode: stat.st_mode as u32,
        }
    }

    /// Whether it is a regular file.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.kind == NodeKind::File
    }

    /// Whether it is a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.kind == NodeKind::Folder
    }

    /// Whether it is a link.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.kind == NodeKind::Link
    }

    /// When it was written.
    #[must_use]
    pub fn modified(&self) -> SystemTime {
        match u64::try_from(self.mtime_ns) {
            Ok(ns) => SystemTime::UNIX_EPOCH + Duration::from_nanos(ns),
            Err(_) => SystemTime::UNIX_EPOCH,
        }
    }
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The name.
    pub name: OsString,
    /// What stands there.
    pub kind: NodeKind,
}

impl Listed {
    /// The name as text; what is no text in it is replaced.
    #[must_use]
    pub fn text(&self) -> String {
        self.name.to_string_lossy().into_owned()
    }
}
