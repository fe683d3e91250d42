//! Recall against hand-made sessions: what was said is found again, whatever happened to its file since.
#![expect(
    clippy::disallowed_methods,
    reason = "a test sets its scene with files and programs of its own, behind the product's back"
)]
#![expect(clippy::unwrap_used, reason = "a test stops where its scene is broken")]

mod finding;
mod fixing;
mod hostile;
mod intake;
mod kept;
mod picking;
mod questions;
mod scene;
