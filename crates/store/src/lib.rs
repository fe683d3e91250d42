//! All local disk IO: the state file, the archive, the outbox and the spools, and everything that keeps them whole.

pub mod anchor_proposals;
pub mod archive;
pub mod checkpoints;
pub mod config;
pub mod files;
pub mod gate;
pub mod glance;
pub mod ledger_file;
pub mod lock;
pub mod log;
pub mod machine;
pub mod memory;
pub mod notes_file;
pub mod outbox;
pub mod paths;
mod positional;
pub mod project_files;
pub mod redact;
pub mod session;
pub mod spool;
pub mod state_file;
pub mod statusline_rules;
pub mod task_summaries;
pub mod transcript_file;
pub mod usage;
pub mod usage_file;
pub mod usage_log;
