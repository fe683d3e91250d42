//! Our hooks from the plugin, alone and beside the settings; the plugin's life from marketplace to removal.

use throughline_testkit::{Kind, Script, Step, TurnResult};

use crate::{
    compaction::{self, BY_AGENT},
    scene::{Scene, fragments},
};

/// The plugin of this repository.
pub(crate) const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/throughline");
const MARKETPLACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin");

fn scene_with_binary_in_env() -> Option<Scene> {
    let scene = Scene::new()?;
    let binary = scene.binary.clone();
    Some(scene.with(|lab| lab.with_env("THROUGHLINE_BIN", binary)))
}

fn first_event(turn: &TurnResult) -> &serde_json::Value {
    turn.events_of("init").next().expect("the client's first event")
}

fn names<'a>(event: &'a serde_json::Value, list: &str) -> Vec<&'a str> {
    event[list].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
}

#[test]
fn an_automatic_compaction_is_survived_with_the_plugin() {
    let Some(scene) = scene_with_binary_in_env() else { return };
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    let turns = compaction::automatic(&scene, &["--plugin-dir", PLUGIN]);
    compaction::check(&scene, &turns, "auto");
    assert!(scene.receipts().iter().all(|receipt| receipt.via == "p"));
}

#[test]
fn a_compaction_by_hand_is_survived_with_the_plugin_and_the_binary_on_the_path() {
    let Some(scene) = Scene::new() else { return };
    let folder = scene.binary.parent().unwrap().to_owned();
    let scene = scene.with(|lab| lab.with_path_dir(&folder));
    let turns = compaction::by_hand(&scene, &["--plugin-dir", PLUGIN]);
    compaction::check(&scene, &turns, "manual");
}

#[test]
fn a_prompt_that_is_too_long_is_survived_with_the_plugin() {
    let Some(scene) = scene_with_binary_in_env() else { return };
    let turns = compaction::too_long(&scene, &["--plugin-dir", PLUGIN]);
    compaction::check(&scene, &turns, "auto");
}

#[test]
fn settings_and_plugin_together_say_everything_once() {
    let Some(scene) = scene_with_binary_in_env() else { return };
    scene.init();
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    let turns = compaction::automatic(&scene, &["--plugin-dir", PLUGIN]);
    compaction::check(&scene, &turns, "auto");
    let next = scene.lab.mock().main_after_compaction(1).unwrap();
    assert_eq!(fragments(&next).len(), 1, "nothing of ours beside the briefing");
}

#[test]
fn settings_and_plugin_together_say_everything_once_around_a_compaction_by_hand() {
    let Some(scene) = scene_with_binary_in_env() else { return };
    scene.init();
    let turns = compaction::by_hand(&scene, &["--plugin-dir", PLUGIN]);
    compaction::check(&scene, &turns, "manual");
    compaction::check_report_by_hand(&scene);
}

#[test]
fn the_agent_calls_the_binary_by_its_name_and_finds_commands_and_skill() {
    let Some(scene) = scene_with_binary_in_env() else { return };
    let records = Step::bash(&format!("throughline add decision '{}'", BY_AGENT[0]));
    let script = Script::new().turn("PROMPT:record", [records, Step::text("Recorded.")]);
    scene.lab.set_script(script);
    let mut client = scene.lab.live(&["--plugin-dir", PLUGIN]);
    let turn = client.ask("PROMPT:record it");
    assert_eq!(turn.text(), "Recorded.");
    assert_eq!(scene.state()["decisions"][0]["id"], "D1");
    let commands = names(first_event(&turn), "slash_commands");
    for command in ["throughline:context-compact", "throughline:throughline"] {
        assert!(commands.contains(&command), "{commands:?}");
    }
    let request = &scene.lab.mock().requests_of(Kind::Main)[0];
    assert!(request.contains("throughline:record"), "the skill is offered to the model");

    client.ask("/throughline:context-compact the parser");
    let request = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
    assert!(request.contains("The user is about to compact this conversation."));
    assert!(request.contains("if anything stands here: the parser"));
    assert!(client.close().success());
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_plugin_without_a_binary_is_silent() {
    let Some(scene) = Scene::new() else { return };
    scene.lab.set_script(Script::new().turn("PROMPT:go", [Step::bash("echo one"), Step::text("Done.")]));
    let mut client = scene.lab.live(&["--plugin-dir", PLUGIN]);
    let turn = client.ask("PROMPT:go");
    assert_eq!(turn.text(), "Done.");
    for response in turn.events_of("hook_response") {
        assert_eq!((&response["stdout"], &response["stderr"]), (&"".into(), &"".into()), "{response}");
        assert_eq!(response["exit_code"], 0, "{response}");
    }
    assert!(client.close().success());
}

#[test]
fn the_client_finds_no_fault_in_plugin_and_marketplace() {
    let Some(scene) = Scene::new() else { return };
    for folder in [MARKETPLACE, PLUGIN] {
        let validation = scene.lab.claude(&["plugin", "validate", folder]);
        let report = &validation.assert_success().stdout;
        assert!(report.contains("Validation passed"), "{report}");
    }
}

#[test]
fn the_plugin_is_installed_from_the_marketplace_and_removed_without_a_trace() {
    let Some(scene) = scene_with_binary_in_env() else { return };
    let claude = |args: &[&str]| scene.lab.claude(args).assert_success().stdout.clone();
    claude(&["plugin", "marketplace", "add", MARKETPLACE]);
    claude(&["plugin", "install", "throughline@throughline"]);
    assert!(claude(&["plugin", "list"]).contains("throughline@throughline"));

    scene.run(&["add", "decision", BY_AGENT[0]]);
    let mut client = scene.lab.live(&[]);
    client.ask("anything");
    assert!(client.close().success());
    let request = &scene.lab.mock().requests_of(Kind::Main)[0];
    let said = fragments(request);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("[CONTEXT RESTORED]") && said[0].contains(BY_AGENT[0]), "{said:?}");

    claude(&["plugin", "uninstall", "throughline@throughline"]);
    claude(&["plugin", "marketplace", "remove", "throughline"]);
    assert!(!claude(&["plugin", "list"]).contains("throughline@throughline"));
    let before = scene.lab.mock().requests().len();
    let mut client = scene.lab.live(&[]);
    client.ask("anything");
    assert!(client.close().success());
    let later = scene.lab.mock().requests().split_off(before);
    assert!(later.iter().all(|request| fragments(request).is_empty()));
}
