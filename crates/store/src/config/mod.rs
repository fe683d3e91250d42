//! The configuration: `throughline.toml` in the user's config folder, overridden key by key by the project's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use throughline_domain::Kind;
use throughline_domain::budget::Limits;
use throughline_domain::purity::Scale;

use crate::{config_ranges, files};

/// Largest configuration file.
const CONFIG_BYTES_MAX: u64 = 256 << 10;

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

/// The text given back to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Briefing {
    /// Most tokens, by estimate (`THROUGHLINE_BRIEFING_TOKENS` overrides).
    pub tokens: u64,
}

/// The working set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Below this the state is healthy.
    pub target_tokens: u64,
    /// Above this it is over budget.
    pub max_tokens: u64,
    /// The largest state file.
    pub file_bytes: usize,
    /// Most UTF-16 units of a piece of evidence.
    pub evidence_chars: usize,
    /// Entries kept in the working set.
    pub decisions: usize,
    /// Likewise.
    pub constraints: usize,
    /// Likewise.
    pub questions: usize,
    /// Likewise.
    pub evidence: usize,
    /// Likewise.
    pub highlights: usize,
    /// Likewise.
    pub actions: usize,
    /// Likewise.
    pub directives: usize,
    /// Likewise.
    pub anchors: usize,
    /// Plain decision lines of older files.
    pub key_decisions: usize,
}

/// Percentages of the compaction point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thresholds {
    /// From here the context is filling up.
    pub warning: u64,
    /// From here work should be handed over or compacted.
    pub critical: u64,
    /// From here nothing new should begin.
    pub emergency: u64,
}

/// What a new session gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Restore {
    /// Younger than this: the restore banner.
    pub banner_minutes: u64,
    /// Younger than this: the briefing alone.
    pub briefing_minutes: u64,
    /// Younger than this: the resume context and the briefing. Older: one line.
    pub resume_hours: u64,
    /// A prompt after this much silence gets the resume context.
    pub idle_minutes: u64,
}

/// Rules that are restated when a session starts, is cleared or was compacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Governance {
    /// Always.
    pub text: String,
    /// While the work item is in a phase, by its name in any case.
    pub phases: BTreeMap<String, String>,
    /// Most tokens of both together, by estimate.
    pub tokens: u64,
}

/// When a hook does more than note and leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Gate {
    /// Every so many assistant turns.
    pub turns: u64,
}

/// Summaries of finished tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summaries {
    /// How full the context must be, in per cent of the way to the compaction. Before one it does not matter.
    pub percent: u64,
    /// So many turns after its end, and after its last mention, a task is cold.
    pub cold_turns: u64,
    /// Most summaries of a session; the oldest makes room.
    pub per_session: usize,
}

/// Checkpoints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Checkpoints {
    /// Made by themselves at a task's end, a commit, a new phase, a threshold and before a compaction.
    pub automatic: bool,
    /// Most of them; the oldest that is not marked makes room.
    pub max: usize,
    /// Older ones are called stale.
    pub stale_hours: u64,
    /// Whether the content of uncommitted files is kept in git objects.
    pub keep_files: bool,
    /// Most uncommitted files that are kept.
    pub files: usize,
    /// The largest of them.
    pub file_bytes: u64,
    /// Most bytes of one checkpoint's files.
    pub total_bytes: u64,
}

/// Session notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notes {
    /// Whether the hooks keep `.claude/sessions/<id>/notes.md`.
    pub enabled: bool,
    /// A longer page is put aside, and another begun.
    pub page_bytes: usize,
}

/// Copies of transcripts: byte for byte, secrets and all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Backup {
    /// Whether they are made.
    pub transcripts: bool,
    /// When so many per cent of the way to the compaction remain.
    pub remaining_percent: Vec<u64>,
    /// From so many tokens in the context on…
    pub from_tokens: u64,
    /// …and every so many more; 0: not by tokens.
    pub every_tokens: u64,
    /// Most bytes of all of them; the session that was backed up longest ago makes room.
    pub max_bytes: u64,
}

impl Backup {
    /// Tokens in the context at which the next copy is due, after `used_tokens`; `None` when none will be.
    ///
    /// `limit_tokens` is where the client compacts.
    #[must_use]
    pub fn next_step(&self, limit_tokens: u64, used_tokens: u64) -> Option<u64> {
        if !self.transcripts {
            return None;
        }
        let by_percent = self.remaining_percent.iter().filter_map(|remaining| {
            let used_percent = 100_u64.checked_sub(*remaining)?;
            Some(limit_tokens.saturating_mul(used_percent).div_ceil(100))
        });
        let by_tokens = (self.every_tokens > 0).then(|| match used_tokens.checked_sub(self.from_tokens) {
            None => self.from_tokens,
            Some(over) => {
                let steps = (over / self.every_tokens).saturating_add(1);
                self.from_tokens.saturating_add(self.every_tokens.saturating_mul(steps))
            }
        });
        by_percent.chain(by_tokens).filter(|step| *step > used_tokens).min()
    }
}

