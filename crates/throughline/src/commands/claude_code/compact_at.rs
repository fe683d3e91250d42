//! `init --compact-at`: where the client shall compact, worked out into the window that makes it do so.

use std::path::Path;

use serde_json::{Value, json};
use throughline_agents::agent::{CLAUDE_CODE, ToldContext};
use throughline_agents::claude_code::compaction_point::{
    OutOfReach, WINDOW_TOKENS_MIN, model_window, window_for,
};
use throughline_agents::claude_code::settings_edit::{self, Edit};
use throughline_agents::compaction_point::At;
use throughline_briefing::handoff::thousands;
use throughline_engine::client_settings;
use throughline_store::project_files;
use throughline_store::session::{self, SessionFacts};

use crate::commands::App;
use crate::commands::setup::client_file::{install_folder, refuse};
use crate::failure::Failure;
use crate::output;

/// What is assumed of a model that nobody knows.
const WINDOW_TOKENS_ASSUMED: u64 = 200_000;
const RECORD: &str = "compact-at.json";

/// Where compaction shall come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompactAt {
    /// As before `--compact-at`.
    Off,
    /// At so much of the model's window.
    Percent(u64),
    /// At so many tokens.
    Tokens(u64),
}

/// Reads `70%`, `140000`, `140k`, `off`.
pub(crate) fn parse(text: &str) -> Result<CompactAt, String> {
    let wrong = || "a percentage (70%), a number of tokens (140000, 140k), or off".to_owned();
    let text = text.trim().to_ascii_lowercase();
    if text == "off" {
        return Ok(CompactAt::Off);
    }
    if let Some(number) = text.strip_suffix('%') {
        let percent = number.trim().parse().ok().filter(|percent| (1..=100).contains(percent));
        return percent.map(CompactAt::Percent).ok_or_else(wrong);
    }
    tokens(&text).map(CompactAt::Tokens).ok_or_else(wrong)
}

