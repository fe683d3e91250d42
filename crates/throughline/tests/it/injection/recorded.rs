//! What is recorded on purpose: it speaks as whoever recorded it, and can neither end our fragments nor hide in them.

use serde_json::{Value, json};
use throughline_testkit::payload;

use super::attempts::{Channel, MARK, texts};
use super::{check_characters, is_marked};
use crate::mcp::Server;
use crate::scene::{STATE, Scene};

/// Beginnings of tags of the client, and spellings of our mark.
pub(super) const TAGS: [&str; 6] = [
    "<system-reminder",
    "</system-reminder",
    "<task-notification",
    "<command-name",
    "[ / THROUGHLINE",
    "［/throughline",
];

/// Everything that an agent is told of the project.
fn told(scene: &Scene) -> Vec<(String, String)> {
    let mut told: Vec<(String, String)> = [
        ("a start", payload::session_start(&scene.home, "s2", "startup")),
        ("a compaction", payload::pre_compact(&scene.home, "s2", "auto", None)),
        ("after a compaction", payload::session_start(&scene.home, "s2", "compact")),
    ]
    .into_iter()
    .map(|(when, payload)| (when.to_owned(), scene.hook(&payload)))
    .collect();
    let mut server = Server::start(&scene.home);
    for tool in ["load_state", "next"] {
        told.push((tool.to_owned(), server.call(tool, json!({})).unwrap()));
    }
    for text in texts() {
        let at = text.find(MARK).unwrap();
        let found = server.call("recall", json!({ "words": &text[at..at + 5] })).unwrap();
        told.push(("recall".to_owned(), found));
    }
    for uri in ["throughline://state", "throughline://notes"] {
        let page = server.request("resources/read", json!({ "uri": uri }));
        if let Some(text) = page["result"]["contents"][0]["text"].as_str() {
            told.push((uri.to_owned(), text.to_owned()));
        }
    }
    server.ends_well();
    told
}

/// One fragment that nothing inside of it ends, without a tag of the client and without characters that hide.
fn check(scene: &Scene) {
    let mut seen = 0;
    for (when, text) in told(scene) {
        check_characters(Channel::ServerInput, &when, &text);
        let opened = text.matches("[throughline:").count();
        assert_eq!(opened, text.matches("[/throughline]").count(), "{when}: {text}");
        assert!(opened == 1 || !is_marked(&text), "{when}: {text}");
        for tag in TAGS {
            assert!(!text.contains(tag), "{when}: {tag} in {text}");
        }
        seen += text.matches(MARK).count();
    }
    assert!(seen > 50, "what was recorded is told: {seen}");
    for verb in [&["briefing"][..], &["handoff"]] {
        check_characters(Channel::ServerInput, &verb.join(" "), &scene.run(verb).stdout);
    }
    check_verbs(scene);
}

/// What verbs show of it: to a person without what could pose as us or as the client, to an agent between our marks.
fn check_verbs(scene: &Scene) {
    for verb in [
        &["list"][..],
        &["list", "evidence"],
        &["list", "--all"],
        &["load"],
        &["notes"],
        &["sessions", "list"],
        &["sessions", "show", "s2"],
        &["checkpoint", "list"],
        &["checkpoint", "show", "latest"],
    ] {
        let when = verb.join(" ");
        let said = scene.run(verb);
        let for_person = format!("{}{}", said.stdout, said.stderr);
        let for_agent = scene.as_agent(verb);
        for text in [&for_person, &for_agent] {
            check_characters(Channel::ServerInput, &when, text);
            for tag in TAGS {
                assert!(!text.contains(tag), "{when}: {tag} in {text}");
            }
        }
        assert_eq!(for_person.matches("[/throughline]").count(), 0, "{when}: {for_person}");
        assert!(for_agent.starts_with("[throughline:"), "{when}: {for_agent}");
        assert!(for_agent.ends_with("\n[/throughline]\n"), "{when}: {for_agent}");
        assert_eq!(for_agent.matches("[throughline:").count(), 1, "{when}: {for_agent}");
        assert_eq!(for_agent.matches("[/throughline]").count(), 1, "{when}: {for_agent}");
        assert!(for_agent.encode_utf16().count() < 25_000, "{when}");
        // Data is data: nothing is left out of it, but nothing in it moves a terminal.
        let json = scene.run(&[verb, &["--json"]].concat()).stdout;
        check_characters(Channel::ServerInput, &when, &json);
        assert!(serde_json::from_str::<Value>(&json).is_ok(), "{when}: {json}");
        for tag in TAGS {
            assert!(!json.contains(tag), "{when} --json: {tag} in {json}");
        }
    }
    let listed = scene.as_agent(&["list", "evidence"]);
    assert!(is_marked(&listed), "{listed}");
    for line in listed.lines().filter(|line| is_marked(line)) {
        assert!(line.starts_with("> "), "evidence is quoted: {line}");
    }
    let said = |value: Value| value.to_string();
    assert!(
        said(scene.json(&["list", "--all", "--json"])).contains("[/throughline]"),
        "data is what was recorded"
    );
}

