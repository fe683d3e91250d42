//! A context that fills up: the agent is told once for each threshold, and the state is saved.

use throughline_testkit::{Kind, Request, Script, Step, TurnResult, Usage};

use crate::{
    compaction::fills_the_window,
    plugin::PLUGIN,
    scene::{Scene, fragments},
};

/// With the small window the client compacts at 117,000 tokens.
fn fill(scene: &Scene, args: &[&str]) -> TurnResult {
    scene.run(&["add", "decision", "Parser works without recursion"]);
    // The client writes its transcript a moment after the answer came; a real tool takes longer than that.
    let at = |tokens| Step::bash("sleep 0.4").usage(Usage::filling(tokens));
    let steps = [at(70_000), at(90_000), at(91_000), at(107_000), at(108_000), Step::text("Filled.")];
    scene.lab.set_script(Script::new().turn("PROMPT:fill", steps));
    let mut client = scene.lab.live(args);
    let turn = client.ask("PROMPT:fill it");
    assert_eq!((turn.text(), turn.compactions()), ("Filled.", 0));
    // What a turn's end saves would hide what the threshold saved.
    assert_eq!(scene.state()["trigger"], "threshold");
    assert!(client.close().success());
    turn
}

fn notices(request: &Request) -> Vec<String> {
    let mut notices = fragments(request);
    notices.retain(|text| text.starts_with("[throughline:notice]"));
    notices
}

fn check(scene: &Scene) {
    let requests = scene.lab.mock().requests_of(Kind::Main);
    let counts: Vec<usize> = requests.iter().map(|request| notices(request).len()).collect();
    // Nothing before 70 %; one from 77 % on; a second one from 91 % on. What was said stays in the history.
    assert_eq!(counts, [0, 0, 1, 1, 2, 2]);
    let said = notices(&requests[5]);
    assert!(said[0].contains("76 %") && said[0].contains("117,000"), "{said:?}");
    assert!(said[1].contains("91 %"), "{said:?}");
    let receipt = scene.receipt("PostToolBatch");
    assert_eq!(receipt.outcome, "ok");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_threshold_is_spoken_of_once_in_the_next_request() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    fill(&scene, &[]);
    check(&scene);
}

#[test]
fn a_threshold_is_spoken_of_once_by_settings_and_plugin_together() {
    let Some(scene) = Scene::installed() else { return };
    let binary = scene.binary.clone();
    let scene = scene.with(|lab| lab.with_small_window().with_env("THROUGHLINE_BIN", binary));
    fill(&scene, &["--plugin-dir", PLUGIN]);
    check(&scene);
}

#[test]
fn the_size_from_before_a_compaction_raises_no_alarm_after_it() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(throughline_testkit::ClientLab::with_small_window);
    scene.run(&["add", "decision", "Parser works without recursion"]);
    let small = || Step::bash("echo step").usage(Usage::filling(20_000));
    let steps = [small(), fills_the_window(), small(), small(), small(), Step::text("Done.")];
    scene.lab.set_script(Script::new().turn("PROMPT:fill", steps));
    let mut client = scene.lab.live(&[]);
    let turn = client.ask("PROMPT:fill it");
    assert_eq!((turn.text(), turn.compactions()), ("Done.", 1));
    assert!(client.close().success());
    let last = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
    assert_eq!(notices(&last), [""; 0]);
}
