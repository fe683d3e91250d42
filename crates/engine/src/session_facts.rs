//! A session's facts: settings, window and project settled once, into the file that every later run reads.

use std::path::Path;

use throughline_store::config::Config;
use throughline_store::paths::Project;
use throughline_store::session::{self, SessionFacts, SessionProgress};

use throughline_agents::agent::{Agent, CompactionRule, ToldContext};
use throughline_agents::compaction_point::At;
use throughline_agents::hook::HookPayload;
use throughline_domain::Timestamp;

use crate::client_settings::{asked, asked_as_command, client_settings, point_of, told_point};
use crate::liveness;
use crate::place::Place;

/// Which session is settled, and when.
#[derive(Debug, Clone, Copy)]
pub struct Start<'s> {
    /// The user's folders.
    pub place: &'s Place,
    /// Whose session it is.
    pub agent: &'static Agent,
    /// What the client says.
    pub payload: &'s HookPayload,
    /// Now.
    pub now: Timestamp,
}

/// A session's facts, and what they were settled from.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The facts.
    pub facts: SessionFacts,
    /// Its project, with the working tree that it works in.
    pub project: Project,
    /// What is configured for that.
    pub config: Config,
}

/// Settles a session's facts and writes them; `None` when the payload's folder is no folder.
#[must_use]
pub fn compile(start: &Start<'_>, source: &str, known: Option<SessionFacts>) -> Option<Settled> {
    compile_for(start, source, known, Answering { model: start.payload.model.clone(), window: None })
}

/// What is known from elsewhere of who answers.
#[derive(Debug, Clone, Default)]
pub struct Answering {
    /// The model.
    pub model: Option<String>,
    /// Its window.
    pub window: Option<u64>,
}

/// The same for a model and a window that are known from elsewhere.
pub fn compile_for(
    start: &Start<'_>,
    source: &str,
    known: Option<SessionFacts>,
    Answering { model, window }: Answering,
) -> Option<Settled> {
    let folder = start.place.home.session(&start.payload.session_id);
    let known = known.unwrap_or_default();
    if known.holds_progress {
        // Where that fails, what was said may be said once more.
        let _ = SessionProgress::move_out_of_facts(&folder);
    }
    let (root, work_root) = if known.project_root.is_absolute() && known.project_root.is_dir() {
        (known.project_root.clone(), known.work_root.filter(|work| work.is_dir()))
    } else {
        let work = start.place.project_root(Path::new(&start.payload.cwd))?;
        let root = start.place.settled(work.clone());
        let is_linked = work != root;
        (root, is_linked.then_some(work))
    };
    let work = work_root.clone().unwrap_or_else(|| root.clone());
    let project = start.place.project_at(&root).working_in(work);
    let (config, _) = start.place.config(&project);
    let model = model.or(known.model);
    let (point, hand_over) = match start.agent.compaction {
        CompactionRule::Settings => {
            let settings = client_settings(start.place, &project);
            let point = point_of(&settings, &config, model.as_deref(), session::told_window(&folder));
            (point, asked(start.place, &project, &config, &settings))
        }
        CompactionRule::Told(rule) => {
            let window = start.payload.window_tokens.or(window);
            // What was told before still holds, as long as the window is the same.
            let is_same = window.is_none_or(|window| window == known.window_tokens);
            let told = ToldContext {
                model: model.as_deref(),
                window: window.or(Some(known.window_tokens).filter(|tokens| *tokens > 0)),
                compacts_at: start
                    .payload
                    .compacts_at_tokens
                    .or_else(|| known.compacts_at_tokens.filter(|_| is_same)),
            };
            (told_point(rule, &config, &told), asked_as_command(start.place, &config))
        }
    };
    let told_pid = || start.place.around.text(start.agent.process_variable?)?.parse().ok();
    let client_pid: Option<u32> = start.payload.client_pid.or_else(told_pid);
    let limit = match point.at {
        At::Compacts(tokens) => tokens,
        At::Never { .. } | At::Unknown => point.window,
    };
    let started_at = if known.started_at > 0 { known.started_at } else { start.now.as_millisecond() };
    let facts = SessionFacts {
        session: start.payload.session_id.clone(),
        agent: start.agent.id.to_owned(),
        transcript: start.payload.transcript_path.clone(),
        started_at,
        source: source.to_owned(),
        client_pid,
        client_pid_started: client_pid.and_then(liveness::process_start),
        model,
        window_tokens: point.window,
        compacts_at_tokens: match point.at {
            At::Compacts(tokens) => Some(tokens),
            At::Never { .. } | At::Unknown => None,
        },
        thresholds: vec![config.thresholds.warning, config.thresholds.critical, config.thresholds.emergency],
        gate_turns: config.gate.turns.max(1),
        idle_minutes: config.restore.idle_minutes,
        paused: start.place.home.project(&project.key).join("paused").exists(),
        backup_from_tokens: config.backup.next_step(limit, 0).unwrap_or(0),
        hand_over,
        project_root: root,
        work_root,
        holds_progress: false,
    };
    // Facts that cannot be written are settled again by the next start.
    let _ = facts.write(&folder);
    Some(Settled { facts, project, config })
}

/// How much of the way to the compaction is used up (of the window, where none will come).
#[must_use]
pub fn percent_of_limit(cache: &SessionFacts, used_tokens: u64) -> u64 {
    used_tokens.saturating_mul(100) / limit_tokens(cache)
}

/// Where the way to the compaction ends; the window's end, where none will come.
#[must_use]
pub fn limit_tokens(cache: &SessionFacts) -> u64 {
    cache.compacts_at_tokens.unwrap_or(cache.window_tokens).max(1)
}

/// The agent whose session it is.
#[must_use]
pub fn agent_of(facts: &SessionFacts) -> &'static Agent {
    Agent::of_session(&facts.agent)
}
