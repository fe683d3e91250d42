//! Settings edit, attacked: odd files, foreign neighbours, broken files.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::settings::our_entry::our_hook;

pub(super) fn ours(status_line: bool) -> Install {
    Install { binary: "/opt/throughline".to_owned(), client: Some(Version::new(2, 1, 325)), status_line }
}

fn older(status_line: bool) -> Install {
    Install { binary: "/old place/throughline".to_owned(), client: Some(Version::new(2, 1, 20)), status_line }
}

/// Installs, installs again, upgrades, takes out; every step is checked against the text it began with.
pub(super) fn round_trip(text: &str) {
    let before = install(Some(text), &older(true)).unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
    for install_with in [ours(true), ours(false), older(true)] {
        let installed = install(Some(text), &install_with).unwrap();
        assert_eq!(installed.outcome, EditOutcome::Rewritten, "{text:?}");
        let again = install(Some(&installed.text), &install_with).unwrap();
        assert_eq!(
            (again.text.as_str(), again.outcome),
            (installed.text.as_str(), EditOutcome::Unchanged),
            "{text:?}"
        );
        let gone = uninstall(&installed.text).unwrap();
        assert_eq!(gone.text, text, "installed:\n{}", installed.text);
        assert_eq!(uninstall(text).unwrap().outcome, EditOutcome::Unchanged);
        let upgraded = install(Some(&before.text), &install_with).unwrap();
        assert_eq!(uninstall(&upgraded.text).unwrap().text, text, "upgraded:\n{}", upgraded.text);
        assert_only_ours_was_added(text, &installed.text);
        assert_only_ours_was_added(text, &upgraded.text);
    }
}

/// Every foreign value is where it was, equal and in order, and each hook of ours is there once.
fn assert_only_ours_was_added(before: &str, after: &str) {
    let read = |text: &str| -> Value {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() { json!({}) } else { serde_json::from_str(text).unwrap() }
    };
    let (before, mut after) = (read(before), read(after));
    let mut counted = std::collections::BTreeMap::new();
    for (event, groups) in after["hooks"].as_object_mut().unwrap() {
        let groups = groups.as_array_mut().unwrap();
        for group in groups.iter_mut() {
            let Some(handlers) = group["hooks"].as_array_mut() else { continue };
            handlers.retain(|handler| {
                let ours = handler.as_object().is_some_and(|handler| our_hook(handler).is_some());
                *counted.entry(event.clone()).or_insert(0) += i32::from(ours);
                !ours
            });
        }
        let foreign =
            before.pointer(&format!("/hooks/{event}")).and_then(Value::as_array).map_or(0, Vec::len);
        assert!(groups.iter().skip(foreign).all(|group| group["hooks"] == json!([])));
        groups.truncate(foreign);
    }
    assert!(counted.values().all(|count| *count <= 1), "{counted:?}");
    assert!(counted.values().sum::<i32>() >= 8, "{counted:?}");
    let foreign_events: Vec<_> = before["hooks"].as_object().into_iter().flatten().collect();
    let events_after: Vec<_> =
        after["hooks"].as_object().unwrap().iter().take(foreign_events.len()).collect();
    assert_eq!(foreign_events, events_after);
    let skip = |value: &Value| -> Vec<(String, Value)> {
        let members = value.as_object().unwrap().iter().map(|(key, value)| (key.clone(), value.clone()));
        members.filter(|(key, _)| key != "hooks" && key != "statusLine").collect()
    };
    assert_eq!(skip(&before), skip(&after));
}

const FOREIGN_HOOK: &str = r#"{ "type": "command", "command": "notify.sh" }"#;

