//! The figures: what counts as needed, held, lost, brought and read again.

use expect_test::expect;
use serde_json::{Value, json};

use crate::scene::{SESSION, Scene, needed};

/// The case that the other tests vary: of four things needed the summary has one.
fn worked_on() -> Scene {
    let scene = Scene::new();
    scene
        .session(SESSION)
        .works()
        .compacts("We changed parser.rs; it is faster now.")
        .says("I go on.")
        .reads("src/lexer.rs")
        .edits("src/parser.rs")
        .runs("cd src && cargo test -p parser 2>&1 | tail -5")
        .searches("fn parse_line")
        .reads("src/new.rs")
        .runs("ls");
    scene
}

#[test]
fn of_what_was_needed_each_part_is_looked_for_in_the_summary_and_in_the_briefing() {
    let scene = worked_on();
    let found = &scene.compactions(&[])[0];
    assert_eq!(needed(found), ["src/lexer.rs", "src/parser.rs", "cargo test -p parser", "parse_line"]);
    assert_eq!(found["need"], json!({ "count": 4, "files": 2, "commands": 1, "names": 1 }));
    assert_eq!(found["recall"], json!({ "summary": 0.25, "briefing": 0.75, "both": 1.0, "blind": 1.0 }));
    assert_eq!((&found["lost"], &found["brought"]), (&json!(3), &json!(3)));
    assert_eq!(found["reads"], json!({ "calls": 2, "again": 1, "files": ["src/lexer.rs"] }));
    assert_eq!(found["kept"]["checks"], json!({ "of": 1, "summary": 0, "both": 1 }));
    assert_eq!(found["trigger"], "auto");
    assert_eq!(found["tokensBefore"], 50_000);
    assert_eq!(found["tokensAfter"], 2_700);
    assert_eq!(found["turnsAfter"], 7);
    let uses: Vec<_> =
        found["needed"].as_array().unwrap().iter().map(|it| (&it["used"], &it["turn"])).collect();
    let expected = [("read", 2), ("edited", 3), ("ran", 4), ("searched", 5)];
    assert_eq!(json!(uses), json!(expected));
}

#[test]
fn only_the_turns_that_are_watched_count() {
    let scene = worked_on();
    let found = &scene.compactions(&["--turns", "3"])[0];
    assert_eq!(needed(found), ["src/lexer.rs", "src/parser.rs"]);
    assert_eq!(found["recall"]["summary"], 0.5);
    assert_eq!(found["reads"]["calls"], 1);
    assert_eq!(found["turnsAfter"], 7, "the stretch itself is as long as it is");
}

#[test]
fn a_briefing_without_room_brings_nothing() {
    let scene = worked_on();
    let found = &scene.compactions(&["--tokens", "5"])[0];
    assert_eq!(found["recall"], json!({ "summary": 0.25, "briefing": 0.0, "both": 0.25, "blind": 0.0 }));
    assert_eq!(found["briefingTokens"], 0);
    let found = &scene.compactions(&["--tokens", "120"])[0];
    assert!(found["briefingTokens"].as_u64().unwrap() <= 120, "{found}");
}

#[test]
fn the_next_compaction_ends_the_stretch_and_knows_what_came_in_it() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    session.works().compacts("Nothing of note.").reads("src/new.rs").reads("src/lexer.rs");
    session.compacts("We read new.rs.").reads("src/new.rs").reads("src/tokens.rs");
    let found = scene.compactions(&[]);
    assert_eq!(needed(&found[0]), ["src/lexer.rs"]);
    assert_eq!(found[0]["turnsAfter"], 2);
    assert_eq!(needed(&found[1]), ["src/new.rs", "src/tokens.rs"]);
    assert_eq!(found[1]["recall"]["summary"], 0.5);
    assert_eq!(
        found[1]["reads"],
        json!({ "calls": 2, "again": 2, "files": ["src/new.rs", "src/tokens.rs"] })
    );
}

#[test]
fn a_summary_behind_messages_that_were_kept_begins_the_stretch() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    session.works();
    let boundary = json!({
        "type": "system", "subtype": "compact_boundary", "uuid": "b", "isSidechain": false,
        "timestamp": "2026-03-01T10:00:00.000Z", "compactMetadata": { "trigger": "manual", "preTokens": 90_000 },
    });
    session.transcript.raw(&boundary.to_string());
    // Kept from before, under new ids.
    session.reads("src/lexer.rs");
    let summary = json!({
        "type": "user", "uuid": "s", "isCompactSummary": true, "timestamp": "2026-03-01T10:00:01.000Z",
        "message": { "role": "user", "content": [{ "type": "text", "text": "tokens.rs matters" }] },
    });
    session.transcript.raw(&summary.to_string());
    session.reads("src/tokens.rs");
    let found = scene.compactions(&[]);
    assert_eq!(found.len(), 1);
    assert_eq!(needed(&found[0]), ["src/tokens.rs"]);
    assert_eq!(found[0]["recall"]["summary"], 1.0);
    assert_eq!(found[0]["at"], "2026-03-01T10:00:00.000Z");
    assert_eq!(found[0]["trigger"], "manual");
    assert_eq!(found[0]["tokensAfter"], Value::Null);
    assert_eq!(found[0]["contextAfter"], 49_980, "what the first response reported stands in");
}

