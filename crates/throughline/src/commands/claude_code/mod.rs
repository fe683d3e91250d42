//! Claude Code on this machine: its settings in three places, its lists of servers, its window and its rules.

pub(in crate::commands) mod compact_at;
pub(in crate::commands) mod install;
pub(in crate::commands) mod instructions;
mod permissions;
mod servers;
pub(in crate::commands) mod uninstall;
pub(in crate::commands) mod version;

use super::App;

/// Whether hooks of ours stand in any of its settings for the project at hand.
pub(in crate::commands) fn is_registered(app: &App) -> bool {
    !throughline_engine::client_settings::client_settings(&app.place, &app.memory.project).hooks.is_empty()
}
