//! Gemini CLI: its payloads, replies, sessions and settings. Pure: text in, values out.

pub mod compaction_point;
pub mod hook_payload;
pub mod hook_reply;
pub mod hook_table;
pub mod transcript_place;
pub mod trust;
