//! Settings read: what the hooks and `doctor` have to know out of the client's settings files and environment.

use serde::Deserialize;
use serde_json::Value;

use super::compaction_point::{Inputs, WINDOW_TOKENS_MAX, WINDOW_TOKENS_MIN};
use super::permissions::Permissions;
use crate::settings::json_spans::{self, Node};
use crate::settings::our_entry::{OurHook, OurStatusLine, our_hook, our_status_line};
use crate::settings::problem::SettingsProblem;

/// Longer files are skipped, with a problem. (The client's own state file grows with every project.)
const FILE_BYTES_MAX: usize = throughline_domain::limits::CLIENT_LIST_BYTES_MAX;

/// Most rules of one list that are looked at.
const RULES_MAX: usize = 2_000;

const WINDOW_WORDS: &str = "a number from 100000 to 1000000";

/// Where a text comes from, weakest first: a stronger file overrules a weaker one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// `~/.claude.json`: the client's own state; only `autoCompactEnabled` is taken from it.
    ClientState,
    /// `settings.json` of the client's configuration folder.
    User,
    /// `.claude/settings.json` of the project.
    Project,
    /// `.claude/settings.local.json` of the project.
    Local,
    /// The organisation's managed settings.
    Managed,
}

/// The environment variables that matter here, as the caller found them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientEnv {
    /// `CLAUDE_CODE_AUTO_COMPACT_WINDOW`
    pub auto_compact_window: Option<String>,
    /// `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`
    pub autocompact_pct_override: Option<String>,
    /// `DISABLE_AUTO_COMPACT`
    pub disable_auto_compact: Option<String>,
    /// `DISABLE_COMPACT`
    pub disable_compact: Option<String>,
}

/// A hook of ours, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredHook {
    /// The file that registers it.
    pub scope: Scope,
    /// The event it is registered for.
    pub event: String,
    /// How it is called.
    pub hook: OurHook,
}

/// An enabled (or disabled) plugin of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginSetting {
    /// The strongest file that speaks of it.
    pub scope: Scope,
    /// `throughline@<marketplace>`
    pub id: String,
    /// Whether the client loads it.
    pub enabled: bool,
}

/// Whose status line is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StatusLineOwner {
    /// There is none.
    #[default]
    Nobody,
    /// Ours, maybe around a foreign one.
    Ours(Scope, OurStatusLine),
    /// Somebody else's.
    Foreign(Scope),
}

/// All the files taken together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientSettings {
    /// `autoCompactWindow`
    pub auto_compact_window: Option<u64>,
    /// `modelSettings.<model>.autoCompactWindow`, where no stronger file sets a window for all; `None`: as the client
    /// sees fit (`"auto"`).
    pub model_windows: Vec<(String, Option<u64>)>,
    /// `model`
    pub model: Option<String>,
    /// `autoCompactEnabled`
    pub auto_compact_enabled: Option<bool>,
    /// `cleanupPeriodDays`: after how many days the client deletes transcripts.
    pub cleanup_period_days: Option<u64>,
    /// `disableAllHooks`: nothing of ours is called.
    pub disable_all_hooks: bool,
    /// `permissions`, of all files.
    pub permissions: Permissions,
    /// Our hooks, weakest file first. The client runs them all.
    pub hooks: Vec<RegisteredHook>,
    /// Plugins of ours that a file speaks of.
    pub plugins: Vec<PluginSetting>,
    /// Whose status line is shown.
    pub status_line: StatusLineOwner,
    /// The environment as the client sees it: what the settings' `env` sets stands over what was given.
    pub env: ClientEnv,
    /// What could not be read; a broken file is skipped, a wrong value ignored.
    pub problems: Vec<(Scope, SettingsProblem)>,
}

impl ClientSettings {
    /// The settings' share of what `effective_point` asks for.
    #[must_use]
    pub fn compaction_inputs<'a>(&self, model: Option<&'a str>) -> Inputs<'a> {
        Inputs {
            model,
            window_setting: self.window_for(model),
            env_window: self.env.auto_compact_window.as_deref().and_then(tokens),
            pct_override: parsed(self.env.autocompact_pct_override.as_deref()),
            auto_enabled: self.auto_compact_enabled,
            disabled_by_env: is_on(self.env.disable_auto_compact.as_deref())
                || is_on(self.env.disable_compact.as_deref()),
            ..Inputs::default()
        }
    }

    /// The window for a model: what is set for it alone counts before what is set for all.
    fn window_for(&self, model: Option<&str>) -> Option<u64> {
        // The client knows a model by its canonical name; dates, `[1m]` and providers' prefixes stand around it.
        let model = model.map(str::to_ascii_lowercase);
        let of_model = model.and_then(|model| {
            let named =
                |(name, _): &&(String, Option<u64>)| model.contains(name.to_ascii_lowercase().as_str());
            self.model_windows.iter().find(named).map(|(_, window)| *window)
        });
        of_model.unwrap_or(self.auto_compact_window)
    }
}

