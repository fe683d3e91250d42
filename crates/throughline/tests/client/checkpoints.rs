//! Checkpoints in the real client: a compaction makes one, and one that follows without a change makes none.

use serde_json::Value;
use throughline_testkit::{Script, Step, Usage};

use crate::compaction::SUMMARY;
use crate::scene::Scene;

fn checkpoints(scene: &Scene) -> Vec<Value> {
    let output = scene.run(&["checkpoint", "list", "--json"]);
    serde_json::from_str::<Value>(&output.stdout).expect("JSON").as_array().cloned().expect("a list")
}

#[test]
fn a_compaction_makes_one_checkpoint_and_a_second_without_a_change_none() {
    let Some(scene) = Scene::installed() else { return };
    let script = Script::new().compact_summary(SUMMARY).turn(
        "PROMPT:work",
        [Step::bash("echo row > rows.txt").usage(Usage::filling(40_000)), Step::text("Done.")],
    );
    scene.lab.set_script(script);
    let mut client = scene.lab.live(&[]);
    client.ask("PROMPT:work Never drop a row.");
    assert_eq!(checkpoints(&scene).len(), 0, "a turn alone makes none");
    client.ask("/compact");
    let first = checkpoints(&scene);
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!((&first[0]["type"], &first[0]["files"]), (&"precompact".into(), &1.into()), "{first:?}");
    client.ask("/compact");
    assert_eq!(checkpoints(&scene), first, "nothing changed in between");
    assert!(client.close().success());
    let restored = scene.run(&["checkpoint", "restore", "latest"]).stdout;
    assert!(restored.contains("Never drop a row."), "{restored}");
    assert_eq!(scene.lab.home().git(&["status", "--porcelain"]), "?? rows.txt\n");
    assert_eq!(scene.logged(), "");
}