#[test]
fn odd_files_come_back_byte_for_byte() {
    let samples = [
        "",
        " ",
        "\n",
        "\r\n \r\n",
        "\u{feff}",
        "{}",
        "{}\n",
        "{ }\n",
        "{\n}\n",
        "{\r\n}",
        "{\n\n  }\n\n",
        " \n {}",
        "\u{feff}{}\r\n",
        "{\"model\":\"opus\"}",
        "{\"model\": \"opus\"}\n",
        "{ \"model\" : \"opus\" , \"b\" : 2 }",
        "{\n  \"model\": \"opus\"\n}\n",
        "{\n    \"model\": \"opus\",\n    \"env\": {\n        \"A\": \"1\"\n    }\n}",
        "{\n\t\"model\": \"opus\"\n}\n",
        "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {}\r\n}\r\n",
        "{\n\"model\": \"opus\"\n}",
        "{\n  \"model\": \"opus\"\n\n\n}\n\n\n",
        "{\n  \"model\": \"opus\"\n  ,\n  \"b\": 1 }",
        "{\"hooks\":{}}",
        "{\"hooks\":{ }}",
        "{\"hooks\": {\"SessionStart\": []}}\n",
        "{\"hooks\": {\"SessionStart\": [], \"Stop\": [\n]}}",
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n\n    ]\n  }\n}\n",
        "{\n  \"\\u0061\": \"\\ud83d\\ude00 \\/ \\u00e9\",\n  \"ü\": \"日本\",\n  \"n\": 1.0e+2, \"big\": 123456789012345678901234567890\n}\n",
        "{\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"~/bin/line.sh\",\n    \"padding\": 2,\n    \"refreshInterval\": 5\n  }\n}\n",
        "{\"statusLine\":{\"type\":\"command\",\"command\":\"it's \\\"mine\\\" | cut -c1-9; echo \\u0041\\/\"},\"z\":[1, 2,3]}",
        "{\"statusLine\": {\"command\": \"\", \"type\": \"command\"}}",
    ];
    for sample in samples {
        round_trip(sample);
    }
    for event in ["SessionStart", "PostToolUse", "PreToolUse", "TaskCompleted"] {
        round_trip(&format!("{{\"hooks\":{{\"{event}\":[{{\"hooks\":[{FOREIGN_HOOK}]}}]}}}}"));
        round_trip(&format!(
            "{{\n  \"hooks\": {{\n    \"{event}\": [\n      {{ \"matcher\": \"x\", \"hooks\": [ {FOREIGN_HOOK} ] }}\n    ]\n  }},\n  \"a\": 1\n}}\n"
        ));
        round_trip(&format!(
            "{{\n  \"hooks\": {{\n    \"{event}\": [\n      {{ \"hooks\": [] }}, {{\n  \"hooks\": [ {FOREIGN_HOOK},\n{FOREIGN_HOOK}]}}]}}}}"
        ));
    }
}

#[test]
fn a_file_that_install_created_can_be_deleted() {
    for with_status_line in [true, false] {
        let created = install(None, &ours(with_status_line)).unwrap();
        assert!(created.text.ends_with("}\n"));
        let gone = uninstall(&created.text).unwrap();
        assert_eq!((gone.text.as_str(), gone.outcome), ("{}\n", EditOutcome::NothingLeft));
        let upgraded = install(Some(&created.text), &older(true)).unwrap();
        assert_eq!(uninstall(&upgraded.text).unwrap().outcome, EditOutcome::NothingLeft);
    }
    assert_eq!(uninstall("{}\n").unwrap().outcome, EditOutcome::Unchanged);
    assert_eq!(uninstall("").unwrap().outcome, EditOutcome::Unchanged);
}

/// For a client that knows two of our events only: the picture stays small.
fn check_install(text: &str, status_line: bool, expected: &Expect) {
    let client = Some(Version::new(1, 0, 38));
    let ours = Install { binary: "/opt/throughline".to_owned(), client, status_line };
    expected.assert_eq(&install(Some(text), &ours).unwrap().text);
}

#[test]
fn what_is_written_has_the_indents_of_the_file() {
    let text = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n";
    check_install(
        text,
        true,
        &expect![[r#"
        {
        	"model": "opus",
        	"hooks": {
        		"Stop": [
        			{
        				"hooks": [
        					{
        						"type": "command",
        						"command": "'/opt/throughline' hook",
        						"timeout": 5
        					}
        				]
        			}

        		],
        		"PostToolUse": [
        			{
        				"matcher": "Agent|Bash|Edit|Write|MultiEdit|NotebookEdit|Task.*|TodoWrite",
        				"hooks": [
        					{
        						"type": "command",
        						"command": "'/opt/throughline' hook",
        						"timeout": 5
        					}
        				]
        			}
        		]
        	},
        	"statusLine": {
        		"type": "command",
        		"command": "'/opt/throughline' statusline"
        	}
        }
    "#]],
    );
}

#[test]
fn what_is_written_stays_on_the_line_of_a_one_line_file() {
    check_install(
        "{\"model\":\"opus\"}",
        true,
        &expect![[
            r#"{"model":"opus","hooks":{"PostToolUse":[{"matcher":"Agent|Bash|Edit|Write|MultiEdit|NotebookEdit|Task.*|TodoWrite","hooks":[{"type":"command","command":"'/opt/throughline' hook","timeout":5}]}],"Stop":[{"hooks":[{"type":"command","command":"'/opt/throughline' hook","timeout":5}]}]},"statusLine":{"type":"command","command":"'/opt/throughline' statusline"}}"#
        ]],
    );
    check_install(
        "{\"model\": \"opus\"}",
        false,
        &expect![[
            r#"{"model": "opus", "hooks": {"PostToolUse": [{"matcher": "Agent|Bash|Edit|Write|MultiEdit|NotebookEdit|Task.*|TodoWrite", "hooks": [{"type": "command", "command": "'/opt/throughline' hook", "timeout": 5}]}], "Stop": [{"hooks": [{"type": "command", "command": "'/opt/throughline' hook", "timeout": 5}]}]}}"#
        ]],
    );
}

#[test]
fn an_empty_object_is_opened_up_and_marked_with_a_blank_line() {
    check_install(
        "{}\n",
        false,
        &expect![[r#"
        {
          "hooks": {
            "PostToolUse": [
              {
                "matcher": "Agent|Bash|Edit|Write|MultiEdit|NotebookEdit|Task.*|TodoWrite",
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/throughline' hook",
                    "timeout": 5
                  }
                ]
              }
            ],
            "Stop": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "'/opt/throughline' hook",
                    "timeout": 5
                  }
                ]
              }
            ]
          }

        }
    "#]],
    );
}

