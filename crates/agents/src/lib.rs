//! Agents: the only room that spells an agent's field names. Pure: text in, values out.
//!
//! What hooks, transcripts and status lines come to is the same for all of them ([`hook`], [`transcript`], [`usage_line`],
//! [`status_line`], [`compaction_point`]); how each agent spells it is in a folder of its own, and a row of [`agent::AGENTS`].

pub mod agent;
pub mod claude_code;
pub mod codex;
pub mod compaction_point;
pub mod gemini;
pub mod hook;
pub mod opencode;
pub mod settings;
pub mod setup;
pub mod status_line;
pub mod transcript;
pub mod usage_line;
