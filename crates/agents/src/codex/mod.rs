//! Codex CLI: how its hooks, rollouts and messages spell what we use. Its hooks speak Claude Code's dialect, nearly.

pub mod approval;
pub mod compact_prompt;
pub mod compaction_point;
pub mod hook_payload;
pub mod hook_reply;
pub mod hook_table;
pub mod hook_trust;
pub mod transcript;
pub mod transcript_place;
pub mod transcript_tail;
pub mod usage_lines;
