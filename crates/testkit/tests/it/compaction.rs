//! The three ways a compaction begins, with hooks that are small shell scripts.

use throughline_testkit::{
    ClientLab, Kind, Script, Step, TurnResult, Usage,
    client::{MODEL_WITH_REMINDERS, MODEL_WITH_SYSTEM_MESSAGES},
    request::{ADDITIONAL_INSTRUCTIONS, COMPACT_OUTPUT},
};

const SUMMARY: &str = "<analysis>a</analysis>\n<summary>\n1. Wrote the parser.\n</summary>";
const KEEP: &str = "Keep: the parser must not allocate.\n\nREMINDER: also this.";
const RESTORED: &str = "Restored: the parser must not allocate.\n\nSecond paragraph: whole.";

/// Notes its payload, then says what belongs to the event.
const HOOK: &str = r#"
payload=$(cat)
printf '%s\n' "$payload" >> "$THROUGHLINE_HOME/payloads.jsonl"
case "$payload" in
  *'"hook_event_name":"PreCompact"'*) cat "$THROUGHLINE_HOME/keep" ;;
  *'"source":"compact"'*) cat "$THROUGHLINE_HOME/restored" ;;
esac
"#;

fn lab(script: Script, model: &str) -> Option<ClientLab> {
    let command = r#"sh "$CLAUDE_PROJECT_DIR/.claude/hook.sh""#;
    let events = ["SessionStart", "PreCompact", "SubagentStop", "PostCompact", "Stop", "SessionEnd"];
    let hooks = events.map(|event| (event, command));
    let lab = ClientLab::new(script.compact_summary(SUMMARY))?.with_model(model).with_hooks(&hooks);
    lab.home().write(".claude/hook.sh", HOOK);
    std::fs::write(lab.home().data().join("keep"), KEEP).unwrap();
    std::fs::write(lab.home().data().join("restored"), RESTORED).unwrap();
    Some(lab)
}

/// What must hold after one compaction, however it began.
fn check(lab: &ClientLab, turns: &[TurnResult], trigger: &str) {
    assert_eq!(turns.iter().map(TurnResult::compactions).sum::<usize>(), 1);
    let compacts = lab.mock().requests_of(Kind::Compact);
    assert_eq!(compacts.len(), 1);
    let instructions = compacts[0].hook_texts_of(ADDITIONAL_INSTRUCTIONS);
    assert_eq!(instructions.len(), 1);
    assert_eq!(instructions[0].text, KEEP);

    let said: Vec<String> = turns.iter().flat_map(TurnResult::hooks_said).collect();
    let next = lab.mock().main_after_compaction(1).expect("a main request after the compaction");
    assert!(next.contains("1. Wrote the parser."), "the summary is in the next request");
    assert!(next.contains(RESTORED));
    let mut restored = next.hook_texts_among(&said);
    restored.retain(|found| found.label == "SessionStart:compact hook success");
    assert_eq!(restored.iter().map(|found| found.text.as_str()).collect::<Vec<_>>(), [RESTORED]);

    let payloads = std::fs::read_to_string(lab.home().data().join("payloads.jsonl")).unwrap();
    let payloads = payloads.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut payloads: Vec<serde_json::Value> = payloads.collect();
    payloads.retain(|payload| payload["hook_event_name"] != "Stop");
    let order = payloads.iter().map(|payload| payload["hook_event_name"].as_str().unwrap());
    let expected =
        ["SessionStart", "PreCompact", "SubagentStop", "SessionStart", "PostCompact", "SessionEnd"];
    assert_eq!(order.collect::<Vec<_>>(), expected);
    assert_eq!(payloads[1]["trigger"], trigger);
    assert_eq!(payloads[2]["last_assistant_message"], SUMMARY);
    assert_eq!(payloads[4]["compact_summary"], SUMMARY);
}

fn automatic(model: &str) {
    let full = Step::bash("echo two").usage(Usage::filling(150_000));
    let script = Script::new()
        .turn("PROMPT:parser", [Step::bash("echo one"), full, Step::text("The parser is done.")])
        .turn("PROMPT:after", [Step::text("It must not allocate.")]);
    let Some(lab) = lab(script, model) else { return };
    let lab = lab.with_small_window();
    let mut client = lab.live(&[]);
    let turns = [client.ask("PROMPT:parser write it"), client.ask("PROMPT:after what did we decide?")];
    assert_eq!(turns[0].text(), "The parser is done.");
    assert_eq!(turns[1].text(), "It must not allocate.");
    assert!(client.close().success());
    check(&lab, &turns, "auto");
}

#[test]
fn an_automatic_compaction_hands_hook_texts_to_the_summariser_and_to_the_next_request() {
    automatic(MODEL_WITH_REMINDERS);
}

#[test]
fn hook_texts_are_found_in_system_messages_too() {
    automatic(MODEL_WITH_SYSTEM_MESSAGES);
}

#[test]
fn a_compaction_by_hand_does_the_same_and_reports_its_hooks() {
    let script = Script::new()
        .turn("PROMPT:parser", [Step::bash("echo one"), Step::text("The parser is done.")])
        .turn("PROMPT:after", [Step::text("It must not allocate.")]);
    let Some(lab) = lab(script, MODEL_WITH_REMINDERS) else { return };
    let mut client = lab.live(&[]);
    let first = client.ask("PROMPT:parser write it");
    let turns = [first, client.ask("/compact"), client.ask("PROMPT:after what did we decide?")];
    assert_eq!(turns[2].text(), "It must not allocate.");
    assert!(client.close().success());
    check(&lab, &turns, "manual");
    let next = lab.mock().main_after_compaction(1).unwrap();
    assert!(next.hook_texts_of(COMPACT_OUTPUT)[0].text.contains("PreCompact ["));
}

#[test]
fn a_prompt_that_the_api_calls_too_long_is_compacted_and_sent_again() {
    let steps = [Step::bash("echo one"), Step::prompt_too_long(), Step::text("The parser is done.")];
    let Some(lab) = lab(Script::new().turn("PROMPT:parser", steps), MODEL_WITH_REMINDERS) else { return };
    let mut client = lab.live(&[]);
    let turns = [client.ask("PROMPT:parser write it")];
    assert_eq!(turns[0].text(), "The parser is done.");
    assert!(client.close().success());
    check(&lab, &turns, "auto");
}
