//! A session's facts: settings, window and project settled once, into the file that every later run reads.

use std::path::{Path, PathBuf};

use throughline_agents::claude_code::compaction_point::{At, CompactionPoint, Inputs, effective_point};
use throughline_agents::claude_code::permissions::Verdict;
use throughline_agents::claude_code::settings_edit::SERVER_NAME;
use throughline_agents::claude_code::settings_read::{self, ClientEnv, ClientSettings, Scope};
use throughline_store::config::Config;
use throughline_store::paths::Project;
use throughline_store::project_files;
use throughline_store::session::{self, Asked, SessionCache, Way};

use throughline_agents::claude_code::hook_payload::HookPayload;
use throughline_domain::Timestamp;

use crate::liveness;
use crate::place::Place;
use crate::servers;

/// Which session is settled, and when.
#[derive(Debug, Clone, Copy)]
pub struct Start<'s> {
    /// The user's folders.
    pub place: &'s Place,
    /// What the client says.
    pub payload: &'s HookPayload,
    /// Now.
    pub now: Timestamp,
}

/// A session's facts, and what they were settled from.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The facts.
    pub facts: SessionCache,
    /// Its project, with the working tree that it works in.
    pub project: Project,
    /// What is configured for that.
    pub config: Config,
}

/// Settles a session's facts and writes them; `None` when the payload's folder is no folder.
#[must_use]
pub fn compile(start: &Start<'_>, source: &str, known: Option<SessionCache>) -> Option<Settled> {
    compile_for(start, source, known, start.payload.model.clone())
}

/// The same for a model that is known from elsewhere.
pub fn compile_for(
    start: &Start<'_>,
    source: &str,
    known: Option<SessionCache>,
    model: Option<String>,
) -> Option<Settled> {
    let folder = start.place.home.session(&start.payload.session_id);
    let known = known.unwrap_or_default();
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
    let told_window = session::told_window(&folder);
    let settings = client_settings(start.place, &project);
    let point = point_of(&settings, &config, model.as_deref(), told_window);
    let client_pid: Option<u32> = start.place.around.text("CLAUDE_PID").and_then(|pid| pid.parse().ok());
    let limit = match point.at {
        At::Compacts(tokens) => tokens,
        At::Never { .. } | At::Unknown => point.window,
    };
    let started_at = if known.started_at > 0 { known.started_at } else { start.now.as_millisecond() };
    let facts = SessionCache {
        session: start.payload.session_id.clone(),
        agent: "claude-code".to_owned(),
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
        hand_over: asked(start.place, &project, &config, &settings),
        project_root: root,
        work_root,
    };
    // Facts that cannot be written are settled again by the next start.
    let _ = facts.write(&folder);
    Some(Settled { facts, project, config })
}

/// Where the client will compact, by its settings and environment.
#[must_use]
pub fn compaction_point(
    place: &Place,
    project: &Project,
    config: &Config,
    model: Option<&str>,
    told_window: Option<u64>,
) -> CompactionPoint {
    point_of(&client_settings(place, project), config, model, told_window)
}

fn point_of(
    settings: &ClientSettings,
    config: &Config,
    model: Option<&str>,
    told_window: Option<u64>,
) -> CompactionPoint {
    let observed = (config.compaction.at_tokens > 0).then_some(config.compaction.at_tokens);
    let inputs = settings.compaction_inputs(model);
    let inputs = Inputs { observed, payload_window: told_window, ..inputs };
    effective_point(&inputs)
}

/// When and how the agent can be asked for a hand-over: through our server, where the client knows it, else as a command.
fn asked(place: &Place, project: &Project, config: &Config, settings: &ClientSettings) -> Asked {
    if !config.hand_over.ask {
        return Asked::default();
    }
    let way = |call: String, is_shell: bool, verdict: Verdict| {
        (verdict != Verdict::Denied).then(|| Way { call, is_shell, allowed: verdict == Verdict::Allowed })
    };
    let tool = server_tool(place, project, settings);
    let tool = tool.and_then(|tool| {
        let verdict = settings.permissions.of_tool(&tool);
        way(tool, false, verdict)
    });
    let command = (place.around.own_command)().map(|program| format!("{program} handover"));
    let command = command.and_then(|command| {
        let verdict = settings.permissions.of_command(&format!("{command} -"));
        way(command, true, verdict)
    });
    Asked { percent: config.hand_over.percent, ways: tool.into_iter().chain(command).collect() }
}

