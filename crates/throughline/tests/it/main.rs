//! The built binary, driven as people and the client drive it: whole processes, real folders, real git.
#![expect(
    clippy::disallowed_methods,
    reason = "a test sets its scene with files and programs of its own, behind the product's back"
)]
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on stops there, loudly"
)]
#![expect(clippy::needless_raw_string_hashes, reason = "snapshots are written with hashes by their own tool")]

mod agent_setup;
mod anchors;
mod any_transcript;
mod asked_once;
mod attribution;
mod away;
mod backups;
mod checkpoints;
mod compact_at;
mod compact_focus;
mod compaction;
mod continuation;
mod control_sequences;
mod count_tokens;
mod damaged_data;
#[cfg(target_os = "linux")]
mod disk;
mod endings;
mod exchange;
mod foreign_config;
mod forget_origin;
mod forgetting;
mod gauges;
mod given_paths;
mod governance;
mod hand_edits;
mod hand_over;
mod help;
mod hostile_git;
mod hostile_input;
mod hostile_places;
mod injection;
mod instructions;
mod leaks;
mod long_secrets;
mod look_alikes;
mod mcp;
mod moving;
mod notes;
mod originals;
mod own_files;
mod persons_word;
mod purity;
#[cfg(target_os = "linux")]
mod read_once;
mod reading;
mod recording;
mod restoring;
mod retold;
mod rooms;
mod scene;
#[cfg(target_os = "linux")]
mod second_user;
mod sessions;
mod settings;
mod starts;
mod statusline;
mod summaries;
mod thresholds;
mod transcripts;
mod trusting;
mod usage_logging;
mod whole_way;
mod withdrawing;
mod work_item;
