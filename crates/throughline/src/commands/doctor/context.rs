//! What the checks share: the project at hand, the client's settings and its version, the sessions seen here.

use std::path::{Path, PathBuf};

use throughline_agents::claude_code::settings_read::{self, ClientSettings, Scope};
use throughline_agents::claude_code::version::Version;
use throughline_domain::Timestamp;
use throughline_engine::client_settings;
use throughline_engine::liveness::{self, Seen};
use throughline_engine::place::Place;
use throughline_store::config::{Config, ConfigProblem};
use throughline_store::lock::Patience;
use throughline_store::memory::{Author, Memory};
use throughline_store::project_files;

use crate::commands::App;
use crate::program::{self, Silence};

/// What the checks look at.
pub(super) struct Context {
    pub(super) place: Place,
    pub(super) config: Config,
    pub(super) config_problems: Vec<ConfigProblem>,
    pub(super) memory: Memory,
    pub(super) now: Timestamp,
    /// Who mends what can be mended.
    pub(super) author: Author,
    /// The newest sessions of the project, the last active first.
    pub(super) seen: Vec<Seen>,
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

impl Context {
    /// Gathers what several checks need.
    pub(super) fn gather(app: App, config_problems: Vec<ConfigProblem>) -> Self {
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
        Self {
            config_problems,
            seen: liveness::sessions(&app.place.home, &app.memory.project, app.now),
            settings,
            files,
            client: program::client_version(),
            // What cannot have the lock at once is looked at the next time.
            author: Author { patience: Patience::Hook, ..app.author() },
            place: app.place,
            config: app.config,
            memory: app.memory,
            now: app.now,
        }
    }

    pub(super) fn root(&self) -> &Path {
        &self.memory.project.root
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

    /// How long before now, in words.
    pub(super) fn ago(&self, at_ms: i64) -> String {
        let at = Timestamp::from_millisecond(at_ms).unwrap_or(self.now);
        let seconds = throughline_domain::time::seconds_between(at, self.now);
        format!("{} ago", throughline_domain::time::span_words(seconds))
    }
}

/// A size for people.
pub(super) fn size_words(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

/// A count with its noun: `1 entry`, `2 entries`.
pub(super) fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
