//! Finding: words, names, phrases, kinds, places; and what is said when there is nothing.

use std::collections::BTreeSet;

use expect_test::expect;

use crate::scene::Scene;

#[test]
fn what_was_said_is_found_by_its_words_in_any_form_and_by_parts_of_names() {
    let scene = Scene::told();
    for (words, part) in [
        ("why were rows dropped", "importer drop rows"),
        ("csvReader", "csv_reader.rs"),
        ("parse_row", "parseRow"),
        ("E0308", "mismatched types"),
        ("queue database decision", "job queue"),
        ("\"never spaces\"", "Use tabs"),
    ] {
        let found = scene.texts(words);
        assert!(found.first().is_some_and(|text| text.contains(part)), "{words}: {found:?}");
    }
}

#[test]
fn phrases_exclusions_kinds_sessions_and_times_narrow_it() {
    let scene = Scene::told();
    assert!(scene.texts("\"spaces never\"").is_empty());
    assert!(scene.texts("umlauts").len() > scene.texts("umlauts -survive").len());
    let apart = scene.json(&["recall", "umlauts", "-survive", "--json"]);
    assert_eq!(apart["results"], scene.json(&["recall", "umlauts -survive", "--json"])["results"]);
    let helped = scene.run(&["recall", "umlauts", "-h"]);
    assert!(helped.stdout.contains("Usage: throughline recall"), "{}", helped.stdout);
    let slip = scene.run(&["recall", "umlauts", "-survive", "--kinds", "error"]);
    assert_eq!(slip.status.code(), Some(2));
    assert!(slip.stderr.contains("a similar argument exists: '--kind'"), "{}", slip.stderr);
    let of = |args: &[&str]| {
        let found = scene.json(&[&["recall", "--json"], args].concat());
        found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["kind"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&["import", "--kind", "error"]), ["error"]);
    assert_eq!(of(&["postgres", "--session", "s1"]), Vec::<String>::new());
    assert_eq!(of(&["postgres", "--session", "s2"]).len(), 1, "the reply is shown with the question");
    assert_eq!(
        of(&["postgres", "--session", "S2"]).len(),
        1,
        "ids are written in lower case, and copied in upper"
    );
    assert_eq!(of(&["postgres", "--since", "2026-03-01"]), Vec::<String>::new());
    assert_eq!(of(&["postgres", "--project", "app"]).len(), 1);
    assert_eq!(of(&["postgres", "--project", "all"]).len(), 1);
    let refused = scene.run(&["recall", "postgres", "--project", "nowhere"]);
    assert!(refused.stderr.contains("no project is called `nowhere`"), "{}", refused.stderr);
    let refused = scene.run(&["recall", "postgres", "--kind", "poem"]);
    assert!(refused.stderr.contains("there is no kind `poem`"), "{}", refused.stderr);
}

