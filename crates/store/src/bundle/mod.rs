//! The bundle: everything that a project has in one file, part by part, each with a checksum of its own.
//!
//! Compressed lines of JSON. The first says what it is (`throughline`, `version`); `{"part": …}` begins a part, its records
//! follow, `{"end": …, "lines": …, "md5": …}` closes it, and `{"bundle": "end", "parts": …}` is the last line. Nothing in it is
//! believed: lengths, counts and names have limits, and a file is read to its end before anything of it is taken.

pub mod files;
mod read;
mod write;

use std::io;

pub use read::{Header, read};
pub use write::{BundleWriter, create};

/// The form that is written.
pub const VERSION: u64 = 1;
/// What the first line says of itself.
const KIND: &str = "export";
/// The parts, in the order in which they are written and taken.
pub const PARTS: [&str; 8] =
    ["archive", "state", "files", "sessions", "proposals", "summaries", "passages", "usage"];
/// Longest line.
pub const LINE_BYTES_MAX: usize = throughline_domain::limits::BUNDLE_LINE_BYTES_MAX;
/// So much is unpacked before it is asked how tightly it was packed.
const SMALL_BYTES: u64 = 32 << 20;

/// How much a bundle may unpack to. What is taken is written to a disk, so a small file must not become a large memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Most bytes of the whole, unpacked.
    pub unpacked_bytes_max: u64,
    /// Most bytes that come of one. Texts are packed a tenth to a thirtieth; what is packed tighter was made to fill disks.
    pub tightness_max: u64,
    /// Most records of the whole.
    pub records_max: u64,
}

impl Room {
    /// For a file from anybody.
    pub const USUAL: Self = Self { unpacked_bytes_max: 1 << 30, tightness_max: 40, records_max: 2_000_000 };
    /// For one whose maker somebody vouches for.
    pub const LARGE: Self = Self { unpacked_bytes_max: 8 << 30, tightness_max: 400, records_max: 20_000_000 };
}

/// Why a bundle cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("it is no export of throughline: {0}")]
    NotOurs(String),
    /// A later version wrote it.
    #[error("it has version {0}, which is newer than this program knows")]
    Newer(u64),
    /// Its end is missing.
    #[error("it ends in the middle, in the part `{0}`")]
    Truncated(String),
    /// A part is not what was written.
    #[error("the part `{0}` is damaged: its checksum does not fit")]
    Checksum(String),
    /// More than anybody's memory.
    #[error("it holds too much: {0}")]
    TooMuch(String),
    /// A record that is none.
    #[error("record {number} of the part `{part}` cannot be taken: {why}")]
    Record {
        /// The part.
        part: String,
        /// Counted from 1.
        number: u64,
        /// Why not.
        why: String,
    },
}
