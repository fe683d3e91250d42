//! Usage against hand-made histories: every response once, whatever the files look like and whoever is killed.
#![expect(
    clippy::disallowed_methods,
    reason = "a test sets its scene with files and programs of its own, behind the product's back"
)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where its scene is broken")]

mod disagreements;
mod history;
mod intake;
mod kills;
mod logs;
mod prices;
mod reports;
mod together;
mod truth;