/// How clean the context is: 100 to 0, less for each kind of noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Purity {
    /// Whether it is worked out, shown and acted upon.
    pub enabled: bool,
    /// At this score the user is warned.
    pub warn: u64,
    /// Here the context is purified.
    pub purify: u64,
    /// Here it is an emergency.
    pub emergency: u64,
    /// Per cent of the calls that may fail for nothing.
    pub usual_failures: u64,
    /// Points for each call that failed beyond them.
    pub failed: u64,
    /// For each that failed again, in the same way or with nothing changed.
    pub failed_again: u64,
    /// For each command that gave the same answer again.
    pub repeated: u64,
    /// For each file that was read again unchanged.
    pub reread: u64,
    /// For work thrown away or stopped.
    pub abandoned: u64,
    /// When all tool output in the context is stale.
    pub stale: u64,
    /// When none of the newest calls has to do with the request.
    pub drift: u64,
    /// Most points for one of these.
    pub most: u64,
}

/// Asking git.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Git {
    /// How long a save waits for each question.
    pub deadline_ms: u64,
    /// The same at a session's end, where the client gives us 1.5 s in all.
    pub session_end_deadline_ms: u64,
}

/// The client's compaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(default)]
pub struct Compaction {
    /// Where compaction comes, in tokens, when you know better than the client's settings say; 0: work it out.
    pub at_tokens: u64,
}

/// What a project is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(default)]
pub struct ProjectRules {
    /// Linked worktrees share the memory of the main one.
    pub share_worktrees: bool,
}

/// What the status line shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statusline {
    /// `minimal`, `compact`, `full` or `plain`; `throughline statusline --demo` shows them.
    pub preset: String,
    /// The segments, in this order, instead of the preset's; `newline` begins another line.
    pub segments: Vec<String>,
    /// `auto` (not with `NO_COLOR` or a dumb terminal), `always` or `never`.
    pub color: String,
    /// Most columns; 0: as wide as the terminal.
    pub width: u64,
    /// Cells of the bar.
    pub bar_cells: u64,
}

/// The log of how full the context was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Whether it is written.
    pub log: bool,
    /// Fewest seconds between two lines of a session; a compaction and a new status do not wait.
    pub min_interval_s: u64,
    /// A log of this size is put aside and another begun.
    pub rotate_bytes: u64,
}

/// The index of what sessions said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recall {
    /// Whether sessions are indexed.
    pub enabled: bool,
    /// Most bytes of the index; the oldest sessions make room.
    pub max_bytes: u64,
    /// Sessions older than this are forgotten; 0: never.
    pub keep_days: u64,
    /// After so many days half of what age can take from a result is gone.
    pub half_life_days: u64,
}

/// Where many machines' usage is gathered, and what is told there.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fleet {
    /// `postgresql://user:password@host/database` (`THROUGHLINE_FLEET_URL` overrides).
    pub url: String,
    /// A file with the URL in it, for those who keep passwords apart.
    pub url_file: String,
    /// The schema that holds the tables.
    pub schema: String,
    /// What a project is called there: `path`, `name` or `hash`.
    pub project: String,
    /// Whether the user's name is sent, and which one; empty: as the system has it.
    pub send_user: bool,
    /// See above.
    pub user: String,
    /// Whether the machine's name is sent, and which one; empty: as the system has it.
    pub send_machine: bool,
    /// See above.
    pub machine: String,
}

/// Without the URL: there may be a password in it.
impl std::fmt::Debug for Fleet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fleet")
            .field("schema", &self.schema)
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}

impl Default for Briefing {
    fn default() -> Self {
        Self { tokens: 1_200 }
    }
}

impl Default for Budget {
    fn default() -> Self {
        let limits = Limits::default();
        let entries = |kind: Kind| limits.entries_max[kind.index()];
        Self {
            target_tokens: limits.target_tokens,
            max_tokens: limits.max_tokens,
            file_bytes: limits.file_bytes_max,
            evidence_chars: limits.evidence_units_max,
            decisions: entries(Kind::Decision),
            constraints: entries(Kind::Constraint),
            questions: entries(Kind::Question),
            evidence: entries(Kind::Evidence),
            highlights: entries(Kind::Highlight),
            actions: entries(Kind::Action),
            directives: entries(Kind::Directive),
            anchors: entries(Kind::Anchor),
            key_decisions: limits.key_decisions_max,
        }
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { warning: 70, critical: 90, emergency: 95 }
    }
}

impl Default for Restore {
    fn default() -> Self {
        Self { banner_minutes: 30, briefing_minutes: 60, resume_hours: 48, idle_minutes: 60 }
    }
}

impl Default for Governance {
    fn default() -> Self {
        Self { text: String::new(), phases: BTreeMap::new(), tokens: 200 }
    }
}

