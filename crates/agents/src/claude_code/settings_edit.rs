//! Settings edit: what of ours goes into Claude Code's settings, and out of them again, byte for byte.

use super::hook_table;
use super::version::Version;
use crate::settings::edit::{self, PLAIN, StatusLine, Wanted};
pub use crate::settings::edit::{Edit, EditOutcome, SettingsProblem};
pub use allowed::{allow, disallow, offered_permissions};
pub use window::{restore_window, set_window};

/// What to install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Install {
    /// Absolute path of the binary to call.
    pub binary: String,
    /// The client's version; `None` when unknown: the newest rules are used.
    pub client: Option<Version>,
    /// Whether to bring the status line too. One of ours that is there already is kept up to date either way.
    pub status_line: bool,
}

/// Merges our hooks (and the status line) into a settings text; `None` when there is no file yet.
pub fn install(text: Option<&str>, ours: &Install) -> Result<Edit, SettingsProblem> {
    let status_line = StatusLine { binary: ours.binary.clone(), is_brought: ours.status_line };
    let wanted = Wanted {
        hooks: hook_table::hooks_for(ours.client, &ours.binary),
        events: hook_table::HOOKS.iter().map(|rule| rule.event).collect(),
        status_line: Some(status_line),
        form: PLAIN,
    };
    edit::install(text, &wanted)
}

/// Takes our hooks and status line out of a settings text, and what became empty because of that; gives a wrapped
/// status line back to its owner.
pub fn uninstall(text: &str) -> Result<Edit, SettingsProblem> {
    edit::uninstall(text, &PLAIN)
}

mod allowed;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
mod window;
