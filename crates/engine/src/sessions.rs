//! Sessions: what is known of a project's, from three sources: its list, the archive, the client's transcripts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use throughline_agents::agent::{Agent, USUAL};
use throughline_domain::transcript::What;
use throughline_domain::{Timestamp, time};
use throughline_store::archive::{Archive, SessionRow};
use throughline_store::forget::Forgotten;
use throughline_store::glance::Glance;
use throughline_store::ledger_file::LedgerFile;
use throughline_store::notes_file::NotesFile;
use throughline_store::paths::{Home, Project};
use throughline_store::session::{SessionFacts, SessionProgress};
use throughline_store::transcript_file::Cursor;

use crate::at_hand::ARCHIVE_WAIT;
use crate::liveness::{self, Fate, LISTED_MAX, STALE_MS, Seen};
use crate::place::Place;
use crate::source::{LineReader, Source};
use crate::transcripts::{self, Transcript};

/// So much of a transcript's beginning is read for its first prompt.
const HEAD_BYTES: u64 = 256 << 10;

/// What became of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStanding {
    /// Its client runs, and something came from it within a day.
    AtWork,
    /// Its client runs, and nothing came from it for a day.
    Silent,
    /// It ended, and said so.
    Ended,
    /// It is gone without a word.
    Crashed,
    /// Only its transcript tells of it.
    Written,
}

/// A session as it is listed.
#[derive(Debug)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Whose session it is.
    pub agent: String,
    /// What became of it.
    pub standing: SessionStanding,
    /// When it began.
    pub started: Option<Timestamp>,
    /// Its last sign.
    pub last_active: Timestamp,
    /// How it began.
    pub source: Option<String>,
    /// How it ended.
    pub end_reason: Option<String>,
    /// The session that it goes on from.
    pub parent: Option<String>,
    /// Where the work stood.
    pub phase: Option<String>,
    /// What was asked.
    pub title: Option<String>,
    /// Its transcript, where that is still there.
    pub transcript: Option<PathBuf>,
    /// Its page of notes, where there is one.
    pub notes: Option<PathBuf>,
}

impl Listed {
    /// Whether nothing came from it for a day.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        now.as_millisecond().saturating_sub(self.last_active.as_millisecond()) >= STALE_MS
    }
}

/// The sessions of a project, the last active first; of more than a hundred the least recently used are left out.
#[must_use]
pub fn of_project(place: &Place, project: &Project, now: Timestamp) -> Vec<Listed> {
    let home = &place.home;
    let mut found: HashMap<String, Listed> = HashMap::new();
    for seen in liveness::newest(home, project, now, LISTED_MAX) {
        found.insert(seen.session.clone(), of_hooks(home, seen, now));
    }
    // Whoever only asks makes no database.
    let archive =
        home.archive().exists().then(|| Archive::open(&home.archive(), ARCHIVE_WAIT).ok()).flatten();
    let rows = archive.and_then(|archive| archive.sessions(&project.key, LISTED_MAX as u64).ok());
    for row in rows.unwrap_or_default() {
        complete(&mut found, &row);
    }
    let forgotten = Forgotten::read(home).unwrap_or_default();
    let written = transcripts::of_project(place, project).unwrap_or_default();
    for transcript in written.into_iter().rev().take(LISTED_MAX) {
        let listed = of_transcript(&transcript);
        let (id, written_ms) = (transcript.session, listed.last_active.as_millisecond());
        if !found.contains_key(&id) && forgotten.covers(&id, &project.root.to_string_lossy(), written_ms) {
            continue;
        }
        found.entry(id).or_insert(listed).transcript.get_or_insert(transcript.path);
    }
    let mut all: Vec<Listed> = found.into_values().collect();
    all.sort_by(|left, right| right.last_active.cmp(&left.last_active).then_with(|| left.id.cmp(&right.id)));
    all.truncate(LISTED_MAX);
    for session in &mut all {
        let notes = NotesFile::of(project, home, &session.id);
        session.notes = notes.path().is_file().then(|| notes.path().shown());
        let agent = Agent::of_session(&session.agent);
        session.title = session.title.take().or_else(|| first_prompt(agent, session.transcript.as_deref()?));
    }
    all
}

