//! Trust: whether the client runs hooks in a folder at all. Where it does not trust a folder it runs none, the user's own included.

use serde_json::Value;

use crate::settings::comments::{Grammar, blanked};

/// What a rule of `trustedFolders.json` says about a folder and all below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Folder,
    Parent,
    Not,
}

impl Level {
    fn of(word: &str) -> Option<Self> {
        match word {
            "TRUST_FOLDER" => Some(Self::Folder),
            "TRUST_PARENT" => Some(Self::Parent),
            "DO_NOT_TRUST" => Some(Self::Not),
            _ => None,
        }
    }
}

/// What the client's settings, in the order in which they count, and its list of folders come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderTrust {
    /// Hooks run.
    Trusted {
        /// What the answer rests on.
        because: TrustSource,
    },
    /// Nobody said yes or no: the client asks in a terminal, and without one it trusts nothing.
    Unasked,
    /// Somebody said no.
    Distrusted {
        /// What the answer rests on.
        because: TrustSource,
    },
    /// The list cannot be read; the client refuses to start with it.
    Unreadable {
        /// What is wrong with it.
        why: String,
    },
}

/// What an answer about trust rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustSource {
    /// `GEMINI_CLI_TRUST_WORKSPACE` or `GEMINI_RESTRICTED_MODE`.
    Environment,
    /// `security.folderTrust.enabled` is false in the settings: every folder is trusted.
    Settings,
    /// A rule of the list, by its folder as written.
    Rule(String),
}

/// What is known when the question is asked.
#[derive(Debug, Clone, Default)]
pub struct TrustInputs<'a> {
    /// `GEMINI_CLI_TRUST_WORKSPACE`.
    pub trust_variable: Option<&'a str>,
    /// `GEMINI_RESTRICTED_MODE`.
    pub restricted_variable: Option<&'a str>,
    /// `security.folderTrust.enabled`, of the settings that count.
    pub is_enabled: Option<bool>,
    /// `trustedFolders.json` of the client's folder; `None` where there is none.
    pub folders: Option<&'a str>,
    /// The project's folder, its real path.
    pub folder: &'a str,
}

/// Whether the client trusts a folder, by the same steps in the same order. An editor that the client runs in may say something
/// else, which nothing on disk tells.
#[must_use]
pub fn folder_trust(inputs: &TrustInputs<'_>) -> FolderTrust {
    let environment = || TrustSource::Environment;
    if inputs.restricted_variable == Some("true") || inputs.trust_variable == Some("false") {
        return FolderTrust::Distrusted { because: environment() };
    }
    if inputs.trust_variable == Some("true") {
        return FolderTrust::Trusted { because: environment() };
    }
    if inputs.is_enabled == Some(false) {
        return FolderTrust::Trusted { because: TrustSource::Settings };
    }
    let Some(text) = inputs.folders else { return FolderTrust::Unasked };
    let rules = match rules(text) {
        Ok(rules) => rules,
        Err(why) => return FolderTrust::Unreadable { why },
    };
    // Of several rules the one with the longest path counts, whatever it says.
    let matching = rules.into_iter().filter(|(path, level)| covers(path, *level, inputs.folder));
    match matching.max_by_key(|(path, _)| path.len()) {
        None => FolderTrust::Unasked,
        Some((path, Level::Not)) => FolderTrust::Distrusted { because: TrustSource::Rule(path) },
        Some((path, _)) => FolderTrust::Trusted { because: TrustSource::Rule(path) },
    }
}

fn rules(text: &str) -> Result<Vec<(String, Level)>, String> {
    let text = blanked(text, Grammar::Comments);
    let value: Value = serde_json::from_str(&text).map_err(|error| format!("is no JSON: {error}"))?;
    let Value::Object(rules) = value else { return Err("is no JSON object".to_owned()) };
    let read = |(path, level): (String, Value)| match level.as_str().and_then(Level::of) {
        Some(level) => Ok((path, level)),
        None => Err("holds a level of trust that the client does not know".to_owned()),
    };
    rules.into_iter().map(read).collect()
}

