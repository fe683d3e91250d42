//! The project's own file: all of it where a person allowed its bytes, else what it says about looks.

use toml::{Table, Value};

use super::allowed::Allowed;
use super::{CONFIG_BYTES_MAX, ConfigProblem};
use crate::door::Spot;
use crate::{content_hash, files};

/// The longest file of somebody else's that is looked into.
const FOREIGN_BYTES_MAX: usize = 32 << 10;
/// Most keys of such a file that are told one by one.
const KEYS_MAX: usize = 200;

/// What counts without anybody's word: how things look. Never what is said, kept, masked, shared, budgeted or run; and
/// nothing that can hide a line (`statusline.width`).
const LOOKS: &[(&str, &str)] = &[
    ("statusline", "preset"),
    ("statusline", "segments"),
    ("statusline", "color"),
    ("statusline", "bar_cells"),
];

/// A file of the project that nobody has allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingConfig {
    /// The hash of its bytes: what is allowed is what was shown.
    pub hash: String,
    /// What it would change.
    pub keys: Vec<KeyChange>,
    /// Why it cannot be shown key by key.
    pub unreadable: Option<String>,
}

/// What a key would become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChange {
    /// Section and key.
    pub key: String,
    /// What holds now, as JSON; `None` where the key is none of ours.
    pub old: Option<String>,
    /// What the file says, as JSON.
    pub new: String,
}

/// What the project's file adds to the configuration.
#[derive(Default)]
pub(super) struct ProjectFile {
    /// The part that counts.
    pub(super) table: Table,
    /// Whether a person allowed the whole of it.
    pub(super) is_allowed: bool,
    /// The hash and the whole table, where nobody did.
    pub(super) waiting: Option<(String, Result<Table, String>)>,
}

/// Reads the project's file as far as it counts. `own` is the user's: what he chose is not overruled without his word.
pub(super) fn read(
    path: &Spot,
    allowed: &Allowed,
    own: &Table,
    problems: &mut Vec<ConfigProblem>,
) -> ProjectFile {
    let mut say = |what: String| problems.push(ConfigProblem { path: path.shown(), what });
    let bytes = match files::read_limited(path, CONFIG_BYTES_MAX) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return ProjectFile::default(),
        Err(error) => {
            say(error.to_string());
            return ProjectFile::default();
        }
    };
    let hash = content_hash::of(&bytes);
    if allowed.holds(&hash) {
        let table = super::table_of(bytes).unwrap_or_else(|what| {
            say(what);
            Table::new()
        });
        return ProjectFile { table, is_allowed: true, waiting: None };
    }
    let whole = if bytes.len() > FOREIGN_BYTES_MAX {
        Err(format!("more than {FOREIGN_BYTES_MAX} bytes"))
    } else {
        // What the parser says quotes the file: those are not our words.
        super::table_of(bytes).map_err(|_| "not TOML".to_owned())
    };
    let mut table = whole.as_ref().map(|table| looks_of(table, own)).unwrap_or_default();
    if let Ok(whole) = &whole
        && let Some(rules) = whole.get("governance").filter(|rules| allowed.holds_rules(rules))
    {
        table.insert("governance".to_owned(), rules.clone());
    }
    // Nothing beyond what counts anyway, so there is nothing to be allowed.
    let waits = whole.as_ref().map_or(true, |whole| *whole != table);
    ProjectFile { table, is_allowed: false, waiting: waits.then_some((hash, whole)) }
}

fn looks_of(whole: &Table, own: &Table) -> Table {
    let mut looks = Table::new();
    for (section, key) in LOOKS {
        let chosen = own.get(*section).and_then(|section| section.get(key));
        let Some(value) = whole.get(*section).and_then(|section| section.get(key)) else { continue };
        if chosen.is_none() {
            let section = looks.entry(*section).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(section) = section {
                section.insert((*key).to_owned(), value.clone());
            }
        }
    }
    looks
}

fn written(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// What a file would change, key by key, against what holds.
pub(super) fn changes(hash: String, whole: Result<Table, String>, holds: &Table) -> WaitingConfig {
    let table = match whole {
        Ok(table) => table,
        Err(why) => return WaitingConfig { hash, keys: Vec::new(), unreadable: Some(why) },
    };
    let mut keys = Vec::new();
    for (section, value) in &table {
        match (value, holds.get(section)) {
            (Value::Table(given), known) => keys.extend(given.iter().map(|(key, value)| KeyChange {
                key: format!("{section}.{key}"),
                old: known.and_then(|known| known.get(key)).map(written),
                new: written(value),
            })),
            (value, _) => keys.push(KeyChange { key: section.clone(), old: None, new: written(value) }),
        }
    }
    keys.retain(|change| change.old.as_ref() != Some(&change.new));
    keys.truncate(KEYS_MAX);
    WaitingConfig { hash, keys, unreadable: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_without_a_word_are_keys_that_exist_and_look() {
        let known = Table::try_from(crate::config::Config::default()).unwrap();
        for (section, key) in LOOKS {
            assert!(known[*section].get(key).is_some(), "{section}.{key}");
            assert_eq!(*section, "statusline", "looks are the status line's alone");
        }
    }
}
