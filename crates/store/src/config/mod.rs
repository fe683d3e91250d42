//! The configuration: `throughline.toml` in the user's config folder, overridden key by key by the project's.

pub mod allowed;
mod project_file;
mod ranges;
mod sections;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_domain::Kind;
use throughline_domain::budget::Limits;

use crate::door::{Spot, outside};
pub use allowed::Allowed;
pub use project_file::{KeyChange, WaitingConfig};
pub use sections::*;

/// Largest configuration file.
const CONFIG_BYTES_MAX: u64 = throughline_domain::limits::CONFIG_BYTES_MAX;

/// Every number that can be set. The defaults are the ones in the documentation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(default)]
pub struct Config {
    /// The text given back to the agent.
    pub briefing: Briefing,
    /// The working set.
    pub budget: Budget,
    /// How full is too full.
    pub thresholds: Thresholds,
    /// The hand-over that the agent is asked for.
    pub hand_over: HandOver,
    /// What a new session gets.
    pub restore: Restore,
    /// Rules that are restated.
    pub governance: Governance,
    /// When a hook does more than note and leave.
    pub gate: Gate,
    /// Summaries of finished tasks.
    pub summaries: Summaries,
    /// Checkpoints.
    pub checkpoints: Checkpoints,
    /// Session notes.
    pub notes: Notes,
    /// Copies of transcripts. Read from the user's file only.
    pub backup: Backup,
    /// How clean the context is.
    pub purity: Purity,
    /// Asking git.
    pub git: Git,
    /// The client's compaction.
    pub compaction: Compaction,
    /// What a project is.
    pub project: ProjectRules,
    /// What the status line shows.
    pub statusline: Statusline,
    /// The log of how full the context was.
    pub usage: Usage,
    /// The index of what sessions said. Read from the user's file only.
    pub recall: Recall,
    /// Where many machines' usage is gathered. Read from the user's file only.
    pub fleet: Fleet,
    /// What the project's own file asks for and nobody has allowed: it may have come with a clone.
    #[serde(skip)]
    pub waiting: Option<WaitingConfig>,
}

/// A project that somebody cloned must not say where this machine's usage goes, nor have its sessions copied, nor make
/// the index of all projects forget: these sections count in the user's own file alone.
const OWN_SECTIONS: [&str; 3] = ["fleet", "backup", "recall"];

impl Config {
    /// Reads the user's file and lays the project's over it: all of that where its bytes are allowed, else its looks.
    /// What cannot be read is left out and reported.
    #[must_use]
    pub fn load(
        user_file: Option<&Path>,
        project_file: &Spot,
        allowed: &Allowed,
    ) -> (Self, Vec<ConfigProblem>) {
        let mut problems = Vec::new();
        let mut own = user_file.map(|path| read_own(path, &mut problems)).unwrap_or_default();
        let mut project = project_file::read(project_file, allowed, &own, &mut problems);
        if let Some(path) = user_file {
            tidy(&mut own, path, &mut problems);
        }
        if project.is_allowed {
            for section in OWN_SECTIONS {
                if project.table.remove(section).is_some() {
                    let what = format!("[{section}] counts in your own throughline.toml only; it is ignored");
                    problems.push(ConfigProblem { path: project_file.shown(), what });
                }
            }
            tidy(&mut project.table, &project_file.shown(), &mut problems);
        } else {
            // Nobody vouches for it: what does not fit is left out, and not repeated in its own words.
            tidy(&mut project.table, &project_file.shown(), &mut Vec::new());
        }
        let mut merged = own.clone();
        overlay(&mut merged, project.table);
        let mut config = match merged.try_into::<Self>() {
            Ok(config) => config,
            // What does not fit was taken out of each file; where that was not all of it, the user's own file counts.
            Err(error) => {
                let what = format!("{}; your own file alone is used", error.message());
                problems.push(ConfigProblem { path: project_file.shown(), what });
                own.try_into::<Self>().unwrap_or_default()
            }
        };
        if let Some((hash, whole)) = project.waiting {
            let holds = toml::Table::try_from(&config).unwrap_or_default();
            config.waiting = Some(project_file::changes(hash, whole, &holds));
        }
        (config, problems)
    }

    /// What is wrong with the text of a configuration file, for whoever just wrote it.
    pub fn problems_in(path: &Path, text: &str) -> Result<Vec<ConfigProblem>, String> {
        let mut table = table_of(text.as_bytes().to_vec())?;
        let mut problems = Vec::new();
        tidy(&mut table, path, &mut problems);
        Ok(problems)
    }

