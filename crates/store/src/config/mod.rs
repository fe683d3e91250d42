//! The configuration: `throughline.toml` in the user's config folder, overridden key by key by the project's.

mod ranges;
mod sections;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_domain::Kind;
use throughline_domain::budget::Limits;

use crate::door::{Spot, outside};
use crate::files;
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
    /// Rules that the project's own file brings: it may have come with a clone.
    #[serde(skip)]
    pub project_rules: Option<ProjectGovernance>,
}

/// What the project's own file says about rules, and what holds without it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectGovernance {
    /// The project's.
    pub rules: Governance,
    /// The user's own, by themselves.
    pub without: Governance,
}

impl Config {
    /// Reads the user's file and lays the project's over it. What cannot be read is left out and reported.
    #[must_use]
    pub fn load(user_file: Option<&Path>, project_file: &Spot) -> (Self, Vec<ConfigProblem>) {
        let mut problems = Vec::new();
        let mut merged = toml::Table::new();
        let mut own = toml::Table::new();
        let mut project_rules = None;
        let project_path = project_file.shown();
        for path in user_file.into_iter().chain([project_path.as_path()]) {
            let is_project = user_file != Some(path);
            let bytes = if is_project {
                files::read_limited(project_file, CONFIG_BYTES_MAX)
            } else {
                outside::read_limited(path, CONFIG_BYTES_MAX)
            };
            match bytes.map_err(|error| error.to_string()).and_then(table_of) {
                Ok(Some(mut table)) => {
                    // A project that somebody cloned must not say where this machine's usage goes, nor have
                    // its sessions copied, nor make the index of all projects forget.
                    for section in ["fleet", "backup", "recall"] {
                        if is_project && table.remove(section).is_some() {
                            let what = format!(
                                "[{section}] counts in your own throughline.toml only; it is ignored"
                            );
                            problems.push(ConfigProblem { path: path.to_owned(), what });
                        }
                    }
                    for key in unknown_keys(&table) {
                        let what = format!("there is no key `{key}`; it is ignored");
                        problems.push(ConfigProblem { path: path.to_owned(), what });
                    }
                    // Numbers first: one below zero is out of its range, not of another kind.
                    for what in ranges::bring_in(&mut table) {
                        problems.push(ConfigProblem { path: path.to_owned(), what });
                    }
                    for what in take_out_misfits(&mut table) {
                        problems.push(ConfigProblem { path: path.to_owned(), what });
                    }
                    if is_project {
                        project_rules = table.get("governance").cloned();
                    } else {
                        own = table.clone();
                    }
                    overlay(&mut merged, table);
                }
                Ok(None) => {}
                Err(what) => problems.push(ConfigProblem { path: path.to_owned(), what }),
            }
        }
        let own = own.try_into::<Self>();
        match merged.try_into::<Self>() {
            Ok(mut config) => {
                let without = own.map(|own| own.governance).unwrap_or_default();
                config.project_rules = project_rules
                    .and_then(|rules| rules.try_into().ok())
                    .map(|rules| ProjectGovernance { rules, without });
                (config, problems)
            }
            // One wrong value of a project does not cost the user his own configuration.
            Err(error) => {
                // What does not fit was taken out of each file; where that was not all of it, the user's own file counts.
                let what = format!("{}; your own file alone is used", error.message());
                problems.push(ConfigProblem { path: project_path, what });
                (own.unwrap_or_default(), problems)
            }
        }
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

fn table_of(bytes: Option<Vec<u8>>) -> Result<Option<toml::Table>, String> {
    let Some(bytes) = bytes else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_owned())?;
    let table = text.parse::<toml::Table>().map_err(|error| place_and_reason(&text, &error))?;
    Ok(Some(table))
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
