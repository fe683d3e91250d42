//! A session of OpenCode from its start through a compaction: what each request holds of ours, and what is remembered.

use throughline_testkit::{Kind, Script, Step};

use crate::opencode_scene::{SUMMARY, Scene, fragments, full, holds_ours, shell};

#[test]
fn a_start_is_given_the_briefing_once_and_a_title_nothing() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["add", "decision", "The parser must not allocate", "--rationale", "it runs in an interrupt"]);
    scene.plays(Script::new().turn("PROMPT:one", [shell("echo one"), Step::text("Done.")]));
    scene.lab.run("PROMPT:one go").assert_success();
    let asked = scene.asked();
    assert_eq!(asked.len(), 2);
    for request in &asked {
        let given = fragments(request, "briefing");
        assert_eq!(given.len(), 1, "whole, once, also with the second request of a turn");
        assert!(given[0].contains("The parser must not allocate"), "{}", given[0]);
    }
    // The server's cache: nothing before what is new has changed.
    let [first, second] = [0, 1].map(|nth| asked[nth].body["messages"].as_array().unwrap().clone());
    assert_eq!(second[..first.len()], first[..]);
    let titles = scene.lab.mock().requests_of(Kind::Side);
    assert_eq!(titles.len(), 1);
    assert!(!titles.iter().any(holds_ours));
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_compaction_is_told_what_to_keep_and_the_next_request_gets_the_briefing() {
    let Some(scene) = Scene::installed() else { return };
    let script = Script::new()
        .turn("PROMPT:one", [shell("cargo test -- nothing || true"), Step::text("Looked at it.")])
        .turn("PROMPT:two", [full("Read a lot."), shell("echo on"), Step::text("Went on.")])
        .turn("PROMPT:three", [Step::text("Three.")]);
    scene.plays(script);
    scene.lab.run("PROMPT:one Fix the parser in src/parse.rs").assert_success();
    scene.run(&["add", "decision", "The parser must not allocate", "--rationale", "it runs in an interrupt"]);
    scene.lab.run_on("PROMPT:two go on").assert_success();

    let compacts = scene.lab.mock().requests_of(Kind::Compact);
    assert_eq!(compacts.len(), 1);
    let kept = fragments(&compacts[0], "preserve");
    assert_eq!(kept.len(), 1);
    assert!(kept[0].contains("The parser must not allocate"), "{}", kept[0]);
    assert!(fragments(&compacts[0], "briefing").is_empty(), "the summariser is given no briefing");
    let prompt = compacts[0].texts().last().unwrap().clone();
    assert!(prompt.contains("<conversation>"), "the client's own prompt is still there");

    let after = scene.lab.mock().main_after_compaction(1).unwrap();
    assert!(after.contains(SUMMARY));
    let given = fragments(&after, "briefing");
    assert_eq!(given.len(), 1);
    assert!(given[0].contains("The parser must not allocate"), "{}", given[0]);
    assert!(given[0].contains("Fix the parser in src/parse.rs"), "told out of the transcript: {}", given[0]);
    let later = &scene.asked()[scene.asked().len() - 1];
    assert_eq!(fragments(later, "briefing"), given, "it stays with the requests that follow");

    // A new process has lost what was in no message: it is given again.
    scene.lab.run_on("PROMPT:three and now?").assert_success();
    let given = fragments(scene.asked().last().unwrap(), "briefing");
    assert_eq!(given.len(), 1);
    assert!(given[0].contains("The parser must not allocate"), "{}", given[0]);

    let events: Vec<String> = scene.receipts().into_iter().map(|receipt| receipt.event).collect();
    for event in ["SessionStart", "PreCompact", "PostCompact", "Stop", "SessionEnd"] {
        assert!(events.iter().any(|it| it == event), "{event} in {events:?}");
    }
    assert_eq!(scene.logged(), "");
}

#[test]
fn the_summary_and_the_session_are_remembered() {
    let Some(scene) = Scene::installed() else { return };
    scene.plays(Script::new().turn("PROMPT:one", [full("The cache was stale."), Step::text("Went on.")]));
    scene.lab.run("PROMPT:one Why is the cache stale?").assert_success();
    let found = scene.run(&["recall", "why is the cache stale"]).stdout;
    assert!(found.contains("cache"), "{found}");
    let sessions = scene.run(&["sessions", "list", "--json"]).stdout;
    assert!(sessions.contains("ses_") && sessions.contains("opencode"), "{sessions}");
    let used = scene.run(&["usage", "agents", "--json"]).stdout;
    assert!(used.contains("OpenCode"), "{used}");
}

#[test]
fn anchors_and_the_active_style_are_in_the_compactions_context() {
    let Some(scene) = Scene::installed() else { return };
    for (text, kind, priority) in [
        ("Never touch the generated files", "decision", "critical"),
        ("Releases are cut from main", "context", "high"),
        ("Answer in short sentences", "output_style", "high"),
    ] {
        scene.run(&["anchor", "add", text, "--type", kind, "--priority", priority]);
    }
    scene.plays(Script::new().turn("PROMPT:one", [full("Read a lot."), Step::text("Went on.")]));
    scene.lab.run("PROMPT:one go").assert_success();
    let kept = fragments(&scene.lab.mock().requests_of(Kind::Compact)[0], "preserve").join("\n");
    for anchor in
        ["Never touch the generated files", "Releases are cut from main", "Answer in short sentences"]
    {
        assert!(kept.contains(anchor), "{anchor} in {kept}");
    }
    assert_eq!(scene.logged(), "");
}
