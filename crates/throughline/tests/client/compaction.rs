//! The three ways a compaction begins: the block reaches the summariser, the briefing the next request, both whole.

use throughline_testkit::{
    Kind, Script, Step, TurnResult, Usage,
    client::{MODEL_WITH_REMINDERS, MODEL_WITH_SYSTEM_MESSAGES},
    request::{ADDITIONAL_INSTRUCTIONS, COMPACT_OUTPUT},
};

use crate::scene::{Scene, fragments};

pub(crate) const SUMMARY: &str =
    "<analysis>short</analysis>\n<summary>\n1. The parser was written.\n</summary>";
pub(crate) const BY_USER: &str = "Archive lives in SQLite";
pub(crate) const BY_AGENT: [&str; 2] = ["Parser works without recursion", "Tokens carry byte offsets"];
const RULE: &str = "No new runtime dependencies";

/// The user has recorded something; the agent records more, and the context is full.
pub(crate) fn prepare(scene: &Scene, full: Option<Step>) {
    scene.run(&["add", "decision", BY_USER, "--rationale", "one file, no server"]);
    scene.run(&["add", "constraint", RULE, "--source", "user", "--blocking"]);
    let steps = [
        scene.decides(BY_AGENT[0], "deep input overflowed the stack"),
        scene.decides(BY_AGENT[1], "errors need a place"),
    ];
    let steps = steps.into_iter().chain(full).chain([Step::text("The parser is done.")]);
    let script = Script::new()
        .compact_summary(SUMMARY)
        .turn("PROMPT:parser", steps)
        .turn("PROMPT:after", [Step::text("It works without recursion.")]);
    scene.lab.set_script(script);
}

/// The client writes its transcript a moment after the answer came; a real tool takes longer than that.
pub(crate) fn fills_the_window() -> Step {
    Step::bash("sleep 0.4").usage(Usage::filling(150_000))
}

fn has_everything(text: &str) -> bool {
    BY_AGENT.iter().chain([&BY_USER, &RULE]).all(|entry| text.contains(entry))
}

/// What must hold after one compaction, however it began and wherever the hooks come from.
pub(crate) fn check(scene: &Scene, turns: &[TurnResult], trigger: &str) {
    assert_eq!(turns.iter().map(TurnResult::compactions).sum::<usize>(), 1);
    let compacts = scene.lab.mock().requests_of(Kind::Compact);
    assert_eq!(compacts.len(), 1);
    let instructions = compacts[0].hook_texts_of(ADDITIONAL_INSTRUCTIONS);
    assert_eq!(instructions.len(), 1, "{instructions:?}");
    let said = fragments(&compacts[0]);
    let block: Vec<&String> = said.iter().filter(|text| text.starts_with("[throughline:preserve]")).collect();
    assert_eq!(block.len(), 1, "{said:?}");
    assert!(instructions[0].text.ends_with(block[0].as_str()), "{instructions:?}");
    assert!(has_everything(block[0]), "{block:?}");
    let receipt = scene.receipt("PreCompact");
    assert_eq!(receipt.said_bytes, block[0].len() as u64, "what was said and what arrived are the same");

    let first = briefings(&fragments(&scene.lab.mock().requests_of(Kind::Main)[0]));
    assert_eq!(first.len(), 1, "{first:?}");
    assert!(first[0].contains("[CONTEXT RESTORED]") && first[0].contains(BY_USER), "{first:?}");

    let next = scene.lab.mock().main_after_compaction(1).expect("a main request after the compaction");
    assert!(next.contains("1. The parser was written."), "the summary is in the next request");
    let briefing = briefings(&fragments(&next));
    assert_eq!(briefing.len(), 1, "{briefing:?}");
    assert!(has_everything(&briefing[0]), "{briefing:?}");
    let hooks_said: Vec<String> = turns.iter().flat_map(TurnResult::hooks_said).collect();
    assert_eq!(hooks_said.iter().filter(|said| *said == &briefing[0]).count(), 1, "{hooks_said:?}");
    let labels = next.hook_texts_among(&hooks_said);
    let labelled = labels.iter().filter(|found| found.text == briefing[0]);
    assert_eq!(
        labelled.map(|found| found.label.as_str()).collect::<Vec<_>>(),
        ["SessionStart:compact hook success"]
    );

    check_disk(scene, turns[0].session_id(), trigger);
}

