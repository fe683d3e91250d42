//! Claude Code as `doctor` finds it: its settings files, its version, and the checks that are its alone.

pub(super) mod client;
pub(super) mod hooks;
pub(super) mod instructions;
pub(super) mod servers;

use std::path::PathBuf;

use throughline_agents::claude_code::settings_read::{self, ClientSettings, Scope};
use throughline_agents::claude_code::version::Version;
use throughline_engine::client_settings;
use throughline_store::project_files;

use crate::commands::App;
use crate::commands::claude_code::version::client_version;
use crate::program::Silence;

/// What several checks need.
pub(super) struct Known {
    pub(super) files: Vec<SettingsFile>,
    pub(super) settings: ClientSettings,
    /// The client's version and where it is.
    pub(super) client: Result<(Version, PathBuf), Silence>,
}

/// One of the client's settings files.
pub(super) struct SettingsFile {
    pub(super) scope: Scope,
    pub(super) path: PathBuf,
    /// `None` when there is none; an error when it cannot be read.
    pub(super) text: Result<Option<String>, String>,
}

impl Known {
    pub(super) fn gather(app: &App) -> Self {
        let paths = client_settings::settings_files(&app.place, &app.memory.project);
        let files: Vec<SettingsFile> = paths
            .into_iter()
            .map(|(scope, path)| {
                let text = project_files::read_settings(&app.memory.project.spot_of(&path))
                    .map_err(|error| error.to_string());
                SettingsFile { scope, path, text }
            })
            .collect();
        let texts: Vec<(Scope, &str)> = files
            .iter()
            .filter_map(|file| Some((file.scope, file.text.as_ref().ok()?.as_deref()?)))
            .collect();
        let env = client_settings::client_settings(&app.place, &app.memory.project).env;
        let settings = settings_read::read(&texts, &env);
        Self { files, settings, client: client_version() }
    }

    /// The client's version, when it could be asked.
    pub(super) fn version(&self) -> Option<Version> {
        self.client.as_ref().ok().map(|(version, _)| *version)
    }

    /// The plugin of ours that the client loads.
    pub(super) fn plugin(&self) -> Option<&str> {
        self.settings.plugins.iter().find(|plugin| plugin.enabled).map(|plugin| plugin.id.as_str())
    }

    /// The file that a scope stands for.
    pub(super) fn file_of(&self, scope: Scope) -> String {
        self.files
            .iter()
            .find(|file| file.scope == scope)
            .map_or_else(|| "the settings".to_owned(), |file| file.path.display().to_string())
    }
}
