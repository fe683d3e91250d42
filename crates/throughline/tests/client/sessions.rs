//! Sessions that end badly, are cleared, taken up again, or run side by side.

use std::time::Duration;

use throughline_testkit::{Kind, Request, Script, Step};

use crate::scene::{Scene, fragments};

const WAIT: Duration = Duration::from_secs(30);
const DECISION: &str = "Parser works without recursion";
const RULE: &str = "No new runtime dependencies";
const ACTION: &str = "Measure the parser on deep input";
const ERROR: &str = "stack overflow in parse_list";

fn record(scene: &Scene) {
    scene.run(&["add", "decision", DECISION, "--rationale", "deep input overflowed the stack"]);
    scene.run(&["add", "constraint", RULE, "--source", "user"]);
    scene.run(&["add", "action", ACTION]);
    scene.run(&["add", "evidence", ERROR, "--type", "error", "--source", "cargo test"]);
}

/// The main requests from the given one on.
fn main_requests(scene: &Scene, from: usize) -> Vec<Request> {
    scene.lab.mock().requests_of(Kind::Main).split_off(from)
}

#[test]
fn a_killed_client_loses_nothing_that_was_recorded() {
    let Some(scene) = Scene::installed() else { return };
    let late = Step::text("Too late.").delay(Duration::from_mins(1));
    let script = Script::new().turn("PROMPT:first", [scene.decides(DECISION, "it overflowed"), late]);
    scene.lab.set_script(script);
    let mut crashing = scene.lab.live(&[]);
    crashing.send("PROMPT:first go");
    scene.lab.mock().wait_for(Kind::Main, 2, WAIT);
    crashing.kill();

    let mut client = scene.lab.live(&[]);
    client.ask("anything");
    assert!(client.close().success());
    let said = fragments(&main_requests(&scene, 2)[0]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("[CONTEXT RESTORED]") && said[0].contains(DECISION), "{said:?}");
    let fates: Vec<String> = scene.status()["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["fate"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(fates, ["ended", "ended without saying so"]);
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_cleared_context_gets_one_line() {
    let Some(scene) = Scene::installed() else { return };
    record(&scene);
    let mut client = scene.lab.live(&[]);
    let before = client.ask("anything");
    client.ask("/clear");
    let after = client.ask("something else");
    assert!(client.close().success());
    assert_ne!(before.session_id(), after.session_id(), "/clear begins a new session");
    let requests = main_requests(&scene, 0);
    let said = fragments(requests.last().unwrap());
    assert_eq!(said.len(), 1, "{said:?}");
    let lines: Vec<&str> = said[0].lines().collect();
    assert_eq!(lines.len(), 3, "{said:?}");
    assert!(lines[1].contains("1 decision, 1 constraint, 1 action"), "{said:?}");
    assert_eq!(scene.logged(), "");
}

#[test]
fn a_session_that_is_taken_up_within_the_hour_is_told_nothing() {
    let Some(scene) = Scene::installed() else { return };
    let mut client = scene.lab.live(&[]);
    let session = client.ask("anything").session_id().to_owned();
    assert!(client.close().success());
    record(&scene);
    let mut client = scene.lab.live(&["--resume", &session]);
    let turn = client.ask("something else");
    assert_eq!(turn.session_id(), session);
    assert!(client.close().success());
    assert_eq!(scene.receipt("SessionStart").said_bytes, 0);
    for request in main_requests(&scene, 0) {
        assert_eq!(fragments(&request), [""; 0]);
    }
    assert_eq!(scene.logged(), "");
}

#[test]
fn beside_a_live_session_a_new_one_gets_what_is_shared() {
    let Some(scene) = Scene::installed() else { return };
    let mut first = scene.lab.live(&[]);
    first.ask("anything");
    record(&scene);
    let asked = scene.lab.mock().requests_of(Kind::Main).len();
    let mut second = scene.lab.live(&[]);
    second.ask("anything");
    assert!(second.close().success());
    let said = fragments(&main_requests(&scene, asked)[0]).join("\n");
    assert!(said.contains(DECISION) && said.contains(RULE), "{said}");
    assert!(!said.contains(ACTION) && !said.contains(ERROR), "{said}");

    // Once the first has ended, everything is there for the taking.
    assert!(first.close().success());
    let asked = scene.lab.mock().requests_of(Kind::Main).len();
    let mut third = scene.lab.live(&[]);
    third.ask("anything");
    assert!(third.close().success());
    let said = fragments(&main_requests(&scene, asked)[0]).join("\n");
    assert!(said.contains(DECISION) && said.contains(ACTION) && said.contains(ERROR), "{said}");
    assert_eq!(scene.logged(), "");
}
