//! `doctor` against real trouble: each warning and each failure is provoked, and the remedy it names is looked for.
#![expect(
    clippy::disallowed_methods,
    reason = "a test sets its scene with files and programs of its own, behind the product's back"
)]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test stops where its scene is broken, and says aloud what it leaves out"
)]

mod agents;
mod archive;
mod hooks;
mod masking;
mod programs;
mod running;
mod scene;
mod state;
mod storage;
mod whole;