#[test]
fn results_show_the_sentence_in_its_place() {
    let scene = Scene::told();
    scene.ok(&["backfill"]);
    expect![[r"
        p10  user, 2026-02-01 00:13, turn 0, app (s2)
            Let us choose Postgres over Redis for the job queue.
            concluded (p11): Agreed: the queue moves to Postgres, since jobs must survive a restart.
        `throughline recall show p10` opens what stands around it
    "]]
    .assert_eq(&scene.ok(&["recall", "redis", "queue"]));
}

#[test]
fn the_json_form_has_everything_a_program_needs() {
    let scene = Scene::told();
    scene.ok(&["backfill"]);
    let mut found = scene.json(&["recall", "--json", "redis"]);
    found["results"][0]["score"] = 1.into();
    expect![[r#"
        {
          "question": "redis",
          "results": [
            {
              "id": "p10",
              "kind": "user",
              "session": "s2",
              "project": "/home/me/app",
              "turn": 0,
              "at": "2026-02-01T00:13:00.000Z",
              "subagent": false,
              "holds_tool_output": false,
              "sentence": "Let us choose Postgres over Redis for the job queue.",
              "text": "Let us choose Postgres over Redis for the job queue.",
              "concluded": {
                "id": "p11",
                "text": "Agreed: the queue moves to Postgres, since jobs must survive a restart."
              },
              "also": [],
              "score": 1
            }
          ],
          "bytes_not_indexed": 0
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&found).unwrap());
}

#[test]
fn a_passage_opens_with_what_stands_around_it() {
    let scene = Scene::told();
    scene.ok(&["backfill"]);
    let near = scene.json(&["recall", "show", "p11", "--around", "1", "--json"]);
    let kinds: Vec<&str> =
        near["passages"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!((near["session"].as_str(), kinds), (Some("s2"), vec!["user", "assistant"]));
    let told = scene.ok(&["recall", "show", "p11"]);
    let marked: Vec<&str> = told.lines().filter(|line| line.ends_with("← this one")).collect();
    assert!(matches!(marked[..], [line] if line.starts_with("p11  assistant, ")), "{told}");
    let refused = scene.run(&["recall", "show", "p9999"]);
    assert!(refused.stderr.contains("there is no result `p9999`"), "{}", refused.stderr);
}

#[test]
fn recorded_entries_are_found_among_what_was_said() {
    let scene = Scene::told();
    scene.ok(&[
        "add",
        "decision",
        "The job queue lives in Postgres",
        "--rationale",
        "jobs must survive a restart",
    ]);
    let found = scene.json(&["recall", "--json", "job queue postgres"]);
    assert_eq!(found["results"][0]["kind"], "decision", "{found}");
    let id = found["results"][0]["id"].as_str().unwrap().to_owned();
    assert!(scene.ok(&["recall", "show", &id]).contains("jobs must survive a restart"));
    let only = scene.json(&["recall", "--json", "job queue postgres", "--kind", "decision"]);
    assert_eq!(only["results"].as_array().unwrap().len(), 1);
}

#[test]
fn nothing_found_names_the_next_step() {
    let scene = Scene::new();
    assert!(scene.run(&["recall", "anything"]).stderr.contains("`throughline backfill`"));
    let scene = Scene::told();
    assert!(scene.run(&["recall", "zeppelin"]).stderr.contains("fewer or other words"));
    assert!(scene.run(&["recall", "postgres", "--kind", "error"]).stderr.contains("look everywhere"));
    assert!(scene.run(&["recall", "\"redis postgres\""]).stderr.contains("without quotes"));
    assert_eq!(scene.run(&["recall", "..."]).status.code(), Some(1));
    assert!(scene.run(&["recall", "\"as it is\""]).stderr.contains("add a word that stands near them"));
}

/// Texts without spaces are indexed by pairs; one character stands in the middle and at the end of them, too.
#[test]
fn a_single_character_of_a_script_without_spaces_is_found() {
    let mut scene = Scene::new();
    scene.user("s1", "検索が遅い");
    scene.user("s2", "点検");
    scene.user("s3", "探索");
    let found: BTreeSet<String> = scene.texts("検").into_iter().collect();
    assert_eq!(found, ["検索が遅い", "点検"].map(str::to_owned).into());
}

/// Every word of a phrase stands there, also those that the index does not keep.
#[test]
fn a_phrase_stands_as_it_was_typed() {
    let mut scene = Scene::new();
    scene.user("s1", "The total was never checked.");
    scene.user("s2", "It was total nonsense.");
    scene.user("s3", "A zebrafinch note: it is a note in the total.");
    scene.user("s4", "The zebrafinch is not in the cage.");
    assert_eq!(scene.texts("\"was total\""), ["It was total nonsense."]);
    assert_eq!(scene.texts("\"Total  WAS\""), ["The total was never checked."]);
    assert_eq!(scene.texts("zebrafinch \"is not in\""), ["The zebrafinch is not in the cage."]);
    scene.ok(&["add", "evidence", "the key is not in the map"]);
    let found = scene.run(&["recall", "\"is not in\""]);
    assert!(found.stdout.contains("the key is not in the map"), "{}", found.stdout);
    assert!(found.stderr.contains("sessions were not searched"), "{}", found.stderr);
}

#[test]
fn what_a_command_printed_is_found_as_its_output() {
    let mut scene = Scene::told();
    let config = format!("[tasks.mirror]\nenv = \"MIRROR_SOURCE=kernel\"\n{}", "filler = 1\n".repeat(2_000));
    let look = serde_json::json!({"command": "cat tasks.toml"});
    scene.tool("s3", "Bash", &look, &format!("{config}last_words = \"goodbye\"\n"), false);
    let found = scene.json(&["recall", "--json", "which variable names the mirror's source"]);
    let first = &found["results"][0];
    assert_eq!((&first["kind"], &first["holds_tool_output"]), (&"output".into(), &true.into()), "{found}");
    let text = first["text"].as_str().unwrap();
    assert!(text.starts_with("cat tasks.toml\n> [tasks.mirror]\n> env"), "{text}");
    // Of much the beginning and the end are kept, and no more.
    assert!(scene.texts("goodbye")[0].contains("last_words"));
    let all = scene.json(&["recall", "--json", "--limit", "200", "--kind", "output", "tasks.toml"]);
    let kept: usize =
        all["results"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap().len()).sum();
    assert!(kept < 6_000, "{kept}");
}

#[test]
fn what_stands_together_is_one_result_and_others_keep_their_places() {
    let mut scene = Scene::new();
    scene.user("s1", "Where does the retry budget come from?");
    for step in [
        "three tries",
        "a pause between tries",
        "a limit per hour",
        "a limit per day",
        "a switch",
        "a log",
        "an owner",
    ] {
        scene.agent("s1", &format!("The retry budget has {step}; the retry budget is in retry.toml."));
    }
    scene.user("s2", "A retry budget is overdrawn when the clock jumps.");
    let found = scene.json(&["recall", "--json", "--limit", "3", "retry budget"]);
    let results = found["results"].as_array().unwrap();
    let sessions: BTreeSet<&str> = results.iter().map(|it| it["session"].as_str().unwrap()).collect();
    assert_eq!(sessions, BTreeSet::from(["s1", "s2"]), "{found}");
    let place = results.iter().find(|it| it["session"] == "s1").unwrap();
    let also = place["also"].as_array().unwrap();
    assert_eq!(also.len(), 4, "{place}");
    assert!(also.iter().all(|it| it["text"].as_str().unwrap().contains("retry budget has")), "{place}");
    let mut shown: Vec<&str> = results
        .iter()
        .flat_map(|it| it["also"].as_array().unwrap().iter().chain([it]))
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    let count = shown.len();
    shown.sort_unstable();
    shown.dedup();
    assert_eq!(shown.len(), count, "nothing is shown twice: {found}");
    assert!(scene.ok(&["recall", "retry", "budget"]).contains("    also (p"));
}
