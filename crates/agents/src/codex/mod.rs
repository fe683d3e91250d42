//! Codex CLI: how its hooks, rollouts and messages spell what we use. Its hooks speak Claude Code's dialect, nearly.

pub mod hook_payload;
pub mod hook_reply;
pub mod hook_trust;
pub mod transcript_place;