fn of_hooks(home: &Home, seen: Seen, now: Timestamp) -> Listed {
    let folder = home.session(&seen.session);
    let cache = SessionFacts::read(&folder);
    let ledger = cache.as_ref().map(|cache| LedgerFile::read(&folder, &cache.transcript).main.ledger);
    let title = ledger.and_then(|ledger| ledger.said.last().map(|word| word.text.clone()));
    let cache = cache.unwrap_or_default();
    let is_end = seen.note.what == "end";
    let agent = Some(cache.agent).filter(|agent| !agent.is_empty()).unwrap_or_else(|| USUAL.id.to_owned());
    Listed {
        standing: match seen.fate {
            Fate::Alive => SessionStanding::AtWork,
            Fate::Stale => SessionStanding::Silent,
            Fate::Ended => SessionStanding::Ended,
            Fate::Crashed => SessionStanding::Crashed,
        },
        agent: agent.clone(),
        started: Timestamp::from_millisecond(cache.started_at).ok().filter(|_| cache.started_at > 0),
        last_active: Timestamp::from_millisecond(seen.last_active_ms).unwrap_or(now),
        source: if is_end { None } else { Some(seen.note.how.clone()) }
            .or(Some(cache.source))
            .filter(|source| !source.is_empty()),
        end_reason: is_end.then_some(seen.note.how),
        parent: SessionProgress::read(&folder)
            .parent
            .or(seen.note.parent)
            .filter(|parent| !parent.is_empty()),
        phase: Glance::read(&folder).and_then(|glance| glance.phase).or(seen.note.phase),
        title,
        transcript: Some(PathBuf::from(cache.transcript)).filter(|path| is_there(&agent, path)),
        notes: None,
        id: seen.session,
    }
}

fn is_there(agent: &str, path: &Path) -> bool {
    Source::of(Agent::of_session(agent), path).exists()
}

/// Adds what the archive remembers.
fn complete(found: &mut HashMap<String, Listed>, row: &SessionRow) {
    let last_seen = time::parse(&row.last_seen_at);
    if let Some(known) = found.get_mut(&row.id) {
        known.started = known.started.or_else(|| time::parse(&row.started_at));
        known.source = known.source.take().or_else(|| row.source.clone());
        return;
    }
    let Some(last_active) = last_seen else { return };
    let listed = Listed {
        id: row.id.clone(),
        agent: row.agent.clone(),
        standing: if row.ended_at.is_some() { SessionStanding::Ended } else { SessionStanding::Crashed },
        started: time::parse(&row.started_at),
        last_active,
        source: row.source.clone(),
        end_reason: row.end_reason.clone(),
        parent: None,
        phase: None,
        title: None,
        transcript: row.transcript.as_ref().map(PathBuf::from).filter(|path| is_there(&row.agent, path)),
        notes: None,
    };
    found.insert(row.id.clone(), listed);
}

fn of_transcript(transcript: &Transcript) -> Listed {
    Listed {
        id: transcript.session.clone(),
        agent: transcript.agent.id.to_owned(),
        standing: SessionStanding::Written,
        started: None,
        last_active: Timestamp::try_from(transcript.written).unwrap_or(Timestamp::UNIX_EPOCH),
        source: None,
        end_reason: None,
        parent: None,
        phase: None,
        title: None,
        transcript: None,
        notes: None,
    }
}

fn first_prompt(agent: &'static Agent, path: &Path) -> Option<String> {
    let mut found = None;
    let mut reader = LineReader::afresh(agent);
    let each = |_: u64, bytes: &[u8]| {
        if found.is_some() {
            return;
        }
        reader.each(bytes, |line| {
            if let (What::UserSaid(text), None) = (&line.what, &found) {
                found = Some(throughline_domain::text::shorten(&throughline_redact::text(text), 400));
            }
        });
    };
    let source = Source::of(agent, path);
    source.read_on(&Cursor::at_start(), HEAD_BYTES, SystemTime::UNIX_EPOCH, each).ok()?;
    found
}
