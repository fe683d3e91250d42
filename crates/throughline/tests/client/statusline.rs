//! The status line under the client's prompt: right at every moment, one line of log a change, one compaction a `/compact`.

use std::time::{Duration, Instant};

use serde_json::Value;
use throughline_testkit::{Script, Step, Usage};

use crate::{scene::Scene, terminal::Terminal};

/// Used tokens, and `C` with the signs where the log tells of a compaction.
fn story(scene: &Scene) -> Vec<String> {
    let path = scene.lab.home().project().join(".claude/logs/context-usage.jsonl");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let told = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        match line["compaction"].as_bool() {
            Some(true) => {
                format!("{} C {} {}", line["context_used"], line["previous_percent"], line["signs"])
            }
            _ => line["context_used"].to_string(),
        }
    };
    text.lines().map(told).collect()
}

/// The log is written a moment before or after the screen shows the line.
#[track_caller]
fn wait_for_story(scene: &Scene, expected: &[&str]) {
    let until = Instant::now() + Duration::from_secs(10);
    while story(scene) != expected {
        assert!(Instant::now() < until, "the log tells {:?}, not {expected:?}", story(scene));
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn answers(script: Script, turns: &[(&str, &str, u64)]) -> Script {
    turns.iter().fold(script, |script, (prompt, answer, tokens)| {
        script.turn(prompt, [Step::text(*answer).usage(Usage::filling(*tokens))])
    })
}

#[test]
fn a_person_sees_how_full_the_context_is_and_that_it_was_compacted() {
    let Some(scene) = Scene::installed() else { return };
    let script = Script::new().compact_summary("What we did so far.");
    let turns = [
        ("PROMPT:one", "First answer.", 50_020),
        ("PROMPT:two", "Second answer.", 60_020),
        ("PROMPT:three", "Third answer.", 20_020),
    ];
    scene.lab.set_script(answers(script, &turns));
    let Some(terminal) = Terminal::open(&scene) else { return };
    // Before the first response nothing is known; this model is not compacted by usage.
    terminal.wait_for("[Sonnet 4.5] – · no auto-compaction");
    terminal.enter("PROMPT:one");
    terminal.wait_for("[Sonnet 4.5] 25% (50,000t)");
    wait_for_story(&scene, &["50000"]);
    terminal.enter("PROMPT:two");
    terminal.wait_for("[Sonnet 4.5] 30% (60,000t)");
    wait_for_story(&scene, &["50000", "60000"]);
    terminal.enter("/compact");
    let screen = terminal.wait_for("♻");
    assert!(screen.contains("[Sonnet 4.5] –"), "{screen}");
    terminal.enter("PROMPT:three");
    let screen = terminal.wait_for("[Sonnet 4.5] 10% (20,000t)");
    assert!(screen.contains('♻'), "{screen}");
    wait_for_story(&scene, &["50000", "60000", r#"20000 C 30 ["drop","reset","hook"]"#]);
    assert_eq!(scene.logged(), "");
}

#[test]
fn the_distance_is_to_the_compaction_that_really_comes() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    let at = |tokens| Step::bash("sleep 0.6").usage(Usage::filling(tokens));
    let steps = [at(70_020), at(116_020), at(117_100), Step::text("All done.").usage(Usage::filling(30_020))];
    scene.lab.set_script(Script::new().compact_summary("What we did.").turn("PROMPT:fill", steps));
    // The client would ask before each command.
    let Some(terminal) = Terminal::open_with(&scene, &["--allowedTools", "Bash"]) else {
        return;
    };
    terminal.wait_for("] –");
    terminal.enter("PROMPT:fill it");
    terminal.wait_for("[Sonnet 4.5] 35% (70,000t)");
    terminal.wait_for("· 47k to compaction");
    terminal.wait_for("[Sonnet 4.5] 58% (116,000t)");
    terminal.wait_for("🚨");
    terminal.wait_for("All done.");
    let screen = terminal.wait_for("[Sonnet 4.5] 15% (30,000t)");
    assert!(screen.contains("· 87k to compaction"), "{screen}");
    let story = story(&scene);
    let compactions: Vec<&String> = story.iter().filter(|line| line.contains('C')).collect();
    assert_eq!(compactions.len(), 1, "{story:?}");
    assert!(compactions[0].starts_with("30000 C 58 "), "{story:?}");
}

#[test]
fn a_resume_a_clear_and_another_model_are_no_compaction() {
    let Some(scene) = Scene::installed() else { return };
    let turns = [
        ("PROMPT:one", "First answer.", 120_020),
        ("PROMPT:two", "Second answer.", 121_020),
        ("PROMPT:three", "Third answer.", 20_020),
        ("PROMPT:four", "Fourth answer.", 12_020),
    ];
    scene.lab.set_script(answers(Script::new(), &turns));
    let Some(terminal) = Terminal::open(&scene) else { return };
    terminal.wait_for("[Sonnet 4.5] –");
    terminal.enter("PROMPT:one");
    terminal.wait_for("[Sonnet 4.5] 60% (120,000t)");
    wait_for_story(&scene, &["120000"]);
    drop(terminal);
    let Some(terminal) = Terminal::open_with(&scene, &["--continue"]) else { return };
    terminal.wait_for("First answer.");
    terminal.enter("PROMPT:two");
    terminal.wait_for("[Sonnet 4.5] 60% (121,000t)");
    wait_for_story(&scene, &["120000", "121000"]);
    terminal.enter("/clear");
    terminal.wait_for("[Sonnet 4.5] –");
    terminal.enter("PROMPT:three");
    terminal.wait_for("[Sonnet 4.5] 10% (20,000t)");
    wait_for_story(&scene, &["120000", "121000", "20000"]);
    terminal.enter("/model claude-opus-5-5");
    terminal.wait_for("Yes, switch to Opus 5.5");
    terminal.press("Enter");
    terminal.wait_for("[Opus 5.5]");
    terminal.enter("PROMPT:four");
    terminal.wait_for("[Opus 5.5] 1% (12,000t)");
    terminal.wait_for("· 955k to compaction");
    let story = story(&scene);
    assert!(story.iter().all(|line| !line.contains('C')), "{story:?}");
    assert_eq!(story.last().map(String::as_str), Some("12000"));
}