/// Reads the texts of the files that exist, in any order, over the environment that was found.
#[must_use]
pub fn read(files: &[(Scope, &str)], env: &ClientEnv) -> ClientSettings {
    let mut settings = ClientSettings { env: env.clone(), ..ClientSettings::default() };
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by_key(|(scope, _)| *scope);
    for (scope, text) in files {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.bytes().all(json_spans::is_blank) {
            continue;
        }
        let outcome = if text.len() > FILE_BYTES_MAX {
            Err(SettingsProblem::at("", 0, "larger than 32 MiB", "is this really a settings file?"))
        } else if *scope == Scope::ClientState {
            read_client_state(text, &mut settings)
        } else {
            json_spans::parse(text)
                .map(|root| Reader { scope: *scope, text, settings: &mut settings }.read(&root))
        };
        settings.problems.extend(outcome.err().map(|problem| (*scope, problem)));
    }
    settings
}

fn read_client_state(text: &str, settings: &mut ClientSettings) -> Result<(), SettingsProblem> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ClientState {
        #[serde(default)]
        auto_compact_enabled: Value,
    }
    let state: ClientState =
        serde_json::from_str(text).map_err(|error| SettingsProblem::syntax(text, &error))?;
    settings.auto_compact_enabled = state.auto_compact_enabled.as_bool();
    Ok(())
}

struct Reader<'a> {
    scope: Scope,
    text: &'a str,
    settings: &'a mut ClientSettings,
}

impl Reader<'_> {
    fn read(&mut self, root: &Node) {
        if root.members().is_none() {
            self.problem(root, "not a JSON object".to_owned());
            return;
        }
        if let Some(tokens) = self.taken(root, "autoCompactWindow", WINDOW_WORDS, window) {
            self.settings.auto_compact_window = Some(tokens);
            // What a weaker file says of one model is overruled, too.
            self.settings.model_windows.clear();
        }
        self.read_model_windows(root);
        if let Some(model) = root.get("model").and_then(Node::string) {
            self.settings.model = Some(model.to_owned());
        }
        if let Some(enabled) = self.taken(root, "autoCompactEnabled", "true or false", Value::as_bool) {
            self.settings.auto_compact_enabled = Some(enabled);
        }
        if let Some(days) = self.taken(root, "cleanupPeriodDays", "a number", Value::as_u64) {
            self.settings.cleanup_period_days = Some(days);
        }
        if let Some(disabled) = self.taken(root, "disableAllHooks", "true or false", Value::as_bool) {
            self.settings.disable_all_hooks = disabled;
        }
        self.read_env(root);
        self.read_permissions(root);
        self.read_hooks(root);
        self.read_plugins(root);
        self.read_status_line(root);
    }

    fn read_model_windows(&mut self, root: &Node) {
        for model in root.get("modelSettings").and_then(Node::members).unwrap_or_default() {
            let Some(node) = model.value.get("autoCompactWindow") else { continue };
            let value = node.value(self.text);
            if value == "auto" || window(&value).is_some() {
                self.settings.model_windows.retain(|(name, _)| *name != model.name);
                self.settings.model_windows.push((model.name.clone(), window(&value)));
            }
        }
    }

    fn read_env(&mut self, root: &Node) {
        let Some(env) = root.get("env") else { return };
        let set = |name: &str, into: &mut Option<String>| {
            // The client hands numbers and booleans on as text, too.
            let value = env.get(name).map(|node| node.value(self.text));
            *into = match value {
                Some(Value::String(value)) => Some(value),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => Some(value.to_string()),
                _ => into.take(),
            };
        };
        let into = &mut self.settings.env;
        set("CLAUDE_CODE_AUTO_COMPACT_WINDOW", &mut into.auto_compact_window);
        set("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", &mut into.autocompact_pct_override);
        set("DISABLE_AUTO_COMPACT", &mut into.disable_auto_compact);
        set("DISABLE_COMPACT", &mut into.disable_compact);
    }

    fn read_permissions(&mut self, root: &Node) {
        let Some(permissions) = root.get("permissions") else { return };
        let rules = |name: &str| {
            let list = permissions.get(name).and_then(Node::elements).unwrap_or_default();
            list.iter().filter_map(Node::string).map(str::to_owned).take(RULES_MAX).collect::<Vec<_>>()
        };
        let into = &mut self.settings.permissions;
        into.allow.extend(rules("allow"));
        into.ask.extend(rules("ask"));
        into.deny.extend(rules("deny"));
    }

    fn read_hooks(&mut self, root: &Node) {
        let Some(hooks) = root.get("hooks") else { return };
        let Some(events) = hooks.members() else {
            return self.problem(hooks, "\"hooks\" is not an object".to_owned());
        };
        for event in events {
            let Some(groups) = event.value.elements() else {
                self.problem(&event.value, format!("\"{}\" is not a list", event.name));
                continue;
            };
            let handlers = groups.iter().filter_map(|group| group.get("hooks")?.elements()).flatten();
            for handler in handlers {
                if let Some(hook) = handler.value(self.text).as_object().and_then(our_hook) {
                    let hook = RegisteredHook { scope: self.scope, event: event.name.clone(), hook };
                    self.settings.hooks.push(hook);
                }
            }
        }
    }

    fn read_plugins(&mut self, root: &Node) {
        for member in root.get("enabledPlugins").and_then(Node::members).unwrap_or_default() {
            if member.name.split('@').next() != Some("throughline") {
                continue;
            }
            let enabled = member.value.value(self.text) == Value::Bool(true);
            self.settings.plugins.retain(|plugin| plugin.id != member.name);
            self.settings.plugins.push(PluginSetting { scope: self.scope, id: member.name.clone(), enabled });
        }
    }

    fn read_status_line(&mut self, root: &Node) {
        let Some(line) = root.get("statusLine") else { return };
        let Some(command) = line.get("command").and_then(Node::string) else {
            return self.problem(line, "\"statusLine\" is not an object with a \"command\"".to_owned());
        };
        self.settings.status_line = match our_status_line(command) {
            Some(ours) => StatusLineOwner::Ours(self.scope, ours),
            None => StatusLineOwner::Foreign(self.scope),
        };
    }

    fn taken<T>(&mut self, root: &Node, name: &str, kind: &str, read: fn(&Value) -> Option<T>) -> Option<T> {
        let node = root.get(name)?;
        let value = read(&node.value(self.text));
        if value.is_none() {
            self.problem(node, format!("\"{name}\" is not {kind}"));
        }
        value
    }

    fn problem(&mut self, node: &Node, what: String) {
        let hint = "correct the file by hand; until then this value is ignored";
        self.settings
            .problems
            .push((self.scope, SettingsProblem::at(self.text, node.span.start, what, hint)));
    }
}