/// The name that the client gives to our tool; `None` where it knows no server of ours.
fn server_tool(place: &Place, project: &Project, settings: &ClientSettings) -> Option<String> {
    if settings.plugins.iter().any(|plugin| plugin.enabled) {
        return Some(format!("mcp__plugin_{SERVER_NAME}_{SERVER_NAME}__hand_over"));
    }
    let read = |path: &Path| project_files::read_settings(&project.spot_of(path)).ok().flatten();
    let in_project = || {
        let list = read(&servers::list_path(&project.root))?;
        servers::in_project_list(&list)
    };
    let in_client = || {
        let text = read(&client_state_file(place)?)?;
        // It grows with every project, and hardly ever names us.
        if !text.contains(SERVER_NAME) {
            return None;
        }
        servers::in_client_state(&text, &project.root).into_iter().next()
    };
    in_project().or_else(in_client).map(|_| format!("mcp__{SERVER_NAME}__hand_over"))
}

/// The client's settings files, taken together.
#[must_use]
pub fn client_settings(place: &Place, project: &Project) -> settings_read::ClientSettings {
    let var = |name| place.around.text(name);
    let env = ClientEnv {
        auto_compact_window: var("CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
        autocompact_pct_override: var("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"),
        disable_auto_compact: var("DISABLE_AUTO_COMPACT"),
        disable_compact: var("DISABLE_COMPACT"),
    };
    let texts: Vec<(Scope, String)> = settings_files(place, project)
        .into_iter()
        .filter_map(|(scope, path)| {
            Some((scope, project_files::read_settings(&project.spot_of(&path)).ok()??))
        })
        // The client's own state grows with every project; of it one key matters, which is hardly ever there.
        .filter(|(scope, text)| *scope != Scope::ClientState || text.contains("autoCompactEnabled"))
        .collect();
    let texts: Vec<(Scope, &str)> = texts.iter().map(|(scope, text)| (*scope, text.as_str())).collect();
    settings_read::read(&texts, &env)
}

/// The client's own state file: beside its folder, or in it where the folder is set by the environment.
#[must_use]
pub fn client_state_file(place: &Place) -> Option<PathBuf> {
    match (place.around.var)("CLAUDE_CONFIG_DIR") {
        Some(_) => Some(place.claude_folder.as_ref()?.join(".claude.json")),
        None => Some(place.user_home.as_ref()?.join(".claude.json")),
    }
}

/// The settings files that the client reads for a project, those that exist and those that do not.
#[must_use]
pub fn settings_files(place: &Place, project: &Project) -> Vec<(Scope, PathBuf)> {
    let mut files = Vec::new();
    if let Some(claude) = &place.claude_folder {
        files.push((Scope::User, claude.join("settings.json")));
    }
    files.extend(client_state_file(place).map(|path| (Scope::ClientState, path)));
    files.push((Scope::Project, project.work.join(".claude/settings.json")));
    files.push((Scope::Local, project.work.join(".claude/settings.local.json")));
    let managed = if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode/managed-settings.json"
    } else {
        "/etc/claude-code/managed-settings.json"
    };
    files.push((Scope::Managed, PathBuf::from(managed)));
    files
}

/// How much of the way to the compaction is used up (of the window, where none will come).
#[must_use]
pub fn percent_of_limit(cache: &SessionCache, used_tokens: u64) -> u64 {
    used_tokens.saturating_mul(100) / limit_tokens(cache)
}

/// Where the way to the compaction ends; the window's end, where none will come.
#[must_use]
pub fn limit_tokens(cache: &SessionCache) -> u64 {
    cache.compacts_at_tokens.unwrap_or(cache.window_tokens).max(1)
}
