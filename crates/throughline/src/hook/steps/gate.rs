//! What every gate needs: the project's memory, a watchdog, and the fold into the archive.

use std::time::Duration;

use throughline_agents::claude_code::hook_payload::Event;
use throughline_engine::session_facts;
use throughline_store::config::Config;
use throughline_store::lock::Patience;
use throughline_store::memory::{Author, Memory, Repair};
use throughline_store::session::SessionCache;
use throughline_store::{gate, log};

use crate::hook::Run;
use crate::leave::leave;
use crate::repairs::{self, Audience};

/// How long a gate waits for the archive.
pub(in crate::hook) const ARCHIVE_WAIT: Duration = Duration::from_millis(300);

/// A session's project, opened.
pub(in crate::hook) struct Session {
    pub(in crate::hook) cache: SessionCache,
    pub(in crate::hook) memory: Memory,
    pub(in crate::hook) config: Config,
}

/// Opens the session's project; `None` when the payload names none that can be found.
pub(in crate::hook) fn open(run: &Run) -> Option<Session> {
    let folder = run.place.home.session(&run.payload.session_id);
    let cache = match SessionCache::read(&folder) {
        Some(cache) => cache,
        // Installed in mid-session, or the folder was cleaned: settle it now.
        None => session_facts::compile(&run.start(), "unseen")?,
    };
    let project = run.place.project_at(&cache.project_root);
    // A usual hook reads no settings of the project: what it notes is masked once more at the next gate.
    if crate::hook::is_gate(&run.payload) {
        throughline_store::env_files::learn_env_files(&cache.project_root);
    }
    let project = match &cache.work_root {
        Some(work) => project.working_in(work.clone()),
        None => project,
    };
    let (config, _) = run.place.config(&project);
    let memory = Memory::of(project, run.place.home.clone(), config.limits());
    Some(Session { cache, memory, config })
}

/// The author of what a hook records.
pub(in crate::hook) fn author(run: &Run) -> Author {
    Author {
        origin: throughline_domain::Origin::Assistant,
        session: Some(run.payload.session_id.clone()),
        now: run.now,
        patience: Patience::Hook,
    }
}

/// Folds what waits; a failure is a line in the log, and everything waits on.
pub(in crate::hook) fn fold(run: &Run, memory: &Memory, failures: &mut Vec<String>) {
    if let Err(error) = gate::fold(memory, &[&run.payload.session_id], ARCHIVE_WAIT) {
        failures.push(error.to_string());
    }
}

/// What was mended on the way, in words for the agent and the log.
pub(in crate::hook) fn repair_lines(mended: &[Repair]) -> Vec<String> {
    mended.iter().filter_map(|repair| repairs::words(repair, Audience::Agent)).collect()
}

/// A gate that takes longer than its client waits ends itself, in good order, before it is killed.
pub(in crate::hook) fn watch(run: &Run) {
    let limit = match run.payload.event {
        Event::SessionEnd => Duration::from_millis(1_300),
        Event::PreCompact => Duration::from_secs(13),
        Event::SessionStart => Duration::from_secs(8),
        _ => Duration::from_secs(4),
    };
    let (home, now, during) = (run.place.home.clone(), run.now, run.during());
    std::thread::spawn(move || {
        std::thread::sleep(limit);
        log::failure(&home, now, &during, &format!("gave up after {} ms", limit.as_millis()));
        leave();
    });
}
