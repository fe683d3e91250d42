//! Distrust: programs that a repository's own configuration names are not started by a git of ours.
//!
//! Most are switched off by settings that every call gets. Filters have names that only the repository knows: where its
//! configuration may hold some, git is asked for them first, and each is switched off by name. Filters of the user's own
//! configuration (a large file store, say) stay: whoever wrote the repository did not choose them.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Git;
use crate::ending::{Ending, in_words};
use crate::head_file::{git_dir, top_level};
use crate::head_id::common_dir;
use crate::names::path_text;
use crate::output::{Head, NulSeparated, Records};
use crate::process::{Job, run_unguarded};
use crate::queries::path_from_bytes;

/// A configuration that is longer may hold anything.
const CONFIG_BYTES_MAX: u64 = throughline_domain::limits::CONFIG_BYTES_MAX;
/// Most filters that are switched off by name; a repository with more of its own gets no answer from us.
const FILTERS_MAX: usize = 100;
const PATH_BYTES_MAX: usize = 16 << 10;

/// All settings by name, each with who set it.
const LIST_ARGS: &[&str] = &["config", "--list", "--show-scope", "--includes", "--name-only", "-z"];
/// What stands in a configuration that has to be looked at: filters, other files, another working tree.
const HINTS: [&[u8]; 3] = [b"filter", b"include", b"worktree"];

/// Empty, for settings that name no program.
pub(crate) const NOTHING: (&str, &str) = ("THROUGHLINE_NOTHING", "");
/// For settings that are off.
pub(crate) const OFF: (&str, &str) = ("THROUGHLINE_OFF", "false");

/// Why git is not asked at all.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It did not tell in time what the repository names.
    TimedOut,
    /// In words.
    Because(String),
}

impl Refusal {
    pub(crate) fn ending(&self) -> Ending {
        match self {
            Self::TimedOut => Ending::TimedOut,
            Self::Because(why) => Ending::NotAsked(why.clone()),
        }
    }
}

/// What git is told so that the repository's programs stay where they are.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    /// Options for before the subcommand.
    pub(crate) args: Vec<OsString>,
    /// The repository's own filters.
    pub(crate) filters: Vec<Vec<u8>>,
}

/// How to keep git from starting what the repository at `folder` names; or why it is not asked at all.
pub(crate) fn guard(git: &Git, folder: &Path, end: Instant) -> Result<Guard, Refusal> {
    if !may_name_filters(folder) {
        return Ok(Guard::default());
    }
    let mut own = NulSeparated::new(OwnKeys::default());
    let mut top = Head::new(PATH_BYTES_MAX);
    // One after the other they would cost twice the time; neither looks at a file of the working tree.
    let outcomes = run_unguarded(
        git,
        folder,
        end,
        &[],
        &mut [
            Job::new("config", LIST_ARGS, &mut own),
            Job::new("rev-parse", &["rev-parse", "--show-toplevel"], &mut top),
        ],
    );
    match outcomes.first() {
        Some(told) if told.succeeded() => {}
        Some(late) if late.timed_out() => return Err(Refusal::TimedOut),
        told => {
            let why = in_words(&told.into_iter().collect::<Vec<_>>(), Duration::ZERO).unwrap_or_default();
            return Err(Refusal::Because(format!(
                "it cannot tell which programs the repository names: {why}"
            )));
        }
    }
    if let Some(top) = top.bytes.strip_suffix(b"\n")
        && let Some(ours) = top_level(folder)
        && !is_same_folder(&path_from_bytes(top), &ours)
    {
        let top = path_text(top);
        return Err(Refusal::Because(format!("the repository puts its working tree elsewhere ({top})")));
    }
    let filters = own.records.filters();
    if filters.len() > FILTERS_MAX {
        let why = format!("the repository names more than {FILTERS_MAX} filter programs");
        return Err(Refusal::Because(why));
    }
    let mut args = Vec::new();
    for filter in &filters {
        for (key, (variable, _)) in
            [("clean", NOTHING), ("smudge", NOTHING), ("process", NOTHING), ("required", OFF)]
        {
            // A name may hold an equals sign; the last one counts here, unlike with `-c`.
            let mut arg = b"--config-env=filter.".to_vec();
            arg.extend_from_slice(filter);
            arg.extend_from_slice(format!(".{key}={variable}").as_bytes());
            args.push(path_from_bytes(&arg).into_os_string());
        }
    }
    Ok(Guard { args, filters })
}