#[test]
fn an_older_entry_is_brought_up_to_date_where_it_stands() {
    let text = r#"{
  "hooks": {
    "SessionStart": [
      {
        "matcher": "startup",
        "hooks": [
          { "type": "command", "command": "first.sh" },
          { "type": "command", "command": "'/old place/throughline' hook", "timeout": 60, "async": true, "note": "mine" },
          { "type": "command", "command": "last.sh" }
        ]
      }
    ],
    "Notification": [{ "hooks": [{ "type": "command", "command": "throughline hook" }] }],
    "Stop": [
      { "hooks": [{ "type": "command", "command": "throughline hook" }] },
      { "hooks": [{ "type": "command", "command": "/x/throughline", "args": ["hook"] }, { "command": "theirs" }] }
    ]
  }
}
"#;
    let installed: Value = serde_json::from_str(&install(Some(text), &ours(false)).unwrap().text).unwrap();
    let start = &installed["hooks"]["SessionStart"];
    assert_eq!(start.as_array().unwrap().len(), 1);
    assert_eq!(start[0]["matcher"], "startup");
    assert_eq!(start[0]["hooks"][0]["command"], "first.sh");
    assert_eq!(
        start[0]["hooks"][1],
        json!({"type": "command", "command": "/opt/throughline", "timeout": 10, "note": "mine", "args": ["hook"]})
    );
    assert_eq!(start[0]["hooks"][2]["command"], "last.sh");
    assert_eq!(installed["hooks"].get("Notification"), None);
    let stop = &installed["hooks"]["Stop"];
    assert_eq!(stop[0]["hooks"][0]["command"], "/opt/throughline");
    assert_eq!(stop[1], json!({"hooks": [{"command": "theirs"}]}));
}

