//! The settings of Claude Code on this machine: which files they are, where they make it compact, what they let through.

use std::path::{Path, PathBuf};

use throughline_agents::agent::{Agent, CompactionRule, ToldContext};
use throughline_agents::claude_code::compaction_point::{Inputs, effective_point};
use throughline_agents::claude_code::permissions::Verdict;
use throughline_agents::claude_code::settings_read::{self, ClientEnv, ClientSettings, Scope};
use throughline_agents::compaction_point::{At, CompactionPoint, PointSource};
use throughline_agents::settings::servers::SERVER_NAME;
use throughline_agents::status_line::StatuslinePayload;
use throughline_store::config::Config;
use throughline_store::paths::Project;
use throughline_store::project_files;
use throughline_store::session::{Asked, Way};
use throughline_store::statusline_rules::CompactionRules;

use crate::place::Place;
use crate::servers;

/// The variables of the environment that decide where it compacts.
pub(crate) const ENV_NAMES: [&str; 4] = [
    "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
    "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
    "DISABLE_AUTO_COMPACT",
    "DISABLE_COMPACT",
];

/// Where an agent's client will compact: by its settings and environment, or by what it tells.
#[must_use]
pub fn compaction_point(
    agent: &Agent,
    place: &Place,
    project: &Project,
    config: &Config,
    told: &ToldContext<'_>,
) -> CompactionPoint {
    match agent.compaction {
        CompactionRule::Settings => {
            point_of(&client_settings(place, project), config, told.model, told.window)
        }
        CompactionRule::Told(rule) => told_point(rule, config, told),
    }
}

/// What a client tells about the context's end; what was seen to happen, and noted in the configuration, counts more.
pub(crate) fn told_point(
    rule: fn(&ToldContext<'_>) -> CompactionPoint,
    config: &Config,
    told: &ToldContext<'_>,
) -> CompactionPoint {
    let point = rule(told);
    match config.compaction.at_tokens {
        0 => point,
        seen => CompactionPoint { at: At::Compacts(seen), source: PointSource::Observed, ..point },
    }
}

/// When and how an agent can be asked for a hand-over whose permissions are its client's alone: as a command.
pub(crate) fn asked_as_command(place: &Place, config: &Config) -> Asked {
    if !config.hand_over.ask {
        return Asked::default();
    }
    let command = (place.around.own_command)().map(|program| format!("{program} handover"));
    let ways = command.map(|call| Way { call, is_shell: true, allowed: false });
    Asked { percent: config.hand_over.percent, ways: ways.into_iter().collect() }
}

pub(crate) fn point_of(
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
pub(crate) fn asked(place: &Place, project: &Project, config: &Config, settings: &ClientSettings) -> Asked {
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
    let [auto_compact_window, autocompact_pct_override, disable_auto_compact, disable_compact] =
        ENV_NAMES.map(|name| place.around.text(name));
    let env =
        ClientEnv { auto_compact_window, autocompact_pct_override, disable_auto_compact, disable_compact };
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

/// The settings files that change when somebody changes settings: the client's own state changes all the time.
pub(crate) fn settled_files(place: &Place, project: &Project) -> Vec<PathBuf> {
    let files = settings_files(place, project).into_iter();
    files.filter(|(scope, _)| *scope != Scope::ClientState).map(|(_, path)| path).collect()
}

/// Where the client compacts, by what its status line tells and the rules that were compiled for it.
#[must_use]
pub(crate) fn point_of_call(rules: &CompactionRules, payload: &StatuslinePayload) -> CompactionPoint {
    effective_point(&inputs(rules, payload))
}

/// What decides where the client compacts: model and window as they are now, the rest as it was compiled.
fn inputs<'a>(rules: &CompactionRules, payload: &'a StatuslinePayload) -> Inputs<'a> {
    Inputs {
        model: payload.model_id.as_deref(),
        window_setting: rules.window_setting,
        env_window: rules.env_window,
        pct_override: rules.pct_override,
        auto_enabled: rules.auto_enabled,
        disabled_by_env: rules.disabled_by_env,
        payload_window: payload.window_tokens,
        observed: rules.observed,
    }
}
