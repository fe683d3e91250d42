//! Steps: what several events have in common, each a step of a gate.

pub(super) mod anchors;
pub(super) mod backups;
pub(super) mod checkpoints;
pub(super) mod compaction;
pub(super) mod glance;
pub(super) mod hand_over;
pub(super) mod late_start;
pub(super) mod later_difference;
pub(super) mod masking;
pub(super) mod notes;
pub(super) mod noticing;
pub(super) mod purity;
pub(super) mod reading;
pub(super) mod recall;
pub(super) mod saving;
pub(super) mod subagents;
pub(super) mod summaries;
pub(super) mod threshold_notice;
pub(super) mod verbatim;