#[test]
fn a_hook_that_the_user_moved_next_to_a_foreign_one_leaves_alone() {
    let foreign = |ours: &str| {
        format!(
            "{{\n  \"hooks\": {{\n    \"Stop\": [\n      {{ \"matcher\": \"\", \"hooks\": [\n        {FOREIGN_HOOK}{ours}\n      ] }}\n    ]\n  }}\n}}\n"
        )
    };
    let moved = foreign(",\n        { \"type\": \"command\", \"command\": \"throughline hook\" }");
    assert_eq!(uninstall(&moved).unwrap().text, foreign(""));
    let installed = install(Some(&moved), &ours(false)).unwrap();
    assert_eq!(uninstall(&installed.text).unwrap().text, foreign(""));
    let labelled = r#"{"hooks":{"Stop":[{"name":"my group","hooks":[{"command":"throughline hook"}]}]}}"#;
    assert_eq!(uninstall(labelled).unwrap().text, r#"{"hooks":{"Stop":[{"name":"my group","hooks":[]}]}}"#);
}

#[test]
fn what_the_user_added_after_us_stays() {
    let mut text = install(Some("{\n  \"model\": \"opus\"\n}\n"), &ours(true)).unwrap().text;
    text = text.replacen("\"hooks\": {", "\"hooks\": {\n    \"Notification\": [],", 1);
    text = text.replacen("\n}\n", ",\n  \"theme\": \"dark\"\n}\n", 1);
    let gone = uninstall(&text).unwrap().text;
    assert_eq!(
        gone,
        "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Notification\": []\n  },\n  \"theme\": \"dark\"\n}\n"
    );
}

#[test]
fn a_foreign_status_line_is_wrapped_and_keeps_its_other_keys() {
    let text =
        r#"{"statusLine":{"type":"command","command":"ccline --theme 'x'","padding":0,"refreshInterval":3}}"#;
    let installed = install(Some(text), &ours(true)).unwrap().text;
    let line = serde_json::from_str::<Value>(&installed).unwrap()["statusLine"].clone();
    assert_eq!(
        line,
        json!({"type": "command", "padding": 0, "refreshInterval": 3,
            "command": r"'/opt/throughline' statusline --wrap='ccline --theme '\''x'\'''"})
    );
    // Not asked for: a foreign one is left alone, one of ours still follows the binary.
    let alone = install(Some(text), &ours(false)).unwrap().text;
    assert!(alone.contains(r#""command":"ccline --theme 'x'""#));
    let moved = Install { binary: "/new/throughline".to_owned(), ..ours(false) };
    assert!(
        install(Some(&installed), &moved)
            .unwrap()
            .text
            .contains("'/new/throughline' statusline --wrap='ccline")
    );
}

#[test]
fn a_broken_or_ambiguous_file_is_refused_with_the_place() {
    let cases = [
        ("{\n  // note\n  \"a\": 1\n}", 2, "comment"),
        ("{\n  \"a\": 1,\n}", 3, "comma"),
        ("{\n  \"a\": 1\n", 3, "by hand"),
        ("[]", 1, "one JSON object"),
        ("\"x\"", 1, "one JSON object"),
        ("{\"a\": 1} {}", 1, "by hand"),
        ("{\"a\": \"\0\"}", 1, "by hand"),
        ("\0", 1, "by hand"),
        ("{\n  \"hooks\": []\n}", 2, "by hand"),
        ("{\n  \"hooks\": null\n}", 2, "by hand"),
        ("{\n  \"hooks\": {\n    \"SessionStart\": {}\n  }\n}", 3, "by hand"),
        ("{\n  \"hooks\": {\n    \"Stop\": [\n      \"x\"]\n  }\n}", 4, "by hand"),
        ("{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": {}}]\n  }\n}", 4, "by hand"),
        ("{\n  \"hooks\": {},\n  \"hooks\": {}\n}", 3, "keep one"),
        ("{\n  \"hooks\": {\n    \"Stop\": [],\n    \"St\\u006fp\": []\n  }\n}", 4, "keep one"),
        ("{\n  \"statusLine\": \"x\"\n}", 2, "by hand"),
        ("{\n  \"statusLine\": {\"type\": \"command\"}\n}", 2, "by hand"),
    ];
    for (text, line, hint) in cases {
        let problem = install(Some(text), &ours(true)).expect_err(text);
        assert_eq!(problem.line, line, "{text:?}: {problem}");
        assert!(problem.hint.contains(hint), "{text:?}: {problem:?}");
    }
    assert_eq!(
        install(Some("{\n  \"hooks\": []\n}"), &ours(true)).unwrap_err().to_string(),
        "line 2, column 12: \"hooks\" is not an object"
    );
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert!(install(Some(&deep), &ours(true)).is_err());
    assert!(install(Some(&format!("{{}}{}", " ".repeat(5 << 20))), &ours(true)).is_err());
    for text in ["{ // x\n}", "{\"hooks\":{},\"hooks\":{}}", "\0", "[1]"] {
        assert!(uninstall(text).is_err(), "{text:?}");
    }
}

#[test]
fn what_is_foreign_survives_a_client_that_rewrites_the_file_in_its_own_style() {
    let text = r#"{"a":[1,{"b":2}],"hooks":{"Stop":[{"hooks":[{"type":"command","command":"theirs"}]}]},
        "statusLine":{"type":"command","command":"it's"}}"#;
    let installed: Value = serde_json::from_str(&install(Some(text), &ours(true)).unwrap().text).unwrap();
    for rewritten in [serde_json::to_string_pretty(&installed).unwrap(), installed.to_string()] {
        let gone: Value = serde_json::from_str(&uninstall(&rewritten).unwrap().text).unwrap();
        assert_eq!(gone, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(install(Some(&rewritten), &ours(true)).unwrap().outcome, EditOutcome::Unchanged);
    }
    let alone: Value = serde_json::from_str(&install(Some("{}"), &ours(true)).unwrap().text).unwrap();
    for rewritten in [serde_json::to_string_pretty(&alone).unwrap(), alone.to_string()] {
        let gone = uninstall(&(rewritten + "\n")).unwrap();
        assert_eq!((gone.text.as_str(), gone.outcome), ("{}\n", EditOutcome::NothingLeft));
    }
}
