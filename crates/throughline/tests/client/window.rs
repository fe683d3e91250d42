//! Where the client compacts by itself: at the point that `init --compact-at` promised, and not before.

use serde_json::json;
use throughline_testkit::{Kind, Script, Step, TurnResult, Usage};

use crate::scene::Scene;

/// One answer a number of used tokens; gives what the client sent, in its order, and what it told of the turn.
fn fill(scene: &Scene, used_tokens: &[u64]) -> (Vec<Kind>, TurnResult) {
    // The client writes its transcript a moment after the answer came; a real tool takes longer than that.
    let steps = used_tokens.iter().map(|tokens| Step::bash("sleep 0.3").usage(Usage::filling(*tokens)));
    scene.lab.set_script(Script::new().turn("PROMPT:fill", steps.chain([Step::text("Filled.")])));
    let mut client = scene.lab.live(&[]);
    let turn = client.ask("PROMPT:fill it");
    assert_eq!(turn.text(), "Filled.");
    assert!(client.close().success());
    let kinds = scene.lab.mock().requests().into_iter().map(|request| request.kind);
    (kinds.filter(|kind| matches!(kind, Kind::Main | Kind::Compact)).collect(), turn)
}

#[test]
fn compaction_comes_at_the_point_that_was_chosen_and_not_before() {
    let Some(scene) = Scene::installed() else { return };
    let said = scene.run(&["init", "--compact-at", "70%"]).stdout;
    assert!(said.contains("compaction comes at 140,000 tokens"), "{said}");
    let (kinds, turn) = fill(&scene, &[70_000, 139_500, 140_100]);
    assert_eq!(kinds, [Kind::Main, Kind::Main, Kind::Main, Kind::Compact, Kind::Main]);
    assert_eq!(turn.compactions(), 1);
    let health: serde_json::Value =
        serde_json::from_str(&scene.run(&["health", "--json"]).stdout).expect("JSON");
    assert_eq!(health["compactsAtTokens"], 140_000);
    assert_eq!(health["compactions"], 1);
    assert_eq!(health["peakTokens"], 140_080, "what was written is not in the context yet");
}

#[test]
fn off_gives_the_client_its_own_habit_back() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["init", "--compact-at", "70%"]);
    scene.run(&["init", "--compact-at", "off"]);
    let (kinds, _) = fill(&scene, &[139_500, 140_100, 165_000]);
    assert_eq!(kinds, [Kind::Main; 4], "this model does not compact by usage");
}

#[test]
fn a_percentage_in_the_environment_is_allowed_for() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(|lab| lab.with_env("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "80"));
    scene.run(&["init", "--compact-at", "120k"]);
    let (kinds, _) = fill(&scene, &[119_500, 120_200]);
    assert_eq!(kinds, [Kind::Main, Kind::Main, Kind::Compact, Kind::Main]);
}

/// What `compaction_point` holds for true of settings that nobody should write.
#[test]
fn a_window_that_is_too_small_is_ignored_in_the_settings() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(|lab| lab.with_settings(&json!({"autoCompactWindow": 50_000})));
    let (kinds, _) = fill(&scene, &[60_000, 80_000]);
    assert_eq!(kinds, [Kind::Main; 3]);
}

#[test]
fn a_window_of_one_model_counts_before_the_window_of_all() {
    let Some(scene) = Scene::installed() else { return };
    let settings = json!({
        "autoCompactWindow": 200_000, "modelSettings": {"claude-sonnet-4-5": {"autoCompactWindow": 120_000}},
    });
    let scene = scene.with(|lab| lab.with_settings(&settings));
    let (kinds, _) = fill(&scene, &[86_500, 87_100]);
    assert_eq!(kinds, [Kind::Main, Kind::Main, Kind::Compact, Kind::Main]);
    let health = scene.run(&["health", "--json"]).stdout;
    assert!(health.contains("\"compactsAtTokens\": 87000"), "{health}");
}
