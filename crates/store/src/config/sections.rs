//! Sections: what can be set, by table of the file, with the defaults of the documentation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_domain::Kind;
use throughline_domain::budget::Limits;
use throughline_domain::purity::Scale;

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

/// The hand-over that the agent is asked for before a compaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HandOver {
    /// Whether it is asked for, where the agent can give it without asking you.
    pub ask: bool,
    /// At this percentage of the compaction point; takes the place of the notice at `thresholds.critical`.
    pub percent: u64,
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
    /// What noise costs, and where the levels begin: its numbers are keys of this section.
    #[serde(flatten)]
    pub scale: Scale,
}

/// Asking git.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Git {
    /// How long a save waits for git, and a compaction for all that it asks together.
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

impl Default for HandOver {
    fn default() -> Self {
        Self { ask: true, percent: 85 }
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
        Self { enabled: true, scale: Scale::default() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::files::{self, Durability};

    #[test]
    fn every_number_of_the_scale_is_a_key_of_its_section() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("throughline.toml");
        let load = |keys: &str| {
            files::replace(
                &crate::door::outside::at(&file),
                format!("[purity]\n{keys}").as_bytes(),
                Durability::Quick,
            )
            .unwrap();
            Config::load(
                Some(&file),
                &crate::door::outside::at(&folder.path().join("none")),
                &crate::config::Allowed::default(),
            )
        };
        let known = toml::Table::try_from(Scale::default()).unwrap();
        assert!(known.len() > 10, "{known:?}");
        let lines = known.keys().enumerate().map(|(number, key)| format!("{key} = {number}\n"));
        let lines: String = lines.collect();
        let (config, problems) = load(&lines);
        assert_eq!(problems, []);
        let scale = toml::Table::try_from(&config.purity.scale).unwrap();
        assert_eq!(scale, lines.parse::<toml::Table>().unwrap());
        // One slip costs one key.
        let (config, problems) = load("warn = true\npurify = 33\nscale = 1\n");
        assert_eq!((config.purity.scale.warn, config.purity.scale.purify), (Scale::default().warn, 33));
        let named = |name: &str| problems.iter().any(|problem| problem.what.contains(name));
        assert!(problems.len() == 2 && named("purity.warn") && named("purity.scale"), "{problems:?}");
    }
}
