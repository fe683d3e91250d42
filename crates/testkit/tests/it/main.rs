//! The testkit against the real client: if these fail, no other test that uses the client means anything.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test stops where its scene is broken")]

mod client;
mod codex;
mod compaction;
mod gemini;
mod home;
mod mock_api;
mod opencode;
