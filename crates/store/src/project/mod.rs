//! A project's own files: what stands in its `.claude` and what is kept for it beside the working set.

pub mod anchor_proposals;
pub mod checkpoints;
pub mod env_files;
pub mod instructions_file;
pub mod project_files;
