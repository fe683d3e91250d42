//! The transcript as the client itself writes it: what is needed comes back though nobody recorded it, and only once.

use serde_json::json;
use throughline_testkit::{Kind, Script, Step};

use crate::compaction::{SUMMARY, briefings, fills_the_window};
use crate::scene::{Scene, fragments};

const DIRECTIVE: &str = "Never use recursion in the parser.";
const COMMAND: &str = "sh ./run-tests.sh --only deep_input";
const ERROR: &str = "error: deep_input failed at line 17: stack exhausted";

#[test]
fn directive_error_command_and_file_come_back_after_each_compaction_and_are_not_captured_again() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    let script = format!("echo \"running 3 tests\"; echo \"{ERROR}\"; exit 1\n");
    scene.lab.home().write("run-tests.sh", &script);
    let file = scene.lab.home().project().join("src/parser.rs");
    let first = [
        Step::tool("Write", json!({"file_path": file, "content": "fn parse() {}\n"})),
        Step::bash(COMMAND),
        fills_the_window(),
        Step::text("The parser is written."),
    ];
    let script = Script::new()
        .compact_summary(SUMMARY)
        .turn("PROMPT:parser", first)
        .turn("PROMPT:again", [fills_the_window(), Step::text("Done again.")])
        .turn("PROMPT:after", [Step::text("It works.")]);
    scene.lab.set_script(script);
    let mut client = scene.lab.live(&[]);
    let asked = client.ask(&format!("PROMPT:parser write a parser for the format. {DIRECTIVE}"));
    assert_eq!(asked.compactions(), 1);
    assert_eq!(client.ask("PROMPT:again go on with it please").compactions(), 1);
    client.ask("PROMPT:after is it done now?");
    assert!(client.close().success());

    assert!(scene.state()["decisions"].as_array().is_none_or(Vec::is_empty), "nothing was recorded");
    let blocks: Vec<String> = scene
        .lab
        .mock()
        .requests_of(Kind::Compact)
        .iter()
        .filter_map(|request| {
            fragments(request).into_iter().rfind(|text| text.starts_with("[throughline:preserve]"))
        })
        .collect();
    assert_eq!(blocks.len(), 2);
    let mut texts = blocks;
    for compaction in 1..=2 {
        let next = scene.lab.mock().main_after_compaction(compaction).expect("a request after it");
        let said = briefings(&fragments(&next));
        // The second compaction took the first one's briefing away.
        assert_eq!(said.len(), 1, "{compaction}: {said:?}");
        texts.extend(said);
    }
    for text in &texts {
        for need in [DIRECTIVE, ERROR, COMMAND, "parser.rs"] {
            assert!(text.contains(need), "{need}\nis not in\n{text}");
        }
        assert_eq!(text.matches("[throughline:").count(), 1, "{text}");
        assert_eq!(text.matches("[/throughline]").count(), 1, "{text}");
        assert!(text.matches(&format!("- \"{DIRECTIVE}\"")).count() <= 1, "{text}");
        assert_eq!(text.matches(ERROR).count(), 1, "{text}");
    }
    let kept = scene.lab.home().data().join("sessions").join(asked.session_id()).join("ledger.json");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(!kept.contains("[throughline:") && !kept.contains("You were just compacted"), "{kept}");
    assert_eq!(scene.logged(), "");
}
