//! All local disk IO: the state file, the archive, the outbox and the spools, and everything that keeps them whole.
//!
//! A folder for each thing that is kept; what they rest on is in `disk`. Files are known by their own names from outside.

pub mod archive;
pub mod backups;
pub mod bundle;
pub mod catalogue;
pub mod config;
mod disk;
pub mod forget;
pub mod memory;
mod project;
pub mod recall;
pub mod remask;
pub mod session;
pub mod usage;
pub mod usage_log;

pub(crate) use disk::positional;
pub use disk::{
    content_hash, door, files, known_files, lock, log, machine, mask_key, paths, restore_stage, scratch,
    transcript_file, transcript_rows,
};
pub use memory::{outbox, state_file};
pub use project::{anchor_proposals, checkpoints, env_files, instructions_file, project_files};
pub use session::{
    compaction_mark, gate, glance, hand_over_file, ledger_file, notes_file, outline_file, spool,
    statusline_rules, task_summaries, usage_file,
};