impl Governance {
    /// The rules of a phase, with its name as the configuration spells it. The same spelling goes before another case.
    #[must_use]
    pub fn of_phase(&self, phase: &str) -> Option<(&str, &str)> {
        let wanted = phase.trim().to_lowercase();
        let same = self.phases.get_key_value(phase.trim());
        let found =
            same.or_else(|| self.phases.iter().find(|(name, _)| name.trim().to_lowercase() == wanted));
        found.map(|(name, rules)| (name.as_str(), rules.as_str()))
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self { turns: 10 }
    }
}

impl Default for Summaries {
    fn default() -> Self {
        Self { percent: 70, cold_turns: 20, per_session: 50 }
    }
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self {
            automatic: true,
            max: 50,
            stale_hours: 48,
            keep_files: true,
            files: 500,
            file_bytes: 5 << 20,
            total_bytes: 50 << 20,
        }
    }
}

impl Default for Notes {
    fn default() -> Self {
        Self { enabled: true, page_bytes: 64 << 10 }
    }
}

impl Default for Backup {
    fn default() -> Self {
        Self {
            transcripts: false,
            remaining_percent: vec![30, 15, 5],
            from_tokens: 50_000,
            every_tokens: 10_000,
            max_bytes: 1 << 30,
        }
    }
}

impl Default for Purity {
    fn default() -> Self {
        let scale = Scale::default();
        Self {
            enabled: true,
            warn: scale.warn,
            purify: scale.purify,
            emergency: scale.emergency,
            usual_failures: scale.usual_failures,
            failed: scale.failed,
            failed_again: scale.failed_again,
            repeated: scale.repeated,
            reread: scale.reread,
            abandoned: scale.abandoned,
            stale: scale.stale,
            drift: scale.drift,
            most: scale.most,
        }
    }
}

impl Purity {
    /// The scale that a context is rated on.
    #[must_use]
    pub fn scale(&self) -> Scale {
        Scale {
            warn: self.warn,
            purify: self.purify,
            emergency: self.emergency,
            usual_failures: self.usual_failures,
            failed: self.failed,
            failed_again: self.failed_again,
            repeated: self.repeated,
            reread: self.reread,
            abandoned: self.abandoned,
            stale: self.stale,
            drift: self.drift,
            most: self.most,
        }
    }
}

impl Default for Git {
    fn default() -> Self {
        Self { deadline_ms: 2_000, session_end_deadline_ms: 600 }
    }
}

impl Default for Statusline {
    fn default() -> Self {
        Self {
            preset: "minimal".to_owned(),
            segments: Vec::new(),
            color: "auto".to_owned(),
            width: 0,
            bar_cells: 10,
        }
    }
}

impl Default for Usage {
    fn default() -> Self {
        Self { log: true, min_interval_s: 0, rotate_bytes: 5 << 20 }
    }
}

impl Default for Recall {
    fn default() -> Self {
        Self { enabled: true, max_bytes: 1 << 30, keep_days: 730, half_life_days: 90 }
    }
}

impl Default for Fleet {
    fn default() -> Self {
        Self {
            url: String::new(),
            url_file: String::new(),
            schema: "public".to_owned(),
            project: "path".to_owned(),
            send_user: true,
            user: String::new(),
            send_machine: true,
            machine: String::new(),
        }
    }
}

impl Config {
    /// Reads the user's file and lays the project's over it. What cannot be read is left out and reported.
    #[must_use]
    pub fn load(user_file: Option<&Path>, project_file: &Path) -> (Self, Vec<ConfigProblem>) {
        let mut problems = Vec::new();
        let mut merged = toml::Table::new();
        let mut own = toml::Table::new();
        let mut project_rules = None;
        for path in user_file.into_iter().chain([project_file]) {
            let is_project = user_file != Some(path);
            match if is_project { inside_project(path) } else { Ok(()) }.and_then(|()| read_table(path)) {
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
                    for what in config_ranges::bring_in(&mut table) {
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
                problems.push(ConfigProblem { path: project_file.to_owned(), what });
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

/// A configuration that a link brings in from elsewhere is not read: the link may have come with a clone.
fn inside_project(path: &Path) -> Result<(), String> {
    let Some(root) = path.parent().and_then(Path::parent) else { return Ok(()) };
    let (Ok(real), Ok(root)) = (std::fs::canonicalize(path), std::fs::canonicalize(root)) else {
        return Ok(());
    };
    if real.starts_with(root) { Ok(()) } else { Err("a link leaves the project; it is not read".to_owned()) }
}

fn read_table(path: &Path) -> Result<Option<toml::Table>, String> {
    let Some(bytes) = files::read_limited(path, CONFIG_BYTES_MAX).map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_owned())?;
    let table = text.parse::<toml::Table>().map_err(|error| error.to_string().trim().to_owned())?;
    Ok(Some(table))
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
