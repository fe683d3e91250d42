//! Coming back: what changed while nobody was there, for a session that starts, goes on, or was left open.

use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

use throughline_briefing::resume::{self, FilesSince, GitChanges, Length, Pause};
use throughline_briefing::{Cap, Facts};
use throughline_domain::ledger::Ledger;
use throughline_domain::{State, Timestamp, time};
use throughline_redact as redact;
use throughline_store::config::Config;
use throughline_store::door::Spot;
use throughline_store::memory::Memory;
use throughline_store::session::GateMarks;

/// How long git may take to say what changed meanwhile.
const GIT_DEADLINE: Duration = Duration::from_millis(1_500);
/// Files of the session that are looked at: those it used last.
const FILES_LOOKED_AT: usize = 100;
/// Of a session that is older than it is worth telling in full.
const OLD_TOKENS: u64 = 150;
/// A hook notes its run a moment before the agent's last write reaches the disk.
const SLACK: Duration = Duration::from_secs(2);

/// Who comes back to what.
#[derive(Clone)]
pub struct Back<'a> {
    /// The project's memory.
    pub memory: &'a Memory,
    /// What is configured.
    pub config: &'a Config,
    /// The working set.
    pub state: &'a State,
    /// Entries of it that nobody has trusted.
    pub untrusted: &'a [String],
    /// What the session's transcript told.
    pub ledger: Option<&'a Ledger>,
    /// When somebody was last there.
    pub last_active: Option<Timestamp>,
    /// When the session itself last did something; its files are compared with that.
    pub session_active: Option<Timestamp>,
    /// What its last gate saw checked out; without it, what the state was saved with counts.
    pub marks: Option<GateMarks>,
    /// Now.
    pub now: Timestamp,
    /// A briefing beside it tells where the work stood.
    pub beside_briefing: bool,
}

/// The resume context; `None` when there is nothing to come back to.
#[must_use]
pub fn text(back: &Back<'_>, cap: Cap) -> Option<String> {
    let state = Facts { untrusted: back.untrusted, ..Facts::default() }.vouched(back.state);
    if state.is_blank() && state.git.head.is_none() && back.ledger.is_none_or(|ledger| ledger.turn == 0) {
        return None;
    }
    let root = &back.memory.project.work;
    let mut state = state;
    let marks = back.marks.clone().filter(|marks| marks.head.is_some());
    if let Some(marks) = marks {
        (state.git.head, state.git.branch) = (marks.head, marks.branch.or(state.git.branch));
    }
    let state = &state;
    let changes = state.git.head.as_deref().and_then(|head| git_changes(root, head, state));
    let files = back.ledger.zip(back.session_active);
    let files =
        files.map(|(ledger, since)| files_since(&Spot::root(root), ledger, since)).unwrap_or_default();
    let idle_seconds = back.last_active.map(|then| time::seconds_between(then, back.now));
    let old_seconds = back.config.restore.resume_hours.saturating_mul(3_600);
    let length = match idle_seconds {
        Some(idle) if idle >= old_seconds => Length::Old,
        _ if back.beside_briefing => Length::Changes,
        _ => Length::Full,
    };
    let cap = match length {
        Length::Old => Cap { units: cap.units.min(Cap::tokens(OLD_TOKENS).units) },
        Length::Full | Length::Changes => cap,
    };
    let pause = Pause {
        last_active: back.last_active,
        now: back.now,
        ledger: back.ledger,
        git: changes.as_ref(),
        files: &files,
        length,
    };
    Some(resume::render(state, &pause, cap)).filter(|text| !text.is_empty())
}

fn git_changes(root: &Path, head: &str, state: &State) -> Option<GitChanges> {
    let changes = throughline_git::changes_since(root, head, GIT_DEADLINE)?;
    // What is remembered was masked; so the same branch is known again, and commits tell nothing either.
    let masked = |text: String| redact::text(&text).into_owned();
    Some(GitChanges {
        branch_now: changes.branch_now.map(masked).filter(|branch| Some(branch) != state.git.branch.as_ref()),
        commits: changes.commits.into_iter().map(masked).collect(),
        commit_count: changes.commit_count,
        files_changed: changes.files_changed,
        history_rewritten: changes.history.in_words().is_some(),
    })
}

/// Which of the session's files were written or removed after its last sign.
fn files_since(root: &Spot, ledger: &Ledger, since: Timestamp) -> FilesSince {
    let since = SystemTime::from(since) + SLACK;
    let mut used: Vec<_> = ledger.files.iter().filter(|file| file.edits + file.reads > 0).collect();
    used.sort_by_key(|file| std::cmp::Reverse(file.last));
    let mut found = FilesSince::default();
    for file in used.into_iter().take(FILES_LOOKED_AT).filter(|file| is_below(&file.path)) {
        // A link is looked at as a link: where it leads is not ours to follow.
        match root.join(&file.path).meta() {
            Ok(meta) if meta.is_file() && meta.modified() > since => found.changed.push(file.path.clone()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                found.gone.push(file.path.clone());
            }
            _ => {}
        }
    }
    found
}

/// Whether a path that a transcript named stays in the project, and is no file of ours.
fn is_below(path: &str) -> bool {
    let path = Path::new(path);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain && path.is_relative() && !path.starts_with(".claude")
}
