//! Claude Code: its payloads, replies, transcripts and settings. Pure: text in, values out.

pub mod compact_instructions;
pub mod compaction_point;
pub mod hook_payload;
pub mod hook_reply;
pub mod hook_table;
mod loose;
pub mod permissions;
pub mod plugin;
pub mod settings_edit;
pub mod settings_read;
pub mod statusline_payload;
mod tool_calls;
pub mod transcript;
pub mod transcript_place;
pub mod transcript_tail;
pub mod usage_lines;
pub mod version;
