//! What the checks share: the project at hand, the client's settings and its version, the sessions seen here.

use std::path::Path;

use throughline_agents::setup::{SETUPS, Setup};
use throughline_domain::Timestamp;
use throughline_engine::liveness::{self, Seen};
use throughline_engine::place::Place;
use throughline_store::config::{Config, ConfigProblem};
use throughline_store::lock::Patience;
use throughline_store::memory::{Author, Memory};

use super::claude_code::Known;
use crate::commands::App;
use crate::commands::setup::table;

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
    /// What is known of the usual agent's client.
    pub(super) usual: Known,
    /// The other agents that are set up, for this project or for all.
    pub(super) others: Vec<&'static Setup>,
}

impl Context {
    /// Gathers what several checks need.
    pub(super) fn gather(app: App, config_problems: Vec<ConfigProblem>) -> Self {
        Self {
            config_problems,
            seen: liveness::sessions(&app.place.home, &app.memory.project, app.now),
            usual: Known::gather(&app),
            others: SETUPS.into_iter().filter(|setup| table::is_set_up(&app, setup)).collect(),
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
