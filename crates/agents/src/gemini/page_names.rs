//! Page names: what the settings call the page of instructions, where they leave it no longer `GEMINI.md`.

use serde_json::Value;

use crate::settings::comments::{Grammar, blanked};

/// The names that a settings text gives to the page; none where it leaves the usual one.
#[must_use]
pub fn page_names(text: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(&blanked(text, Grammar::Comments)).unwrap_or_default();
    match &settings["context"]["fileName"] {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
