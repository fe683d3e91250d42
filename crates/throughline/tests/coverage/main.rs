//! `coverage` on transcripts of our own making: exact figures on small sessions, and files that are no transcripts.
#![expect(
    clippy::disallowed_methods,
    reason = "a test sets its scene with files of its own, behind the product's back"
)]
#![expect(clippy::expect_used, reason = "a test stops where its scene is broken")]

mod choosing;
mod figures;
mod odd_files;
mod scene;