/// Reads `200000`, `200k`, `1m`.
pub(crate) fn tokens(text: &str) -> Option<u64> {
    let plain: String = text.chars().filter(|letter| !matches!(letter, ',' | '_')).collect();
    let plain = plain.to_ascii_lowercase();
    let (digits, unit) = match plain.strip_suffix(['k', 'm']) {
        Some(digits) if plain.ends_with('k') => (digits, 1_000),
        Some(digits) => (digits, 1_000_000),
        None => (plain.as_str(), 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|tokens| *tokens > 0)
}

/// What `init` wrote, so that it can be put back.
#[derive(Debug)]
struct Record {
    window: u64,
    /// The literal that stood there before; `None` when nothing did.
    before: Option<String>,
}

/// A plan for one settings file.
pub(crate) struct Plan {
    /// The settings with the window in them, or without.
    pub(crate) edit: Edit,
    /// What to tell.
    pub(crate) said: Vec<String>,
    record: Option<Record>,
}

/// Works out the window and puts it into `text`. Nothing is written.
pub(crate) fn plan(
    app: &App,
    path: &Path,
    text: &str,
    wanted: CompactAt,
    given_window: Option<u64>,
) -> Result<Plan, Failure> {
    let known = record(app, path);
    if wanted == CompactAt::Off {
        let (edit, was_ours) = without(path, text, known.as_ref())?;
        let said = if was_ours {
            "the client's window is as it was before --compact-at"
        } else {
            "no window of ours is set here: nothing to put back"
        };
        return Ok(Plan { edit, said: vec![said.to_owned()], record: None });
    }
    let model = Model::at_hand(app, given_window);
    let at = match wanted {
        CompactAt::Percent(percent) => model.window.saturating_mul(percent) / 100,
        CompactAt::Tokens(tokens) => tokens,
        CompactAt::Off => 0,
    };
    let settings = client_settings::client_settings(&app.place, &app.memory.project);
    let pct_override = settings.compaction_inputs(None).pct_override;
    let window =
        window_for(at, model.window, pct_override).map_err(|reach| out_of_reach(at, reach, &model))?;
    let (edit, before) = settings_edit::set_window(text, window).map_err(|problem| refuse(path, &problem))?;
    let ours = known.filter(|known| before.as_deref() == Some(known.window.to_string().as_str()));
    let before = ours.map_or(before, |known| known.before);
    let percent = at.saturating_mul(100) / model.window.max(1);
    let mut said = vec![
        format!(
            "compaction comes at {} tokens: {percent} % of a window of {} ({})",
            thousands(at),
            thousands(model.window),
            model.told_by
        ),
        format!(
            "  \"autoCompactWindow\" is {window} for that: the client compacts when {} tokens of it are left",
            thousands(window.saturating_sub(at))
        ),
        "  it counts in tokens, whatever model you choose; sessions at work learn of it when they start again"
            .to_owned(),
        "  `throughline init --compact-at off` or `throughline uninstall` puts the old value back".to_owned(),
    ];
    if let Some(pct) = pct_override {
        said.insert(2, format!("  CLAUDE_AUTOCOMPACT_PCT_OVERRIDE={pct} is allowed for"));
    }
    Ok(Plan { edit, said, record: Some(Record { window, before }) })
}

impl Plan {
    /// Remembers what to put back. Before the settings are written: a kill in between must not lose it.
    pub(crate) fn remember(&self, app: &App, path: &Path) -> Result<(), Failure> {
        if let Some(Record { window, before }) = &self.record {
            let text = json!({ "window": window, "before": before });
            project_files::keep(&install_folder(&app.place, path).join(RECORD), &format!("{text}\n"))?;
        }
        Ok(())
    }

    /// Warns where the compaction will not come there after all: something stronger than this file speaks.
    pub(crate) fn warn_if_overruled(&self, app: &App) {
        let Some(record) = &self.record else { return };
        let model = Model::at_hand(app, None);
        let told =
            ToldContext { model: model.name.as_deref(), window: model.told_window, ..ToldContext::default() };
        let (place, project) = (&app.place, &app.memory.project);
        let point = client_settings::compaction_point(&CLAUDE_CODE, place, project, &app.config, &told);
        match point.at {
            At::Never { reason, remedy } => {
                output::warn(&format!("it will not come all the same: {reason}; {remedy}"));
            }
            At::Compacts(_) if point.window == record.window => {}
            At::Compacts(tokens) => output::warn(&format!(
                "with {} it comes at {} tokens: a stronger setting, CLAUDE_CODE_AUTO_COMPACT_WINDOW or a smaller \
                 model counts",
                model.name.as_deref().unwrap_or("the model at hand"),
                thousands(tokens)
            )),
            At::Unknown => {}
        }
    }
}

/// The settings as they were before us, and whether there was something to put back; for `uninstall`.
pub(crate) fn put_back(app: &App, path: &Path, text: &str) -> Result<(Edit, bool), Failure> {
    without(path, text, record(app, path).as_ref())
}

fn without(path: &Path, text: &str, known: Option<&Record>) -> Result<(Edit, bool), Failure> {
    let (written, before) = known.map_or((0, None), |known| (known.window, known.before.as_deref()));
    let edit =
        settings_edit::restore_window(text, written, before).map_err(|problem| refuse(path, &problem))?;
    let changed = edit.outcome != settings_edit::EditOutcome::Unchanged;
    Ok((edit, changed))
}

fn record(app: &App, path: &Path) -> Option<Record> {
    let text = project_files::read_settings(&install_folder(&app.place, path).join(RECORD)).ok()??;
    let value: Value = serde_json::from_str(&text).ok()?;
    let before = value["before"].as_str().map(str::to_owned);
    Some(Record { window: value["window"].as_u64()?, before })
}

fn out_of_reach(at: u64, reach: OutOfReach, model: &Model) -> Failure {
    let OutOfReach { earliest, latest } = reach;
    let share = |tokens: u64| tokens.saturating_mul(100) / model.window.max(1);
    let window = thousands(model.window);
    if earliest > latest {
        return Failure::new(format!("a window of {window} is too small for the client"))
            .hint("--window takes the model's window in tokens, such as 200000");
    }
    let why = if at < earliest {
        format!("the client takes no window below {}", thousands(WINDOW_TOKENS_MIN))
    } else {
        format!("the client keeps room for its summary in the window of {window} ({})", model.told_by)
    };
    Failure::new(format!("compaction cannot be had at {} tokens: {why}", thousands(at))).hint(format!(
        "anything from {} to {} tokens works ({} % to {} %); --window names another model's window",
        thousands(earliest),
        thousands(latest),
        share(earliest).saturating_add(u64::from(share(earliest) * model.window < earliest * 100)),
        share(latest)
    ))
}

/// The model of which a percentage is meant.
struct Model {
    name: Option<String>,
    told_window: Option<u64>,
    window: u64,
    told_by: String,
}

impl Model {
    /// The last session's, else the one in the settings or the environment, else one of 200,000 tokens.
    fn at_hand(app: &App, given: Option<u64>) -> Self {
        let folder = app.session_at_hand().map(|session| app.place.home.session(&session));
        let told_window = folder.as_ref().and_then(session::told_window);
        let seen = folder.as_ref().and_then(SessionFacts::read).and_then(|cache| cache.model);
        let set = || {
            let variable = std::env::var("ANTHROPIC_MODEL").ok().filter(|model| !model.is_empty());
            variable.or(client_settings::client_settings(&app.place, &app.memory.project).model)
        };
        let (name, who) = match seen {
            Some(model) => (Some(model), "the last session's"),
            None => (set(), "as the settings say"),
        };
        let by_table = || Some((model_window(name.as_deref()?)?, format!("{}, {who}", name.as_deref()?)));
        let (window, told_by) = match (given, told_window) {
            (Some(window), _) => (window, "as you say".to_owned()),
            (None, Some(window)) => (window, "as the last session's status line was told".to_owned()),
            (None, None) => by_table().unwrap_or_else(|| {
                (
                    WINDOW_TOKENS_ASSUMED,
                    "assumed: no session has told yet; --window says otherwise".to_owned(),
                )
            }),
        };
        Self { name, told_window, window, told_by }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_a_percentage_or_tokens_or_off() {
        assert_eq!(parse("70%"), Ok(CompactAt::Percent(70)));
        assert_eq!(parse(" 70 % "), Ok(CompactAt::Percent(70)));
        assert_eq!(parse("140000"), Ok(CompactAt::Tokens(140_000)));
        assert_eq!(parse("140,000"), Ok(CompactAt::Tokens(140_000)));
        assert_eq!(parse("140K"), Ok(CompactAt::Tokens(140_000)));
        assert_eq!(parse("OFF"), Ok(CompactAt::Off));
        for odd in ["", "0", "0%", "101%", "-5", "70%%", "k", "1.5k", "99999999999999999999"] {
            assert!(parse(odd).is_err(), "{odd}");
        }
    }
}