#[test]
fn a_summary_without_a_boundary_and_a_boundary_without_a_summary_are_compactions() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    session.works();
    let summary = json!({
        "type": "user", "uuid": "s", "isCompactSummary": true, "timestamp": "2026-03-01T10:00:01.000Z",
        "message": { "role": "user", "content": "lexer.rs" },
    });
    session.transcript.raw(&summary.to_string());
    session.reads("src/lexer.rs");
    session.transcript.raw(r#"{"type":"system","subtype":"compact_boundary","uuid":"b"}"#);
    session.reads("src/tokens.rs");
    let found = scene.compactions(&[]);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["recall"]["summary"], 1.0);
    assert_eq!(found[0]["trigger"], Value::Null);
    assert_eq!(found[1]["recall"]["summary"], Value::Null, "there is none to ask");
    assert_eq!(found[1]["summaryTokens"], Value::Null);
    assert_eq!(found[1]["recall"]["both"], 1.0);
}

#[test]
fn what_a_subagent_does_and_what_the_agent_only_says_is_no_need() {
    let scene = Scene::new();
    let mut session = scene.session(SESSION);
    session.works().compacts("Nothing.").says("I look at src/lexer.rs and parse_line now.");
    let call =
        json!({ "type": "tool_use", "id": "t1", "name": "Read", "input": { "file_path": "src/tokens.rs" } });
    let side = json!({
        "type": "assistant", "uuid": "x", "isSidechain": true,
        "message": { "id": "m", "role": "assistant", "model": "m", "content": [call] },
    });
    session.transcript.raw(&side.to_string());
    let found = &scene.compactions(&[])[0];
    assert_eq!(needed(found), [] as [&str; 0]);
    assert_eq!(found["recall"], json!({ "summary": null, "briefing": null, "both": null, "blind": null }));
    assert!(scene.says(&[]).contains(" 0        -"), "{}", scene.says(&[]));
}

#[test]
fn json_has_a_stated_form() {
    let report = worked_on().json(&[]);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let session = &report["sessions"][0];
    let compaction = &session["compactions"][0];
    let shown =
        [&report, &report["mean"], session, compaction, &compaction["needed"][0], &compaction["kept"]]
            .map(keys)
            .join("\n");
    expect![[r"
        tokens turns sessions mean
        compactions summary briefing both blind
        session transcript problems compactions
        at offset trigger tokensBefore tokensAfter contextAfter turnsAfter summaryTokens briefingTokens need recall lost brought kept needed reads
        kind text used turn summary briefing blind
        checks errors directives tasks"]]
    .assert_eq(&shown);
    assert_eq!(
        report["mean"],
        json!({
            "compactions": 1, "summary": 0.25, "briefing": 0.75, "both": 1.0, "blind": 1.0,
        })
    );
}

#[test]
fn the_table_and_the_bars_tell_the_same() {
    expect![[r"
        session 11111111-2222-4333-8444-555555555555
           #  when              trigger        tokens     needed  summary  briefing  both  blind  re-read
           1  2026-03-01 09:30  auto           50k → 3k        4      25%       75%  100%   100%      1/2
              lost, brought back: src/lexer.rs, cargo test -p parser, parse_line
              word by word: checks 0 → 1 of 1 · directives 0 → 1 of 1

        needed: files, commands and searched names, known before and used in the 30 turns after
        summary: how much of that the client's summary holds; both: summary and our briefing together
        briefing: what our 1200 tokens hold, leaving out what the summary says: 0% where it says all
        blind: our briefing alone, made without knowing the summary
        re-read: reads of files that it had read or changed before, of all its reads

        what was needed, and at hand  █ summary alone  ▒ with the briefing
          11111111  2026-03-01 09:30  ██████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒   25% → 100%
        mean of 1 compaction: summary 0.250, briefing 0.750, both 1.000; blind 1.000
        1 of 2 reads were of files it had read or changed before
    "]]
    .assert_eq(&worked_on().says(&["--last"]));
}
