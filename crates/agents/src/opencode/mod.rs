//! OpenCode: its plugin, payloads, replies and the rows of its database. Pure: text in, values out.

pub mod compaction_point;
pub mod hook_payload;
pub mod hook_reply;
pub mod plugin;
pub mod rows;
pub mod transcript;
pub mod usage;
