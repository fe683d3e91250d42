//! The disk: how files are reached, read, replaced, locked and named, whatever is in them.

pub mod content_hash;
pub mod door;
pub mod files;
pub mod known_files;
pub mod lock;
pub mod log;
pub mod machine;
pub mod mask_key;
pub mod paths;
pub(crate) mod positional;
pub mod restore_stage;
pub mod scratch;
pub mod transcript_file;
pub mod transcript_rows;