/// Whether a rule speaks of this folder: of its own, or of the one above it, and all below.
fn covers(path: &str, level: Level, folder: &str) -> bool {
    let path = path.trim_end_matches('/');
    let path = match level {
        Level::Parent => path.rsplit_once('/').map_or("", |(above, _)| above),
        Level::Folder | Level::Not => path,
    };
    folder
        .trim_end_matches('/')
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a settings file says about whether hooks run at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookSwitches {
    /// `security.folderTrust.enabled`.
    pub folder_trust: Option<bool>,
    /// `hooksConfig.enabled`: false, and no hook runs.
    pub hooks: Option<bool>,
    /// `hooksConfig.disabled`: names, or commands where a hook has no name.
    pub disabled: Vec<String>,
}

impl HookSwitches {
    /// Reads one settings file, which may hold comments; what is not there or of another type says nothing.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let settings: Value = serde_json::from_str(&blanked(text, Grammar::Comments)).unwrap_or_default();
        let config = &settings["hooksConfig"];
        let disabled = config["disabled"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Self {
            folder_trust: settings["security"]["folderTrust"]["enabled"].as_bool(),
            hooks: config["enabled"].as_bool(),
            disabled: disabled.map(str::to_owned).collect(),
        }
    }

    /// These with those of a file that counts more: its switches win, its list is added.
    #[must_use]
    pub fn under(mut self, stronger: Self) -> Self {
        self.disabled.extend(stronger.disabled);
        Self {
            folder_trust: stronger.folder_trust.or(self.folder_trust),
            hooks: stronger.hooks.or(self.hooks),
            disabled: self.disabled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(folders: &str, folder: &str) -> FolderTrust {
        folder_trust(&TrustInputs { folders: Some(folders), folder, ..TrustInputs::default() })
    }

    fn rule(path: &str) -> TrustSource {
        TrustSource::Rule(path.to_owned())
    }

    #[test]
    fn the_longest_rule_counts_for_a_folder_and_all_below() {
        let list = r#"{
            // mine
            "/home/me": "TRUST_FOLDER", /* not that one */
            "/home/me/foreign": "DO_NOT_TRUST",
            "/home/me/foreign/checked/a": "TRUST_PARENT"
        }"#;
        let trusted = |path| FolderTrust::Trusted { because: rule(path) };
        assert_eq!(asked(list, "/home/me/app"), trusted("/home/me"));
        assert_eq!(asked(list, "/home/me/"), trusted("/home/me"));
        assert_eq!(
            asked(list, "/home/me/foreign/x"),
            FolderTrust::Distrusted { because: rule("/home/me/foreign") }
        );
        assert_eq!(asked(list, "/home/me/foreign/checked/b"), trusted("/home/me/foreign/checked/a"));
        assert_eq!(asked(list, "/home"), FolderTrust::Unasked);
        let twin = r#"{"/home/me/app": "TRUST_FOLDER"}"#;
        assert_eq!(asked(twin, "/home/me/apple"), FolderTrust::Unasked);
        assert_eq!(asked("{}", "/home/me"), FolderTrust::Unasked);
    }

    #[test]
    fn environment_and_settings_come_before_the_list() {
        let no = r#"{"/p": "DO_NOT_TRUST"}"#;
        let inputs = TrustInputs { folders: Some(no), folder: "/p", ..TrustInputs::default() };
        let said = |inputs: &TrustInputs<'_>| folder_trust(inputs);
        let off = TrustInputs { is_enabled: Some(false), ..inputs.clone() };
        assert_eq!(said(&off), FolderTrust::Trusted { because: TrustSource::Settings });
        let yes = TrustInputs { trust_variable: Some("true"), ..inputs.clone() };
        assert_eq!(said(&yes), FolderTrust::Trusted { because: TrustSource::Environment });
        let restricted = TrustInputs { restricted_variable: Some("true"), ..yes };
        assert_eq!(said(&restricted), FolderTrust::Distrusted { because: TrustSource::Environment });
        assert_eq!(said(&inputs), FolderTrust::Distrusted { because: rule("/p") });
        assert_eq!(said(&TrustInputs { folders: None, ..inputs }), FolderTrust::Unasked);
    }

    #[test]
    fn a_list_that_stops_the_client_is_told_as_such() {
        for broken in ["", "[]", "{", r#"{"/p": "MAYBE"}"#, r#"{"/p": 1}"#, "/*"] {
            assert!(matches!(asked(broken, "/p"), FolderTrust::Unreadable { .. }), "{broken}");
        }
    }

    #[test]
    fn switches_add_up_over_the_files() {
        let user = HookSwitches::read(
            r#"{"security": {"folderTrust": {"enabled": true}}, // a//b
            "hooksConfig": {"disabled": ["a//b", 7]}}"#,
        );
        assert_eq!(user.disabled, ["a//b"]);
        let project = HookSwitches::read(r#"{"hooksConfig": {"enabled": false, "disabled": ["c"]}}"#);
        let both = user.under(project);
        assert_eq!((both.folder_trust, both.hooks), (Some(true), Some(false)));
        assert_eq!(both.disabled, ["a//b", "c"]);
        assert_eq!(HookSwitches::read("nonsense"), HookSwitches::default());
    }
}
