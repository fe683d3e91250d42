//! Gemini CLI: its payloads, replies, sessions and settings. Pure: text in, values out.

pub mod compaction_point;
pub mod hook_payload;
pub mod hook_reply;
pub mod hook_table;
pub mod page_names;
pub mod standing;
pub mod transcript;
pub mod transcript_place;
pub mod transcript_tail;
pub mod trust;
pub mod usage_lines;

use crate::claude_code::transcript::scan::Raw;