#[test]
fn what_comes_over_mcp_is_the_agents_word_in_every_tool() {
    let scene = Scene::with_git();
    scene.hook(&payload::session_start(&scene.home, "s1", "startup"));
    let mut server = Server::start(&scene.home);
    for text in texts() {
        for (tool, given) in [
            ("record_decision", json!({ "text": text, "why": text })),
            ("record_constraint", json!({ "text": text, "blocking": true })),
            ("ask_question", json!({ "text": text, "why": text, "priority": "high" })),
            ("add_evidence", json!({ "text": text, "type": "output", "source": text })),
            ("anchor", json!({ "text": text, "priority": "critical" })),
            ("checkpoint", json!({ "note": text })),
        ] {
            let answer = server.call(tool, given).unwrap_or_else(|refusal| panic!("{tool}: {refusal}"));
            assert!(!is_marked(&answer), "{tool} repeats nothing: {answer}");
        }
        // What is wrong is said in words that hold nothing of it, or hold it harmless.
        for (tool, given) in [
            ("resolve_question", json!({ "id": text, "answer": text })),
            ("recall", json!({ "id": text })),
            ("ask_question", json!({ "text": "a", "priority": text })),
            ("anchor", json!({ "text": "a", "type": text })),
            ("next", json!({ text.as_str(): 1 })),
        ] {
            let refusal = server.call(tool, given).unwrap_err();
            check_characters(Channel::ServerInput, tool, &refusal);
        }
    }
    server.call("resolve_question", json!({ "id": "Q12", "answer": texts()[3] })).unwrap();
    server.ends_well();
    let rows = scene.archived();
    assert!(rows.iter().filter(|row| is_marked(&row.text)).count() >= 50, "{}", rows.len());
    for row in rows.iter().filter(|row| is_marked(&row.text)) {
        assert_eq!(row.origin, "assistant", "{row:?}");
        assert!(!["directive", "note"].contains(&row.kind.as_str()), "{row:?}");
        assert!(row.kind != "constraint" || row.body["source"] == "agent", "{row:?}");
    }
    check(&scene);
}

/// A person who imports a file takes its words; an agent that does so speaks for itself, whatever the file says.
#[test]
fn an_imported_file_speaks_as_whoever_imported_it() {
    let rows = |key: &str| -> Vec<Value> {
        let row = |text| json!({ key: text, "rationale": text, "source": "user", "origin": "user", "trusted": true });
        texts().into_iter().map(row).collect()
    };
    let file = json!({
        "version": "2.0.0", "decisions": rows("decision"), "constraints": rows("constraint"),
        "anchors": rows("content"), "openQuestions": rows("question"), "evidenceLedger": rows("content"),
        "directives": rows("text"), "summaries": {"keyDecisions": texts()},
        "sd": {"id": texts()[0], "title": texts()[3]},
    });
    for (is_agent, origin) in [(true, "assistant"), (false, "user")] {
        let scene = Scene::with_git();
        scene.home.write("theirs.json", &file.to_string());
        if is_agent {
            scene.as_agent(&["import", "theirs.json"])
        } else {
            scene.ok(&["import", "theirs.json"])
        };
        assert!(scene.home.project().join(STATE).exists());
        let rows = scene.archived();
        assert!(rows.iter().any(|row| is_marked(&row.text)), "{}", rows.len());
        for row in rows.iter().filter(|row| is_marked(&row.text)) {
            assert_eq!(row.origin, origin, "{row:?}");
            assert!(
                !is_agent || row.kind != "directive",
                "an agent gives no orders in the user's name: {row:?}"
            );
            assert!(!is_agent || row.kind != "constraint" || row.body["source"] == "agent", "{row:?}");
        }
        let directs = rows.iter().any(|row| row.kind == "directive" && is_marked(&row.text));
        assert_ne!(directs, is_agent, "a person's import brings them");
        check(&scene);
    }
}
