//! Lineage: which session another one goes on from. `/clear` and a fork begin a new one, and the work goes on.

use std::path::Path;
use std::time::SystemTime;

use throughline_agents::agent::Agent;
use throughline_domain::Timestamp;
use throughline_domain::transcript::What;
use throughline_store::paths::{Home, Project};
use throughline_store::session::{Registry, SessionFacts};
use throughline_store::transcript_file::Cursor;

use crate::liveness;
use crate::session_facts::agent_of;
use crate::source::{LineReader, Source};

/// The client ends the old session a moment before it begins the new one.
const CLEARED_MS: i64 = 60 * 1_000;
/// So much of a transcript's beginning is looked at: the first prompt stands there.
const HEAD_BYTES: u64 = 1 << 20;

/// The session that was just cleared by the same client; where its process is not known, the last one.
#[must_use]
pub fn cleared_from(
    home: &Home,
    project: &Project,
    client_pid: Option<u32>,
    now: Timestamp,
) -> Option<String> {
    let notes = Registry::of(home, project).recent();
    let fresh = |at: i64| (0..CLEARED_MS).contains(&now.as_millisecond().saturating_sub(at));
    let mut cleared = notes.iter().rev().filter(|it| it.what == "end" && it.how == "clear" && fresh(it.at));
    let of_client = |session: &str| {
        let known = SessionFacts::read(&home.session(session)).and_then(|cache| cache.client_pid);
        known.is_none() || client_pid.is_none() || known == client_pid
    };
    cleared.find(|note| of_client(&note.session)).map(|note| note.session.clone())
}

/// The session that a fork was made of: its transcript begins with the same prompt, under the same id. Empty when there is
/// none that we know, `None` while the client has not written the fork's own yet.
#[must_use]
pub fn forked_from(
    home: &Home,
    project: &Project,
    (agent, session, transcript): (&'static Agent, &str, &str),
    now: Timestamp,
) -> Option<String> {
    let first = first_prompt(agent, Path::new(transcript))?;
    let others = liveness::sessions(home, project, now);
    let others = others.iter().filter(|seen| seen.session != session);
    let candidates = others.filter_map(|seen| SessionFacts::read(&home.session(&seen.session)));
    let begins_alike = |facts: &SessionFacts| {
        first_prompt(agent_of(facts), Path::new(&facts.transcript)).as_ref() == Some(&first)
    };
    Some(candidates.into_iter().find(begins_alike).map(|cache| cache.session).unwrap_or_default())
}

/// The id of a transcript's first prompt.
fn first_prompt(agent: &'static Agent, path: &Path) -> Option<String> {
    let mut found = None;
    let mut reader = LineReader::afresh(agent);
    let each = |_: u64, bytes: &[u8]| {
        if found.is_some() {
            return;
        }
        reader.each(bytes, |line| {
            if found.is_none() && matches!(line.what, What::UserSaid(_)) {
                found = line.uuid.map(str::to_owned);
            }
        });
    };
    let source = Source::of(agent, path);
    source.read_on(&Cursor::at_start(), HEAD_BYTES, SystemTime::UNIX_EPOCH, each).ok()?;
    found
}
