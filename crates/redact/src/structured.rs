//! Structured values: what a key says of everything under it, in JSON that was read as JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::known::Known;
use super::names::{self, Says};
use super::{clean, mark, named};

/// Keys that name what another key of the same object holds, and those that hold it.
pub(super) const NAMING: [&str; 9] =
    ["name", "key", "variable", "parameter", "field", "setting", "option", "property", "keyname"];
pub(super) const HOLDING: [&str; 8] =
    ["value", "val", "secretvalue", "plaintext", "secretstring", "data", "content", "defaultvalue"];

/// Masks every string; what is found is known afterwards.
pub(super) fn mask(value: &mut Value, known: &mut Known) {
    under(value, None, known);
}

/// `above` is what the key says under which the value stands.
fn under(value: &mut Value, above: Option<Says>, known: &mut Known) {
    match value {
        Value::String(string) => {
            clean_string(string, known);
            if let Some(kind) = above.and_then(|said| named::is_secret(said, string)) {
                hide(string, kind, known);
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| under(element, above, known)),
        Value::Object(map) => object(map, above, known),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn clean_string(string: &mut String, known: &mut Known) {
    if let Cow::Owned(masked) = clean(string, known) {
        *string = masked;
    }
}

fn hide(string: &mut String, kind: &'static str, known: &mut Known) {
    known.add(string, kind, None);
    *string = mark::of(kind, string);
}

fn object(map: &mut Map<String, Value>, above: Option<Says>, known: &mut Known) {
    for (key, value) in map.iter_mut() {
        match value {
            Value::String(string) => {
                clean_string(string, known);
                let inherited =
                    || above.filter(|_| !names::is_beside(key)).and_then(|it| named::is_secret(it, string));
                if let Some(kind) = named::is_secret_under(key, string).or_else(inherited) {
                    hide(string, kind, known);
                }
            }
            other => {
                let inherited = above.filter(|_| !names::is_beside(key));
                under(other, names::says_of_many(key).or(inherited), known);
            }
        }
    }
    mask_named_value(map, known);
    if map.keys().any(|key| matches!(clean(key, known), Cow::Owned(_))) {
        *map = std::mem::take(map)
            .into_iter()
            .map(|(key, value)| (clean(&key, known).into_owned(), value))
            .collect();
    }
}

/// `{"name": "TOKEN", "value": "…"}`, as lists of variables have it.
fn mask_named_value(map: &mut Map<String, Value>, known: &mut Known) {
    let is_one = |all: &[&str], key: &str| all.iter().any(|it| key.eq_ignore_ascii_case(it));
    let names = map.iter().filter(|(key, _)| is_one(&NAMING, key)).filter_map(|(_, value)| value.as_str());
    let names: Vec<String> = names.filter(|name| names::says(name).is_some()).map(str::to_owned).collect();
    for (key, value) in map.iter_mut().filter(|_| !names.is_empty()) {
        if is_one(&HOLDING, key)
            && let Value::String(string) = value
            && let Some(kind) = names.iter().find_map(|name| named::is_secret_under(name, string))
        {
            hide(string, kind, known);
        }
    }
}
