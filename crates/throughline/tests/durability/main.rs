//! Durability: what was acknowledged stays, whatever is killed, stopped, locked or damaged meanwhile.
//!
//! Everything here drives the built binary. `cargo xtask torture` runs the same tests for much longer.
#![expect(clippy::disallowed_methods, reason = "tests prepare files and look at them afterwards")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a scene that cannot be set stops the test, and what was counted is told"
)]

mod archive_away;
mod backups;
mod checkpoints;
mod every_call;
mod forgetting;
mod kills;
mod lock_holders;
mod many_writers;
mod notes;
mod restoring;
mod scene;
mod system_calls;
mod traced;
