//! The user's rules: in the first request, and again after a compaction.

use throughline_testkit::{ClientLab, Kind};

use crate::compaction::automatic;
use crate::scene::{Scene, fragments};

fn rules(fragments: &[String]) -> Vec<&String> {
    fragments.iter().filter(|text| text.starts_with("[throughline:rules]")).collect()
}

#[test]
fn the_rules_are_in_the_first_request_and_again_after_a_compaction() {
    let Some(scene) = Scene::installed() else { return };
    let scene = scene.with(ClientLab::with_small_window);
    let config = "[governance]\ntext = \"Ask before you push.\"\nphases = { EXEC = \"Test first.\" }\n";
    scene.lab.home().configure(config);
    scene.run(&["set", "work", "--phase", "exec"]);
    automatic(&scene, &[]);
    let first = fragments(&scene.lab.mock().requests_of(Kind::Main)[0]);
    assert!(first[0].starts_with("[throughline:rules]"), "before anything else of ours: {first:?}");
    assert_eq!(rules(&first).len(), 1, "{first:?}");
    assert!(first[0].contains("Ask before you push.\nIn phase EXEC: Test first."), "{first:?}");
    let next = fragments(&scene.lab.mock().main_after_compaction(1).unwrap());
    assert_eq!(rules(&next), [&first[0]], "word by word, once: {next:?}");
    assert!(next.iter().any(|text| text.starts_with("[throughline:briefing]")), "{next:?}");
    assert_eq!(scene.logged(), "");
    assert!(
        !scene.run(&["anchor", "list", "--proposed"]).stdout.contains("Ask before"),
        "they are nobody's words"
    );
}
