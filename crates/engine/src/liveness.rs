//! Liveness: whether the client that a session belongs to still runs.

use std::borrow::Cow;
use std::path::Path;

use throughline_domain::Timestamp;
use throughline_store::door::Spot;
use throughline_store::door::outside;
use throughline_store::paths::{Home, Project};
use throughline_store::session::{Registry, SessionFacts, SessionNote, last_record};

/// Without a process to ask, a session is taken for alive this long after its last sign.
const SILENCE_MS: i64 = 10 * 60 * 1_000;
/// Most sessions that a hook looks at: the newest.
const SESSIONS_MAX: usize = 20;
/// Most sessions of a project that are told of at all; the least recently used are told of no more.
pub const LISTED_MAX: usize = 100;
/// After so long without a sign nobody takes a session for one at work.
pub const STALE_MS: i64 = 24 * 3_600 * 1_000;
/// Most folders of sessions that are looked at.
const FOLDERS_MAX: usize = 10_000;

/// What became of a session that was seen in this project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is at work.
    Alive,
    /// Its client still runs, yet nothing came from it for a day: not at work, not over.
    Stale,
    /// It ended, and said so.
    Ended,
    /// It is gone without a word.
    Crashed,
}

/// A session seen in a project.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its id.
    pub session: String,
    /// Its last sign (ms since 1970).
    pub last_active_ms: i64,
    /// What became of it.
    pub fate: Fate,
    /// The last line about it in the project's list.
    pub note: SessionNote,
}

impl Seen {
    /// Whether it is over, in whatever way.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.fate, Fate::Ended | Fate::Crashed)
    }
}

/// The newest sessions of a project, the last active first.
#[must_use]
pub fn sessions(home: &Home, project: &Project, now: Timestamp) -> Vec<Seen> {
    sessions_beside(None, home, project, now)
}

/// The same for a session whose own facts were read already.
#[must_use]
pub fn sessions_beside(
    own: Option<&SessionFacts>,
    home: &Home,
    project: &Project,
    now: Timestamp,
) -> Vec<Seen> {
    seen_of(home, project, now, SESSIONS_MAX, own)
}

/// So many sessions of a project, the last active first.
#[must_use]
pub fn newest(home: &Home, project: &Project, now: Timestamp, count_max: usize) -> Vec<Seen> {
    seen_of(home, project, now, count_max, None)
}

fn seen_of(
    home: &Home,
    project: &Project,
    now: Timestamp,
    count_max: usize,
    own: Option<&SessionFacts>,
) -> Vec<Seen> {
    let notes = Registry::of(home, project).recent();
    let mut newest: Vec<&SessionNote> = Vec::new();
    for note in notes.iter().rev() {
        if newest.len() < count_max && !newest.iter().any(|seen| seen.session == note.session) {
            newest.push(note);
        }
    }
    let mut seen: Vec<Seen> = newest
        .into_iter()
        .map(|note| {
            let folder = home.session(&note.session);
            let last_active_ms = last_record(&folder).map_or(note.at, |record| record.at.max(note.at));
            let own = own.filter(|own| own.session == note.session);
            let fate = fate(note, &folder, own, last_active_ms, now);
            Seen { session: note.session.clone(), last_active_ms, fate, note: note.clone() }
        })
        .collect();
    seen.sort_by_key(|seen| std::cmp::Reverse(seen.last_active_ms));
    seen
}

/// The sessions at work in all projects, the last active first.
pub fn at_work(home: &Home, project_at: impl Fn(&Path) -> Project, now: Timestamp) -> Vec<Seen> {
    let folders = home.root().join("sessions").children(FOLDERS_MAX);
    let caches = folders.iter().filter_map(SessionFacts::read);
    let roots: std::collections::BTreeSet<_> = caches.map(|cache| cache.project_root).collect();
    let of_project = |root: &std::path::PathBuf| sessions(home, &project_at(root), now);
    let mut seen: Vec<Seen> = roots.iter().flat_map(of_project).collect();
    seen.retain(|seen| seen.fate == Fate::Alive);
    seen.sort_by_key(|seen| std::cmp::Reverse(seen.last_active_ms));
    seen
}

fn fate(
    note: &SessionNote,
    folder: &Spot,
    own: Option<&SessionFacts>,
    last_active_ms: i64,
    now: Timestamp,
) -> Fate {
    if note.what == "end" {
        return Fate::Ended;
    }
    let read = || Cow::Owned(SessionFacts::read(folder).unwrap_or_default());
    let cache = own.map_or_else(read, Cow::Borrowed);
    // A long answer or a long command leaves its signs in the transcript before the next hook runs.
    let written = outside::metadata(&cache.transcript).and_then(|meta| meta.modified()).ok();
    let written_ms = written.and_then(|at| Timestamp::try_from(at).ok()).map_or(0, Timestamp::as_millisecond);
    let silent_ms = now.as_millisecond().saturating_sub(last_active_ms.max(written_ms));
    let alive = match cache.client_pid {
        Some(pid) => is_running(pid, cache.client_pid_started),
        None => silent_ms < SILENCE_MS,
    };
    match alive {
        true if silent_ms >= STALE_MS => Fate::Stale,
        true => Fate::Alive,
        false => Fate::Crashed,
    }
}

/// Whether a process runs, and is the one that started then: ids are used again.
fn is_running(pid: u32, started: Option<u64>) -> bool {
    let Some(raw) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    if let Err(rustix::io::Errno::SRCH) = rustix::process::test_kill_process(raw) {
        return false;
    }
    match (started, process_start(pid)) {
        (Some(then), Some(now)) => then == now,
        _ => true,
    }
}

/// When a process started, in clock ticks since boot; `None` where the system does not tell.
#[must_use]
pub fn process_start(pid: u32) -> Option<u64> {
    let stat = outside::system_text(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold spaces; what follows the last one is numbers.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}
