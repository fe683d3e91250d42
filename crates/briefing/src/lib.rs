//! Briefings: the state as text for the agent, under a cap. Pure: time is an argument, nothing is read or written.

pub mod anchors;
pub mod banner;
pub mod briefing;
pub mod continuation;
pub mod fit;
pub mod focus;
pub mod fragment;
mod frame;
pub mod hand_over;
pub mod handoff;
pub mod notes;
pub mod preservation;
pub mod purification;
pub mod restore;
pub mod resume;
pub mod rules;
mod sections;
pub mod session;
pub mod snapshot;
mod trust;

pub use fit::{Cap, Chosen};
pub use trust::{Facts, RecentFile, Scope};
