//! A context that goes in circles: purified while the agent works, and given back after `/clear`.

use throughline_testkit::{Kind, Script, Step};

use crate::scene::{Scene, fragments};

#[test]
fn a_session_that_fails_again_and_again_is_purified_and_comes_back_clean() {
    let Some(scene) = Scene::installed() else { return };
    scene.run(&["anchor", "add", "No new dependencies", "--priority", "critical"]);
    // The client writes its transcript a moment after the answer came; a real tool takes longer than that.
    let failing = || Step::bash("sleep 0.4; cat src/no-such-parser.js");
    let steps = (0..12).map(|_| failing()).chain([Step::text("It does not work.")]);
    let script =
        Script::new().turn("PROMPT:circle", steps).turn("PROMPT:anew", [Step::text("A fresh start.")]);
    scene.lab.set_script(script);
    let mut client = scene.lab.live(&[]);
    let turn = client.ask("PROMPT:circle around the parser until it works");
    assert_eq!(turn.text(), "It does not work.");
    let kept = scene.state()["purification"].clone();
    assert!(kept["score"].as_u64().is_some_and(|score| score <= 40), "{kept}");
    let of_kind = |said: &[String], kind: &str| -> Vec<String> {
        said.iter().filter(|text| text.starts_with(&format!("[throughline:{kind}]"))).cloned().collect()
    };
    let last = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
    let notices = of_kind(&fragments(&last), "notice");
    assert_eq!(notices.len(), 1, "told once, while it worked: {notices:?}");
    assert!(notices[0].contains("context has gone bad"), "{notices:?}");
    client.ask("/clear");
    let anew = client.ask("PROMPT:anew please");
    assert_eq!(anew.text(), "A fresh start.");
    assert!(client.close().success());
    let request = scene.lab.mock().requests_of(Kind::Main).pop().unwrap();
    let given = of_kind(&fragments(&request), "purification");
    assert_eq!(given.len(), 1, "{:?}", fragments(&request));
    for line in
        ["Asked: PROMPT:circle around the parser", "cat src/no-such-parser.js", "A1: No new dependencies"]
    {
        assert!(given[0].contains(line), "{line} is not in {given:?}");
    }
    assert_eq!(scene.state().get("purification"), None, "given once");
    assert_eq!(scene.logged(), "");
}