    /// What bounds the working set.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let budget = &self.budget;
        let mut limits = Limits {
            target_tokens: budget.target_tokens,
            max_tokens: budget.max_tokens,
            file_bytes_max: budget.file_bytes,
            key_decisions_max: budget.key_decisions,
            evidence_units_max: budget.evidence_chars,
            ..Limits::default()
        };
        let rows = [
            (Kind::Decision, budget.decisions),
            (Kind::Constraint, budget.constraints),
            (Kind::Question, budget.questions),
            (Kind::Evidence, budget.evidence),
            (Kind::Highlight, budget.highlights),
            (Kind::Action, budget.actions),
            (Kind::Directive, budget.directives),
            (Kind::Anchor, budget.anchors),
        ];
        for (kind, entries_max) in rows {
            limits.entries_max[kind.index()] = entries_max;
        }
        limits
    }
}

/// Something wrong with a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub what: String,
}

/// The user's own file.
fn read_own(path: &Path, problems: &mut Vec<ConfigProblem>) -> toml::Table {
    let read = outside::read_limited(path, CONFIG_BYTES_MAX).map_err(|error| error.to_string());
    let table = read.and_then(|bytes| bytes.map_or_else(|| Ok(toml::Table::new()), table_of));
    table.unwrap_or_else(|what| {
        problems.push(ConfigProblem { path: path.to_owned(), what });
        toml::Table::new()
    })
}

fn table_of(bytes: Vec<u8>) -> Result<toml::Table, String> {
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_owned())?;
    text.parse::<toml::Table>().map_err(|error| place_and_reason(&text, &error))
}

/// Brings a table into the form that the configuration has; says what was wrong with it.
fn tidy(table: &mut toml::Table, path: &Path, problems: &mut Vec<ConfigProblem>) {
    // Most people and projects have none, and every gate asks.
    if table.is_empty() {
        return;
    }
    let mut said: Vec<String> =
        unknown_keys(table).iter().map(|key| format!("there is no key `{key}`; it is ignored")).collect();
    // Numbers first: one below zero is out of its range, not of another kind.
    said.extend(ranges::bring_in(table));
    said.extend(take_out_misfits(table));
    problems.extend(said.into_iter().map(|what| ConfigProblem { path: path.to_owned(), what }));
}

/// Where it breaks and why, without the line itself: the address of a database may stand there, with its password.
fn place_and_reason(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {}: {}", before.matches('\n').count() + 1, error.message().trim())
}

fn overlay(under: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(toml::Value::Table(under)), toml::Value::Table(over)) => overlay(under, over),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}

/// Takes out keys whose values are of the wrong kind, each by itself: one slip must not cost the other keys, and a project's
/// none of the user's. Gives what is wrong with them.
fn take_out_misfits(table: &mut toml::Table) -> Vec<String> {
    let mut wrong = Vec::new();
    if table.clone().try_into::<Config>().is_ok() {
        return wrong;
    }
    table.retain(|section, value| {
        let mut fits = |key: Option<&str>, part: toml::Value| {
            let alone = toml::Table::from_iter([(section.to_owned(), part)]);
            let Err(error) = alone.try_into::<Config>() else { return true };
            let name = key.map_or_else(|| section.to_owned(), |key| format!("{section}.{key}"));
            wrong.push(format!("`{name}`: {}; it is ignored", error.message().trim()));
            false
        };
        match value {
            toml::Value::Table(keys) => {
                keys.retain(|key, value| {
                    let alone = toml::Table::from_iter([(key.to_owned(), value.clone())]);
                    fits(Some(key), toml::Value::Table(alone))
                });
                true
            }
            other => fits(None, other.clone()),
        }
    });
    wrong
}

/// Keys that no part of the configuration has: most often a slip of the pen.
fn unknown_keys(table: &toml::Table) -> Vec<String> {
    let Ok(known) = toml::Table::try_from(Config::default()) else { return Vec::new() };
    let mut unknown = Vec::new();
    for (section, value) in table {
        match (known.get(section), value) {
            (None, _) => unknown.push(section.clone()),
            (Some(toml::Value::Table(known)), toml::Value::Table(given)) => unknown.extend(
                given.keys().filter(|key| !known.contains_key(*key)).map(|key| format!("{section}.{key}")),
            ),
            _ => {}
        }
    }
    unknown
}
