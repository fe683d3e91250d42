//! Events: what a hook does for each of the client's events, one file each.

pub(super) mod hot_path;
pub(super) mod post_compact;
pub(super) mod pre_compact;
pub(super) mod session_end;
pub(super) mod session_start;
pub(super) mod stop;
pub(super) mod subagent;