/// A window that the client takes; others it ignores.
fn window(value: &Value) -> Option<u64> {
    value.as_u64().filter(|tokens| (WINDOW_TOKENS_MIN..=WINDOW_TOKENS_MAX).contains(tokens))
}

/// `200000`, `200k`, `1m`, as the client reads them.
fn tokens(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (digits, unit) = match text.as_bytes().last()? {
        b'k' => (&text[..text.len() - 1], 1_000),
        b'm' => (&text[..text.len() - 1], 1_000_000),
        _ => (text.as_str(), 1),
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(unit)
}

fn parsed<T: std::str::FromStr>(value: Option<&str>) -> Option<T> {
    value?.trim().parse().ok()
}

/// The client's own idea of a switch that is on.
fn is_on(value: Option<&str>) -> bool {
    value.is_some_and(|value| {
        matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::compaction_point::effective_point;
    use crate::claude_code::settings_edit::{Install, install};
    use crate::claude_code::version::Version;
    use crate::compaction_point::At;
    use crate::settings::our_entry::Form;

    fn installed(client: Version) -> String {
        let ours = Install { binary: "/opt/throughline".to_owned(), client: Some(client), status_line: true };
        install(None, &ours).unwrap().text
    }

    #[test]
    fn a_window_for_one_model_counts_before_one_for_all_unless_a_stronger_file_speaks() {
        let user = r#"{"model": "opus", "autoCompactWindow": 150000, "modelSettings": {"claude-opus-5-5":
            {"autoCompactWindow": 500000}, "claude-haiku-4-5": {"autoCompactWindow": "auto"},
            "claude-sonnet-4-5": {"autoCompactWindow": 5}, "odd": 7}}"#;
        let window = |files: &[(Scope, &str)], model| {
            read(files, &ClientEnv::default()).compaction_inputs(Some(model)).window_setting
        };
        let one = [(Scope::User, user)];
        assert_eq!(window(&one, "claude-opus-5-5-20260801"), Some(500_000));
        assert_eq!(window(&one, "claude-opus-5-5[1m]"), Some(500_000));
        assert_eq!(window(&one, "claude-haiku-4-5"), None, "as the client sees fit");
        assert_eq!(window(&one, "claude-sonnet-4-5"), Some(150_000), "no such window: ignored");
        let two = [(Scope::User, user), (Scope::Local, r#"{"autoCompactWindow": 200000}"#)];
        assert_eq!(window(&two, "claude-opus-5-5"), Some(200_000));
        assert_eq!(read(&one, &ClientEnv::default()).model.as_deref(), Some("opus"));
        for (text, tokens_read) in [("200k", Some(200_000)), ("1M", Some(1_000_000)), ("x", None), ("", None)]
        {
            assert_eq!(tokens(text), tokens_read, "{text}");
        }
    }

    #[test]
    fn the_stronger_file_wins_and_hooks_add_up() {
        let user = r#"{"autoCompactWindow": 100000, "cleanupPeriodDays": 30, "disableAllHooks": true,
            "statusLine": {"type": "command", "command": "ccline"},
            "enabledPlugins": {"throughline@throughline": true, "other@m": true},
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "throughline hook"}, {"command": "x"}]}]}}"#;
        let local = installed(Version::new(2, 1, 325));
        let project = r#"{"autoCompactWindow": 150000, "disableAllHooks": false, "enabledPlugins": {"throughline@throughline": false}}"#;
        let state = r#"{"autoCompactEnabled": false, "projects": {}}"#;
        let files = [
            (Scope::Local, local.as_str()),
            (Scope::User, user),
            (Scope::Project, project),
            (Scope::ClientState, state),
        ];
        let settings = read(&files, &ClientEnv::default());
        assert_eq!(settings.problems, []);
        assert_eq!(settings.auto_compact_window, Some(150_000));
        assert_eq!(settings.auto_compact_enabled, Some(false));
        assert_eq!(settings.cleanup_period_days, Some(30));
        assert!(!settings.disable_all_hooks);
        let plugin =
            PluginSetting { scope: Scope::Project, id: "throughline@throughline".to_owned(), enabled: false };
        assert_eq!(settings.plugins, [plugin]);
        assert!(
            matches!(&settings.status_line, StatusLineOwner::Ours(Scope::Local, line) if line.binary == "/opt/throughline")
        );
        assert_eq!(settings.hooks.len(), 12);
        let shell = OurHook { form: Form::Shell, binary: "throughline".to_owned(), timeout_s: None };
        assert_eq!(
            settings.hooks[0],
            RegisteredHook { scope: Scope::User, event: "Stop".to_owned(), hook: shell }
        );
        let exec = OurHook { form: Form::Exec, binary: "/opt/throughline".to_owned(), timeout_s: Some(10) };
        assert_eq!(
            settings.hooks[1],
            RegisteredHook { scope: Scope::Local, event: "SessionStart".to_owned(), hook: exec }
        );
    }

    #[test]
    fn a_broken_file_is_named_and_skipped() {
        let files = [
            (Scope::User, "{ broken"),
            (
                Scope::Project,
                "\u{feff}{\n \"autoCompactWindow\": \"many\",\n \"cleanupPeriodDays\": 7,\n \"hooks\": []}",
            ),
            (Scope::Local, ""),
            (Scope::Managed, "[]"),
            (Scope::ClientState, "nonsense"),
        ];
        let settings = read(&files, &ClientEnv::default());
        assert_eq!(settings.cleanup_period_days, Some(7));
        let places: Vec<_> =
            settings.problems.iter().map(|(scope, problem)| (*scope, problem.line)).collect();
        let expected = [
            (Scope::ClientState, 1),
            (Scope::User, 1),
            (Scope::Project, 2),
            (Scope::Project, 4),
            (Scope::Managed, 1),
        ];
        assert_eq!(places, expected);
    }

    #[test]
    fn the_environment_of_the_settings_stands_over_the_given_one() {
        let env = ClientEnv {
            auto_compact_window: Some("300000".to_owned()),
            disable_compact: Some("0".to_owned()),
            ..ClientEnv::default()
        };
        let file = r#"{"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150000", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": 50}}"#;
        let inputs = read(&[(Scope::User, file)], &env).compaction_inputs(None);
        assert_eq!(effective_point(&inputs).at, At::Compacts(65_000));
        let off = r#"{"env": {"DISABLE_AUTO_COMPACT": true}}"#;
        assert!(read(&[(Scope::User, off)], &env).compaction_inputs(None).disabled_by_env);
        assert_eq!(read(&[], &env).compaction_inputs(None).env_window, Some(300_000));
    }
}
