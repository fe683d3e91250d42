//! The rules of a session's status line: compiled from configuration and settings, and again when one of them changed.

use std::path::{Path, PathBuf};

use throughline_agents::status_line::StatuslinePayload;
use throughline_domain::Timestamp;
use throughline_statusline::{Colour, Look, Preset, Segment};
use throughline_store::config::{Config, Statusline, allowed};
use throughline_store::door::Spot;
use throughline_store::paths::Project;
use throughline_store::session::{self, SessionFacts};
use throughline_store::statusline_rules::{CompactionRules, StatuslineRules, Watched, stamp_of};

use crate::client_settings::{ENV_NAMES, client_settings, settled_files};
use crate::place::{Place, Surroundings};

/// After this long the rules are compiled anew: the client's own state may have changed, which is too large to watch.
const AGE_MS_MAX: i64 = 10 * 60 * 1_000;
/// What the client sets before and after a line.
const INDENT_COLUMNS: usize = 4;

/// The rules of this call: those of the session where they still hold.
pub(super) fn settle(place: Option<&Place>, payload: &StatuslinePayload, now: Timestamp) -> StatuslineRules {
    let Some(place) = place else { return rules_of(&Config::default()) };
    let folder = (!payload.session_id.is_empty()).then(|| place.home.session(&payload.session_id));
    let known = folder.as_ref().and_then(StatuslineRules::read);
    if let Some(known) =
        known.as_ref().filter(|known| is_young(known, now) && known.model == payload.model_id)
        && stamp(place, &place.project_at(&known.project_root)) == known.stamp
    {
        return known.clone();
    }
    let is_new = known.is_none();
    let pinned = known.map(|known| known.project_root);
    let Some(root) = project_root(place, payload, folder.as_ref(), pinned) else {
        let nowhere = Path::new("/nonexistent");
        return rules_of(&place.config(&place.project_at(nowhere)).0);
    };
    let mut rules = compile(place, &place.project_at(&root), payload.model_id.as_deref(), now);
    if let Some(folder) = folder {
        // Rules that cannot be kept are compiled again by the next call.
        let _ = rules.write(&folder);
        if is_new {
            session::forget_unseen(&place.home, now);
        }
    }
    rules
}

fn is_young(rules: &StatuslineRules, now: Timestamp) -> bool {
    (0..AGE_MS_MAX).contains(&now.as_millisecond().saturating_sub(rules.compiled_at_ms))
}

/// The session's project: as the hooks pinned it, as we did, or as the payload names it.
fn project_root(
    place: &Place,
    payload: &StatuslinePayload,
    session_folder: Option<&Spot>,
    pinned: Option<PathBuf>,
) -> Option<PathBuf> {
    let hooks = session_folder.and_then(SessionFacts::read).map(|cache| cache.project_root);
    let standing = |root: &PathBuf| root.is_absolute() && root.is_dir();
    if let Some(root) = hooks.filter(standing).or(pinned.filter(standing)) {
        return Some(root);
    }
    let named = payload.project_folder.as_deref().or(payload.cwd.as_deref()).map(PathBuf::from);
    // A payload by hand names no folder: it is tried out where somebody stands.
    let named = named.or_else(place.around.current_folder)?;
    place.project_root(&named).map(|root| place.settled(root))
}

fn compile(place: &Place, project: &Project, model: Option<&str>, now: Timestamp) -> StatuslineRules {
    let (config, _) = place.config(project);
    let settings = client_settings(place, project);
    let inputs = settings.compaction_inputs(model);
    let is_paused = paused_file(place, project).exists();
    StatuslineRules {
        stamp: stamp(place, project),
        compiled_at_ms: now.as_millisecond(),
        project_root: project.root.clone(),
        model: model.map(str::to_owned),
        log: config.usage.log && !is_paused,
        compaction: CompactionRules {
            window_setting: inputs.window_setting,
            env_window: inputs.env_window,
            pct_override: inputs.pct_override,
            auto_enabled: inputs.auto_enabled,
            disabled_by_env: inputs.disabled_by_env,
            observed: (config.compaction.at_tokens > 0).then_some(config.compaction.at_tokens),
        },
        ..rules_of(&config)
    }
}

/// What the configuration alone decides; nothing is logged where there is no project to log for.
fn rules_of(config: &Config) -> StatuslineRules {
    let thresholds = &config.thresholds;
    StatuslineRules {
        min_interval_ms: i64::try_from(config.usage.min_interval_s.saturating_mul(1_000)).unwrap_or(i64::MAX),
        rotate_bytes: config.usage.rotate_bytes,
        thresholds: [thresholds.warning, thresholds.critical, thresholds.emergency],
        look: config.statusline.clone(),
        ..StatuslineRules::default()
    }
}

fn paused_file(place: &Place, project: &Project) -> Spot {
    place.home.project(&project.key).join("paused")
}

/// What the rules depend on, as it is now. The client's own state changes all the time and is not looked at.
fn stamp(place: &Place, project: &Project) -> u64 {
    let mut paths: Vec<PathBuf> = settled_files(place, project);
    paths.extend(place.config_folder.as_ref().map(|folder| folder.join("throughline.toml")));
    let ours = [
        project.files.join("throughline.toml"),
        allowed::path(&place.home, project),
        paused_file(place, project),
    ];
    let files = paths.iter().map(|path| Watched::Theirs(path)).chain(ours.iter().map(Watched::Ours));
    stamp_of(files, &ENV_NAMES.map(|name| place.around.text(name)))
}

/// The look that the configuration asks for, on the terminal at hand.
#[must_use]
pub fn look(config: &Statusline, around: &Surroundings) -> Look {
    let terminal: Option<usize> = around.text("COLUMNS").and_then(|columns| columns.trim().parse().ok());
    let is_set = |name: &str| (around.var)(name).is_some_and(|value| !value.is_empty());
    let columns = match usize::try_from(config.width) {
        Ok(0) => terminal
            .filter(|columns| *columns > 0)
            .map(|columns| columns.saturating_sub(INDENT_COLUMNS).max(1)),
        width => width.ok(),
    };
    let colour = match config.color.as_str() {
        "always" => Colour::On,
        "never" => Colour::Off,
        _ if is_set("NO_COLOR") || (around.var)("TERM").is_some_and(|term| term == "dumb") => Colour::Off,
        _ => Colour::On,
    };
    let bar_cells = usize::try_from(config.bar_cells).unwrap_or(usize::MAX);
    let named = config.segments.iter().map(String::as_str);
    Look { colour, columns, bar_cells, ..Look::named(&config.preset, named) }
}

/// Names in the configuration that mean nothing; what they stand for is left out.
#[must_use]
pub fn look_problems(config: &Statusline) -> Vec<String> {
    let mut problems = Vec::new();
    if Preset::from_name(&config.preset).is_none() {
        problems.push(format!("statusline.preset `{}` is no preset; minimal is used", config.preset));
    }
    let odd = config.segments.iter().filter(|name| Segment::from_name(name).is_none());
    problems.extend(odd.map(|name| format!("statusline.segments: `{name}` is no segment; it is left out")));
    if !["auto", "always", "never"].contains(&config.color.as_str()) {
        problems.push(format!(
            "statusline.color `{}` is none of auto, always, never; auto is used",
            config.color
        ));
    }
    problems
}
