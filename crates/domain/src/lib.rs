//! The nouns of Throughline: entries, the state that holds them, budgets, times. Pure: no files, no clock, no environment.

pub mod budget;
pub mod checkpoint;
pub mod context;
pub mod entry;
mod entry_json;
mod escaped;
pub mod fragment;
pub mod gauge;
pub mod git_state;
pub mod health;
mod json_text;
pub mod ledger;
pub mod need;
pub mod origin;
pub mod problem;
pub mod proposal;
pub mod seen_lines;
pub mod slice;
pub mod state;
pub mod state_json;
mod state_read;
pub mod summary;
pub mod text;
pub mod time;
pub mod token_estimate;
pub mod transcript;
pub mod usage;
pub mod usage_memory;
pub mod validate;

pub use entry::{AnchorPriority, Detail, Entry, EntryId, EvidenceType, Kind, Priority, Resolution};
pub use git_state::GitState;
pub use health::Health;
pub use origin::Origin;
pub use problem::Problem;
pub use state::{State, TokenMetrics, Trigger, WorkItem, Workflow};
pub use time::Timestamp;