pub(crate) fn briefings(fragments: &[String]) -> Vec<String> {
    fragments.iter().filter(|text| text.starts_with("[throughline:briefing]")).cloned().collect()
}

/// What the compaction left in the project and in the archive. The session has ended.
fn check_disk(scene: &Scene, session: &str, trigger: &str) {
    let decisions = scene.state()["decisions"].clone();
    assert_eq!(decisions.as_array().map(Vec::len), Some(3), "{decisions}");
    let snapshot = scene.lab.home().read(".claude/compaction-snapshot.md");
    assert!(snapshot.contains("main") && snapshot.contains("start"), "{snapshot}");
    let log = scene.lab.home().read(&format!(".claude/sessions/{session}/compaction-log.txt"));
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains(trigger), "{log}");

    let rows = scene.compactions();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0].session, session);
    assert_eq!(rows[0].trigger.as_deref(), Some(trigger));
    assert_eq!(rows[0].summary.as_deref(), Some(SUMMARY));
    let recorded = |text: &str, origin: &str, by: Option<&str>| {
        (text.to_owned(), origin.to_owned(), by.map(str::to_owned))
    };
    let expected = [
        recorded(BY_USER, "user", None),
        recorded(BY_AGENT[0], "assistant", Some(session)),
        recorded(BY_AGENT[1], "assistant", Some(session)),
    ];
    assert_eq!(scene.archived_decisions(), expected, "who recorded it, and in which session");
    let ran =
        ["SessionStart", "UserPromptSubmit", "PostToolBatch", "PreCompact", "SubagentStop", "PostCompact"];
    for event in ran.into_iter().chain(["Stop", "SessionEnd"]) {
        assert_eq!(scene.receipt(event).outcome, "ok", "{event}");
    }
    assert_eq!(scene.logged(), "");
    let tracked = scene.lab.home().git(&["status", "--porcelain"]);
    assert_eq!(tracked, "", "our files stay out of git");
    assert!(scene.project().state_file().exists());
}

pub(crate) fn automatic(scene: &Scene, args: &[&str]) -> Vec<TurnResult> {
    prepare(scene, Some(fills_the_window()));
    let mut client = scene.lab.live(args);
    let mut turns = vec![client.ask("PROMPT:parser write it")];
    assert_eq!(turns[0].text(), "The parser is done.");
    // The save before a compaction, and nothing after it has replaced it yet.
    assert_eq!(scene.state()["trigger"], "precompact");
    turns.push(client.ask("PROMPT:after what did we decide?"));
    assert_eq!(turns[1].text(), "It works without recursion.");
    assert!(client.close().success());
    turns
}

pub(crate) fn by_hand(scene: &Scene, args: &[&str]) -> Vec<TurnResult> {
    prepare(scene, None);
    let mut client = scene.lab.live(args);
    let mut turns =
        vec![client.ask("PROMPT:parser write it"), client.ask("/compact focus on the byte offsets")];
    assert_eq!(scene.state()["trigger"], "precompact");
    turns.push(client.ask("PROMPT:after what did we decide?"));
    assert_eq!(turns[2].text(), "It works without recursion.");
    assert!(client.close().success());
    turns
}

pub(crate) fn too_long(scene: &Scene, args: &[&str]) -> Vec<TurnResult> {
    prepare(scene, Some(Step::prompt_too_long()));
    let mut client = scene.lab.live(args);
    let turns = vec![client.ask("PROMPT:parser write it")];
    assert_eq!(turns[0].text(), "The parser is done.");
    assert_eq!(scene.state()["trigger"], "precompact");
    assert!(client.close().success());
    turns
}