/// The settings of the repository's own configuration that name programs, as it spells them.
pub(crate) fn named_programs(git: &Git, folder: &Path, end: Instant) -> Vec<String> {
    let mut own = NulSeparated::new(OwnKeys::default());
    run_unguarded(git, folder, end, &[], &mut [Job::new("config", LIST_ARGS, &mut own)]);
    let mut named: Vec<String> =
        own.records.keys.iter().filter(|key| names_program(key)).map(|key| path_text(key)).collect();
    named.sort();
    named.dedup();
    named
}

fn names_program(key: &[u8]) -> bool {
    const WHOLE: [&[u8]; 10] = [
        b"core.fsmonitor",
        b"core.hookspath",
        b"core.sshcommand",
        b"core.gitproxy",
        b"core.askpass",
        b"core.pager",
        b"core.editor",
        b"core.worktree",
        b"diff.external",
        b"gpg.program",
    ];
    let part =
        |begin: &[u8], ends: &[&[u8]]| key.starts_with(begin) && ends.iter().any(|end| key.ends_with(end));
    WHOLE.contains(&key)
        || part(b"filter.", &[b".clean", b".smudge", b".process"])
        || part(b"diff.", &[b".command", b".textconv"])
        || part(b"credential.", &[b"helper"])
        || part(b"gpg.", &[b".program"])
}

/// Whether a configuration from here upwards says anything that has to be looked at. What cannot be read may.
fn may_name_filters(folder: &Path) -> bool {
    let Ok(real) = fs::canonicalize(folder) else { return false };
    // Git goes on upwards where a `.git` is no repository: every one on the way counts.
    real.ancestors().filter(|above| above.join(".git").symlink_metadata().is_ok()).any(|above| {
        let Some(git_dir) = git_dir(above) else { return true };
        let config = common_dir(&git_dir).join("config");
        holds_hint(&config) != Some(false) || holds_hint(&git_dir.join("config.worktree")) == Some(true)
    })
}

/// `None` when the file is not there or cannot be read as a whole.
fn holds_hint(config: &Path) -> Option<bool> {
    let meta = fs::metadata(config).ok()?;
    if !meta.is_file() || meta.len() > CONFIG_BYTES_MAX {
        return if meta.is_file() { Some(true) } else { None };
    }
    let mut bytes = Vec::new();
    File::open(config).ok()?.take(CONFIG_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    bytes.make_ascii_lowercase();
    Some(HINTS.iter().any(|hint| bytes.windows(hint.len()).any(|window| window == *hint)))
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| -> Option<PathBuf> { fs::canonicalize(path).ok() };
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// The keys that the repository itself sets: git tells the scope of each, then its name.
#[derive(Debug, Default)]
struct OwnKeys {
    keys: Vec<Vec<u8>>,
    scope: Option<bool>,
}

impl OwnKeys {
    /// The names of filters among them, each once.
    fn filters(&self) -> Vec<Vec<u8>> {
        let mut filters: Vec<Vec<u8>> = self
            .keys
            .iter()
            .filter_map(|key| key.strip_prefix(b"filter."))
            .filter_map(|rest| Some(rest[..rest.iter().rposition(|byte| *byte == b'.')?].to_vec()))
            .collect();
        filters.sort();
        filters.dedup();
        filters
    }
}

impl Records for OwnKeys {
    fn record(&mut self, record: Option<&[u8]>) {
        match self.scope.take() {
            None => self.scope = Some(matches!(record, Some(b"local" | b"worktree"))),
            Some(true) if self.keys.len() < 10_000 => self.keys.extend(record.map(<[u8]>::to_vec)),
            Some(_) => {}
        }
    }
}
