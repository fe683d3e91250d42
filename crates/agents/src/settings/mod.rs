//! Settings: a client's own files, read and edited so that every byte that is not ours stays. For any agent.

pub mod comments;
pub mod edit;
pub mod hook_entry;
pub(crate) mod json_spans;
pub(crate) mod json_splice;
pub mod our_entry;
pub mod problem;
pub mod section;
pub mod server_table;
pub mod servers;
pub mod shell_words;
pub mod toml_keys;
