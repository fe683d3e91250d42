//! Settings edit, on any settings at all: every text comes back as it was.

use proptest::prelude::*;
use serde_json::Value;

use super::tests::{ours, round_trip};
use super::{install, uninstall};

/// Blanks that JSON allows between two tokens, with a taste for the common ones.
fn blank() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 2 => Just(" ".to_owned()), 2 => Just("\n  ".to_owned()),
        1 => "[ \t\n]{0,4}", 1 => Just("\r\n    ".to_owned())]
}

/// A JSON value as text, spelled with any blanks.
fn value_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?[1-9][0-9]{0,3}(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        any::<String>().prop_map(|string| Value::from(string).to_string()),
        Just("\"\\u0041\\/\"".to_owned()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            listed(inner.clone()).prop_map(|inside| format!("[{inside}]")),
            members(prop::collection::btree_map("[a-z]{1,5}", inner, 0..4))
                .prop_map(|inside| format!("{{{inside}}}")),
        ]
    })
}

fn listed(item: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::vec((blank(), item, blank()), 0..4).prop_flat_map(|items| {
        let inside = items.iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect::<Vec<_>>().join(",");
        if items.is_empty() { blank().boxed() } else { Just(inside).boxed() }
    })
}

fn members(
    map: impl Strategy<Value = std::collections::BTreeMap<String, String>>,
) -> impl Strategy<Value = String> {
    (map, blank(), blank(), blank(), blank()).prop_map(|(map, a, b, c, d)| {
        let one =
            |(name, value): (&String, &String)| format!("{a}{}{b}:{c}{value}{d}", Value::from(name.as_str()));
        if map.is_empty() { a.clone() } else { map.iter().map(one).collect::<Vec<_>>().join(",") }
    })
}

/// A settings text with foreign hooks, maybe on our events, and maybe a foreign status line.
fn settings_text() -> impl Strategy<Value = String> {
    let handler = (blank(), any::<String>()).prop_map(|(gap, command)| {
        format!("{{{gap}\"type\":{gap}\"command\", \"command\": {}}}", Value::from(format!("x{command}")))
    });
    let group = (listed(handler), blank(), any::<bool>()).prop_map(|(handlers, gap, matcher)| {
        let matcher = if matcher { "\"matcher\": \"Bash|Edit\"," } else { "" };
        format!("{{{gap}{matcher}{gap}\"hooks\":{gap}[{handlers}]{gap}}}")
    });
    let event =
        prop::sample::select(vec!["SessionStart", "Stop", "PostToolUse", "PreToolUse", "TaskCreated", "Zed"]);
    let groups = listed(group).prop_map(|inside| format!("[{inside}]"));
    let hooks = members(prop::collection::btree_map(event.prop_map(str::to_owned), groups, 0..4))
        .prop_map(|inside| format!("{{{inside}}}"));
    let line = (any::<String>(), blank()).prop_map(|(command, gap)| {
        format!("{{{gap}\"command\":{gap}{},\"type\":\"command\"{gap}}}", Value::from(format!("y{command}")))
    });
    let rest = prop::collection::btree_map("[a-z]{1,6}", value_text(), 0..4);
    let root = (rest, prop::option::of(hooks), prop::option::of(line)).prop_map(|(mut map, hooks, line)| {
        map.extend(hooks.map(|hooks| ("hooks".to_owned(), hooks)));
        map.extend(line.map(|line| ("statusLine".to_owned(), line)));
        map
    });
    (prop::bool::weighted(0.1), blank(), members(root), blank()).prop_map(|(mark, before, inside, after)| {
        format!("{}{before}{{{inside}}}{after}", if mark { "\u{feff}" } else { "" })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_settings_come_back_byte_for_byte(text in settings_text()) {
        round_trip(&text);
    }

    #[test]
    fn any_text_at_all_is_edited_or_refused_but_never_a_panic(text in "\\PC{0,40}|[{}\\[\\]\",:a\\\\/ \n0-9]{0,60}") {
        let _ = install(Some(&text), &ours(true));
        let _ = uninstall(&text);
    }
}
