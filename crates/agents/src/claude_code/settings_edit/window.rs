//! The window: sets the client's auto-compact window in a settings text, and puts back what stood there.

use serde_json::json;

use crate::settings::edit::{Edit, SettingsProblem, check_unique_keys, compared, split_byte_order_mark};
use crate::settings::json_spans::{self, Node};
use crate::settings::json_splice::{Removal, Splice, Style};

const KEY: &str = "autoCompactWindow";

/// Sets the window in the settings of somebody who has an object there. Gives the edit, and the literal that stood
/// there before.
pub fn set_window(text: &str, tokens: u64) -> Result<(Edit, Option<String>), SettingsProblem> {
    let (mark, body) = split_byte_order_mark(text);
    let root = parsed(body)?;
    let written = tokens.to_string();
    let Some(present) = root.get(KEY) else {
        let added = Style::of(body, &root).append(&root, None, Some(KEY), &json!(tokens)).apply(body);
        return Ok((compared(text, format!("{mark}{added}")), None));
    };
    let before = body.get(present.span.clone()).unwrap_or_default().to_owned();
    let changed = Splice::new(present.span.clone(), written).apply(body);
    Ok((compared(text, format!("{mark}{changed}")), Some(before)))
}

/// Puts back what stood there before: a literal, or nothing. A window that is no longer the one that was written was
/// set by somebody else since, and stays.
pub fn restore_window(text: &str, written: u64, before: Option<&str>) -> Result<Edit, SettingsProblem> {
    let (mark, body) = split_byte_order_mark(text);
    if body.bytes().all(json_spans::is_blank) {
        return Ok(compared(text, text.to_owned()));
    }
    let root = parsed(body)?;
    let members = root.members().unwrap_or_default();
    let Some(at) = members.iter().position(|member| member.name == KEY) else {
        return Ok(compared(text, text.to_owned()));
    };
    let value = &members[at].value;
    if body.get(value.span.clone()) != Some(written.to_string().as_str()) {
        return Ok(compared(text, text.to_owned()));
    }
    let splice = match before {
        Some(literal) => Splice::new(value.span.clone(), literal),
        None => match Style::of(body, &root).remove(&root, None, at) {
            Removal::Cut(splice) => splice,
            Removal::ContainerToo => Splice::new(root.span.clone(), "{}"),
        },
    };
    Ok(compared(text, format!("{mark}{}", splice.apply(body))))
}

fn parsed(body: &str) -> Result<Node, SettingsProblem> {
    let root = json_spans::parse(body)?;
    if root.members().is_none() {
        let hint = "a settings file is one JSON object: { … }";
        return Err(SettingsProblem::at(body, root.span.start, "not a JSON object", hint));
    }
    check_unique_keys(body, &root, "the settings")?;
    Ok(root)
}

#[cfg(test)]
mod tests {
    use super::super::tests::ours;
    use super::super::{EditOutcome, install, uninstall};
    use super::*;

    /// As `init --compact-at` and `uninstall` do it, twice over.
    fn round_trip(text: &str) {
        let installed = install(Some(text), &ours(true)).unwrap().text;
        let (first, before) = set_window(&installed, 173_000).unwrap();
        assert!(first.text.contains("173000"), "{}", first.text);
        let (again, literal) = set_window(&first.text, 173_000).unwrap();
        assert_eq!((again.outcome, literal.as_deref()), (EditOutcome::Unchanged, Some("173000")));
        let (moved, _) = set_window(&first.text, 133_000).unwrap();
        let back = restore_window(&moved.text, 133_000, before.as_deref()).unwrap();
        assert_eq!(back.text, installed);
        assert_eq!(uninstall(&back.text).unwrap().text, text);
        let kept = restore_window(&first.text, 133_000, before.as_deref()).unwrap();
        assert_eq!(kept.outcome, EditOutcome::Unchanged, "somebody else's window stays");
    }

    #[test]
    fn a_window_that_was_set_goes_again_byte_for_byte() {
        for text in [
            "{}",
            "{ }\n",
            "{\n\t\"model\": \"opus\"\n}",
            "{\"autoCompactWindow\":150000,\"z\":1}",
            "{\n  \"autoCompactWindow\" : 1.5e5,\n  \"a\": []\n}\n",
            "\u{feff}{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {}\r\n}\r\n",
        ] {
            round_trip(text);
        }
    }

    #[test]
    fn a_window_that_is_all_there_is_leaves_an_empty_object() {
        assert_eq!(restore_window("{\"autoCompactWindow\":5}", 5, None).unwrap().text, "{}");
        assert_eq!(restore_window("", 5, None).unwrap().outcome, EditOutcome::Unchanged);
        assert!(set_window("[]", 5).is_err());
        assert!(set_window("{\"autoCompactWindow\":1,\"autoCompactWindow\":2}", 5).is_err());
    }
}
