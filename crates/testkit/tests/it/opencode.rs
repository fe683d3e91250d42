//! OpenCode's life: a prompt, a tool, a session taken up again, a compaction; and which requests a plugin reaches.

use serde_json::json;
use throughline_testkit::{Kind, OpenCodeLab, Script, Step, Usage};

/// Says something in every door that our plugin uses.
const PLUGIN: &str = r#"export default async () => ({
  "experimental.chat.system.transform": async (_, { system }) => { system.push("SYSTEM-DOOR") },
  "experimental.session.compacting": async (_, { context }) => { context.push("COMPACTING-DOOR") },
  "tool.execute.after": async (_, output) => { output.output += "\nTOOL-DOOR" },
})"#;

#[test]
fn a_session_with_a_tool_and_a_compaction_is_driven_to_its_end() {
    let tool = Step::tool("bash", json!({"command": "echo one", "description": "say one"}));
    let full = Step::text("Much was read.").usage(Usage::filling(37_000));
    let script = Script::new()
        .turn("PROMPT:first", [tool, Step::text("It says one.")])
        .turn("PROMPT:second", [full, Step::text("Going on.")])
        .compact_summary("The summary: one was said.");
    let Some(lab) = OpenCodeLab::new(script) else { return };
    let lab = lab.with_plugin("doors.js", PLUGIN);
    assert!(lab.run("PROMPT:first go").assert_success().stdout.contains("It says one."));
    assert!(lab.run_on("PROMPT:second go").assert_success().stdout.contains("Going on."));
    let requests = lab.mock().requests();
    let kinds: Vec<Kind> = requests.iter().map(|request| request.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == Kind::Side).count(), 1, "a title: {kinds:?}");
    assert_eq!(lab.mock().requests_of(Kind::Main).len(), 4, "{kinds:?}");
    assert!(requests.iter().all(|request| request.contains("SYSTEM-DOOR")), "titles and summaries, too");
    assert!(lab.mock().requests_of(Kind::Main)[1].contains("one\n\nTOOL-DOOR"));
    let compact = &lab.mock().requests_of(Kind::Compact)[0];
    assert!(compact.contains("PROMPT:first go") && compact.contains("COMPACTING-DOOR"));
    let after = lab.mock().main_after_compaction(1).unwrap();
    assert!(after.contains("The summary: one was said.") && !after.contains("PROMPT:first go"));
    assert!(lab.database().is_file());
    assert_eq!(lab.mock().refused_paths(), Vec::<String>::new());
}
