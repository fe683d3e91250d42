//! The engine: what hooks, verbs and the status line do with what the store keeps, without argv, environment or output.

pub mod anchors;
pub mod at_hand;
pub mod checkpoint;
pub mod coverage;
pub mod descent;
pub mod event_times;
pub mod gauge;
pub mod git_exclude;
pub mod git_now;
pub mod governance;
pub mod hand_over;
pub mod intake;
pub mod last_usage;
pub mod late;
pub mod ledger;
pub mod lineage;
pub mod liveness;
pub mod notes;
pub mod place;
pub mod resuming;
pub mod servers;
pub mod session_facts;
pub mod sessions;
pub mod statusline;
pub mod transcripts;
pub mod window;