/// After a compaction by hand the client shows the model what the hooks around it printed: the block once more, which
/// no hook can prevent, and nothing else.
pub(crate) fn check_report_by_hand(scene: &Scene) {
    let next = scene.lab.mock().main_after_compaction(1).unwrap();
    let kinds: Vec<String> =
        fragments(&next).iter().map(|text| text.lines().next().unwrap().to_owned()).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "[throughline:preserve]").count(), 1, "{kinds:?}");
    assert_eq!(kinds.len(), 2, "{kinds:?}");
    let reports = next.hook_texts_of(COMPACT_OUTPUT);
    assert_eq!(reports.len(), 1, "{reports:?}");
    let (_, after) = reports[0].text.rsplit_once("[/throughline]").unwrap();
    let lines: Vec<&str> = after.lines().filter(|line| line.contains("PostCompact [")).collect();
    assert!(!lines.is_empty(), "{reports:?}");
    assert!(lines.iter().all(|line| line.ends_with("] completed successfully")), "{reports:?}");
}

fn automatic_on(model: &str) {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(|lab| lab.with_model(model).with_small_window());
    let turns = automatic(&scene, &[]);
    check(&scene, &turns, "auto");
    let next = scene.lab.mock().main_after_compaction(1).unwrap();
    assert_eq!(fragments(&next).len(), 1, "nothing of ours beside the briefing");
}

#[test]
fn an_automatic_compaction_is_survived() {
    automatic_on(MODEL_WITH_REMINDERS);
}

#[test]
fn an_automatic_compaction_is_survived_where_hooks_speak_in_system_messages() {
    automatic_on(MODEL_WITH_SYSTEM_MESSAGES);
}

#[test]
fn a_compaction_by_hand_keeps_the_focus_as_a_directive() {
    let Some(scene) = Scene::installed() else { return };
    let turns = by_hand(&scene, &[]);
    check(&scene, &turns, "manual");

    let directives = scene.state()["directives"].clone();
    assert!(directives[0].to_string().contains("focus on the byte offsets"), "{directives}");
    assert_eq!(scene.compactions()[0].focus.as_deref(), Some("focus on the byte offsets"));
    let next = scene.lab.mock().main_after_compaction(1).unwrap();
    assert!(briefings(&fragments(&next))[0].contains("focus on the byte offsets"));
    check_report_by_hand(&scene);
}

#[test]
fn a_prompt_that_the_api_calls_too_long_is_survived() {
    let Some(scene) = Scene::installed() else { return };
    let turns = too_long(&scene, &[]);
    check(&scene, &turns, "auto");
    let next = scene.lab.mock().main_after_compaction(1).unwrap();
    assert_eq!(fragments(&next).len(), 1, "nothing of ours beside the briefing");
}

/// The client replaces what is longer than 10,000 UTF-16 units by a preview; a full memory must stay below it.
#[test]
fn a_memory_that_is_full_arrives_whole() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    for number in 1..=14 {
        let text = format!("Decision number {number}: {}", "tokens carry offsets 🦀 ".repeat(20));
        scene.run(&["add", "decision", text.trim(), "--rationale", &"errors need a place. ".repeat(10)]);
        scene.run(&["add", "evidence", &text, "--type", "output", "--source", "cargo test"]);
    }
    let steps = [Step::bash("echo one"), fills_the_window(), Step::text("Done.")];
    scene.lab.set_script(Script::new().turn("PROMPT:fill", steps));
    let mut client = scene.lab.live(&[]);
    let turn = client.ask("PROMPT:fill it");
    assert_eq!((turn.text(), turn.compactions()), ("Done.", 1));
    assert!(client.close().success());

    let compact = &scene.lab.mock().requests_of(Kind::Compact)[0];
    let said = fragments(compact);
    let block = said.iter().find(|text| text.starts_with("[throughline:preserve]")).unwrap();
    assert_eq!(scene.receipt("PreCompact").said_bytes, block.len() as u64);
    assert!(block.encode_utf16().count() > 5_000, "the test is about a full memory");
    let next = scene.lab.mock().main_after_compaction(1).unwrap();
    let briefing = briefings(&fragments(&next));
    assert_eq!(briefing.len(), 1);
    assert_eq!(scene.receipt("SessionStart").said_bytes, briefing[0].len() as u64);
    let units = briefing[0].encode_utf16().count();
    assert!(units > 3_000 && units <= 4_800, "{units}");
    assert!(briefing[0].contains("Decision number 14:"), "{briefing:?}");
}
